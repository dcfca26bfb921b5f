"""Turns that are being thought about, each once: the same turn may be sent again, on this connection or on the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from contract import pb


class Thoughts:
    """The latest thought of each seat of each match: a future, of whatever kind `think` makes."""

    def __init__(self, think: Callable[[pb.Turn], Any]) -> None:
        self._think = think
        self._latest: dict[tuple[int, int], tuple[tuple[int, int, bool], Any]] = {}

    def about(self, turn: pb.Turn) -> Any:
        """The thought about this turn. A refusal makes it another turn."""
        seat = (turn.match_id, turn.seat)
        this = (turn.turn_id, turn.refusals_left, turn.HasField("refusal"))
        known, thought = self._latest.get(seat, (None, None))
        if known != this:
            thought = self._think(turn)
            self._latest[seat] = (this, thought)
        return thought

    def over(self, end: pb.MatchEnd) -> None:
        """This match is over."""
        self._forget({(end.match_id, end.seat)} & self._latest.keys())

    def keep(self, running: Iterable[int]) -> None:
        """All matches but these are over."""
        running = set(running)
        self._forget({seat for seat in self._latest if seat[0] not in running})

    def _forget(self, seats: set[tuple[int, int]]) -> None:
        for seat in seats:
            _, thought = self._latest.pop(seat)
            thought.cancel()  # so that one that still waits for a thread takes none
