"""Bots and replays at the real arena."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from broadside_arena import Bot, Seat, ShipClass, Turn, Variant, board_of, fleet_of, pb, replay, rpc
from broadside_arena.boards import Board
from broadside_arena.game import game_of
from broadside_arena.local_arena import LocalArena

from .hand_made import PATIENCE
from .running_bots import dialling, serving


class Watchful(Bot):
    """Plays at random, and remembers every turn."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.turns: dict[tuple[int, int], Turn] = {}
        self.refusals: list[str] = []

    def choose(self, turn: Turn) -> Any:
        self.turns[turn.match_id, turn.turn_id] = turn
        return turn.random_move(self.random)

    def refused(self, turn: Turn) -> Any:
        self.refusals.append(str(turn.refusal))
        return super().refused(turn)


@contextmanager
def dialled(bot: Bot, arena: LocalArena) -> Iterator[rpc.MatchServiceStub]:
    """The arena's matches while the bot is connected."""
    with dialling(bot, arena.address), grpc.insecure_channel(arena.address) as channel:
        yield rpc.MatchServiceStub(channel)


def played(matches: rpc.MatchServiceStub, options: pb.Options, *players: pb.Player) -> int:
    """Makes a match and follows it to its end; its id."""
    request = pb.CreateMatchRequest(options=options, players=players, strikes=0)
    match_id = matches.CreateMatch(request, timeout=PATIENCE).match.match_id
    for news in matches.WatchMatch(pb.WatchMatchRequest(match_id=match_id), timeout=60):
        if news.HasField("ended"):
            outcome = news.ended.match.outcome
            assert outcome.termination in (pb.TERMINATION_WON_BY_PLAY, pb.TERMINATION_DRAW_BY_RULE), outcome
    return match_id


def all_options() -> list[pb.Options]:
    """Every variant, and what changes a fleet, a view or the start."""
    named: list[dict[str, Any]] = [{variant.field: {}} for variant in Variant]
    named += [
        {"classic": {"edition": pb.EDITION_1967, "name_ship_on_hit": False}},
        {"salvo": {"name_ship_on_hit": False}},
    ]
    layouts = pb.AbaloneLayout.values()[1:]
    return [pb.Options(**options) for options in named] + [
        pb.Options(abalone=pb.AbaloneOptions(layout=layout, max_plies=9)) for layout in layouts
    ]


def options_of(variant: Variant) -> pb.Options:
    return pb.Options(**{variant.field: {}})  # type: ignore[arg-type]


def same(one: Board, other: Board) -> bool:
    """Whether the boards hold the same."""
    return all(str(vars(one)[name]) == str(vars(other)[name]) for name in vars(one))


def test_a_replay_shows_before_each_move_what_the_mover_was_told(arena: LocalArena) -> None:
    bot = Watchful("watchful", matches=4, seed=1)
    me = pb.Player(name=bot.name)
    with dialled(bot, arena) as matches:
        for options in all_options():
            read = replay.fetch(played(matches, options, me, me), arena.address)
            views = {seat: game_of(read.created.options).view(seat) for seat in Seat}
            for position in read:
                turn = bot.turns[read.match_id, position.message.turn_id]
                known = views[position.seat]
                assert known == turn.message.view, f"{options}, move {position.number}"
                assert same(board_of(known, turn.fleet), turn.board)
                assert "\n" in str(turn.board)
                views = position.views
            assert read.winner is not None or read.outcome.result == pb.MATCH_RESULT_DRAW
    assert bot.refusals == []


def test_a_bot_that_is_dialled_plays_every_variant(program: str) -> None:
    bot, opponent = Watchful("served", seed=2), Bot("opponent", seed=3)
    with LocalArena(program, arguments=("--dial-allow", "loopback")) as arena, serving(bot) as address:
        me = pb.Player(address=f"http://{address}")
        with dialled(opponent, arena) as matches:
            for variant in Variant:
                played(matches, options_of(variant), me, pb.Player(name=opponent.name))
    assert {turn.variant for turn in bot.turns.values()} == set(Variant)
    assert bot.refusals == []


def test_the_fleets_are_those_of_the_arena(arena: LocalArena) -> None:
    with grpc.insecure_channel(arena.address) as channel:
        variants = rpc.CatalogServiceStub(channel).ListVariants(pb.ListVariantsRequest(), timeout=PATIENCE).variants
    for info in variants:
        field = str(info.default_options.WhichOneof("variant"))
        for told in info.fleets:
            options = pb.Options(**{field: {"edition": told.edition} if told.edition else {}})  # type: ignore[arg-type]
            fleet = fleet_of(options)
            assert fleet.lengths == {ShipClass(ship.ship_class): ship.length for ship in told.ships}, info.slug
            assert sorted(fleet.classes) == sorted(
                ShipClass(ship.ship_class) for ship in told.ships for _ in range(ship.count)
            )
    assert [info.slug for info in variants] == list(Variant)


def test_what_cannot_be_fetched_is_said(arena: LocalArena) -> None:
    with pytest.raises(LookupError, match=f"^match 1 at {arena.address}: NOT_FOUND: "):
        replay.fetch(1, arena.address)
    with pytest.raises(ConnectionError, match=r"^match 1 at 127\.0\.0\.1:1: UNAVAILABLE: "):
        replay.fetch(1, "127.0.0.1:1")
