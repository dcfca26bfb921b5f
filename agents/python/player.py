"""What to play: yours. The rest of this folder only talks to the arena, and can stay.

Every turn is complete (position, clocks, legal moves), so that a bot needs no memory between turns.
"""

from __future__ import annotations

import logging
import random
from itertools import zip_longest

from contract import pb

log = logging.getLogger("bot")
rng = random.Random()


def choose(turn: pb.Turn) -> pb.Move:
    """Decides one turn. REPLACE THIS, one variant at a time.

    turn.view has one field set, the variant's own view: all that this seat may know. Turns of several matches may be
    decided at the same time, each in a thread of its own.
    """
    if turn.view.HasField("classic") and turn.phase == pb.PHASE_BATTLE:
        return hunt(turn)
    return random_move(turn)


def hunt(turn: pb.Turn) -> pb.Move:
    """The example, for classic: shoot next to a hit on a ship that is still afloat."""
    targets = turn.view.classic.targets
    sunk = {sinking.ship_class for sinking in targets.sunk}
    # One class a hit; none at all if this match does not name the ship that is hit.
    hits = zip_longest(targets.grid.hits, targets.hit_classes)
    # A view numbers the cells 1-100; a move has row and column, 1-10.
    wounds = [divmod(number - 1, 10) for number, ship_class in hits if ship_class not in sunk]

    def near(cell: pb.Cell) -> bool:
        return any(abs(cell.row - 1 - r) + abs(cell.column - 1 - c) == 1 for r, c in wounds)

    moves = [move for move in turn.legal_moves.moves if near(move.classic.shot.cell)]
    return rng.choice(moves) if moves else random_move(turn)


def random_move(turn: pb.Turn) -> pb.Move:
    """Any legal move: one of a list, or in the salvo variants so many cells of a list."""
    legal = turn.legal_moves
    if legal.HasField("salvo"):
        cells = rng.sample(legal.salvo.cells, legal.salvo.size)
        return pb.Move(**{turn.view.WhichOneof("variant"): {"salvo": {"cells": cells}}})
    return rng.choice(legal.moves) if legal.moves else pb.Move()


def decide(turn: pb.Turn) -> pb.Move:
    """choose(), but any legal move if that fails or if the arena refused what it chose."""
    if turn.HasField("refusal"):
        log.warning("match %d: move refused: %s", turn.match_id, turn.refusal.message)
        return random_move(turn)
    try:
        move = choose(turn)
        if not isinstance(move, pb.Move):
            raise TypeError(f"choose() returned {move!r}, which is no Move")
        return move
    except Exception:
        log.exception("match %d, turn %d: choose() failed", turn.match_id, turn.turn_id)
        return random_move(turn)
