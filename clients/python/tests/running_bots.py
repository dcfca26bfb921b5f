"""Runs bots in the test's process, on one event loop in a thread of its own: grpc.aio does not like loops that come and go."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from broadside_arena import Bot, Exit, dial, serve

from .fake_arena import FakeArena, Script, listening
from .hand_made import PATIENCE

LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()


def submitted(run: Coroutine[Any, Any, Exit]) -> Future[Exit]:
    return asyncio.run_coroutine_threadsafe(asyncio.wait_for(run, 6 * PATIENCE), LOOP)


def run(bot: Bot, address: str, **options: Any) -> Exit:
    """Has the bot dial the address; how its run ended."""
    return submitted(dial(bot, address, **options)).result()


def dialled(bot: Bot, *scripts: Script, **options: Any) -> Exit:
    """Runs the bot against these connections; how its run ended."""
    arena = FakeArena(*scripts)
    with listening(arena) as address:
        end = run(bot, address, **options)
    arena.check()
    return end


@contextmanager
def dialling(bot: Bot, address: str, **options: Any) -> Iterator[None]:
    """While the bot is told to stay."""
    leave = asyncio.Event()
    end = submitted(dial(bot, address, leave=leave, **options))
    try:
        yield
    finally:
        LOOP.call_soon_threadsafe(leave.set)
        assert end.result() == Exit.LEFT


@contextmanager
def serving(bot: Bot, **options: Any) -> Iterator[str]:
    """The HOST:PORT at which the bot serves until the end."""
    leave, address = asyncio.Event(), Future[str]()
    end = submitted(serve(bot, leave=leave, announce=address.set_result, **options))
    try:
        yield address.result(PATIENCE)
    finally:
        LOOP.call_soon_threadsafe(leave.set)
        assert end.result() == Exit.LEFT
