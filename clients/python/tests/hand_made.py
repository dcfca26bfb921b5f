"""Turns made by hand."""

from __future__ import annotations

from typing import Any

from broadside_arena import Phase, Turn, pb

PATIENCE = 20


def message(
    variant: str, view: dict[str, Any] | None = None, legal: dict[str, Any] | None = None, **fields: Any
) -> pb.Turn:
    """A turn of the variant, by its field's name; in battle, and of match 5, unless the fields say otherwise."""
    told = {"match_id": 5, "turn_id": 7, "seat": pb.SEAT_ONE, "phase": pb.PHASE_BATTLE, "options": {variant: {}}}
    return pb.Turn(view={variant: view or {}}, legal_moves=legal or {}, **{**told, **fields})  # type: ignore[arg-type]


def turn(variant: str, view: dict[str, Any] | None = None, legal: dict[str, Any] | None = None, **fields: Any) -> Turn:
    return Turn(message(variant, view, legal, **fields))


def cell(row: int, column: int) -> dict[str, int]:
    return {"row": row, "column": column}


def shot(variant: str, row: int, column: int) -> dict[str, Any]:
    return {variant: {"shot": {"cell": cell(row, column)}}}


def ship(ship_class: int, row: int, column: int, orientation: int = pb.ORIENTATION_HORIZONTAL) -> dict[str, Any]:
    return {"ship_class": ship_class, "cell": cell(row, column), "orientation": orientation}


def fleet() -> dict[str, Any]:
    """The fleet of edition 2002, in the first columns of rows 1 to 5."""
    return {"ships": [ship(ship_class, row, 1) for row, ship_class in enumerate((1, 2, 4, 5, 6), 1)]}


def a_turn_of_every_variant() -> list[pb.Turn]:
    """Eight turns of as many matches: a battle of each variant, and a deployment."""
    one_shot = ("classic", "amiral", "amiral_advanced", "naumachia")
    turns = [message(v, legal={"moves": [shot(v, 1, 10), shot(v, 10, 1)]}) for v in one_shot]
    cells = [cell(row, 1) for row in range(1, 11)]
    for variant in ("salvo", "advanced_salvo"):
        turns.append(message(variant, {"salvo_size": 4}, {"salvo": {"cells": cells, "size": 4}}))
    group = [{"row": 3, "number": 3}, {"row": 3, "number": 4}]
    turns.append(message("abalone", legal={"moves": [{"abalone": {"group": group, "direction": 2}}]}))
    dealt = {"classic": {"deployment": fleet()}}
    turns.append(message("classic", legal={"moves": [dealt]}, phase=int(Phase.DEPLOYMENT)))
    for number, made in enumerate(turns, 1001):
        made.match_id = number
    return turns


def check_answer(move: pb.Move, asked: pb.Turn) -> None:
    """The move is one of those that the turn lists."""
    legal = asked.legal_moves
    if not legal.HasField("salvo"):
        assert move in legal.moves
        return
    variant = asked.view.WhichOneof("variant")
    assert move.WhichOneof("variant") == variant
    cells = getattr(move, str(variant)).salvo.cells
    assert len(cells) == legal.salvo.size == len({(c.row, c.column) for c in cells})
    assert all(c in legal.salvo.cells for c in cells)
