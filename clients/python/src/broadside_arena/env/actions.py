"""The numbers of actions: which move each stands for, in each variant. They never change with the position.

| variant | actions |
|---|---|
| classic, amiral, naumachia | 0-99: a shot at cell 10 * (row - 1) + column - 1 |
| salvo, advanced-salvo | 0-99: the same cells, named one at a time until the salvo is complete |
| amiral-advanced | 0-99 shots; 100-109 torpedoes from letter i to number i, 110-119 from letter i to number 11 - i; 120-129 hunts at a \
letter, 130-139 at a number; 140-220 air strikes on the block at 9 * (row - 1) + column - 1; 221-230 relocations to a letter, 231-240 to a number |
| abalone | 0-1733: every group with every direction in which it stays on the board, as `abalone_pushes()` lists them |

Where fleets are placed by the agents, 200 more follow: 2 * cell for a ship to the right of the cell, 2 * cell + 1 for one down from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from .. import pb
from ..moves import AirStrike, Berth, Cell, Hunt, Move, Push, Relocation, Shot, Torpedo, from_message
from ..words import Direction, Variant

PLACEMENTS = 200


def cell_at(index: int) -> Cell:
    """The cell (row, column) of an action 0-99."""
    return index // 10 + 1, index % 10 + 1


def index_of(cell: Cell) -> int:
    """The action 0-99 of a cell (row, column)."""
    return 10 * (cell[0] - 1) + cell[1] - 1


def _berths() -> list[Berth]:
    return [Berth(letter=i) for i in range(1, 11)] + [Berth(number=i) for i in range(1, 11)]


@cache
def moves_of(variant: Variant) -> tuple[Move, ...]:
    """The move of each action, but for salvos: there the shots that they are gathered from."""
    if variant is Variant.ABALONE:
        return abalone_pushes()
    moves: list[Move] = [Shot(*cell_at(index)) for index in range(100)]
    if variant is Variant.AMIRAL_ADVANCED:
        moves += [Torpedo(i, i) for i in range(1, 11)]
        moves += [Torpedo(i, 11 - i) for i in range(1, 11)]
        moves += [Hunt(berth) for berth in _berths()]
        moves += [AirStrike(row, column) for row in range(1, 10) for column in range(1, 10)]
        moves += [Relocation(berth) for berth in _berths()]
    return tuple(moves)


@cache
def numbers_of(variant: Variant) -> dict[Move, int]:
    """The action of each move."""
    return {move: index for index, move in enumerate(moves_of(variant))}


def number_of(message: pb.Move, variant: Variant) -> int:
    """The action of a move of the contract. Raises ValueError or KeyError for one that this version does not know."""
    inner: Any = getattr(message, variant.field)
    if variant is not Variant.ABALONE and inner.HasField("shot"):
        return index_of((inner.shot.cell.row, inner.shot.cell.column))  # most moves are shots: the short way
    return numbers_of(variant)[from_message(message)]


@cache
def abalone_pushes() -> tuple[Push, ...]:
    """Every group and direction in which all its marbles stay on the board: groups by size and cells, directions in the contract's order."""
    pushes = []
    for group in sorted(_groups(), key=lambda group: (len(group), sorted(group))):
        for direction in Direction:
            if _on_board(_step(cell, direction) for cell in group):
                pushes.append(Push(group, direction))
    return tuple(pushes)


def _groups() -> set[frozenset[Cell]]:
    cells = [(row, number) for row in range(1, 10) for number in range(1, 10) if _on_board([(row, number)])]
    groups = set()
    for cell in cells:
        for direction in (Direction.EAST, Direction.NORTH_EAST, Direction.NORTH_WEST):
            line = [cell, _step(cell, direction), _step(_step(cell, direction), direction)]
            groups |= {frozenset(line[:size]) for size in (1, 2, 3) if _on_board(line[:size])}
    return groups


def _step(cell: Cell, direction: Direction) -> Cell:
    return cell[0] + direction.step[0], cell[1] + direction.step[1]


def _on_board(cells: Iterable[Cell]) -> bool:
    return all(1 <= row <= 9 and max(1, row - 4) <= number <= min(9, row + 4) for row, number in cells)
