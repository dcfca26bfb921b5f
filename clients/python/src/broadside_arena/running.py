"""Runs a bot until a signal asks it to leave."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import signal
from collections.abc import Awaitable, Callable


class Exit(enum.IntEnum):
    """How a bot's run ended: the exit status of its program."""

    LEFT = 0
    """It was told to leave."""
    REFUSED = 1
    """The arena refused it for good, or the address to serve is taken."""
    USAGE = 2
    """The command line is wrong."""
    TAKEN_OVER = 3
    """Another bot took its name over; dialling again would only take it back, and so on for ever."""


def run_until_told(run: Callable[[asyncio.Event], Awaitable[Exit]]) -> Exit:
    """Runs it on an event loop of its own; SIGINT and SIGTERM set the event that tells it to leave."""

    async def main() -> Exit:
        leave, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            # Elsewhere than in the main thread, and on Windows, signals are left as they are.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, leave.set)
        return await run(leave)

    try:
        return asyncio.run(main())
    except KeyboardInterrupt:
        return Exit.LEFT
