"""Whole conversations with a fake arena that the bot dials, the same for both bots."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import asyncio_bot
import bot
import grpc
import player
import pytest
from fake_arena import FakeArena, Script, end_of_session, ends_with, listening, taken_over, welcome, whole_session
from hand_made import PATIENCE, VARIANTS, check_answer, every_shot, shot, turn_of
from session import REFUSED, TAKEN_OVER, Access

from contract import pb

Dial = Callable[[Access, Any], int]


# One loop for all tests: grpc.aio does not like loops that come and go.
LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()


def dial_on_asyncio(access: Access, profile: Any) -> int:
    async def dialling() -> int:
        return await asyncio_bot.dial(access, profile, asyncio.Event())

    return asyncio.run_coroutine_threadsafe(dialling(), LOOP).result()


@pytest.fixture(params=[bot.dial, dial_on_asyncio], ids=["bot", "asyncio_bot"])
def dial(request: pytest.FixtureRequest) -> Dial:
    made: Dial = request.param
    return made


def started(dial: Dial, access: Access, profile: Any) -> Future[int]:
    """The bot in a thread that holds up nobody, should it never end."""
    status: Future[int] = Future()

    def run() -> None:
        try:
            status.set_result(dial(access, profile))
        except BaseException as error:
            status.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return status


def dialled(dial: Dial, *scripts: Script) -> int:
    """Runs the bot against these connections; its exit status."""
    arena = FakeArena(*scripts)
    profile = pb.AgentProfile(name="tester", variants=VARIANTS, max_matches=3, wants_legal_moves=True)
    with listening(arena) as address:
        status = started(dial, Access.to(address), profile).result(timeout=PATIENCE)
    arena.check()
    return status


def test_a_whole_session_of_every_variant(dial: Dial, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        assert dialled(dial, whole_session) == TAKEN_OVER
    for words in ("match 1007: abalone, seat 1, against fake", "answer rejected: too late", "over, seat 0: a draw"):
        assert words in caplog.text
    assert "failed" not in caplog.text


def test_a_bot_comes_back_with_the_resume_token_and_answers_the_pending_turn(dial: Dial) -> None:
    turn = turn_of("naumachia", every_shot("naumachia"))

    def first(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        assert next(requests).hello.resume_token == ""
        yield welcome("token-1")
        yield pb.ConnectResponse(turn=turn)
        context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")

    def second(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        hello = next(requests).hello
        assert hello.resume_token == "token-1"
        assert (hello.profile.name, hello.profile.max_matches) == ("tester", 3)
        yield welcome("token-2", resumed=True, running=(turn.match_id,))
        yield pb.ConnectResponse(turn=turn)
        check_answer(next(requests), turn)
        yield end_of_session(pb.SESSION_END_REASON_ARENA_STOPS)

    def third(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        assert next(requests).hello.resume_token == "token-2"
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many sessions")
        yield

    def fourth(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        assert next(requests).hello.resume_token == "token-2"
        yield welcome("token-2", resumed=True)
        yield taken_over()

    assert dialled(dial, first, second, third, fourth) == TAKEN_OVER


def test_a_turn_that_is_sent_again_is_thought_about_once(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = turn_of("classic", [shot("classic", 3, 3)])
    thoughts, may_answer = [], threading.Event()

    def slowly(asked: Any) -> Any:
        thoughts.append(asked)
        may_answer.wait(PATIENCE)
        return asked.legal_moves.moves[0]

    monkeypatch.setattr(player, "choose", slowly)

    def first(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=turn)
        yield pb.ConnectResponse(turn=turn)
        context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")

    def second(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token", resumed=True, running=(turn.match_id,))
        yield pb.ConnectResponse(turn=turn)
        yield pb.ConnectResponse(turn=turn)
        may_answer.set()
        check_answer(next(requests), turn)
        yield pb.ConnectResponse(turn=turn)  # as if the answer had been lost
        check_answer(next(requests), turn)
        yield taken_over()

    assert dialled(dial, first, second) == TAKEN_OVER
    assert len(thoughts) == 1


def test_a_match_that_is_thought_about_holds_up_no_other(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, quick = (turn_of("classic", [shot("classic", 3, 3)], match_id=number) for number in (1, 2))
    may_answer = threading.Event()

    def deciding(asked: Any) -> Any:
        if asked.match_id == 1:
            may_answer.wait(PATIENCE)
        return asked.legal_moves.moves[0]

    monkeypatch.setattr(player, "choose", deciding)

    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=slow)
        yield pb.ConnectResponse(turn=quick)
        check_answer(next(requests), quick)
        may_answer.set()
        check_answer(next(requests), slow)
        yield taken_over()

    assert dialled(dial, script) == TAKEN_OVER


def test_a_refused_turn_is_another_turn(dial: Dial) -> None:
    turn = turn_of("classic", [shot("classic", 3, 3)], refusals_left=3)
    refused = turn_of("classic", [shot("classic", 4, 4)], refusals_left=2, refusal={"message": "no"})

    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token")
        for asked in (turn, refused):
            yield pb.ConnectResponse(turn=asked)
            check_answer(next(requests), asked)
        yield taken_over()

    assert dialled(dial, script) == TAKEN_OVER


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, REFUSED),
        (grpc.StatusCode.FAILED_PRECONDITION, REFUSED),
        (grpc.StatusCode.UNAUTHENTICATED, REFUSED),
        (grpc.StatusCode.PERMISSION_DENIED, REFUSED),
        (grpc.StatusCode.UNIMPLEMENTED, REFUSED),
        (grpc.StatusCode.ABORTED, TAKEN_OVER),
    ],
)
def test_a_bot_that_is_refused_stays_away(
    dial: Dial, code: grpc.StatusCode, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert dialled(dial, ends_with(code)) == status
    assert f"{code.name}: because" in caplog.text


def test_aborted_after_the_welcome_is_a_takeover(dial: Dial) -> None:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token-1")
        context.abort(grpc.StatusCode.ABORTED, "connected again")

    assert dialled(dial, script) == TAKEN_OVER


def test_a_revoked_token_is_not_used_again(dial: Dial) -> None:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token-1")
        yield end_of_session(pb.SESSION_END_REASON_TOKEN_REVOKED)

    assert dialled(dial, script) == REFUSED


def test_a_token_goes_with_the_stream(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        seen.append(dict(context.invocation_metadata()).get("authorization"))
        next(requests)
        yield taken_over()

    monkeypatch.setenv("BROADSIDE_TOKEN", "secret\n")
    dialled(dial, script)
    monkeypatch.delenv("BROADSIDE_TOKEN")
    dialled(dial, script)
    assert seen == ["Bearer secret", None]


def test_an_arena_that_falls_silent_is_dialled_again(dial: Dial, caplog: pytest.LogCaptureFixture) -> None:
    def silent(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token", heartbeat_ms=20)
        assert list(requests) == []  # until the bot is gone

    assert dialled(dial, silent, ends_with(grpc.StatusCode.ABORTED)) == TAKEN_OVER
    assert "the arena has been silent for 0.1 s; dialling again in" in caplog.text


def test_a_bot_waits_for_an_arena_that_is_not_there(dial: Dial, caplog: pytest.LogCaptureFixture) -> None:
    arena = FakeArena(ends_with(grpc.StatusCode.ABORTED))
    with listening(FakeArena()) as free:
        port = int(free.rpartition(":")[2])
    status = started(dial, Access.to(f"127.0.0.1:{port}"), pb.AgentProfile(name="early", max_matches=1))
    deadline = time.monotonic() + PATIENCE
    while "dialling again in" not in caplog.text:
        assert not status.done() and time.monotonic() < deadline
    with listening(arena, port):
        assert status.result(timeout=PATIENCE) == TAKEN_OVER
    arena.check()


def test_an_arena_that_never_says_welcome_is_dialled_again(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bot, asyncio_bot):
        monkeypatch.setattr(module, "WELCOME_WITHIN", 0.1)

    def mute(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        assert list(requests) == []  # until the bot is gone
        yield from ()

    assert dialled(dial, mute, ends_with(grpc.StatusCode.ABORTED)) == TAKEN_OVER


def test_after_a_reason_that_it_does_not_know_a_bot_goes_by_the_status(dial: Dial) -> None:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token-1")
        yield end_of_session(99)
        context.abort(grpc.StatusCode.PERMISSION_DENIED, "no longer")

    assert dialled(dial, script) == REFUSED
