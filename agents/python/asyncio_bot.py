"""The same bot on asyncio (grpc.aio): one thread talks, whatever the number of matches.

    .venv/bin/python asyncio_bot.py --name my-bot      # the command line is that of bot.py

player.py decides, in threads; an `async def decide(turn)` of your own takes their place in `thinking()`, as
`Thoughts(lambda turn: asyncio.ensure_future(decide(turn)))`.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc

from command_line import Arguments, parse
from contract import pb, rpc
from player import decide
from session import (
    FAREWELL,
    GIVEN_UP,
    LEFT,
    OPTIONS,
    REFUSED,
    SERVER_OPTIONS,
    THREADS,
    WELCOME_WITHIN,
    Access,
    Waiting,
    exit_now,
    last_words,
    log_end,
    log_rejected,
    log_start,
    verdict,
)
from thoughts import Thoughts

log = logging.getLogger("bot")


@contextmanager
def thinking(threads: int) -> Iterator[Thoughts]:
    """Thoughts that are futures of the running loop, each in a thread; those that are not over at the end are given up."""
    loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(threads)  # the loop would wait for threads of its own
    try:
        yield Thoughts(lambda turn: loop.run_in_executor(pool, decide, turn))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


# ---- The bot dials the arena ----------------------------------------------------------------------


async def dial(access: Access, profile: pb.AgentProfile, leave: asyncio.Event) -> int:
    """Plays any number of matches on one stream until `leave` is set, and dials again when it breaks."""
    leaving = asyncio.ensure_future(leave.wait())
    try:
        with thinking(min(profile.max_matches or 1, THREADS)) as thoughts:
            return await keep_playing(access, profile, thoughts, leaving)
    finally:
        leaving.cancel()


async def keep_playing(
    access: Access, profile: pb.AgentProfile, thoughts: Thoughts, leaving: asyncio.Future[bool]
) -> int:
    """Stream after stream; the exit status."""
    waiting, token = Waiting(), ""
    while True:
        session = Session(profile, token, thoughts)
        async with channel_to(access) as channel:
            status, reason = await session.run(channel, access, leaving)
        if session.token:
            token = session.token
            waiting.reset()
        if status is not None:
            return status
        pause = waiting.again()
        log.warning("%s; dialling again in %.1f s", reason, pause)
        await asyncio.wait({leaving}, timeout=pause)
        if leaving.done():
            return LEFT


def channel_to(access: Access) -> grpc.aio.Channel:
    """A channel for asyncio."""
    if access.credentials:
        return grpc.aio.secure_channel(access.target, access.credentials, OPTIONS)
    return grpc.aio.insecure_channel(access.target, OPTIONS)


class Session:
    """One stream."""

    def __init__(self, profile: pb.AgentProfile, token: str, thoughts: Thoughts) -> None:
        self.token = ""
        self._profile = profile
        self._thoughts = thoughts
        self._outbox: asyncio.Queue[pb.ConnectRequest | None] = asyncio.Queue()
        hello = {"protocol_version": 1, "profile": profile, "resume_token": token}
        self._outbox.put_nowait(pb.ConnectRequest(hello=hello))
        self._expected: set[asyncio.Future[pb.Move]] = set()
        self._status: int | None = None
        self._silence: float | None = WELCOME_WITHIN

    async def run(
        self, channel: grpc.aio.Channel, access: Access, leaving: asyncio.Future[bool]
    ) -> tuple[int | None, str]:
        """Talks until the stream ends: the exit status, or None to dial again, and why."""
        stream = rpc.GatewayServiceStub(channel).Connect(self._requests(), metadata=access.metadata)
        reading = asyncio.ensure_future(self._read(stream))
        await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not reading.done():
            self._outbox.put_nowait(None)  # says that no more comes, and hears the arena out
            await asyncio.wait({reading}, timeout=FAREWELL)
            reading.cancel()
            await asyncio.wait({reading})
            log.info("leaving")
            return LEFT, "leaving"
        self._outbox.put_nowait(None)
        stream.cancel()
        try:
            return self._status, reading.result()
        except grpc.RpcError as error:
            return (self._status, "") if self._status is not None else verdict(error)

    async def _requests(self) -> AsyncIterator[pb.ConnectRequest]:
        while (request := await self._outbox.get()) is not None:
            yield request

    async def _read(self, stream: grpc.aio.StreamStreamCall) -> str:
        while True:
            try:
                message = await asyncio.wait_for(stream.read(), self._silence)
            except (TimeoutError, asyncio.TimeoutError):
                return f"the arena has been silent for {self._silence:.1f} s"
            if message is grpc.aio.EOF:
                # Raises if it ended with an error.
                if await stream.code() != grpc.StatusCode.OK:
                    raise grpc.aio.AioRpcError(await stream.code(), (), (), details=await stream.details())
                return "the stream ended"
            self._take(message)

    def _take(self, message: pb.ConnectResponse) -> None:
        if message.HasField("welcome"):
            welcome = message.welcome
            self.token = welcome.resume_token
            self._silence = 3 * welcome.limits.heartbeat_interval_ms / 1000 or None
            self._thoughts.keep(welcome.running_matches)
            log.info("connected as %s, resumed: %s", self._profile.name, welcome.resumed)
        elif message.HasField("turn"):
            self._turn(message.turn)
        elif message.HasField("match_start"):
            log_start(message.match_start)
        elif message.HasField("match_end"):
            self._thoughts.over(message.match_end)
            log_end(message.match_end)
        elif message.HasField("rejected"):
            log_rejected(message.rejected)
        elif message.HasField("session_end"):
            self._status = last_words(message.session_end)

    def _turn(self, turn: pb.Turn) -> None:
        def answer(thought: asyncio.Future[pb.Move]) -> None:
            self._expected.discard(thought)
            if thought.cancelled():
                return
            move = pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=thought.result())
            self._outbox.put_nowait(pb.ConnectRequest(answer=move))

        thought = self._thoughts.about(turn)
        if thought.done() or thought not in self._expected:  # else the answer is on its way
            self._expected.add(thought)
            thought.add_done_callback(answer)


# ---- The arena dials the bot ----------------------------------------------------------------------


class Agent(rpc.AgentServiceServicer):
    """What the arena asks of a bot that it dials. ChooseMove alone would do."""

    def __init__(self, profile: pb.AgentProfile, thoughts: Thoughts) -> None:
        self.profile = profile
        self.thoughts = thoughts

    async def GetProfile(self, request: pb.GetProfileRequest, context: object) -> pb.GetProfileResponse:
        return pb.GetProfileResponse(profile=self.profile)

    async def StartMatch(self, request: pb.StartMatchRequest, context: object) -> pb.StartMatchResponse:
        log_start(request.match_start)
        return pb.StartMatchResponse()

    async def ChooseMove(
        self, request: pb.ChooseMoveRequest, context: grpc.aio.ServicerContext
    ) -> pb.ChooseMoveResponse:
        thought = self.thoughts.about(request.turn)
        try:
            # A call that is broken off leaves the thought for the call that asks again.
            return pb.ChooseMoveResponse(move=await asyncio.shield(thought))
        except asyncio.CancelledError:
            if not thought.cancelled():
                raise
            await context.abort(grpc.StatusCode.CANCELLED, GIVEN_UP)

    async def EndMatch(self, request: pb.EndMatchRequest, context: object) -> pb.EndMatchResponse:
        self.thoughts.over(request.match_end)
        log_end(request.match_end)
        return pb.EndMatchResponse()


async def serve(args: Arguments, leave: asyncio.Event) -> int:
    """Serves AgentService until `leave` is set."""
    with thinking(THREADS) as thoughts:
        return await serve_with(thoughts, args, leave)


async def serve_with(thoughts: Thoughts, args: Arguments, leave: asyncio.Event) -> int:
    """Serves; the exit status."""
    server = grpc.aio.server(options=SERVER_OPTIONS)
    rpc.add_AgentServiceServicer_to_server(Agent(args.profile, thoughts), server)
    try:
        if args.credentials:
            port = server.add_secure_port(args.serve, args.credentials)
        else:
            port = server.add_insecure_port(args.serve)
    except RuntimeError as error:
        log.error("cannot serve on %s: %s", args.serve, error)
        return REFUSED
    await server.start()
    print(f"serving on {args.serve.rpartition(':')[0]}:{port}", flush=True)
    await leave.wait()
    log.info("leaving")
    stopping = asyncio.ensure_future(server.stop(FAREWELL + 1))
    await asyncio.wait({stopping}, timeout=FAREWELL)
    thoughts.keep(())  # what is still being decided now is given up
    await stopping
    return LEFT


@contextmanager
def told_by_signals() -> Iterator[asyncio.Event]:
    """An event that SIGINT and SIGTERM set."""
    leave, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, leave.set)
    yield leave


async def run(args: Arguments) -> int:
    """The program, on a loop."""
    with told_by_signals() as leave:
        return await (dial(args.access, args.profile, leave) if args.access else serve(args, leave))


def main(arguments: list[str] | None = None) -> int:
    """The program."""
    return asyncio.run(run(parse("A Broadside bot on asyncio that plays every variant.", arguments)))


if __name__ == "__main__":
    exit_now(main())
