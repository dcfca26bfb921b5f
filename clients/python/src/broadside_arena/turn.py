"""A turn: what a bot is asked, and how it makes its answer."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from . import checks, pb
from .boards import AbaloneBoard, Board, Fired, Marble, NavalBoard, board_of
from .checks import IllegalMove
from .fleets import Fleet, fleet_of
from .legal import LegalMoves
from .moves import AirStrike, Berth, Cell, Deployment, Hunt, Move, Push, Relocation, Salvo, Ship, Shot, Torpedo
from .words import Direction, Phase, Seat, Variant

M = TypeVar("M", bound=Move)


@dataclass(frozen=True, eq=False)
class Turn:
    """One decision that is due. It is complete: no memory is needed between turns.

    Times are in seconds. What is not here is in `message`, the contract's `Turn`.
    """

    message: pb.Turn

    @property
    def match_id(self) -> int:
        """The match, 1 to 2^53 - 1."""
        return self.message.match_id

    @property
    def turn_id(self) -> int:
        """Unique in the match, for both seats together."""
        return self.message.turn_id

    @cached_property
    def variant(self) -> Variant:
        """What is played. Raises ValueError if it is a variant that this version does not know."""
        field = self.message.view.WhichOneof("variant")
        if field is None:
            raise ValueError("the turn is of no variant that this version knows")
        return Variant.named(field)

    @property
    def seat(self) -> Seat:
        """The seat that is to decide."""
        return Seat(self.message.seat)

    @property
    def phase(self) -> Phase:
        """What is asked."""
        return Phase(self.message.phase)

    @property
    def view(self) -> Any:
        """The variant's own view in the contract's words, such as `pb.ClassicView`: all that this seat may know."""
        return getattr(self.message.view, self.variant.field)

    @cached_property
    def board(self) -> Board:
        """The view as numpy arrays: a `NavalBoard`, or in abalone an `AbaloneBoard`."""
        return board_of(self.message.view, self.fleet)

    @cached_property
    def fleet(self) -> Fleet:
        """The ships of this match: classes and lengths."""
        return fleet_of(self.message.options)

    @cached_property
    def legal(self) -> LegalMoves:
        """The legal moves, as a sequence: `random.choice(turn.legal)`."""
        return LegalMoves(self.message.legal_moves)

    @property
    def time_left(self) -> float:
        """Seconds to answer, from the moment the turn was handed to the transport."""
        return self.message.time_left_us / 1e6

    @property
    def budget_left(self) -> float | None:
        """Seconds left of this seat's budget; None without a budget."""
        return self.message.budget_left_us / 1e6 if self.message.HasField("budget_left_us") else None

    @property
    def opponent_budget_left(self) -> float | None:
        """Seconds left of the opponent's budget; None without a budget."""
        return self.message.opponent_budget_left_us / 1e6 if self.message.HasField("opponent_budget_left_us") else None

    @property
    def last_answer(self) -> float | None:
        """Seconds that this seat's last answer took, as the arena measured it; None before the first."""
        return self.message.last_answer_us / 1e6 if self.message.HasField("last_answer_us") else None

    @property
    def refusal(self) -> str | None:
        """Why the last answer to this very turn was refused; None if there was none."""
        return self.message.refusal.message if self.message.HasField("refusal") else None

    @property
    def salvo_size(self) -> int:
        """How many cells the salvo must name; 0 where no salvo is due."""
        return int(getattr(self.view, "salvo_size", 0))

    def random_move(self, rng: random.Random) -> Move:
        """A legal move, each as likely as any other; in the deployment the fleet that the arena has dealt."""
        return self.legal.random(rng)

    # ---- Making moves: each raises IllegalMove, which says what is wrong ----

    def shot(self, row: int, column: int) -> Shot:
        """A shot at a cell, row and column 1-10."""
        if self.variant.has_salvos:
            raise IllegalMove(f"a turn of {self.variant} is a salvo: name {self.salvo_size} cells")
        checks.check_targets([(row, column)], self._naval(Phase.BATTLE), 1)
        return Shot(row, column)

    def salvo(self, cells: Iterable[Cell]) -> Salvo:
        """A salvo at `salvo_size` different cells, each (row, column), 1-10."""
        if not self.variant.has_salvos:
            raise IllegalMove(f"there are no salvos in {self.variant}")
        named = tuple((int(row), int(column)) for row, column in cells)
        checks.check_targets(named, self._naval(Phase.BATTLE), self.salvo_size)
        return Salvo(named)

    def deployment(self, ships: Iterable[Ship], berth: Berth | None = None) -> Deployment:
        """A whole fleet; in amiral-advanced with the submarine's berth."""
        self._naval(Phase.DEPLOYMENT)
        placed = tuple(ships)
        checks.check_fleet(placed, self.fleet)
        if (berth is not None) != (self.variant is Variant.AMIRAL_ADVANCED):
            raise IllegalMove(f"a deployment of {self.variant} has {'no' if berth else 'a'} berth")
        if berth:
            checks.check_berth(berth)
        return Deployment(placed, berth)

    def torpedo(self, letter: int, number: int) -> Torpedo:
        """A torpedo along the diagonal from a letter (1-10 for A-J) to a number (1-10)."""
        self._advanced(Phase.BATTLE)
        if not 1 <= letter <= 10 or number not in (letter, 11 - letter):
            raise IllegalMove(
                f"letter {letter} and number {number} are not the ends of one diagonal: letter i goes with i and with 11 - i"
            )
        move = Torpedo(letter, number)
        return self._listed(
            move, f"the submarine, its torpedoes or its berth do not allow the route from {letter} to {number}"
        )

    def hunt(self, end: Berth) -> Hunt:
        """A hunt for the enemy's submarine at one end of its latest route."""
        self._advanced(Phase.BATTLE)
        checks.check_berth(end)
        return self._listed(Hunt(end), f"{end} is no end of an enemy route that may be hunted at")

    def air_strike(self, row: int, column: int) -> AirStrike:
        """The air strike on the 2 x 2 block with this top-left cell, row and column 1-9."""
        board = self._advanced(Phase.BATTLE)
        checks.check_cell(row, column, last=9)
        if not (board.shots[row - 1 : row + 1, column - 1 : column + 1] == Fired.NOTHING).any():
            raise IllegalMove(f"every cell of the block at row {row}, column {column} was fired at before")
        return self._listed(
            AirStrike(row, column), "an air strike needs one's own carrier unhit and two enemy ships sunk, once a match"
        )

    def relocation(self, berth: Berth) -> Relocation:
        """Where the submarine goes; its present berth means that it stays."""
        self._advanced(Phase.RELOCATION)
        checks.check_berth(berth)
        return Relocation(berth)

    def push(self, group: Iterable[Cell], direction: Direction) -> Push:
        """A move of abalone: 1-3 own marbles, each (row, number) with 1-9 for a-i, and where they go."""
        board = self.board
        if not isinstance(board, AbaloneBoard):
            raise IllegalMove(f"there are no marbles in {self.variant}")
        cells = frozenset((int(row), int(number)) for row, number in group)
        checks.check_push(cells, direction, board, Marble(self.seat.value))
        return Push(cells, direction)

    def _naval(self, phase: Phase) -> NavalBoard:
        board = self.board
        if not isinstance(board, NavalBoard):
            raise IllegalMove(f"there are no ships in {self.variant}")
        if self.phase != phase:
            raise IllegalMove(
                f"such a move belongs to the {phase.name.lower()}, and this turn is of the {self.phase.name.lower()}"
            )
        return board

    def _advanced(self, phase: Phase) -> NavalBoard:
        if self.variant is not Variant.AMIRAL_ADVANCED:
            raise IllegalMove(f"there are no submarines and no air strikes in {self.variant}")
        return self._naval(phase)

    def _listed(self, move: M, otherwise: str) -> M:
        if len(self.legal) and move not in self.legal:
            raise IllegalMove(otherwise)
        return move
