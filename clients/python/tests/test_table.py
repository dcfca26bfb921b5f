"""What the environment's two seats say when the arena does not play along."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from broadside_arena import pb
from broadside_arena.env.table import Table

from .fake_arena import FakeArena, Requests, listening, welcome


def mute(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
    next(requests)
    assert list(requests) == []
    yield from ()


def test_an_arena_that_never_says_welcome_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadside_arena.env.table.PATIENCE", 0.1)
    arena = FakeArena(mute)
    with listening(arena) as address, pytest.raises(ConnectionError, match=f"{address} has been silent for 0.1 s"):
        Table(address)
    arena.check()


def test_an_answer_that_the_arena_rejects_is_told() -> None:
    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(rejected=pb.Rejected(match_id=4, message="of another match"))
        yield pb.ConnectResponse(rejected=pb.Rejected(match_id=5, message="too late"))
        assert list(requests) == []

    arena = FakeArena(script)
    with listening(arena) as address, Table(address) as table:
        table.match_id = 5
        with pytest.raises(RuntimeError, match="the arena rejected an answer: too late"):
            table.wait()
    arena.check()
