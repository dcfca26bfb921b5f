"""choose() on turns made by hand."""

from __future__ import annotations

from typing import Any

import player
import pytest
from hand_made import ONE_SHOT, SALVO, abalone_moves, every_shot, fleet, salvo_turn, shot, turn_of

from contract import pb


def advanced_moves() -> list[Any]:
    """One move of each kind that amiral-advanced has in battle."""
    kinds: list[dict[str, Any]] = [
        {"shot": {"cell": {"row": 10, "column": 1}}},
        {"torpedo": {"route": {"letter": 5, "number": 5}}},
        {"hunt": {"end": {"letter": 9}}},
        {"air_strike": {"cell": {"row": 9, "column": 9}}},
    ]
    return [pb.Move(amiral_advanced=kind) for kind in kinds]


def played(turn: Any, times: int = 200) -> list[Any]:
    return [player.choose(turn) for _ in range(times)]


@pytest.mark.parametrize("variant", ONE_SHOT)
def test_a_shot_is_one_of_the_list(variant: str) -> None:
    moves = [shot(variant, 1, 10), shot(variant, 10, 1), shot(variant, 4, 7)]
    chosen = played(turn_of(variant, moves))
    assert all(move in moves for move in chosen)
    assert all(move in chosen for move in moves)


def test_amiral_advanced_plays_every_kind_of_move() -> None:
    chosen = played(turn_of("amiral_advanced", advanced_moves()))
    kinds = {move.amiral_advanced.WhichOneof("move") for move in chosen}
    assert kinds == {"shot", "torpedo", "hunt", "air_strike"}


def test_a_relocation_is_one_of_the_list() -> None:
    moves = [pb.Move(amiral_advanced={"relocation": {"berth": {"number": 3}}})]
    assert player.choose(turn_of("amiral_advanced", moves, pb.PHASE_RELOCATION)) == moves[0]


def test_an_abalone_move_is_one_of_the_list() -> None:
    moves = abalone_moves()
    chosen = played(turn_of("abalone", moves))
    assert all(move in moves for move in chosen)
    assert all(move in chosen for move in moves)


@pytest.mark.parametrize("variant", ["classic", "salvo", "advanced_salvo", "amiral", "naumachia"])
def test_a_fleet_is_the_one_dealt(variant: str) -> None:
    dealt = pb.Move(**{variant: {"deployment": fleet()}})
    assert player.choose(turn_of(variant, [dealt], pb.PHASE_DEPLOYMENT)) == dealt


def test_a_fleet_of_amiral_advanced_has_its_berth() -> None:
    dealt = pb.Move(amiral_advanced={"deployment": {"fleet": fleet(), "berth": {"letter": 2}}})
    assert player.choose(turn_of("amiral_advanced", [dealt], pb.PHASE_DEPLOYMENT)) == dealt


@pytest.mark.parametrize("variant", SALVO)
@pytest.mark.parametrize(("size", "left"), [(5, 100), (1, 3), (2, 2)])
def test_a_salvo_names_distinct_cells_of_the_list(variant: str, size: int, left: int) -> None:
    cells = [pb.Cell(row=(n - 1) // 10 + 1, column=(n - 1) % 10 + 1) for n in range(1, left + 1)]
    for move in played(salvo_turn(variant, cells, size)):
        assert move.WhichOneof("variant") == variant
        named = getattr(move, variant).salvo.cells
        assert len(named) == size
        assert all(cell in cells for cell in named)
        assert len({(cell.row, cell.column) for cell in named}) == size


def classic_turn(hits: list[int], moves: list[Any] | None = None, **targets: Any) -> Any:
    moves = every_shot("classic") if moves is None else moves
    return turn_of("classic", moves, view={"classic": {"targets": {"grid": {"hits": hits}, **targets}}})


def targets_of(moves: list[Any]) -> set[tuple[int, int]]:
    return {(move.classic.shot.cell.row, move.classic.shot.cell.column) for move in moves}


def test_classic_shoots_beside_an_open_hit() -> None:
    beside = targets_of(played(classic_turn([10], hit_classes=[pb.SHIP_CLASS_CARRIER])))
    assert beside == {(1, 9), (2, 10)}  # cell 10 is row 1, column 10, and the next number is no neighbour
    assert targets_of(played(classic_turn([11]))) == {(1, 1), (3, 1), (2, 2)}  # no classes: the same


def test_classic_leaves_ships_that_are_sunk_alone() -> None:
    patrol, carrier = pb.SHIP_CLASS_PATROL_BOAT, pb.SHIP_CLASS_CARRIER
    sunk = [{"ship_class": patrol, "hits": 2}]
    hits, classes = [55, 56, 1], [patrol, patrol, carrier]
    assert targets_of(played(classic_turn(hits, hit_classes=classes, sunk=sunk))) == {(1, 2), (2, 1)}
    everywhere = targets_of(played(classic_turn(hits[:2], hit_classes=classes[:2], sunk=sunk), 2000))
    assert len(everywhere) > 90


def test_classic_falls_back_to_the_list() -> None:
    far = [shot("classic", 9, 9), shot("classic", 2, 2)]
    assert targets_of(played(classic_turn([1], far))) == {(9, 9), (2, 2)}


def test_a_refused_choice_is_followed_by_any_legal_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "choose", lambda turn: pytest.fail("asked again"))
    moves = [shot("amiral", 3, 3)]
    refusal = {"reason": pb.ILLEGAL_MOVE_REASON_ALREADY_FIRED, "message": "A1 was fired at before"}
    assert player.decide(turn_of("amiral", moves, refusal=refusal)) == moves[0]


@pytest.mark.parametrize("choose", [lambda turn: 1 // 0, lambda turn: None], ids=["raises", "returns nothing"])
def test_a_failing_choice_is_replaced_by_any_legal_move(choose: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "choose", choose)
    moves = [shot("amiral", 3, 3)]
    assert player.decide(turn_of("amiral", moves)) == moves[0]


def test_no_legal_moves_make_an_empty_move() -> None:
    assert player.choose(turn_of("classic", [])) == pb.Move()


def test_a_seed_makes_the_same_moves() -> None:
    games = []
    for _ in range(2):
        player.rng.seed(7)
        games.append(played(turn_of("amiral", every_shot("amiral")), 20))
    assert games[0] == games[1]
