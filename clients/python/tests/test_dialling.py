from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from broadside_arena import Bot, Dispute, Exit, Resign, Turn, pb

from .fake_arena import FakeArena, Requests, Script, listening, session_end, taken_over, welcome
from .hand_made import PATIENCE, a_turn_of_every_variant, check_answer, message, shot
from .running_bots import dialled, dialling, run

ONE_SHOT = {"moves": [shot("classic", 3, 3)]}


def whole_session(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
    """Many matches at once on one stream, with everything that an arena may send in between."""
    hello = next(requests).hello
    assert (hello.protocol_version, hello.resume_token) == (1, "")
    assert list(hello.profile.variants) == list(range(1, 8))
    assert hello.profile.wants_legal_moves
    assert 100 <= hello.heartbeat_interval_ms <= 3_600_000
    yield welcome("token-1")
    turns = {turn.match_id: turn for turn in a_turn_of_every_variant()}
    for turn in turns.values():
        start = pb.MatchStart(match_id=turn.match_id, seat=pb.SEAT_ONE, opponent="fake", options=turn.options)
        yield pb.ConnectResponse(match_start=start)
    yield pb.ConnectResponse(heartbeat=pb.Heartbeat(beat=0))
    yield pb.ConnectResponse()  # a message of a later version
    for turn in turns.values():
        yield pb.ConnectResponse(turn=turn)
    answers = {answer.match_id: answer for answer in (next(requests).answer for _ in turns)}
    assert answers.keys() == turns.keys()
    for match_id, answer in answers.items():
        assert answer.turn_id == turns[match_id].turn_id
        check_answer(answer.move, turns[match_id])
    yield pb.ConnectResponse(rejected=pb.Rejected(match_id=1001, turn_id=7, message="too late"))
    for match_id in turns:
        yield pb.ConnectResponse(match_end=pb.MatchEnd(match_id=match_id, outcome=pb.Outcome(message="a draw")))
    yield taken_over()


def test_a_whole_session_of_every_variant(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        assert dialled(Bot("tester", seed=1), whole_session) == Exit.TAKEN_OVER
    for words in ("match 1007: abalone, seat 1, against fake", "rejected: too late", "over, seat 0: a draw"):
        assert words in caplog.text
    assert "failed" not in caplog.text


def test_a_bot_comes_back_with_the_resume_token_and_answers_the_pending_turn() -> None:
    turn = message("classic", legal=ONE_SHOT)

    def first(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        assert next(requests).hello.resume_token == ""
        yield welcome("token-1")
        context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")

    def second(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        hello = next(requests).hello
        assert (hello.resume_token, hello.profile.name, hello.profile.max_matches) == ("token-1", "tester", 3)
        yield welcome("token-2", resumed=True, running=(5,))
        yield pb.ConnectResponse(turn=turn)
        check_answer(next(requests).answer.move, turn)
        yield session_end(pb.SESSION_END_REASON_ARENA_STOPS)

    def third(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        assert next(requests).hello.resume_token == "token-2"
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many sessions")
        yield welcome("never")

    def fourth(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        assert next(requests).hello.resume_token == "token-2"
        yield welcome("token-2", resumed=True)
        yield taken_over()

    assert dialled(Bot("tester", matches=3), first, second, third, fourth) == Exit.TAKEN_OVER


class Slow(Bot):
    """Thinks until it is allowed to answer, and counts its thoughts."""

    thoughts = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.think = threading.Event()

    def choose(self, turn: Turn) -> Any:
        self.thoughts += 1
        self.think.wait(PATIENCE)
        return turn.legal[0]


def test_a_turn_that_is_sent_again_is_thought_about_once() -> None:
    turn = message("classic", legal=ONE_SHOT)
    bot = Slow()

    def first(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=turn)
        yield pb.ConnectResponse(turn=turn)
        context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")

    def second(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token", resumed=True, running=(5,))
        yield pb.ConnectResponse(turn=turn)
        yield pb.ConnectResponse(turn=turn)
        bot.think.set()
        check_answer(next(requests).answer.move, turn)
        yield pb.ConnectResponse(turn=turn)  # as if the answer had been lost
        check_answer(next(requests).answer.move, turn)
        yield taken_over()

    assert dialled(bot, first, second) == Exit.TAKEN_OVER
    assert bot.thoughts == 1


def test_a_match_that_is_thought_about_holds_up_no_other() -> None:
    slow, quick = message("classic", legal=ONE_SHOT, match_id=1), message("abalone", match_id=2)
    bot = Slow()
    choose = bot.choose
    bot.choose = lambda turn: choose(turn) if turn.match_id == 1 else pb.Move(abalone=pb.AbaloneMove())  # type: ignore[method-assign]

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=slow)
        yield pb.ConnectResponse(turn=quick)
        assert next(requests).answer.match_id == 2
        bot.think.set()
        assert next(requests).answer.match_id == 1
        yield taken_over()

    dialled(bot, script)


class Unhappy(Bot):
    def choose(self, turn: Turn) -> Any:
        return {"resign": Resign(), "nonsense": "C4", "fail": None}[self.name]

    def refused(self, turn: Turn) -> Any:
        return Dispute() if self.name == "fail" else super().refused(turn)


def answer_to(bot: Bot, *turns: pb.Turn) -> list[pb.ConnectRequest]:
    answers: list[pb.ConnectRequest] = []

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        for turn in turns:
            yield pb.ConnectResponse(turn=turn)
            answers.append(next(requests))
        yield taken_over()

    dialled(bot, script)
    return answers


def test_a_bot_may_resign() -> None:
    (answer,) = answer_to(Unhappy("resign"), message("classic", seat=2))
    assert answer.resignation == pb.Resignation(match_id=5, seat=pb.SEAT_TWO)


@pytest.mark.parametrize("name", ["nonsense", "fail"])
def test_what_is_no_move_is_replaced_by_a_legal_one(name: str, caplog: pytest.LogCaptureFixture) -> None:
    turn = message("classic", legal=ONE_SHOT)
    (answer,) = answer_to(Unhappy(name), turn)
    check_answer(answer.answer.move, turn)
    assert "choose() failed; a random move is played" in caplog.text
    assert f"the decision is {'None' if name == 'fail' else repr('C4')}, which is no move of classic" in caplog.text


def test_a_move_of_a_later_version_is_played_as_it_is_listed() -> None:
    later = pb.Move.FromString(b"\xc2\x3e\x02hi")  # field 1000
    for variant in ("classic", "abalone"):
        (answer,) = answer_to(Bot(), message(variant, legal={"moves": [later]}))
        assert answer.answer.move == later
    unknown = pb.Turn(match_id=5, turn_id=7, legal_moves=pb.LegalMoves(moves=[later]))
    (answer,) = answer_to(Bot(), unknown)
    assert answer.answer.move == later


def test_a_refused_turn_is_decided_by_another_method(caplog: pytest.LogCaptureFixture) -> None:
    turn = message("classic", legal=ONE_SHOT, refusal={"message": "B2 was fired at before"}, refusals_left=2)
    (answer,) = answer_to(Unhappy("resign"), turn)
    check_answer(answer.answer.move, turn)
    assert "refused: B2 was fired at before" in caplog.text


def test_a_refusal_is_disputed_once() -> None:
    turn = message("classic", legal=ONE_SHOT, refusal={"message": "no"}, refusals_left=2)
    first, second = answer_to(Unhappy("fail"), turn, turn)
    assert first.dispute == pb.Dispute(match_id=5, turn_id=7)
    check_answer(second.answer.move, turn)


class Async(Bot):
    async def move(self, turn: Turn) -> Any:
        await asyncio.sleep(0)
        assert threading.current_thread() is self.thread
        return turn.shot(3, 3)

    def match_started(self, start: pb.MatchStart) -> None:
        self.thread = threading.current_thread()


def test_an_async_bot_decides_on_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    turn = message("classic", legal=ONE_SHOT)

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(match_start=pb.MatchStart(match_id=5))
        yield pb.ConnectResponse(turn=turn)
        check_answer(next(requests).answer.move, turn)
        yield taken_over()

    dialled(Async(), script)
    assert "failed" not in caplog.text


def ends_with(code: grpc.StatusCode) -> Script:
    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        context.abort(code, "because")
        yield welcome("never")

    return script


@pytest.mark.parametrize(
    ("code", "end"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, Exit.REFUSED),
        (grpc.StatusCode.FAILED_PRECONDITION, Exit.REFUSED),
        (grpc.StatusCode.UNAUTHENTICATED, Exit.REFUSED),
        (grpc.StatusCode.PERMISSION_DENIED, Exit.REFUSED),
        (grpc.StatusCode.UNIMPLEMENTED, Exit.REFUSED),
        (grpc.StatusCode.ABORTED, Exit.TAKEN_OVER),
    ],
)
def test_a_bot_that_is_refused_stays_away(code: grpc.StatusCode, end: Exit, caplog: pytest.LogCaptureFixture) -> None:
    assert dialled(Bot(), ends_with(code)) == end
    assert f"{code.name}: because" in caplog.text


def test_a_revoked_token_is_not_used_again() -> None:
    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield session_end(pb.SESSION_END_REASON_TOKEN_REVOKED)

    assert dialled(Bot(), script) == Exit.REFUSED


@pytest.mark.parametrize("reason", [pb.SESSION_END_REASON_ARENA_STOPS, 99])
def test_after_any_other_reason_the_status_decides(reason: int, caplog: pytest.LogCaptureFixture) -> None:
    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield session_end(reason)
        context.abort(grpc.StatusCode.PERMISSION_DENIED, "no longer")

    assert dialled(Bot(), script) == Exit.REFUSED
    assert "the test is over (PERMISSION_DENIED: no longer)" in caplog.text


def test_an_arena_that_never_says_welcome_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadside_arena.dialling.HEARTBEAT", 0.1)
    monkeypatch.setattr("broadside_arena.dialling.WELCOME_WITHIN", 0.1)

    def mute(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        assert list(requests) == []  # until the bot goes
        yield from ()

    assert dialled(Bot(), mute, ends_with(grpc.StatusCode.ABORTED)) == Exit.TAKEN_OVER


def test_the_token_is_sent_with_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        seen.append(dict(context.invocation_metadata()).get("authorization"))
        next(requests)
        yield taken_over()

    monkeypatch.setenv("BROADSIDE_TOKEN", "of-the-environment\n")
    dialled(Bot(), script)
    dialled(Bot(), script, token="of-the-call")
    monkeypatch.delenv("BROADSIDE_TOKEN")
    dialled(Bot(), script)
    assert seen == ["Bearer of-the-environment", "Bearer of-the-call", None]


def test_a_silent_arena_is_left(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("broadside_arena.dialling.HEARTBEAT", 0.1)
    beats = []

    class Silent(FakeArena):
        def Connect(self, request_iterator: Any, context: Any) -> Any:
            if len(self.scripts) == 1:
                yield from super().Connect(request_iterator, context)
                return
            self.scripts.pop()
            hello = next(request_iterator).hello
            assert hello.heartbeat_interval_ms == 100
            limits = pb.SessionLimits(heartbeat_interval_ms=500)
            yield pb.ConnectResponse(welcome=pb.Welcome(resume_token="token", limits=limits))
            beats.extend(request_iterator)  # until the bot goes

    arena = Silent(ends_with(grpc.StatusCode.ABORTED), ends_with(grpc.StatusCode.OK))
    with listening(arena) as address:
        assert run(Bot(), address) == Exit.TAKEN_OVER
    arena.check()
    assert "the arena fell silent; dialling again in" in caplog.text
    assert beats
    assert all(beat.HasField("heartbeat") for beat in beats)


def test_a_bot_leaves_in_order() -> None:
    welcomed, left = threading.Event(), threading.Event()

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        welcomed.set()
        assert list(requests) == []
        left.set()

    arena = FakeArena(script)
    with listening(arena) as address:
        with dialling(Bot(), address):
            assert welcomed.wait(PATIENCE)
        assert left.wait(PATIENCE)
    arena.check()


def test_what_is_no_address_is_said_to_be_none() -> None:
    with pytest.raises(
        ValueError, match="'nowhere' is no address of an arena: HOST:PORT, http://HOST:PORT or https://HOST:PORT"
    ):
        Bot().run("nowhere")
    with pytest.raises(ValueError, match="the token is none: it is one line of ASCII"):
        Bot().run("127.0.0.1:1", token="two\nlines")
    with pytest.raises(ValueError, match=r"/a/file is an authority for TLS, and 127\.0\.0\.1:1 is no https:// address"):
        Bot().run("127.0.0.1:1", ca="/a/file")
    with pytest.raises(FileNotFoundError):
        Bot().run("https://127.0.0.1:1", ca="/no/such/file")
