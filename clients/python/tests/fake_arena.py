"""An arena that plays a script to each connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from typing import Any, TypeAlias

import grpc

from broadside_arena import pb, rpc

Requests: TypeAlias = Iterator[pb.ConnectRequest]
Script: TypeAlias = Callable[[Requests, Any], Iterator[pb.ConnectResponse]]


class FakeArena(rpc.GatewayServiceServicer):
    """Plays one script a connection, in order; what a bot says is asserted in the scripts."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.errors: Queue[BaseException] = Queue()

    def Connect(self, request_iterator: Any, context: Any) -> Any:
        if not self.scripts:
            self.errors.put(AssertionError("one connection too many"))
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "one connection too many")
        script = self.scripts.pop(0)
        try:
            yield from script(without_heartbeats(request_iterator), context)
        except (AssertionError, StopIteration) as error:
            self.errors.put(error)
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"the test failed: {error!r}")

    def check(self) -> None:
        assert self.errors.empty(), self.errors.get()
        assert not self.scripts, "too few connections"


def without_heartbeats(requests: Requests) -> Requests:
    return (request for request in requests if not request.HasField("heartbeat"))


@contextmanager
def listening(arena: FakeArena, credentials: grpc.ServerCredentials | None = None) -> Iterator[str]:
    """The arena's HOST:PORT."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    rpc.add_GatewayServiceServicer_to_server(arena, server)
    where = "127.0.0.1:0"
    port = server.add_secure_port(where, credentials) if credentials else server.add_insecure_port(where)
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()


def welcome(token: str, resumed: bool = False, running: tuple[int, ...] = ()) -> pb.ConnectResponse:
    words = pb.Welcome(protocol_version=1, resume_token=token, resumed=resumed, running_matches=running)
    return pb.ConnectResponse(welcome=words)


def session_end(reason: int) -> pb.ConnectResponse:
    end = pb.SessionEnd(reason=pb.SessionEndReason.ValueType(reason), message="the test is over")
    return pb.ConnectResponse(session_end=end)


def taken_over() -> pb.ConnectResponse:
    return session_end(pb.SESSION_END_REASON_TAKEN_OVER)
