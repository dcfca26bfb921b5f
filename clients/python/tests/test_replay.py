from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf import json_format

from broadside_arena import NavalBoard, Phase, Received, Seat, Variant, pb, replay

RECORDS = Path(__file__).resolve().parents[3] / "service/record/tests/records"
WON = ["classic", "salvo", "advanced-salvo", "amiral", "amiral-advanced", "naumachia", "abalone"]

pytestmark = pytest.mark.skipif(not RECORDS.is_dir(), reason="the records of the checkout are not here")


@pytest.mark.parametrize("name", WON)
def test_a_record_is_gone_through_to_its_end(name: str) -> None:
    read = replay.load(RECORDS / f"{name}-won.binpb")
    positions = list(read)
    assert read.variant == name
    assert [position.number for position in positions] == list(range(1, len(read) + 1))
    assert read.winner is not None
    last = positions[-1]
    if read.variant is Variant.ABALONE:
        assert last.views[Seat.ONE] == last.views[Seat.TWO]
        return
    assert (positions[0].phase, last.phase) == (Phase.DEPLOYMENT, Phase.BATTLE)
    assert board(last, read.winner.other).afloat == 0
    assert board(last, read.winner).enemy_afloat == 0


def board(position: replay.Position, seat: Seat) -> NavalBoard:
    known = position.board(seat)
    assert isinstance(known, NavalBoard)
    return known


@pytest.mark.parametrize("name", WON[:-1])
def test_what_was_announced_adds_up_to_the_board(name: str) -> None:
    read = replay.load(RECORDS / f"{name}-won.binpb")
    positions = list(read)
    for seat in Seat:
        known = board(positions[-1], seat)
        announced = [position.announced for position in positions if position.seat == seat]
        assert tuple(ship for one in announced for ship in one.sunk) == known.enemy_sunk
        received = board(positions[-1], seat.other).received
        damage = int(((received == Received.HIT) | (received == Received.SUNK)).sum())
        # A torpedo sinks a ship whose cells were not hit.
        torpedoed = sum(len(one.sunk) for one in announced if one.hit_count is None)
        hits = sum(one.hit_count or 0 for one in announced)
        assert hits == damage if not torpedoed else hits < damage


def test_a_record_is_read_from_json_too() -> None:
    record = replay.load(RECORDS / "salvo-won.binpb").message
    alone = json_format.MessageToJson(record)
    answer = json_format.MessageToJson(pb.GetMatchRecordResponse(record=record))
    assert replay.read(alone.encode()).message == record
    assert replay.read(answer.encode()).message == record


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "its format_version is 0"),
        (b"\xff\xff", "neither protobuf nor proto-JSON"),
        (b"{", "neither protobuf nor proto-JSON"),
        (b'{"format_version": 2}', "its format_version is 2"),
        (b'{"format_version": 1}', "not whole"),
    ],
)
def test_what_is_no_record_is_said_to_be_none(data: bytes, why: str) -> None:
    with pytest.raises(replay.BadRecord, match=why):
        replay.read(data)


def test_an_entry_that_is_no_move_is_named() -> None:
    record = replay.load(RECORDS / "classic-won.binpb").message
    record.entries[5].accepted.move.Clear()
    with pytest.raises(
        replay.BadRecord, match=r"entry 5 of match \d+ is no move of classic: the message holds no move"
    ):
        list(replay.Replay(record))
