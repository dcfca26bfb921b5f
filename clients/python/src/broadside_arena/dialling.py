"""The bot dials the arena: one stream for all its matches, and another one when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from typing import Any, Literal

import grpc
import grpc.aio

from . import pb, rpc
from .bot import Bot, Dispute, Resign
from .reaching import async_channel_to, metadata
from .running import Exit
from .thinking import Thinker, Thought

log = logging.getLogger("broadside_arena")

HEARTBEAT = 10.0
"""After so many seconds the bot says that it is there, as its hello promises."""
FIRST_WAIT, LONGEST_WAIT = 0.25, 8.0
FAREWELL = 2.0
WELCOME_WITHIN = 30.0
REFUSALS = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNIMPLEMENTED,
)


async def dial(
    bot: Bot,
    address: str = "127.0.0.1:4600",
    *,
    ca: str | None = None,
    token: str | None = None,
    leave: asyncio.Event | None = None,
) -> Exit:
    """Plays any number of matches at an arena until `leave` is set, the arena refuses the bot, or another takes its name.

    See `Bot.run`, which is this for programs.
    """
    thinker = Thinker(bot)
    leave = leave or asyncio.Event()
    leaving = asyncio.ensure_future(leave.wait())
    resume_token, wait = "", FIRST_WAIT
    try:
        while True:
            session = Session(bot, thinker, resume_token)
            async with async_channel_to(address, ca) as channel:
                end, reason = await session.run(channel, metadata(token), leaving)
            if session.resume_token != resume_token or session.welcomed:
                resume_token, wait = session.resume_token, FIRST_WAIT
            if end is not None:
                log.log(logging.INFO if end == Exit.LEFT else logging.ERROR, "%s: %s", address, reason)
                return end
            pause = wait * random.uniform(0.5, 1.0)
            log.warning("%s: %s; dialling again in %.1f s", address, reason, pause)
            await asyncio.wait({leaving}, timeout=pause)
            if leave.is_set():
                return Exit.LEFT
            wait = min(2 * wait, LONGEST_WAIT)
    finally:
        leaving.cancel()
        thinker.close()


class Session:
    """One stream."""

    def __init__(self, bot: Bot, thinker: Thinker, resume_token: str) -> None:
        self.resume_token = resume_token
        self.welcomed = False
        self._bot = bot
        self._thinker = thinker
        self._outbox: asyncio.Queue[pb.ConnectRequest | None] = asyncio.Queue()
        self._heard = asyncio.get_running_loop().time()
        self._silence: float | None = WELCOME_WITHIN
        self._fell_silent = False
        self._awaited: set[Thought] = set()
        self._last_words: pb.SessionEnd | None = None

    async def run(
        self, channel: grpc.aio.Channel, who: tuple[tuple[str, str], ...], leaving: asyncio.Future[Literal[True]]
    ) -> tuple[Exit | None, str]:
        """Talks until the stream ends. How the bot's run ends with it, None if it is to dial again; and why."""
        call = rpc.GatewayServiceStub(channel).Connect(metadata=who)
        hello = pb.Hello(protocol_version=1, profile=self._bot.profile, resume_token=self.resume_token)
        hello.heartbeat_interval_ms = int(HEARTBEAT * 1000)
        self._send(pb.ConnectRequest(hello=hello))
        reading = asyncio.ensure_future(self._read(call))
        others = [asyncio.ensure_future(self._write(call)), asyncio.ensure_future(self._watch(reading))]
        try:
            either: set[asyncio.Future[Any]] = {reading, leaving}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                self._outbox.put_nowait(None)
                await asyncio.wait({reading}, timeout=FAREWELL)
                return Exit.LEFT, "leaving"
            return self._verdict(None if reading.cancelled() else reading.exception())
        finally:
            for task in [reading, *others]:
                task.cancel()
            call.cancel()
            self._outbox.put_nowait(None)
            await asyncio.gather(reading, *others, return_exceptions=True)

    def _send(self, request: pb.ConnectRequest) -> None:
        self._outbox.put_nowait(request)

    async def _write(self, call: grpc.aio.StreamStreamCall[pb.ConnectRequest, pb.ConnectResponse]) -> None:
        # What goes wrong here is told by the reading side.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while (request := await self._outbox.get()) is not None:
                await call.write(request)
            await call.done_writing()

    async def _read(self, call: grpc.aio.StreamStreamCall[pb.ConnectRequest, pb.ConnectResponse]) -> None:
        clock = asyncio.get_running_loop()
        async for message in call:
            self._heard = clock.time()
            self._take(message)

    async def _watch(self, reading: asyncio.Task[None]) -> None:
        """Breaks one's own silence, and notices that of the arena."""
        clock = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(HEARTBEAT)
            self._send(pb.ConnectRequest(heartbeat=pb.Heartbeat(beat=1)))
            if self._silence and clock.time() - self._heard > self._silence:
                self._fell_silent = True
                reading.cancel()

    def _take(self, message: pb.ConnectResponse) -> None:
        kind = message.WhichOneof("message")
        if kind == "turn":
            self._turn(message.turn)
        elif kind == "welcome":
            self._welcome(message.welcome)
        elif kind == "match_start":
            self._thinker.started(message.match_start)
        elif kind == "match_end":
            self._thinker.ended(message.match_end)
        elif kind == "rejected":
            rejected = message.rejected
            log.warning("match %d, turn %d: rejected: %s", rejected.match_id, rejected.turn_id, rejected.message)
        elif kind == "session_end":
            self._last_words = message.session_end

    def _welcome(self, welcome: pb.Welcome) -> None:
        self.resume_token, self.welcomed = welcome.resume_token, True
        self._silence = 3 * welcome.limits.heartbeat_interval_ms / 1000 or None
        self._thinker.forget_all_but(set(welcome.running_matches))
        log.info("connected as %s, resumed: %s", self._bot.name, welcome.resumed)

    def _turn(self, turn: pb.Turn) -> None:
        thought = self._thinker.think(turn)
        if thought.done():
            self._answer(turn, thought)
        elif thought not in self._awaited:
            self._awaited.add(thought)
            thought.add_done_callback(lambda done: self._answer(turn, done))

    def _answer(self, turn: pb.Turn, thought: Thought) -> None:
        self._awaited.discard(thought)
        if thought.cancelled():
            return
        decision = thought.result()
        if isinstance(decision, Resign):
            self._send(pb.ConnectRequest(resignation=pb.Resignation(match_id=turn.match_id, seat=turn.seat)))
        elif isinstance(decision, Dispute):
            self._send(pb.ConnectRequest(dispute=pb.Dispute(match_id=turn.match_id, turn_id=turn.turn_id)))
        else:
            answer = pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=decision)
            self._send(pb.ConnectRequest(answer=answer))

    def _verdict(self, error: BaseException | None) -> tuple[Exit | None, str]:
        words = self._last_words
        if words and words.reason == pb.SESSION_END_REASON_TAKEN_OVER:
            return Exit.TAKEN_OVER, f"another bot took this name over: {words.message}"
        if words and words.reason == pb.SESSION_END_REASON_TOKEN_REVOKED:
            return Exit.REFUSED, f"refused: {words.message}"
        # Any other reason, also one of a later version, is for the log: the status decides.
        if not isinstance(error, grpc.aio.AioRpcError):
            if error is not None:
                raise error
            if words:
                return None, words.message
            return None, "the arena fell silent" if self._fell_silent else "the stream ended"
        reason = f"{error.code().name}: {error.details()}"
        if words:
            reason = f"{words.message} ({reason})"
        if error.code() in REFUSALS:
            return Exit.REFUSED, f"refused: {reason}"
        if error.code() == grpc.StatusCode.ABORTED:
            return Exit.TAKEN_OVER, f"another bot took this name over: {reason}"
        return None, reason
