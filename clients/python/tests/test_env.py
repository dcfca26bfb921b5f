from __future__ import annotations

import pickle
from typing import Any

import grpc
import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from broadside_arena import Seat, Variant, fleet_of, pb, replay, rpc
from broadside_arena.env import aec, env, raw_env
from broadside_arena.env.actions import abalone_pushes, moves_of, numbers_of
from broadside_arena.env.placing import Placing
from broadside_arena.local_arena import LocalArena

from .hand_made import PATIENCE

EVERY = [(variant, placed) for variant in Variant for placed in (False, True) if variant.is_naval or not placed]
# PettingZoo knows its own environments with dictionaries by name, and warns of all others.
USUAL = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


def usual(test: Any) -> Any:
    for mark in USUAL:
        test = mark(test)
    return test


@usual
@pytest.mark.parametrize(("variant", "placed"), EVERY)
def test_it_passes_the_api_test(variant: Variant, placed: bool, arena: LocalArena) -> None:
    game = env(variant, placed=placed, arena=arena.address)
    api_test(game, num_cycles=400)
    game.close()


@usual
@pytest.mark.parametrize(("variant", "placed"), EVERY)
def test_it_passes_the_seed_test(variant: Variant, placed: bool, arena: LocalArena) -> None:
    seed_test(lambda: env(variant, placed=placed, arena=arena.address), num_cycles=400)


def play(game: Any, seed: int, steps: int = 10_000) -> list[tuple[str, int, float]]:
    """Plays at random, by the seed; who did what, and was rewarded how before."""
    game.reset(seed=seed)
    rng, course = np.random.default_rng(seed), []
    for agent in game.agent_iter(steps):
        observation, reward, termination, truncation, _ = game.last()
        mask = observation["action_mask"]
        action = None if termination or truncation else int(rng.choice(np.flatnonzero(mask)))
        course.append((agent, -1 if action is None else action, float(reward)))
        game.step(action)
    return course


@pytest.mark.parametrize("variant", Variant)
def test_who_wins_at_the_arena_is_rewarded(variant: Variant, arena: LocalArena) -> None:
    game = raw_env(variant, arena=arena.address)
    course = play(game, 1)
    record = replay.fetch(game.match_id, arena.address)
    rewards = {agent: reward for agent, action, reward in course if action == -1}
    expected = {seat: 0 if record.winner is None else 1 if record.winner == seat else -1 for seat in Seat}
    assert rewards == {f"seat_{seat.value}": expected[seat] for seat in Seat}
    assert all(reward == 0 for _, action, reward in course if action != -1)
    assert not any(entry.HasField("refused") for entry in record.message.entries)
    game.close()


@pytest.mark.parametrize("variant", Variant)
def test_the_last_observation_shows_the_last_move(variant: Variant, arena: LocalArena) -> None:
    game = raw_env(variant, arena=arena.address)
    play(game, 2, steps=1)
    while not any(game.terminations.values()):
        game.step(int(np.flatnonzero(game.observe(game.agent_selection)["action_mask"])[0]))
    last = list(replay.fetch(game.match_id, arena.address))[-1]
    for agent, seat in (("seat_1", Seat.ONE), ("seat_2", Seat.TWO)):
        planes = game.observe(agent)["observation"]
        board: Any = last.board(seat)
        if variant is Variant.ABALONE:
            assert (planes[..., 1] == (board.seen_by(seat) == 1)).all()
        else:
            assert (planes[..., 0] == board.fleet).all()
            assert (planes[..., 12] == board.enemy_afloat).all()
            assert (planes[..., 5] == (board.shots == 2)).all()
    game.close()


def test_seeds_make_courses(arena: LocalArena) -> None:
    game = raw_env("classic", arena=arena.address)

    def fleet(seed: int | None) -> bytes:
        game.reset(seed=seed)
        planes: bytes = game.observe("seat_1")["observation"].tobytes()
        return planes

    one = fleet(1)
    then = fleet(None)
    assert fleet(2) != one
    assert then != one
    assert (fleet(1), fleet(None)) == (one, then)
    game.close()


def test_a_salvo_is_named_cell_by_cell(arena: LocalArena) -> None:
    game = raw_env("salvo", arena=arena.address)
    game.reset(seed=1)
    for left in range(5, 0, -1):
        assert game.agent_selection == "seat_1"
        seen = game.observe("seat_1")
        assert (seen["observation"][..., 13] == left).all()
        assert seen["observation"][..., 10].sum() == seen["action_mask"][:5].size - left
        assert seen["action_mask"].sum() == 95 + left
        assert not game.observe("seat_2")["action_mask"].any()
        game.step(5 - left)
    assert game.agent_selection == "seat_2"
    fired = game.observe("seat_1")["observation"][0, :, 4:7].sum(axis=1)
    assert fired.tolist() == [1] * 5 + [0] * 5
    game.close()


def test_a_fleet_is_placed_ship_by_ship(arena: LocalArena) -> None:
    game = raw_env("amiral-advanced", placed=True, arena=arena.address)
    game.reset(seed=1)
    first = len(moves_of(Variant.AMIRAL_ADVANCED))
    for row, length in enumerate((5, 4, 3, 3, 2)):
        assert (game.observe("seat_1")["observation"][..., 13] == -length).all()
        game.step(first + 20 * row)
    assert np.flatnonzero(game.observe("seat_1")["action_mask"]).tolist() == list(range(221, 241))
    assert (game.observe("seat_1")["observation"][..., 25] == 1).all()
    game.step(223)
    assert game.agent_selection == "seat_2"
    own = game.observe("seat_1")["observation"]
    assert np.argwhere(own[..., 0] > 0).tolist() == [
        [row, i] for row, n in enumerate((5, 4, 3, 3, 2)) for i in range(n)
    ]
    assert np.argwhere(own[..., 14]).tolist() == [[2, column] for column in range(10)]
    game.close()


def test_placing_leaves_room_for_the_whole_fleet() -> None:
    fleet = fleet_of(pb.Options(naumachia=pb.NaumachiaOptions()))
    for seed in range(30):
        rng, placing = np.random.default_rng(seed), Placing(fleet)
        while not placing.is_complete:
            placing.place(int(rng.choice(placing.legal())))
        assert len(placing.ships) == 10


def test_an_illegal_action_is_told(arena: LocalArena) -> None:
    game = raw_env("classic", arena=arena.address)
    game.reset(seed=1)
    game.step(7)
    game.step(7)
    with pytest.raises(
        ValueError,
        match=r"action 7 of seat_1 is not legal \(Shot\(row=1, column=8\)\): take one whose action_mask is 1",
    ):
        game.step(7)
    with pytest.raises(ValueError, match="action 100 of seat_1 is not legal: take"):
        game.step(100)
    game.close()
    wrapped = env("classic", arena=arena.address)
    wrapped.reset(seed=1)
    for _ in range(3):
        wrapped.last()
        wrapped.step(7)
    assert wrapped.rewards == {"seat_1": -1, "seat_2": 0}
    wrapped.close()


def test_a_match_that_is_cancelled_is_truncated(arena: LocalArena) -> None:
    game = raw_env("abalone", arena=arena.address)
    game.reset(seed=1)
    with grpc.insecure_channel(arena.address) as channel:
        request = pb.CancelMatchRequest(match_id=game.match_id, reason="a test")
        rpc.MatchServiceStub(channel).CancelMatch(request, timeout=PATIENCE)
    game.step(int(np.flatnonzero(game.observe("seat_1")["action_mask"])[0]))
    assert game.truncations == {"seat_1": True, "seat_2": True}
    assert game.terminations == {"seat_1": False, "seat_2": False}
    assert "a test" in game.infos["seat_1"]["outcome"]
    game.close()


def test_it_starts_an_arena_of_its_own_and_kills_it(program: str) -> None:
    game = aec("amiral", program=program, render_mode="ansi")
    game.reset(seed=1)
    address = game.unwrapped.address
    assert "seat_1" in game.render()
    assert "to act: seat_1" in game.render()
    game.close()
    game.close()
    with pytest.raises(ConnectionError, match="UNAVAILABLE"):
        raw_env(arena=address).reset()


def test_an_arena_that_is_lost_is_started_anew_by_the_next_reset(program: str) -> None:
    game = raw_env("amiral", program=program)
    game.reset(seed=1)
    assert game._arena is not None
    game._arena.close()
    with pytest.raises(ConnectionError, match="the arena at 127"):
        game.step(0)
    assert len(play(game, 1)) > 34
    game.close()


def test_it_is_drawn_for_people(arena: LocalArena, capsys: pytest.CaptureFixture[str]) -> None:
    game = raw_env("abalone", arena=arena.address, render_mode="human")
    game.reset(seed=1)
    shown = capsys.readouterr().out
    assert "i w w w w w" in shown
    assert "to act: seat_1" in shown
    game.close()


def test_an_environment_is_pickled_by_how_it_was_made(arena: LocalArena) -> None:
    game = raw_env("salvo", placed=True, arena=arena.address)
    again = pickle.loads(pickle.dumps(game))
    assert (again.variant, again.address) == (Variant.SALVO, arena.address)
    assert again.action_space("seat_1") == game.action_space("seat_1")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"variant": "chess"}, "there is no variant 'chess'"),
        ({"variant": "classic", "options": {"max_plies": 3}}, "are no options of classic"),
        (
            {"variant": "classic", "render_mode": "rgb"},
            "there is no render mode 'rgb': it is one of ansi, human, or None",
        ),
    ],
)
def test_what_there_is_not_is_told(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        raw_env(**arguments)


def test_options_that_the_arena_refuses_are_told(arena: LocalArena) -> None:
    game = raw_env("abalone", options={"max_plies": 99_999}, arena=arena.address)
    with pytest.raises(ConnectionError, match=r"makes no match: INVALID_ARGUMENT: .*max_plies"):
        game.reset()
    game.close()


@pytest.mark.parametrize(("variant", "count"), [("classic", 100), ("amiral-advanced", 241), ("abalone", 1734)])
def test_each_action_is_one_move(variant: str, count: int) -> None:
    moves = moves_of(Variant(variant))
    assert len(moves) == len(set(moves)) == count
    assert all(moves[index] == move for move, index in numbers_of(Variant(variant)).items())


def test_the_actions_of_abalone_stay_what_they_are() -> None:
    pushes = abalone_pushes()
    assert [str(pushes[index].direction) for index in (0, 1733)] == ["east", "south-east"]
    assert (sorted(pushes[0].group), sorted(pushes[-1].group)) == ([(1, 1)], [(9, 7), (9, 8), (9, 9)])
