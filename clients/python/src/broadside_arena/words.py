"""The contract's small words as Python enums: variants, seats, phases, classes of ships, directions."""

from __future__ import annotations

import enum


class Variant(str, enum.Enum):
    """A variant, equal to its name: `turn.variant == "advanced-salvo"`."""

    CLASSIC = "classic"
    SALVO = "salvo"
    ADVANCED_SALVO = "advanced-salvo"
    AMIRAL = "amiral"
    AMIRAL_ADVANCED = "amiral-advanced"
    NAUMACHIA = "naumachia"
    ABALONE = "abalone"

    @property
    def field(self) -> str:
        """Its field in the contract's messages: `advanced_salvo`."""
        return self.value.replace("-", "_")

    @property
    def number(self) -> int:
        """Its number in the contract's enum `Variant`."""
        return list(Variant).index(self) + 1

    @property
    def is_naval(self) -> bool:
        """Whether it is one of the six with fleets."""
        return self is not Variant.ABALONE

    @property
    def has_salvos(self) -> bool:
        """Whether a move in battle is a salvo."""
        return self in (Variant.SALVO, Variant.ADVANCED_SALVO)

    def __str__(self) -> str:
        return self.value

    @classmethod
    def named(cls, name: str) -> Variant:
        """The variant of a name, either way it is written: `amiral-advanced` or `amiral_advanced`.

        Raises ValueError, which lists the names, if there is none.
        """
        try:
            return cls(name.replace("_", "-"))
        except ValueError:
            raise ValueError(f"there is no variant {name!r}: it is one of {', '.join(cls)}") from None


class Seat(enum.IntEnum):
    """A seat of a match. Seat one moves first: Black in abalone."""

    ONE = 1
    TWO = 2

    @property
    def other(self) -> Seat:
        """The opponent's."""
        return Seat(3 - self)


class Phase(enum.IntEnum):
    """What is asked of the players."""

    DEPLOYMENT = 1
    BATTLE = 2
    RELOCATION = 3
    OVER = 4


class ShipClass(enum.IntEnum):
    """The classes of ships. A class's length depends on the fleet: see `broadside_arena.fleets`."""

    CARRIER = 1
    BATTLESHIP = 2
    CRUISER = 3
    DESTROYER = 4
    SUBMARINE = 5
    PATROL_BOAT = 6
    ASSAULT_BOAT = 7
    TORPEDO_BOAT = 8

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Orientation(enum.IntEnum):
    """How a ship lies from its top-left cell: to the right along its row, or down along its column."""

    HORIZONTAL = 1
    VERTICAL = 2


class Direction(enum.IntEnum):
    """The six directions of abalone; `step` is what one step adds to (row, number)."""

    EAST = 1
    NORTH_EAST = 2
    NORTH_WEST = 3
    WEST = 4
    SOUTH_WEST = 5
    SOUTH_EAST = 6

    @property
    def step(self) -> tuple[int, int]:
        """What one step adds to (row, number)."""
        return ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))[self - 1]

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")
