"""Boards as text."""

from __future__ import annotations

from .boards import AbaloneBoard, Fired, Marble, NavalBoard, Received

_RECEIVED = {Received.NOTHING: ".", Received.MISS: "o", Received.HIT: "x", Received.SUNK: "#"}
_FIRED = {Fired.NOTHING: ".", Fired.MISS: "o", Fired.HIT: "x", Fired.SUNK: "#", Fired.WATER: "~", Fired.UNANSWERED: "?"}
_MARBLES = {Marble.EMPTY: ".", Marble.BLACK: "b", Marble.WHITE: "w"}


def draw_naval(board: NavalBoard) -> str:
    """Own waters at the left, the enemy's at the right. S own ship, x hit, # sunk, o miss, ~ known to be water, ? not told, . unknown."""
    numbers = " ".join(f"{column:>2}" for column in range(1, 11))
    lines = [f"   {numbers}     {numbers}"]
    for row, letter in enumerate("ABCDEFGHIJ"):
        own = [
            "S" if ship and code == Received.NOTHING else _RECEIVED[Received(code)]
            for ship, code in zip(board.fleet[row].tolist(), board.received[row].tolist(), strict=True)
        ]
        enemy = [_FIRED[Fired(code)] for code in board.shots[row].tolist()]
        lines.append(f"{letter}   {'  '.join(own)}   {letter}   {'  '.join(enemy)}")
    lines.append(f"own ships afloat: {board.afloat}, enemy ships afloat: {board.enemy_afloat}")
    return "\n".join(lines)


def draw_abalone(board: AbaloneBoard) -> str:
    """Row i at the top. b black, w white."""
    lines = []
    for row in range(8, -1, -1):
        first, last = max(0, row - 4), min(9, row + 5)
        marbles = " ".join(_MARBLES[Marble(code)] for code in board.cells[row, first:last].tolist())
        lines.append(f"{' ' * abs(row - 4)}{'abcdefghi'[row]} {marbles}")
    lines.append(
        f"ejected by black: {board.ejected_by_black}, by white: {board.ejected_by_white}; plies: {board.plies}"
    )
    return "\n".join(lines)
