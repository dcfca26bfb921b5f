"""Runs bots in threads of the test's process."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from broadside_arena import Bot, Exit, dial

from .fake_arena import FakeArena, Script, listening
from .hand_made import PATIENCE


def dialled(bot: Bot, *scripts: Script, **options: Any) -> Exit:
    """Runs the bot against these connections; how its run ended."""
    arena = FakeArena(*scripts)
    with listening(arena) as address:
        end = run(bot, address, **options)
    arena.check()
    return end


def run(bot: Bot, address: str, **options: Any) -> Exit:
    async def with_patience() -> Exit:
        return await asyncio.wait_for(dial(bot, address, **options), PATIENCE)

    with ThreadPoolExecutor() as threads:
        return threads.submit(asyncio.run, with_patience()).result()
