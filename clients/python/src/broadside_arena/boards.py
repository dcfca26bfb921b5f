"""Boards as numpy arrays, made from the contract's views.

The naval grids have shape (10, 10): axis 0 is the row from the top, axis 1 the column from the left, so that the cell that the
contract calls row 3, column 7 is `[2, 6]`. The board of abalone has shape (9, 9): axis 0 is the row from a (Black's side), axis 1 the
number of the diagonal, so that e5 is `[4, 4]`; cells that are not on the board hold -1. All are int8.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import pb
from .fleets import Fleet
from .moves import Berth, Cell, Ship
from .words import Seat, ShipClass, Variant

Grid: TypeAlias = npt.NDArray[np.int8]


class Received(enum.IntEnum):
    """Codes of `NavalBoard.received`: what the enemy has done to a cell of one's own waters."""

    NOTHING = 0
    MISS = 1
    HIT = 2
    SUNK = 3
    """A cell of a ship of one's own that is sunk, however it was sunk."""


class Fired(enum.IntEnum):
    """Codes of `NavalBoard.shots`: what one knows of a cell of the enemy's waters."""

    NOTHING = 0
    MISS = 1
    HIT = 2
    SUNK = 3
    """A hit on a ship that is known to be sunk: where hits name classes, and in naumachia."""
    WATER = 4
    """Not fired at, and known to be water: around sunk ships in naumachia. No legal target."""
    UNANSWERED = 5
    """Fired at in a salvo of advanced-salvo of which some cells hit and some did not."""


class Marble(enum.IntEnum):
    """Codes of `AbaloneBoard.cells`."""

    OFF_BOARD = -1
    EMPTY = 0
    BLACK = 1
    WHITE = 2


@dataclass(frozen=True, eq=False)
class NavalBoard:
    """What one seat knows of both waters, in the six naval variants."""

    fleet: Grid
    """(10, 10): the `ShipClass` of the own ship on the cell, 0 where there is none; a ship that is sunk stays."""
    received: Grid
    """(10, 10): the enemy's shots, codes of `Received`."""
    shots: Grid
    """(10, 10): one's own shots, codes of `Fired`."""
    hit_classes: Grid
    """(10, 10): the `ShipClass` of the enemy ship that a hit named, 0 elsewhere."""
    ships: tuple[Ship, ...]
    """One's own ships in the order deployed; none before the deployment."""
    ships_sunk: tuple[bool, ...]
    """Whether each of them is sunk."""
    enemy_afloat: int
    """How many enemy ships are afloat."""
    enemy_sunk: tuple[ShipClass, ...]
    """Classes of the enemy ships sunk, in the order announced; always empty in advanced-salvo, which does not announce them."""
    berth: Berth | None = None
    """Where one's own submarine lies (amiral-advanced, from the deployment on)."""

    @property
    def afloat(self) -> int:
        """How many of one's own ships are afloat."""
        return self.ships_sunk.count(False)

    @property
    def targets(self) -> list[Cell]:
        """The cells (row, column) that may be fired at, row by row."""
        return [(int(row) + 1, int(column) + 1) for row, column in np.argwhere(self.shots == Fired.NOTHING)]

    @classmethod
    def of(cls, view: Any, fleet: Fleet) -> NavalBoard:
        """From a variant's view (`turn.view`) and the fleet of the match."""
        told, ships = view.targets, tuple(Ship.of(own.ship) for own in view.ocean.ships)
        advanced = isinstance(view, pb.AmiralAdvancedView)
        return cls(
            fleet=_fleet(ships, fleet),
            received=_received(view, ships, fleet),
            shots=_shots(told, fleet),
            hit_classes=_numbered(getattr(told, "grid", None), getattr(told, "hit_classes", ())),
            ships=ships,
            ships_sunk=tuple(own.sunk for own in view.ocean.ships),
            enemy_afloat=told.afloat,
            enemy_sunk=tuple(ShipClass(sinking.ship_class) for sinking in getattr(told, "sunk", ())),
            berth=Berth.of(view.berth) if advanced and view.HasField("berth") else None,
        )

    def __str__(self) -> str:
        from .drawing import draw_naval

        return draw_naval(self)


@dataclass(frozen=True, eq=False)
class AbaloneBoard:
    """The position in abalone."""

    cells: Grid
    """(9, 9): codes of `Marble`."""
    ejected_by_black: int
    """White marbles that Black (seat one) has ejected, 0-6."""
    ejected_by_white: int
    """Black marbles that White (seat two) has ejected, 0-6."""
    plies: int
    """Moves played by both."""
    repetitions: int
    """How often this position has stood with this side to move, this time included."""

    def seen_by(self, seat: Seat) -> Grid:
        """(9, 9): the same cells with 1 for the seat's own marbles and 2 for the enemy's."""
        if seat == Seat.ONE:
            return self.cells.copy()
        swapped = self.cells.copy()
        swapped[self.cells == Marble.BLACK] = Marble.WHITE
        swapped[self.cells == Marble.WHITE] = Marble.BLACK
        return swapped

    @classmethod
    def of(cls, view: pb.AbaloneView) -> AbaloneBoard:
        """From the contract's view."""
        cells = EMPTY_BOARD.copy()
        for numbers, marble in ((view.black, Marble.BLACK), (view.white, Marble.WHITE)):
            for number in numbers:
                cells[number // 10 - 1, number % 10 - 1] = marble
        return cls(cells, view.ejected_by_black, view.ejected_by_white, view.plies, view.repetitions)

    def __str__(self) -> str:
        from .drawing import draw_abalone

        return draw_abalone(self)


Board: TypeAlias = NavalBoard | AbaloneBoard


def board_of(view: pb.View, fleet: Fleet) -> Board:
    """The board of a seat's view.

    Raises ValueError if the view is of no variant that this version knows.
    """
    field = view.WhichOneof("variant")
    if field is None:
        raise ValueError("the view is of no variant that this version knows")
    if Variant.named(field) is Variant.ABALONE:
        return AbaloneBoard.of(view.abalone)
    return NavalBoard.of(getattr(view, field), fleet)


def _empty_board() -> Grid:
    board = np.full((9, 9), Marble.OFF_BOARD, np.int8)
    for row in range(9):
        board[row, max(0, row - 4) : min(9, row + 5)] = Marble.EMPTY
    board.setflags(write=False)
    return board


EMPTY_BOARD = _empty_board()
"""The board of abalone without marbles, (9, 9)."""


def _grid() -> Grid:
    return np.zeros((10, 10), np.int8)


def _put(grid: Grid, numbers: Iterable[int], code: int) -> None:
    """Sets the cells of these numbers, 1-100 as the contract's views have them."""
    grid.put([number - 1 for number in numbers], code)


def _fleet(ships: Iterable[Ship], fleet: Fleet) -> Grid:
    grid = _grid()
    for ship in ships:
        for row, column in ship.cells(fleet.lengths[ship.ship_class]):
            grid[row - 1, column - 1] = ship.ship_class
    return grid


def _received(view: Any, ships: Iterable[Ship], fleet: Fleet) -> Grid:
    grid = _grid()
    _put(grid, view.ocean.fired_at, Received.MISS)
    if isinstance(view, pb.AmiralAdvancedView):
        # A shot at a ship that a torpedo had sunk was a miss.
        _put(grid, view.enemy_targets.grid.hits, Received.HIT)
    else:
        grid[(grid == Received.MISS) & (_fleet(ships, fleet) > 0)] = Received.HIT
    for own, ship in zip(view.ocean.ships, ships, strict=True):
        if own.sunk:
            for row, column in ship.cells(fleet.lengths[ship.ship_class]):
                grid[row - 1, column - 1] = Received.SUNK
    return grid


def _shots(told: Any, fleet: Fleet) -> Grid:
    grid = _grid()
    if isinstance(told, pb.AdvancedSalvoTargets):
        for salvo in told.salvos:
            all_hit = salvo.hits == len(salvo.cells)
            _put(grid, salvo.cells, Fired.HIT if all_hit else Fired.UNANSWERED if salvo.hits else Fired.MISS)
        return grid
    _put(grid, told.grid.misses, Fired.MISS)
    _put(grid, told.grid.hits, Fired.HIT)
    if isinstance(told, pb.NaumachiaTargets):
        _put(grid, told.marked, Fired.WATER)
        for ship in map(Ship.of, told.sunk):
            for row, column in ship.cells(fleet.lengths[ship.ship_class]):
                grid[row - 1, column - 1] = Fired.SUNK
    elif getattr(told, "hit_classes", ()):
        sunk = {sinking.ship_class for sinking in told.sunk}
        _put(grid, (n for n, c in zip(told.grid.hits, told.hit_classes, strict=True) if c in sunk), Fired.SUNK)
    return grid


def _numbered(grid: pb.TargetGrid | None, classes: Iterable[int]) -> Grid:
    named = _grid()
    if grid is not None and classes:
        for number, ship_class in zip(grid.hits, classes, strict=False):
            named.flat[number - 1] = ship_class
    return named
