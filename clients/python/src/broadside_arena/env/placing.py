"""Placing a fleet ship by ship, so that there is always room for the rest."""

from __future__ import annotations

from functools import cache

from ..fleets import Fleet
from ..moves import Ship
from ..words import Orientation
from .actions import PLACEMENTS, cell_at, index_of


@cache
def _placement(length: int, index: int) -> tuple[int, int] | None:
    """The cells of a ship so placed, and those with their neighbours, as bits; None if it does not fit the grid."""
    row, column = cell_at(index // 2)
    ship = Ship(1, row, column, Orientation(1 + index % 2))  # type: ignore[arg-type] # whatever its class
    cells = ship.cells(length)
    if not all(1 <= r <= 10 and 1 <= c <= 10 for r, c in cells) or (length == 1 and index % 2):
        return None
    around = {(r + i, c + j) for r, c in cells for i in (-1, 0, 1) for j in (-1, 0, 1)}
    own = sum(1 << index_of(cell) for cell in cells)
    return own, sum(1 << index_of((r, c)) for r, c in around if 1 <= r <= 10 and 1 <= c <= 10)


class Placing:
    """A fleet that is being placed, longest ships first."""

    def __init__(self, fleet: Fleet) -> None:
        self.ships: list[Ship] = []
        self._fleet = fleet
        self._lengths = [fleet.lengths[ship_class] for ship_class in fleet.classes]
        self._taken = 0
        self._legal: list[int] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all ships are placed."""
        return len(self.ships) == len(self._lengths)

    @property
    def length(self) -> int:
        """The length of the next ship; 0 if all are placed."""
        return 0 if self.is_complete else self._lengths[len(self.ships)]

    def legal(self) -> list[int]:
        """The placements 0-199 of the next ship after which the others still have room."""
        if self._legal is None:
            rest = self._lengths[len(self.ships) + 1 :]
            places = ((index, self._after(index)) for index in range(PLACEMENTS))
            self._legal = [index for index, taken in places if taken is not None and self._has_room(taken, rest)]
        return self._legal

    def place(self, index: int) -> None:
        """Places the next ship; one of the legal placements."""
        taken = self._after(index)
        assert taken is not None
        row, column = cell_at(index // 2)
        self.ships.append(Ship(self._fleet.classes[len(self.ships)], row, column, Orientation(1 + index % 2)))
        self._taken = taken
        self._legal = None

    def _after(self, index: int, taken: int | None = None, length: int | None = None) -> int | None:
        taken = self._taken if taken is None else taken
        placement = _placement(self.length if length is None else length, index)
        if placement is None or placement[0] & taken:
            return None
        return taken | (placement[0] if self._fleet.may_touch else placement[1])

    def _has_room(self, taken: int, lengths: list[int]) -> bool:
        if not lengths:
            return True
        for index in range(PLACEMENTS):
            after = self._after(index, taken, lengths[0])
            if after is not None and self._has_room(after, lengths[1:]):
                return True
        return False
