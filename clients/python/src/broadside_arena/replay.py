"""Reads the records of matches, and goes through them position by position.

for position in replay.load("match.pb"):
print(position.seat, position.move)
print(position.board(position.seat))
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from . import pb, rpc
from .boards import Board, board_of
from .fleets import Fleet, fleet_of
from .game import game_of
from .moves import Move, from_message
from .reaching import channel_to, metadata
from .words import Phase, Seat, ShipClass, Variant


class BadRecord(ValueError):  # noqa: N818 - what it is
    """What was read is no record of a match, or none that this version understands."""


@dataclass(frozen=True)
class Announced:
    """What everybody was told after a move. What a variant does not tell is None, or empty."""

    hits: tuple[bool, ...] = ()
    """Whether each shot hit, in the order called; cells of an air strike in the order of their numbers."""
    hit_count: int | None = None
    """How many shots hit."""
    hit_classes: tuple[ShipClass, ...] = ()
    """Classes of the ships hit, where they are named: one for each hit."""
    sunk: tuple[ShipClass, ...] = ()
    """Classes of the ships sunk."""
    found: bool | None = None
    """Whether a hunt found the submarine."""
    pushed: int = 0
    """How many marbles were pushed (abalone)."""
    ejected: bool = False
    """Whether one of them left the board (abalone)."""

    @classmethod
    def of(cls, answer: pb.Answer) -> Announced:
        """From the contract's message."""
        field = answer.WhichOneof("variant")
        said: Any = getattr(answer, field) if field else None
        if field == "abalone":
            return cls(pushed=said.pushed, ejected=said.ejected)
        if field == "advanced_salvo":
            return cls(hit_count=said.hits)
        if field == "salvo":
            hits = tuple(shot.hit for shot in said.shots)
            named = tuple(ShipClass(shot.ship_class) for shot in said.shots if shot.HasField("ship_class"))
            return cls(hits, sum(hits), named, tuple(map(ShipClass, said.sunk)))
        if field == "amiral_advanced":
            return cls._of_advanced(said)
        if said is None:
            return cls()
        named = (ShipClass(said.ship_class),) if field == "classic" and said.HasField("ship_class") else ()
        sunk = said.sunk.ship_class if field == "naumachia" else said.sunk
        return cls((said.hit,), int(said.hit), named, (ShipClass(sunk),) if said.HasField("sunk") else ())

    @classmethod
    def _of_advanced(cls, answer: pb.AmiralAdvancedAnswer) -> Announced:
        kind = answer.WhichOneof("answer")
        if kind == "hunt":
            return cls(found=answer.hunt.found)
        if kind == "air_strike":
            strike = answer.air_strike
            hits = tuple(number in strike.hits for number in sorted([*strike.misses, *strike.hits]))
            return cls(hits, len(strike.hits), sunk=tuple(map(ShipClass, strike.sunk)))
        if kind is None:
            return cls()
        said: Any = getattr(answer, kind)
        sunk = (ShipClass(said.sunk),) if said.HasField("sunk") else ()
        return cls(sunk=sunk) if kind == "torpedo" else cls((said.hit,), int(said.hit), sunk=sunk)


@dataclass(frozen=True, eq=False)
class Position:
    """One accepted move, and where the match stood after it."""

    number: int
    """Counts the accepted moves from 1."""
    seconds: float
    """When its answer was read, in seconds since the match was created."""
    seat: Seat
    """Who moved."""
    move: Move
    """The move, whole."""
    announced: Announced
    """What everybody was told."""
    phase: Phase
    """What is asked after it, as far as moves show it."""
    message: pb.MoveAccepted
    """The entry of the record."""
    views: dict[Seat, pb.View]
    """What each seat knew after it, in the contract's words."""
    fleet: Fleet
    """The ships of the match."""

    def board(self, seat: Seat) -> Board:
        """What the seat knew after the move, as numpy arrays."""
        return board_of(self.views[seat], self.fleet)


@dataclass(frozen=True, eq=False)
class Replay:
    """The record of a match. Iterated over it gives a `Position` for each accepted move."""

    message: pb.MatchRecord
    """The record itself: refusals, clocks and connections are here."""

    @property
    def match_id(self) -> int:
        """The match."""
        return self.message.match_id

    @property
    def created(self) -> pb.MatchCreated:
        """The match as it was asked for: options, agents, time control, seed."""
        return self.message.entries[0].created

    @property
    def variant(self) -> Variant:
        """What was played."""
        return Variant.named(str(self.created.options.WhichOneof("variant")))

    @property
    def agents(self) -> dict[Seat, str]:
        """Who sat where: names or addresses."""
        return {Seat.ONE: self.created.seat_one_agent, Seat.TWO: self.created.seat_two_agent}

    @property
    def outcome(self) -> pb.Outcome:
        """How it ended."""
        return self.message.entries[-1].ended.outcome

    @property
    def winner(self) -> Seat | None:
        """Who won; None after a draw, or without a result."""
        result = self.outcome.result
        return Seat(result) if result in (pb.MATCH_RESULT_SEAT_ONE_WINS, pb.MATCH_RESULT_SEAT_TWO_WINS) else None

    def __iter__(self) -> Iterator[Position]:
        """Goes through the accepted moves. Raises BadRecord, which names the entry, at one that this version does not understand."""
        fleet, game = fleet_of(self.created.options), game_of(self.created.options)
        number = 0
        for index, entry in enumerate(self.message.entries):
            if not entry.HasField("accepted"):
                continue
            accepted, number = entry.accepted, number + 1
            try:
                seat, move = Seat(accepted.seat), from_message(accepted.move)
                game.apply(seat, accepted.move, accepted.answer)
                views = {seat: game.view(seat) for seat in Seat}
            except (ValueError, KeyError, AttributeError, IndexError) as error:
                raise BadRecord(
                    f"entry {index} of match {self.match_id} is no move of {self.variant}: {error}"
                ) from error
            announced = Announced.of(accepted.answer)
            yield Position(number, entry.at_us / 1e6, seat, move, announced, game.phase, accepted, views, fleet)

    def __len__(self) -> int:
        return sum(entry.HasField("accepted") for entry in self.message.entries)


def read(data: bytes) -> Replay:
    """A record from its bytes: binary protobuf or proto-JSON, the record itself or an arena's answer that holds one.

    Raises BadRecord if they are none.
    """
    record = pb.MatchRecord()
    try:
        if data.lstrip()[:1] == b"{":
            response = pb.GetMatchRecordResponse()
            text = data.decode()
            if '"entries"' in text and '"record"' in text.partition('"entries"')[0]:
                json_format.Parse(text, response, ignore_unknown_fields=True)
                record = response.record
            else:
                json_format.Parse(text, record, ignore_unknown_fields=True)
        else:
            record.ParseFromString(data)
    except (DecodeError, json_format.ParseError, UnicodeDecodeError) as error:
        raise BadRecord(f"this is no record of a match, neither protobuf nor proto-JSON: {error}") from error
    if record.format_version != 1:
        raise BadRecord(
            f"this is no record of form 1, which is what this version reads: its format_version is {record.format_version}"
        )
    if not record.entries or not record.entries[0].HasField("created") or not record.entries[-1].HasField("ended"):
        raise BadRecord("the record is not whole: it begins with how the match was created and ends with how it ended")
    return Replay(record)


def load(path: str | os.PathLike[str]) -> Replay:
    """A record from a file, as `broadside match record ID --output FILE` writes it: .pb or .json.

    Raises OSError if the file cannot be read, BadRecord if it holds none.
    """
    return read(Path(path).read_bytes())


def fetch(match_id: int, address: str = "127.0.0.1:4600", *, ca: str | None = None, token: str | None = None) -> Replay:
    """The record of a match that is over, from the arena at HOST:PORT or https://HOST:PORT.

    Raises LookupError if there is no such match or it is not over, ConnectionError if the arena does not answer; both say why.
    """
    import grpc

    with channel_to(address, ca) as channel:
        try:
            request = pb.GetMatchRecordRequest(match_id=match_id)
            response = rpc.MatchServiceStub(channel).GetMatchRecord(request, metadata=metadata(token), timeout=60)
        except grpc.RpcError as error:
            code, details = error.code(), error.details()
            kind = (
                ConnectionError
                if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
                else LookupError
            )
            raise kind(f"match {match_id} at {address}: {code.name}: {details}") from None
    return read(response.record.SerializeToString())
