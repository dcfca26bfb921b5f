"""What an agent sees, as planes of small numbers: arrays of int8, the last axis being the plane.

Naval variants, (10, 10, 14), in amiral-advanced (10, 10, 26); axis 0 is the row from the top, axis 1 the column from the left:

0 own ships, by `ShipClass`; 1-3 the enemy's shots that missed, hit, and cells of own ships sunk; 4-6 own shots that missed, hit, and hit what is
sunk; 7 known to be water; 8 fired at without an answer of its own; 9 class of the enemy ship hit, where it is named; 10 cells of this salvo
named so far. Filled with one number: 11 own ships afloat, 12 enemy ships afloat, 13 how many cells are still to be named (1 for one shot), or
the length of the ship to be placed, negative.

amiral-advanced has 12 more: 14 the row or column of one's own berth; 15 the enemy's route that may be hunted at, 16 one's own that the enemy
may hunt at. Filled with one number, for oneself and then the enemy: 17, 18 torpedoes left; 19, 20 submarine in play; 21, 22 shot since the last
torpedo; 23, 24 air strike spent. 25 is 1 where the submarine may be moved.

abalone, (9, 9, 7); axis 0 is the row from a, axis 1 the number from 1, for both seats: 0 the board's cells, 1 own marbles, 2 the enemy's. Filled
with one number: 3 marbles that one has ejected, 4 that the enemy has, 5 how often the position has stood, 6 how many hundredths of the plies are left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from .. import pb
from ..boards import AbaloneBoard, Fired, Grid, Marble, NavalBoard, Received, board_of
from ..fleets import Fleet
from ..words import Seat, Variant
from .choices import Choice, PlacingChoice

NAVAL_PLANES, ADVANCED_PLANES, ABALONE_PLANES = 14, 26, 7
LENGTHS = 10


def observation_box(variant: Variant) -> spaces.Box:
    """The space of the observation alone."""
    if variant is Variant.ABALONE:
        return spaces.Box(0, 127, (9, 9, ABALONE_PLANES), np.int8)
    planes = ADVANCED_PLANES if variant is Variant.AMIRAL_ADVANCED else NAVAL_PLANES
    return spaces.Box(-5, LENGTHS, (10, 10, planes), np.int8)


def observe(view: pb.View, fleet: Fleet, seat: Seat, choice: Choice | None, max_plies: int) -> Grid:
    """What a seat sees; with what it has chosen so far, if it is to act."""
    board = board_of(view, fleet)
    if isinstance(board, AbaloneBoard):
        return _abalone(board, seat, max_plies)
    return _naval(board, view, fleet, choice)


def _abalone(board: AbaloneBoard, seat: Seat, max_plies: int) -> Grid:
    planes = np.zeros((9, 9, ABALONE_PLANES), np.int8)
    cells = board.seen_by(seat)
    planes[..., 0] = cells != Marble.OFF_BOARD
    planes[..., 1] = cells == 1
    planes[..., 2] = cells == 2
    ejected = (board.ejected_by_black, board.ejected_by_white)
    planes[..., 3], planes[..., 4] = ejected if seat == Seat.ONE else ejected[::-1]
    planes[..., 5] = min(board.repetitions, 127)
    planes[..., 6] = 100 * max(0, max_plies - board.plies) // max_plies
    return planes


def _naval(board: NavalBoard, view: pb.View, fleet: Fleet, choice: Choice | None) -> Grid:
    advanced = view.WhichOneof("variant") == "amiral_advanced"
    planes = np.zeros((10, 10, ADVANCED_PLANES if advanced else NAVAL_PLANES), np.int8)
    planes[..., 0] = board.fleet
    for plane, received in enumerate((Received.MISS, Received.HIT, Received.SUNK), 1):
        planes[..., plane] = board.received == received
    for plane, fired in enumerate((Fired.MISS, Fired.HIT, Fired.SUNK, Fired.WATER, Fired.UNANSWERED), 4):
        planes[..., plane] = board.shots == fired
    planes[..., 9] = board.hit_classes
    planes[..., 11] = board.afloat
    planes[..., 12] = board.enemy_afloat
    if choice is not None:
        for row, column in choice.cells:
            planes[row - 1, column - 1, 10] = 1
        planes[..., 13] = choice.to_name - choice.ship_length
    if isinstance(choice, PlacingChoice):
        for ship in choice.placing.ships:
            for row, column in ship.cells(fleet.lengths[ship.ship_class]):
                planes[row - 1, column - 1, 0] = ship.ship_class
    if advanced:
        _arms(planes, board, view.amiral_advanced, choice)
    return planes


def _arms(planes: Grid, board: NavalBoard, view: pb.AmiralAdvancedView, choice: Choice | None) -> None:
    if board.berth and board.berth.letter:
        planes[board.berth.letter - 1, :, 14] = 1
    if board.berth and board.berth.number:
        planes[:, board.berth.number - 1, 14] = 1
    for side, told in enumerate((view.targets, view.enemy_targets)):
        if told.HasField("huntable"):
            _draw_route(planes, told.huntable, 15 + side)
        planes[..., 17 + side] = told.torpedoes_left
        planes[..., 19 + side] = told.submarine_in_play
        planes[..., 21 + side] = told.shot_since_torpedo
        planes[..., 23 + side] = told.air_strike_spent
    planes[..., 25] = choice is not None and min(choice.legal()) >= RELOCATIONS


RELOCATIONS = 221


def _draw_route(planes: Any, route: pb.Route, plane: int) -> None:
    for step in range(route.letter):
        column = step if route.letter == route.number else 9 - step
        planes[route.letter - 1 - step, column, plane] = 1
