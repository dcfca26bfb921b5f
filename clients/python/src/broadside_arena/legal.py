"""The legal moves of a turn as a sequence, so that `random.choice(turn.legal)` is a legal move in every variant."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import overload

from . import pb
from .moves import Cell, Move, Salvo, from_message


class LegalMoves(Sequence[Move]):
    """All legal moves, but for a deployment: there it is one fleet, drawn from all legal ones, of which any may be played.

    The salvos of a turn are up to 75 million; each is made when it is asked for, by its index.
    """

    def __init__(self, message: pb.LegalMoves) -> None:
        self._moves = message.moves
        self.size: int = message.salvo.size if message.HasField("salvo") else 0
        """How many cells the salvo must name; 0 where no salvo is due."""
        self.cells: list[Cell] = [(cell.row, cell.column) for cell in message.salvo.cells]
        """The cells that a salvo may name; empty where no salvo is due."""

    def __len__(self) -> int:
        return math.comb(len(self.cells), self.size) if self.size else len(self._moves)

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} legal moves, and none with index {index}")
        if self.size:
            return Salvo(tuple(self.cells[i] for i in _combination(index % len(self), len(self.cells), self.size)))
        return from_message(self._moves[index])

    def __contains__(self, move: object) -> bool:
        if self.size and isinstance(move, Salvo):
            return len(move.cells) == self.size == len(set(move.cells)) and set(move.cells) <= set(self.cells)
        return any(move == legal for legal in self) if not self.size else False

    def random(self, rng: random.Random) -> Move:
        """One of them, each as likely as any other.

        Raises ValueError if there is none.
        """
        if not len(self):
            raise ValueError("the turn lists no legal moves: does the bot's profile ask for them?")
        return self[rng.randrange(len(self))]


def _combination(rank: int, cells: int, size: int) -> list[int]:
    """The combination of this rank, in lexicographic order."""
    chosen = []
    first = 0
    while size:
        rest = math.comb(cells - first - 1, size - 1)
        if rank < rest:
            chosen.append(first)
            size -= 1
        else:
            rank -= rest
        first += 1
    return chosen
