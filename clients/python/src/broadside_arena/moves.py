"""Moves as values: small frozen dataclasses, compared and hashed by what they say, and turned into the contract's messages and back.

Rows, columns, letters and numbers all count from 1, as on the wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from . import pb
from .words import Direction, Orientation, ShipClass, Variant

Cell: TypeAlias = tuple[int, int]
"""(row, column) of the grid, each 1-10, row 1 at the top; in abalone (row, number), each 1-9, row 1 being a."""


@dataclass(frozen=True)
class Ship:
    """A ship and where it lies: its top-left cell, and which way it goes from there."""

    ship_class: ShipClass
    row: int
    column: int
    orientation: Orientation

    def cells(self, length: int) -> list[Cell]:
        """Its cells, the top-left one first."""
        if self.orientation == Orientation.HORIZONTAL:
            return [(self.row, self.column + i) for i in range(length)]
        return [(self.row + i, self.column) for i in range(length)]

    @classmethod
    def of(cls, message: pb.PlacedShip) -> Ship:
        """From the contract's message."""
        ship_class, orientation = ShipClass(message.ship_class), Orientation(message.orientation)
        return cls(ship_class, message.cell.row, message.cell.column, orientation)

    def message(self) -> pb.PlacedShip:
        """As the contract's message."""
        cell = pb.Cell(row=self.row, column=self.column)
        return pb.PlacedShip(
            ship_class=pb.ShipClass.ValueType(self.ship_class),
            cell=cell,
            orientation=pb.Orientation.ValueType(self.orientation),
        )


@dataclass(frozen=True)
class Berth:
    """Where a submarine of amiral-advanced lies: at a row's letter (1-10 for A-J) or at a column's number (1-10); the other is None."""

    letter: int | None = None
    number: int | None = None

    @classmethod
    def of(cls, message: pb.Berth) -> Berth:
        """From the contract's message."""
        return cls(letter=message.letter) if message.WhichOneof("edge") == "letter" else cls(number=message.number)

    def message(self) -> pb.Berth:
        """As the contract's message."""
        return pb.Berth(letter=self.letter) if self.letter is not None else pb.Berth(number=self.number or 0)


@dataclass(frozen=True)
class Deployment:
    """A whole fleet, placed; in amiral-advanced with the submarine's berth."""

    ships: tuple[Ship, ...]
    berth: Berth | None = None


@dataclass(frozen=True)
class Shot:
    """One shot."""

    row: int
    column: int

    @property
    def cell(self) -> Cell:
        """(row, column)."""
        return self.row, self.column


@dataclass(frozen=True)
class Salvo:
    """All shots of one turn, in the order called."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Torpedo:
    """A torpedo along the diagonal from a letter (1-10 for A-J) to a number (1-10)."""

    letter: int
    number: int


@dataclass(frozen=True)
class Hunt:
    """A hunt for the enemy's submarine at one end of its latest route."""

    end: Berth


@dataclass(frozen=True)
class AirStrike:
    """A strike on the 2 x 2 block with this top-left cell, row and column 1-9."""

    row: int
    column: int


@dataclass(frozen=True)
class Relocation:
    """Where the submarine goes after a hunt that failed; the present berth means that it stays."""

    berth: Berth


@dataclass(frozen=True)
class Push:
    """A move of abalone: each of 1-3 own marbles, side by side in a line, goes one cell in the direction. The order of the group says nothing."""

    group: frozenset[Cell]
    direction: Direction


Move: TypeAlias = Deployment | Shot | Salvo | Torpedo | Hunt | AirStrike | Relocation | Push
"""A move of any variant."""


def _cell(cell: Cell) -> pb.Cell:
    return pb.Cell(row=cell[0], column=cell[1])


def to_message(move: Move, variant: Variant) -> pb.Move:
    """The move as the contract's message, in the variant's own field.

    Raises TypeError if it is no move of the variant.
    """
    if isinstance(move, Push) and variant is Variant.ABALONE:
        group = [pb.AbaloneCell(row=row, number=number) for row, number in sorted(move.group)]
        return pb.Move(abalone=pb.AbaloneMove(group=group, direction=pb.AbaloneDirection.ValueType(move.direction)))
    message = pb.Move()
    inner = getattr(message, variant.field)
    kind = _kind(move, variant)
    if kind is None:
        raise TypeError(f"{move!r} is no move of {variant}")
    getattr(inner, kind[0]).CopyFrom(kind[1])
    return message


def _kind(move: Move, variant: Variant) -> tuple[str, object] | None:
    """The field of the variant's move and what goes into it."""
    if not variant.is_naval:
        return None
    advanced = variant is Variant.AMIRAL_ADVANCED
    if isinstance(move, Deployment):
        fleet = pb.Deployment(ships=[ship.message() for ship in move.ships])
        if not advanced:
            return ("deployment", fleet) if move.berth is None else None
        berth = move.berth.message() if move.berth else None
        return "deployment", pb.AmiralAdvancedDeployment(fleet=fleet, berth=berth)
    if isinstance(move, Salvo):
        return ("salvo", pb.Salvo(cells=map(_cell, move.cells))) if variant.has_salvos else None
    if isinstance(move, Shot):
        return None if variant.has_salvos else ("shot", pb.Shot(cell=_cell(move.cell)))
    if not advanced:
        return None
    if isinstance(move, Torpedo):
        return "torpedo", pb.Torpedo(route=pb.Route(letter=move.letter, number=move.number))
    if isinstance(move, Hunt):
        return "hunt", pb.Hunt(end=move.end.message())
    if isinstance(move, AirStrike):
        return "air_strike", pb.AirStrike(cell=pb.Cell(row=move.row, column=move.column))
    if isinstance(move, Relocation):
        return "relocation", pb.Relocation(berth=move.berth.message())
    return None


def from_message(message: pb.Move) -> Move:
    """The move that a message of the contract says.

    Raises ValueError if it says none that this version knows.
    """
    variant = message.WhichOneof("variant")
    if variant == "abalone":
        group = frozenset((cell.row, cell.number) for cell in message.abalone.group)
        return Push(group, Direction(message.abalone.direction))
    inner = getattr(message, variant) if variant else None
    kind = inner.WhichOneof("move") if inner is not None else None
    if inner is None or kind is None:
        raise ValueError("the message holds no move")
    part = getattr(inner, kind)
    if kind == "deployment":
        advanced = variant == "amiral_advanced"
        ships = tuple(Ship.of(ship) for ship in (part.fleet if advanced else part).ships)
        return Deployment(ships, Berth.of(part.berth) if advanced else None)
    if kind == "salvo":
        return Salvo(tuple((cell.row, cell.column) for cell in part.cells))
    if kind == "shot":
        return Shot(part.cell.row, part.cell.column)
    if kind == "torpedo":
        return Torpedo(part.route.letter, part.route.number)
    if kind == "hunt":
        return Hunt(Berth.of(part.end))
    if kind == "air_strike":
        return AirStrike(part.cell.row, part.cell.column)
    if kind == "relocation":
        return Relocation(Berth.of(part.berth))
    raise ValueError(f"the message holds a move of a kind that this version does not know: {kind}")
