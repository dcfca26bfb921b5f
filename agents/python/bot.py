"""A Broadside bot in Python: plays every variant, and waits for your ideas in player.py.

    sh setup.sh                                        # once
    .venv/bin/python bot.py --name my-bot              # dials the arena at 127.0.0.1:4600
    .venv/bin/python bot.py --serve 127.0.0.1:4701     # or lets the arena dial it

An arena with TLS is at --connect https://HOST:PORT; a token for it goes into the environment, as BROADSIDE_TOKEN.

Exit status: 0 asked to leave; 1 refused, or the address to serve is taken; 2 wrong usage;
3 another bot took this name over.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue

import grpc

from command_line import parse
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
def thinking(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that decide turns; what they are at is given up at the end."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


# ---- The bot dials the arena ----------------------------------------------------------------------


def dial(access: Access, profile: pb.AgentProfile) -> int:
    """Plays any number of matches on one stream, and dials again when it breaks."""
    waiting, token = Waiting(), ""
    with thinking(min(profile.max_matches or 1, THREADS)) as pool:
        thoughts = Thoughts(lambda turn: pool.submit(decide, turn))
        while True:
            session = Session(profile, token, thoughts)
            status, reason = session.run(access)
            if session.token:
                token = session.token
                waiting.reset()
            if status is not None:
                return status
            pause = waiting.again()
            log.warning("%s; dialling again in %.1f s", reason, pause)
            time.sleep(pause)


class Session:
    """One stream. The thread that reads it does nothing else for long; turns are decided in others."""

    def __init__(self, profile: pb.AgentProfile, token: str, thoughts: Thoughts) -> None:
        self.token = ""
        self._profile = profile
        self._thoughts = thoughts
        self._outbox: SimpleQueue[pb.ConnectRequest | None] = SimpleQueue()
        self._outbox.put(pb.ConnectRequest(hello={"protocol_version": 1, "profile": profile, "resume_token": token}))
        self._expected: set[Future[pb.Move]] = set()
        self._status: int | None = None
        self._heard = time.monotonic()
        self._silence: float | None = WELCOME_WITHIN
        self._fell_silent = False

    def run(self, access: Access) -> tuple[int | None, str]:
        """Talks until the stream ends: the exit status, or None to dial again, and why."""
        if access.credentials:
            channel = grpc.secure_channel(access.target, access.credentials, OPTIONS)
        else:
            channel = grpc.insecure_channel(access.target, OPTIONS)
        with channel:
            stream = rpc.GatewayServiceStub(channel).Connect(iter(self._outbox.get, None), metadata=access.metadata)
            over = threading.Event()
            threading.Thread(target=self._watch, args=(stream, over), daemon=True).start()
            try:
                for message in stream:
                    self._take(message)
                return self._status, "the stream ended"
            except grpc.RpcError as error:
                if self._fell_silent:
                    return None, f"the arena has been silent for {self._silence:.1f} s"
                return (self._status, "") if self._status is not None else verdict(error)
            except KeyboardInterrupt:
                self._leave(stream)
                raise
            finally:
                over.set()
                self._outbox.put(None)  # ends the thread that sends

    def _take(self, message: pb.ConnectResponse) -> None:
        self._heard = time.monotonic()
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
        thought = self._thoughts.about(turn)
        if thought.done() or thought not in self._expected:  # else the answer is on its way
            self._expected.add(thought)
            thought.add_done_callback(self._answer(turn))

    def _answer(self, turn: pb.Turn) -> Callable[[Future[pb.Move]], None]:
        def answer(thought: Future[pb.Move]) -> None:
            self._expected.discard(thought)
            if not thought.cancelled():
                move = pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=thought.result())
                self._outbox.put(pb.ConnectRequest(answer=move))

        return answer

    def _watch(self, stream: grpc.RpcContext, over: threading.Event) -> None:
        """Leaves an arena that does not say welcome, or has been silent for three of its heartbeats."""
        while not over.wait(1.0):
            if self._silence and time.monotonic() - self._heard > self._silence:
                self._fell_silent = True
                stream.cancel()

    def _leave(self, stream: grpc.RpcContext) -> None:
        """Says that no more comes, and hears the arena out."""
        self._outbox.put(None)
        ended = threading.Event()
        if stream.add_callback(ended.set):
            ended.wait(FAREWELL)


# ---- The arena dials the bot ----------------------------------------------------------------------


class Agent(rpc.AgentServiceServicer):
    """What the arena asks of a bot that it dials. ChooseMove alone would do."""

    def __init__(self, profile: pb.AgentProfile, pool: ThreadPoolExecutor) -> None:
        self.profile = profile
        self.lock = threading.Lock()
        self.thoughts = Thoughts(lambda turn: pool.submit(decide, turn))

    def GetProfile(self, request: pb.GetProfileRequest, context: grpc.ServicerContext) -> pb.GetProfileResponse:
        return pb.GetProfileResponse(profile=self.profile)

    def StartMatch(self, request: pb.StartMatchRequest, context: grpc.ServicerContext) -> pb.StartMatchResponse:
        log_start(request.match_start)
        return pb.StartMatchResponse()

    def ChooseMove(self, request: pb.ChooseMoveRequest, context: grpc.ServicerContext) -> pb.ChooseMoveResponse:
        with self.lock:
            thought = self.thoughts.about(request.turn)
        try:
            return pb.ChooseMoveResponse(move=thought.result())
        except CancelledError:
            context.abort(grpc.StatusCode.CANCELLED, GIVEN_UP)

    def EndMatch(self, request: pb.EndMatchRequest, context: grpc.ServicerContext) -> pb.EndMatchResponse:
        with self.lock:
            self.thoughts.over(request.match_end)
        log_end(request.match_end)
        return pb.EndMatchResponse()


def serve(address: str, profile: pb.AgentProfile, credentials: grpc.ServerCredentials | None = None) -> int:
    """Serves AgentService until it is told to leave."""
    with thinking(THREADS) as pool:
        server = grpc.server(ThreadPoolExecutor(4 * THREADS), options=SERVER_OPTIONS)
        rpc.add_AgentServiceServicer_to_server(Agent(profile, pool), server)
        try:
            port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
        except RuntimeError as error:
            log.error("cannot serve on %s: %s", address, error)
            return REFUSED
        server.start()
        print(f"serving on {address.rpartition(':')[0]}:{port}", flush=True)
        try:
            server.wait_for_termination()
        finally:
            server.stop(grace=FAREWELL).wait(FAREWELL + 1)
        return LEFT


def main(arguments: list[str] | None = None) -> int:
    """The program."""
    args = parse("A Broadside bot that plays every variant.", arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)  # both raise KeyboardInterrupt
    try:
        return dial(args.access, args.profile) if args.access else serve(args.serve, args.profile, args.credentials)
    except KeyboardInterrupt:
        log.info("leaving")
        return LEFT


if __name__ == "__main__":
    exit_now(main())
