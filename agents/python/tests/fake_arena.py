"""An arena that plays one script to each connection of a bot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from typing import Any

import grpc
from hand_made import VARIANTS, a_turn_of_every_variant, check_answer

from contract import pb, rpc

Script = Callable[[Iterator[Any], grpc.ServicerContext], Iterator[Any]]


class FakeArena(rpc.GatewayServiceServicer):
    """Plays its scripts in order; what a bot says is asserted in them."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.errors: Queue[BaseException] = Queue()

    def Connect(self, request_iterator: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        if not self.scripts:
            self.errors.put(AssertionError("one connection too many"))
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "one connection too many")
        script = self.scripts.pop(0)
        try:
            yield from script(request_iterator, context)
        except (AssertionError, StopIteration) as error:
            self.errors.put(error)
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"the test failed: {error!r}")

    def check(self) -> None:
        assert self.errors.empty(), self.errors.get()
        assert not self.scripts, "too few connections"


@contextmanager
def serving(servicer: Any, add: Callable[[Any, Any], None], port: int = 0) -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    add(servicer, server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        server.stop(grace=None).wait()


def listening(arena: FakeArena, port: int = 0) -> Any:
    return serving(arena, rpc.add_GatewayServiceServicer_to_server, port)


def welcome(token: str, resumed: bool = False, running: tuple[int, ...] = (), heartbeat_ms: int = 0) -> Any:
    limits = {"heartbeat_interval_ms": heartbeat_ms}
    words = {"resume_token": token, "resumed": resumed, "running_matches": running, "limits": limits}
    return pb.ConnectResponse(welcome={"protocol_version": 1, **words})


def end_of_session(reason: int) -> Any:
    return pb.ConnectResponse(session_end={"reason": reason, "message": "the test is over"})


def taken_over() -> Any:
    return end_of_session(pb.SESSION_END_REASON_TAKEN_OVER)


def ends_with(code: grpc.StatusCode) -> Script:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        context.abort(code, "because")
        yield

    return script


def whole_session(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
    """Seven matches at once on one stream, with everything that an arena may send in between."""
    hello = next(requests).hello
    assert hello.protocol_version == 1
    assert hello.resume_token == ""
    assert list(hello.profile.variants) == VARIANTS
    assert hello.profile.wants_legal_moves
    yield welcome("token-1")
    turns = {turn.match_id: turn for turn in a_turn_of_every_variant()}
    for turn in turns.values():
        start = {"match_id": turn.match_id, "seat": pb.SEAT_ONE, "opponent": "fake"}
        yield pb.ConnectResponse(match_start=start | {"options": {turn.view.WhichOneof("variant"): {}}})
    yield pb.ConnectResponse(heartbeat={"beat": 0})
    yield pb.ConnectResponse()  # a message of a later version
    for turn in turns.values():
        yield pb.ConnectResponse(turn=turn)
    answers = {request.answer.match_id: request for request in (next(requests) for _ in turns)}
    assert answers.keys() == turns.keys()
    for match_id, turn in turns.items():
        check_answer(answers[match_id], turn)
    yield pb.ConnectResponse(rejected={"match_id": 1001, "turn_id": 7, "message": "too late"})
    for match_id in turns:
        outcome = {"result": pb.MATCH_RESULT_DRAW, "message": "a draw"}
        yield pb.ConnectResponse(match_end={"match_id": match_id, "outcome": outcome})
    yield taken_over()
