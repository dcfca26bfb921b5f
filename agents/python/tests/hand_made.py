"""Turns made by hand, and what makes a good answer to them."""

from __future__ import annotations

from typing import Any

from contract import pb

PATIENCE = 20
VARIANTS = [number for number in pb.Variant.values() if number != pb.VARIANT_UNSPECIFIED]
ONE_SHOT = ["classic", "amiral", "amiral_advanced", "naumachia"]
SALVO = ["salvo", "advanced_salvo"]


def shot(variant: str, row: int, column: int) -> Any:
    return pb.Move(**{variant: {"shot": {"cell": {"row": row, "column": column}}}})


def fleet() -> dict[str, Any]:
    ship = {"ship_class": pb.SHIP_CLASS_CARRIER, "cell": {"row": 1, "column": 1}}
    return {"ships": [{**ship, "orientation": pb.ORIENTATION_VERTICAL}]}


def turn_of(variant: str, moves: list[Any], phase: int = pb.PHASE_BATTLE, **fields: Any) -> Any:
    """A turn of the variant that lists these moves; its view is empty unless one is given."""
    fields = {"view": {variant: {}}, "match_id": 2**53 - 1, "turn_id": 7, "seat": pb.SEAT_TWO} | fields
    return pb.Turn(phase=phase, legal_moves={"moves": moves}, **fields)


def every_shot(variant: str) -> list[Any]:
    return [shot(variant, row, column) for row in range(1, 11) for column in range(1, 11)]


def salvo_turn(variant: str, cells: list[Any], size: int) -> Any:
    return pb.Turn(
        match_id=5,
        turn_id=9,
        phase=pb.PHASE_BATTLE,
        view={variant: {"salvo_size": size}},
        legal_moves={"salvo": {"cells": cells, "size": size}},
    )


def abalone_moves() -> list[Any]:
    group = [{"row": 3, "number": 3}, {"row": 3, "number": 4}]
    return [pb.Move(abalone={"group": group, "direction": way}) for way in pb.AbaloneDirection.values()[1:]]


def a_turn_of_every_variant() -> list[Any]:
    cells = [pb.Cell(row=row, column=1) for row in range(1, 11)]
    turns = [turn_of(variant, every_shot(variant)) for variant in ONE_SHOT]
    turns += [salvo_turn(variant, cells, 4) for variant in SALVO]
    turns.append(turn_of("abalone", abalone_moves()))
    for number, turn in enumerate(turns, 1):
        turn.match_id = 1000 + number
    return turns


def check_move(move: Any, turn: Any) -> None:
    if turn.legal_moves.HasField("salvo"):
        variant = turn.view.WhichOneof("variant")
        assert move.WhichOneof("variant") == variant
        assert len(getattr(move, variant).salvo.cells) == turn.legal_moves.salvo.size
    else:
        assert move in turn.legal_moves.moves


def check_answer(request: Any, turn: Any) -> None:
    answer = request.answer
    assert (answer.match_id, answer.turn_id) == (turn.match_id, turn.turn_id)
    check_move(answer.move, turn)
