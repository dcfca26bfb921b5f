"""The arena dials the bot: it serves AgentService."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio

from . import pb, rpc
from .bot import Bot, Dispute, Resign
from .reaching import SERVER_OPTIONS, is_served_at, server_credentials
from .running import Exit
from .thinking import Thinker

log = logging.getLogger("broadside_arena")

FAREWELL = 2.0


async def serve(
    bot: Bot,
    address: str = "127.0.0.1:0",
    *,
    cert: str | None = None,
    key: str | None = None,
    leave: asyncio.Event | None = None,
    announce: Callable[[str], object] | None = None,
) -> Exit:
    """Serves until `leave` is set; `announce` is told the HOST:PORT once it does, by default on standard output.

    See `Bot.serve`, which is this for programs.
    """
    if (cert is None) != (key is None):
        raise ValueError("a certificate and its key go together: cert and key")
    if not is_served_at(address):
        raise ValueError(f"{address!r} is no address to serve at: HOST:PORT")
    thinker = Thinker(bot)
    server = grpc.aio.server(options=SERVER_OPTIONS)
    rpc.add_AgentServiceServicer_to_server(Agent(bot, thinker), server)
    try:
        if cert and key:
            port = server.add_secure_port(address, server_credentials(cert, key))
        else:
            port = server.add_insecure_port(address)
        await server.start()
    except RuntimeError as error:
        log.error("cannot serve on %s: %s", address, error)
        return Exit.REFUSED
    (announce or _print)(f"{address.rpartition(':')[0]}:{port}")
    try:
        await (leave or asyncio.Event()).wait()
        log.info("leaving")
    finally:
        stopping = asyncio.ensure_future(server.stop(FAREWELL + 1))
        await asyncio.wait({stopping}, timeout=FAREWELL)
        thinker.close()
        await stopping
    return Exit.LEFT


def _print(address: str) -> None:
    print(f"serving on {address}", flush=True)


class Agent(rpc.AgentServiceServicer):
    """What the arena asks of a bot that it dials."""

    def __init__(self, bot: Bot, thinker: Thinker) -> None:
        self._bot = bot
        self._thinker = thinker

    async def GetProfile(self, request: pb.GetProfileRequest, context: Any) -> pb.GetProfileResponse:
        """Who the bot is."""
        return pb.GetProfileResponse(profile=self._bot.profile)

    async def StartMatch(self, request: pb.StartMatchRequest, context: Any) -> pb.StartMatchResponse:
        """A match begins."""
        self._thinker.started(request.match_start)
        return pb.StartMatchResponse()

    async def ChooseMove(self, request: pb.ChooseMoveRequest, context: Any) -> pb.ChooseMoveResponse:
        """One decision. A call that is broken off leaves the thought for the call that asks again."""
        thought = self._thinker.think(request.turn)
        try:
            decision = await asyncio.shield(thought)
        except asyncio.CancelledError:
            if thought.cancelled():
                await context.abort(grpc.StatusCode.CANCELLED, "given up: the match is over, or the bot leaves")
            raise
        if isinstance(decision, Resign):
            return pb.ChooseMoveResponse(resignation=pb.Resignation())
        if isinstance(decision, Dispute):
            return pb.ChooseMoveResponse(dispute=pb.Dispute())
        return pb.ChooseMoveResponse(move=decision)

    async def EndMatch(self, request: pb.EndMatchRequest, context: Any) -> pb.EndMatchResponse:
        """A match is over."""
        self._thinker.ended(request.match_end)
        return pb.EndMatchResponse()
