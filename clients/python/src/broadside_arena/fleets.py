"""The fleets: which ships each variant is played with, and how long they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from . import pb
from .words import ShipClass, Variant

_Ships: TypeAlias = tuple[tuple[ShipClass, int], ...]

_EDITION_1967: _Ships = (
    (ShipClass.CARRIER, 5),
    (ShipClass.BATTLESHIP, 4),
    (ShipClass.CRUISER, 3),
    (ShipClass.SUBMARINE, 3),
    (ShipClass.DESTROYER, 2),
)
_EDITION_2002: _Ships = (
    (ShipClass.CARRIER, 5),
    (ShipClass.BATTLESHIP, 4),
    (ShipClass.DESTROYER, 3),
    (ShipClass.SUBMARINE, 3),
    (ShipClass.PATROL_BOAT, 2),
)
_AMIRAL: _Ships = (
    (ShipClass.CARRIER, 5),
    (ShipClass.CRUISER, 4),
    (ShipClass.DESTROYER, 3),
    (ShipClass.DESTROYER, 3),
    (ShipClass.ASSAULT_BOAT, 2),
)
_NAUMACHIA: _Ships = (
    (ShipClass.BATTLESHIP, 4),
    *[(ShipClass.CRUISER, 3)] * 2,
    *[(ShipClass.DESTROYER, 2)] * 3,
    *[(ShipClass.TORPEDO_BOAT, 1)] * 4,
)


@dataclass(frozen=True)
class Fleet:
    """The ships of one side, longest first."""

    classes: tuple[ShipClass, ...]
    """One for each ship: a class that the fleet has twice is here twice."""
    lengths: dict[ShipClass, int]
    """How many cells a ship of each class has."""
    may_touch: bool
    """Whether ships may lie side by side; in naumachia they may not, not even by corner."""

    def __len__(self) -> int:
        return len(self.classes)


def fleet_of(options: pb.Options) -> Fleet:
    """The fleet that a match with these options is played with; without ships in abalone.

    Raises ValueError if no variant is set.
    """
    field = options.WhichOneof("variant")
    if field is None:
        raise ValueError("the options name no variant that this version knows")
    variant = Variant.named(field)
    if variant in (Variant.CLASSIC, Variant.SALVO, Variant.ADVANCED_SALVO):
        ships = _EDITION_1967 if getattr(options, field).edition == pb.EDITION_1967 else _EDITION_2002
    elif variant is Variant.NAUMACHIA:
        ships = _NAUMACHIA
    else:
        ships = _AMIRAL if variant.is_naval else ()
    return Fleet(tuple(ship for ship, _ in ships), dict(ships), variant is not Variant.NAUMACHIA)
