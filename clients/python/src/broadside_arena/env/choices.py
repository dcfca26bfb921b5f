"""A decision that is under way: actions go in one at a time until they make a move."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..moves import Berth, Cell, Deployment, Move, Relocation, Salvo
from ..turn import Turn
from ..words import Phase, Variant
from .actions import PLACEMENTS, cell_at, index_of, moves_of, number_of, numbers_of
from .placing import Placing

Mask = npt.NDArray[np.int8]


class Choice(Protocol):
    """What is left to choose of one move."""

    cells: list[Cell]
    """Cells of the salvo named so far."""
    to_name: int
    """How many more cells are to be named; 1 where a single move is."""

    @property
    def ship_length(self) -> int:
        """Length of the ship that is to be placed; 0 where none is."""
        ...

    def legal(self) -> list[int]:
        """The actions that may come next."""
        ...

    def take(self, action: int) -> Move | None:
        """Takes one of them; the move, once it is whole."""
        ...


class SingleChoice:
    """One action, one move."""

    def __init__(self, turn: Turn) -> None:
        self.cells: list[Cell] = []
        self.to_name, self.ship_length = 1, 0
        self._variant = turn.variant
        self._legal = [number_of(move, turn.variant) for move in turn.message.legal_moves.moves]

    def legal(self) -> list[int]:
        """The actions that may come next."""
        return self._legal

    def take(self, action: int) -> Move | None:
        """Takes the action."""
        return moves_of(self._variant)[action]


class SalvoChoice:
    """The cells of a salvo."""

    def __init__(self, turn: Turn) -> None:
        self.cells: list[Cell] = []
        self.to_name, self.ship_length = turn.legal.size, 0
        self._left = [index_of(cell) for cell in turn.legal.cells]

    def legal(self) -> list[int]:
        """The cells not yet named."""
        return self._left

    def take(self, action: int) -> Move | None:
        """Names a cell."""
        self._left.remove(action)
        self.cells.append(cell_at(action))
        self.to_name -= 1
        return None if self.to_name else Salvo(tuple(self.cells))


class PlacingChoice:
    """The ships of a fleet, then the submarine's berth."""

    def __init__(self, turn: Turn) -> None:
        self.cells: list[Cell] = []
        self.to_name = 0
        self.placing = Placing(turn.fleet)
        self._variant = turn.variant
        self._first = len(moves_of(turn.variant))

    @property
    def ship_length(self) -> int:
        """Length of the next ship; 0 where the berth is due."""
        return self.placing.length

    def legal(self) -> list[int]:
        """The placements of the next ship, or the berths."""
        if not self.placing.is_complete:
            return [self._first + index for index in self.placing.legal()]
        return [number for move, number in numbers_of(self._variant).items() if isinstance(move, Relocation)]

    def take(self, action: int) -> Move | None:
        """Places the next ship, or the submarine."""
        berth: Berth | None = None
        if self.placing.is_complete:
            move = moves_of(self._variant)[action]
            assert isinstance(move, Relocation)
            berth = move.berth
        else:
            self.placing.place(action - self._first)
        if not self.placing.is_complete or (self._variant is Variant.AMIRAL_ADVANCED and berth is None):
            return None
        return Deployment(tuple(self.placing.ships), berth)


def choice_of(turn: Turn) -> Choice:
    """The choice that a turn asks for."""
    if turn.phase == Phase.DEPLOYMENT:
        return PlacingChoice(turn)
    return SalvoChoice(turn) if turn.legal.size else SingleChoice(turn)


def mask_of(choice: Choice | None, size: int) -> Mask:
    """1 for each action that may come next, 0 for the others; all 0 for who is not to act."""
    mask = np.zeros(size, np.int8)
    if choice is not None:
        mask[choice.legal()] = 1
    return mask


def actions_of(variant: Variant, placed: bool) -> int:
    """How many actions there are."""
    return len(moves_of(variant)) + (PLACEMENTS if placed and variant.is_naval else 0)
