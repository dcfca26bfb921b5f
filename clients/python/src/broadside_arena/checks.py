"""Whether a move can be right, before it costs a refusal: errors that say what is wrong, where, and what would be right."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

from .boards import AbaloneBoard, Fired, Marble, NavalBoard
from .fleets import Fleet
from .moves import Berth, Cell, Ship
from .words import Direction, Orientation


class IllegalMove(ValueError):  # noqa: N818 - the contract's word
    """A move that the rules do not allow; the message says why."""


def check_cell(row: int, column: int, last: int = 10) -> None:
    """A cell that is on the grid."""
    for name, value in (("row", row), ("column", column)):
        if not 1 <= value <= last:
            raise IllegalMove(f"{name} {value} is not on the grid: it is 1-{last}")


def check_targets(cells: Sequence[Cell], board: NavalBoard, size: int) -> None:
    """So many different cells that may be fired at."""
    if len(cells) != size:
        raise IllegalMove(f"{len(cells)} cells are no salvo of this turn: it has {size}")
    for (row, column), times in Counter(cells).items():
        check_cell(row, column)
        if times > 1:
            raise IllegalMove(f"row {row}, column {column} is named {times} times: the cells of a salvo are different")
        code = board.shots[row - 1, column - 1]
        if code == Fired.WATER:
            raise IllegalMove(f"row {row}, column {column} is known to be water, beside a sunk ship")
        if code != Fired.NOTHING:
            raise IllegalMove(f"row {row}, column {column} was fired at before")


def check_fleet(ships: Sequence[Ship], fleet: Fleet) -> None:
    """Exactly the fleet, each ship on the grid and none across or, in naumachia, beside another."""
    given, wanted = Counter(ship.ship_class for ship in ships), Counter(fleet.classes)
    for ship_class in sorted(given.keys() | wanted.keys()):
        if given[ship_class] != wanted[ship_class]:
            raise IllegalMove(f"the fleet has {wanted[ship_class]} of class {ship_class}, not {given[ship_class]}")
    taken: dict[Cell, Ship] = {}
    for ship in ships:
        cells = ship.cells(fleet.lengths[ship.ship_class])
        where = f"the {ship.ship_class} at row {ship.row}, column {ship.column}"
        if not all(1 <= row <= 10 and 1 <= column <= 10 for row, column in cells):
            way = "to the right" if ship.orientation == Orientation.HORIZONTAL else "down"
            raise IllegalMove(f"{where} is not wholly on the grid: it goes {len(cells)} cells {way}")
        for cell in cells if fleet.may_touch else _around(cells):
            if other := taken.get(cell):
                verb = "shares a cell with" if fleet.may_touch or cell in cells else "touches"
                raise IllegalMove(f"{where} {verb} the {other.ship_class} at row {other.row}, column {other.column}")
        taken |= dict.fromkeys(cells, ship)


def _around(cells: Iterable[Cell]) -> set[Cell]:
    return {(row + i, column + j) for row, column in cells for i in (-1, 0, 1) for j in (-1, 0, 1)}


def check_berth(berth: Berth) -> None:
    """Exactly one of letter and number, 1-10."""
    given = [value for value in (berth.letter, berth.number) if value is not None]
    if len(given) != 1 or not 1 <= given[0] <= 10:
        raise IllegalMove(
            f"letter {berth.letter} and number {berth.number} are no berth: exactly one of them is 1-10, the other None"
        )


def check_push(group: Iterable[Cell], direction: Direction, board: AbaloneBoard, own: Marble) -> None:
    """A move of abalone, by all its rules."""
    cells = sorted(set(group))
    if not 1 <= len(cells) <= 3:
        raise IllegalMove(f"{len(cells)} marbles are no group: it has 1, 2 or 3")
    for cell in cells:
        if _at(board, cell) == Marble.OFF_BOARD:
            raise IllegalMove(f"{_name(cell)} is not on the board")
        if _at(board, cell) != own:
            raise IllegalMove(f"{_name(cell)} holds no marble of {own.name.lower()}")
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(cells)}
    if len(steps) > 1 or not steps <= {way.step for way in Direction}:
        raise IllegalMove(f"{', '.join(map(_name, cells))} do not lie side by side in one straight line")
    step = direction.step
    if steps and step not in steps and (-step[0], -step[1]) not in steps:
        for cell in cells:
            _check_free(board, _next(cell, step), own)
        return
    ahead = _next(max(cells, key=lambda cell: cell[0] * step[0] + cell[1] * step[1]), step)
    if _at(board, ahead) not in (Marble.BLACK, Marble.WHITE) or _at(board, ahead) == own:
        _check_free(board, ahead, own)
        return
    pushed, cell = 0, ahead
    while _at(board, cell) not in (Marble.OFF_BOARD, Marble.EMPTY, own):
        pushed, cell = pushed + 1, _next(cell, step)
    if pushed >= len(cells):
        raise IllegalMove(f"{len(cells)} marbles are too weak to push {pushed} at {_name(ahead)}")
    if _at(board, cell) == own:
        raise IllegalMove(f"{_name(cell)}, behind the marbles to be pushed, is taken by a marble of one's own")


def _check_free(board: AbaloneBoard, cell: Cell, own: Marble) -> None:
    code = _at(board, cell)
    if code == Marble.OFF_BOARD:
        raise IllegalMove("a marble of one's own would leave the board")
    if code != Marble.EMPTY:
        raise IllegalMove(f"{_name(cell)} is taken" + (" by a marble of one's own" if code == own else ""))


def _next(cell: Cell, step: Cell) -> Cell:
    return cell[0] + step[0], cell[1] + step[1]


def _at(board: AbaloneBoard, cell: Cell) -> Marble:
    row, number = cell
    return Marble(board.cells[row - 1, number - 1]) if 1 <= row <= 9 and 1 <= number <= 9 else Marble.OFF_BOARD


def _name(cell: Cell) -> str:
    row, number = cell
    return f"{'abcdefghi'[row - 1]}{number}" if 1 <= row <= 9 else f"row {row}, number {number}"
