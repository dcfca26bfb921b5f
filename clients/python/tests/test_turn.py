from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from broadside_arena import (
    AbaloneBoard,
    Berth,
    Deployment,
    Direction,
    Fired,
    IllegalMove,
    Marble,
    NavalBoard,
    Orientation,
    Phase,
    Push,
    Received,
    Salvo,
    Seat,
    Ship,
    ShipClass,
    Shot,
    Turn,
    Variant,
    pb,
)

from .hand_made import cell, message, ship, shot, turn

FLEET = [Ship(ShipClass(c), row, 1, Orientation.HORIZONTAL) for row, c in enumerate((1, 2, 4, 5, 6), 1)]


def test_a_turn_says_what_is_asked() -> None:
    asked = turn("advanced_salvo", {"salvo_size": 3}, seat=2, time_left_us=1_500_000, budget_left_us=0)
    assert (asked.variant, asked.seat, asked.phase) == ("advanced-salvo", Seat.TWO, Phase.BATTLE)
    assert (asked.time_left, asked.budget_left, asked.opponent_budget_left, asked.last_answer) == (1.5, 0.0, None, None)
    assert (asked.refusal, asked.salvo_size) == (None, 3)
    assert isinstance(asked.view, pb.AdvancedSalvoView)
    assert turn("classic", refusal={"message": "why"}).refusal == "why"


def test_a_turn_of_an_unknown_variant_says_so() -> None:
    with pytest.raises(ValueError, match="no variant that this version knows"):
        _ = Turn(pb.Turn()).variant


def naval(**targets: Any) -> NavalBoard:
    own = [{"ship": ship(pb.SHIP_CLASS_CARRIER, 2, 3)}, {"ship": ship(6, 9, 10, pb.ORIENTATION_VERTICAL), "sunk": True}]
    # Cells are numbered 1-100: 13 is row 2, column 3; 90 and 100 are in the last column.
    view = {"ocean": {"ships": own, "fired_at": [1, 13, 90, 100]}, "targets": {"afloat": 5, **targets}}
    board = turn("classic", view).board
    assert isinstance(board, NavalBoard)
    return board


def where(grid: Any, code: int) -> list[list[int]]:
    cells: list[list[int]] = np.argwhere(grid == code).tolist()
    return cells


def test_a_naval_board_holds_the_own_waters() -> None:
    board = naval()
    assert board.fleet.shape == board.received.shape == board.shots.shape == (10, 10)
    assert board.fleet.dtype == np.int8
    assert where(board.fleet, ShipClass.CARRIER) == [[1, 2], [1, 3], [1, 4], [1, 5], [1, 6]]
    assert where(board.fleet, ShipClass.PATROL_BOAT) == [[8, 9], [9, 9]]
    assert where(board.received, Received.MISS) == [[0, 0]]
    assert where(board.received, Received.HIT) == [[1, 2]]
    assert where(board.received, Received.SUNK) == [[8, 9], [9, 9]]
    assert board.afloat == 1


def test_a_naval_board_holds_the_own_shots() -> None:
    sunk = [{"ship_class": 6, "hits": 2}]
    board = naval(grid={"misses": [1, 10], "hits": [55, 56, 100]}, hit_classes=[6, 6, 1], sunk=sunk)
    assert where(board.shots, Fired.MISS) == [[0, 0], [0, 9]]
    assert where(board.shots, Fired.SUNK) == [[5, 4], [5, 5]]
    assert where(board.shots, Fired.HIT) == [[9, 9]]
    assert where(board.hit_classes, ShipClass.CARRIER) == [[9, 9]]
    assert board.enemy_sunk == (ShipClass.PATROL_BOAT,)
    assert len(board.targets) == 95
    assert (1, 10) not in board.targets
    assert (1, 2) in board.targets


def test_salvos_that_are_only_counted_are_known_where_all_or_none_hit() -> None:
    salvos = [{"cells": [1, 2], "hits": 0}, {"cells": [3, 4], "hits": 2}, {"cells": [5, 6], "hits": 1}]
    board = turn("advanced_salvo", {"targets": {"salvos": salvos}}).board
    assert isinstance(board, NavalBoard)
    expected = [Fired.MISS, Fired.MISS, Fired.HIT, Fired.HIT, Fired.UNANSWERED, Fired.UNANSWERED, Fired.NOTHING]
    assert board.shots[0, :7].tolist() == expected


def test_water_around_sunk_ships_of_naumachia_is_known() -> None:
    targets = {"grid": {"hits": [1]}, "sunk": [ship(pb.SHIP_CLASS_TORPEDO_BOAT, 1, 1)], "marked": [2, 11, 12]}
    board = turn("naumachia", {"targets": targets}).board
    assert isinstance(board, NavalBoard)
    assert board.shots[:2, :2].tolist() == [[Fired.SUNK, Fired.WATER], [Fired.WATER, Fired.WATER]]


def test_a_shot_at_a_ship_that_a_torpedo_sank_was_a_miss() -> None:
    own = [{"ship": ship(pb.SHIP_CLASS_CARRIER, 1, 1)}, {"ship": ship(pb.SHIP_CLASS_CRUISER, 3, 1)}]
    view = {
        "ocean": {"ships": own, "fired_at": [1, 21, 22]},
        "enemy_targets": {"grid": {"hits": [21], "misses": [1, 22]}},
    }
    board = turn("amiral_advanced", view | {"berth": {"number": 3}}).board
    assert isinstance(board, NavalBoard)
    assert (board.received[0, 0], board.received[2, 0], board.received[2, 1]) == (
        Received.MISS,
        Received.HIT,
        Received.MISS,
    )
    assert board.berth == Berth(number=3)


STANDARD = {"black": [11, 12, 13, 33, 34, 35], "white": [55, 99], "ejected_by_black": 2, "plies": 7}


def test_the_board_of_abalone() -> None:
    board = turn("abalone", STANDARD).board
    assert isinstance(board, AbaloneBoard)
    assert board.cells.shape == (9, 9)
    assert (board.cells != Marble.OFF_BOARD).sum() == 61
    assert where(board.cells, Marble.BLACK) == [[0, 0], [0, 1], [0, 2], [2, 2], [2, 3], [2, 4]]
    assert where(board.cells, Marble.WHITE) == [[4, 4], [8, 8]]
    assert where(board.seen_by(Seat.TWO), 1) == [[4, 4], [8, 8]]
    assert (board.ejected_by_black, board.plies) == (2, 7)
    assert "ejected by black: 2" in str(board)


def test_legal_moves_are_a_sequence() -> None:
    legal = turn("classic", legal={"moves": [shot("classic", 1, 10), shot("classic", 10, 1)]}).legal
    assert list(legal) == [Shot(1, 10), Shot(10, 1)]
    assert legal[-1] == Shot(10, 1)
    assert Shot(1, 10) in legal
    assert Shot(1, 1) not in legal
    with pytest.raises(IndexError, match="there are 2 legal moves, and none with index 2"):
        _ = legal[2]


def test_every_salvo_is_in_the_sequence_once() -> None:
    cells = [cell(1, column) for column in range(1, 8)]
    legal = turn("salvo", legal={"salvo": {"cells": cells, "size": 3}}).legal
    assert len(legal) == 35
    assert len({frozenset(move.cells) for move in legal if isinstance(move, Salvo)}) == 35
    assert all(move in legal for move in legal)
    assert Salvo(((1, 1), (1, 1), (1, 2))) not in legal
    largest = turn("salvo", legal={"salvo": {"cells": cells * 14 + cells[:2], "size": 5}}).legal
    assert len(largest) == 75_287_520
    assert isinstance(largest.random(random.Random(1)), Salvo)


def test_a_turn_without_legal_moves_says_so() -> None:
    with pytest.raises(ValueError, match="lists no legal moves"):
        turn("classic").random_move(random.Random())


def test_moves_are_made_by_the_turn() -> None:
    assert turn("classic").shot(3, 7) == Shot(3, 7)
    assert turn("salvo", {"salvo_size": 2}).salvo([(1, 1), (2, 2)]) == Salvo(((1, 1), (2, 2)))
    assert turn("classic", phase=1).deployment(FLEET) == Deployment(tuple(FLEET))
    assert turn("abalone", STANDARD).push([(1, 3), (1, 2)], Direction.EAST) == Push(
        frozenset({(1, 2), (1, 3)}), Direction.EAST
    )


def refusal(made: Turn, name: str, *arguments: Any) -> str:
    with pytest.raises(IllegalMove) as error:
        getattr(made, name)(*arguments)
    return str(error.value)


def test_a_wrong_shot_is_told_what_is_wrong() -> None:
    fired = turn("classic", {"targets": {"grid": {"hits": [27]}}})
    assert refusal(fired, "shot", 3, 7) == "row 3, column 7 was fired at before"
    assert refusal(fired, "shot", 0, 7) == "row 0 is not on the grid: it is 1-10"
    assert refusal(fired, "shot", 10, 11) == "column 11 is not on the grid: it is 1-10"
    marked = turn("naumachia", {"targets": {"marked": [1]}})
    assert refusal(marked, "shot", 1, 1) == "row 1, column 1 is known to be water, beside a sunk ship"
    assert refusal(turn("abalone"), "shot", 1, 1) == "there are no ships in abalone"
    assert (
        refusal(turn("classic", phase=1), "shot", 1, 1)
        == "such a move belongs to the battle, and this turn is of the deployment"
    )


def test_a_wrong_salvo_is_told_what_is_wrong() -> None:
    due = turn("salvo", {"salvo_size": 2, "targets": {"grid": {"misses": [1]}}})
    assert refusal(due, "salvo", [(1, 2)]) == "1 cells are no salvo of this turn: it has 2"
    assert (
        refusal(due, "salvo", [(2, 2), (2, 2)])
        == "row 2, column 2 is named 2 times: the cells of a salvo are different"
    )
    assert refusal(due, "salvo", [(2, 2), (1, 1)]) == "row 1, column 1 was fired at before"
    assert refusal(due, "shot", 1, 2) == "a turn of salvo is a salvo: name 2 cells"
    assert refusal(turn("classic"), "salvo", [(1, 1)]) == "there are no salvos in classic"


def moved(index: int, row: int, column: int, orientation: Orientation = Orientation.HORIZONTAL) -> list[Ship]:
    return [Ship(s.ship_class, row, column, orientation) if i == index else s for i, s in enumerate(FLEET)]


def test_a_wrong_fleet_is_told_what_is_wrong() -> None:
    due = turn("classic", phase=1)
    assert refusal(due, "deployment", FLEET[1:]) == "the fleet has 1 of class carrier, not 0"
    off = "the carrier at row 1, column 7 is not wholly on the grid: it goes 5 cells to the right"
    assert refusal(due, "deployment", moved(0, 1, 7)) == off
    off = "the patrol boat at row 10, column 1 is not wholly on the grid: it goes 2 cells down"
    assert refusal(due, "deployment", moved(4, 10, 1, Orientation.VERTICAL)) == off
    across = "the patrol boat at row 4, column 3 shares a cell with the submarine at row 4, column 1"
    assert refusal(due, "deployment", moved(4, 4, 3)) == across
    assert refusal(due, "deployment", FLEET, Berth(letter=1)) == "a deployment of classic has no berth"


def test_ships_of_naumachia_may_not_touch() -> None:
    classes = [2, 3, 3, 4, 4, 4, 8, 8, 8, 8]
    places = [(1, 1), (3, 1), (5, 1), (7, 1), (9, 1), (1, 6), (3, 6), (5, 6), (7, 6), (9, 6)]
    ships = [Ship(ShipClass(c), *place, Orientation.HORIZONTAL) for c, place in zip(classes, places, strict=True)]
    due = turn("naumachia", phase=1)
    assert due.deployment(ships).ships == tuple(ships)
    ships[9] = Ship(ShipClass.TORPEDO_BOAT, 2, 5, Orientation.HORIZONTAL)
    assert (
        refusal(due, "deployment", ships)
        == "the torpedo boat at row 2, column 5 touches the battleship at row 1, column 1"
    )


def test_the_arms_of_amiral_advanced_are_checked() -> None:
    berth = {"letter": 5}
    listed = {"moves": [{"amiral_advanced": {"torpedo": {"route": {"letter": 5, "number": 6}}}}]}
    due = turn("amiral_advanced", {"berth": berth}, listed)
    assert due.torpedo(5, 6)
    assert "are not the ends of one diagonal" in refusal(due, "torpedo", 5, 7)
    assert "do not allow the route from 4 to 4" in refusal(due, "torpedo", 4, 4)
    assert "exactly one of them is 1-10" in refusal(due, "hunt", Berth(letter=1, number=1))
    assert "no end of an enemy route" in refusal(due, "hunt", Berth(letter=1))
    assert refusal(due, "air_strike", 10, 1) == "row 10 is not on the grid: it is 1-9"
    assert "once a match" in refusal(due, "air_strike", 9, 1)
    assert refusal(turn("amiral"), "torpedo", 5, 6) == "there are no submarines and no air strikes in amiral"
    moving = turn("amiral_advanced", phase=3)
    assert moving.relocation(Berth(number=10)).berth == Berth(number=10)
    assert "no berth" in refusal(moving, "relocation", Berth(number=11))


@pytest.mark.parametrize(
    ("group", "direction", "why"),
    [
        ([], Direction.EAST, "0 marbles are no group: it has 1, 2 or 3"),
        ([(1, 6)], Direction.EAST, "a6 is not on the board"),
        ([(2, 1)], Direction.EAST, "b1 holds no marble of black"),
        ([(1, 1), (1, 3)], Direction.EAST, "a1, a3 do not lie side by side in one straight line"),
        ([(1, 3), (3, 3)], Direction.EAST, "a3, c3 do not lie side by side in one straight line"),
        ([(1, 1), (1, 2)], Direction.EAST, "a3 is taken by a marble of one's own"),
        ([(1, 1)], Direction.WEST, "a marble of one's own would leave the board"),
        ([(1, 1), (1, 2)], Direction.SOUTH_WEST, "a marble of one's own would leave the board"),
        ([(3, 3), (3, 4)], Direction.NORTH_WEST, "d4 is taken"),
        ([(3, 5)], Direction.NORTH_EAST, "1 marbles are too weak to push 1 at d6"),
    ],
)
def test_a_wrong_move_of_abalone_is_told_what_is_wrong(
    group: list[tuple[int, int]], direction: Direction, why: str
) -> None:
    due = turn("abalone", {**STANDARD, "white": [44, 46, 99]})
    assert refusal(due, "push", group, direction) == why


def test_marbles_of_ones_own_behind_the_pushed_ones_hold_them() -> None:
    due = turn("abalone", {"black": [33, 34, 36], "white": [35]})
    assert (
        refusal(due, "push", [(3, 3), (3, 4)], Direction.EAST)
        == "c6, behind the marbles to be pushed, is taken by a marble of one's own"
    )


def test_variants_are_named_either_way() -> None:
    assert Variant.named("amiral_advanced") is Variant.named("amiral-advanced") is Variant.AMIRAL_ADVANCED
    assert [variant.number for variant in Variant] == pb.Variant.values()[1:]
    with pytest.raises(ValueError, match="no variant 'chess': it is one of classic, salvo"):
        Variant.named("chess")


def test_the_message_stays_reachable() -> None:
    assert Turn(message("classic")).message == message("classic")
