"""The course of a match of any variant."""

from __future__ import annotations

from typing import TypeAlias

from . import pb
from .abalone_game import AbaloneGame
from .fleets import fleet_of
from .naval_game import NavalGame
from .words import Variant

Game: TypeAlias = NavalGame | AbaloneGame


def game_of(options: pb.Options) -> Game:
    """A match with these options, before its first move.

    Raises ValueError if this version does not know the variant or the layout.
    """
    fleet = fleet_of(options)
    variant = Variant.named(str(options.WhichOneof("variant")))
    return NavalGame(variant, fleet) if variant.is_naval else AbaloneGame(options.abalone)
