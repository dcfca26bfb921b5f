from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from broadside_arena import Bot, Exit, Resign, Turn, pb, rpc, serve

from .hand_made import PATIENCE, a_turn_of_every_variant, check_answer, message, shot
from .pinging import answers_to_pings
from .running_bots import serving, submitted
from .test_dialling import Slow


@contextmanager
def stub_of(bot: Bot) -> Iterator[rpc.AgentServiceStub]:
    with serving(bot) as address, grpc.insecure_channel(address) as channel:
        yield rpc.AgentServiceStub(channel)


def test_a_dialled_bot_answers_all_four_calls() -> None:
    bot = Bot("served", matches=2, variants=["abalone", "amiral-advanced"])
    with stub_of(bot) as stub:
        profile = stub.GetProfile(pb.GetProfileRequest()).profile
        assert (profile.name, profile.max_matches, list(profile.variants)) == ("served", 2, [7, 5])
        stub.StartMatch(pb.StartMatchRequest(match_start=pb.MatchStart(match_id=5)))
        for turn in a_turn_of_every_variant():
            check_answer(stub.ChooseMove(pb.ChooseMoveRequest(turn=turn)).move, turn)
        stub.EndMatch(pb.EndMatchRequest(match_end=pb.MatchEnd(match_id=5)))


def test_a_turn_that_is_asked_again_is_thought_about_once() -> None:
    bot = Slow()
    turn = message("classic", legal={"moves": [shot("classic", 3, 3)]})
    started = threading.Event()
    choose = bot.choose

    def choosing(asked: Turn) -> Any:
        started.set()
        return choose(asked)

    bot.choose = choosing  # type: ignore[method-assign, assignment]
    with stub_of(bot) as stub:
        first = stub.ChooseMove.future(pb.ChooseMoveRequest(turn=turn))
        assert started.wait(PATIENCE)
        first.cancel()
        again = stub.ChooseMove.future(pb.ChooseMoveRequest(turn=turn))
        bot.think.set()
        check_answer(again.result(PATIENCE).move, turn)
    assert bot.thoughts == 1


def test_a_dialled_bot_may_resign() -> None:
    class Quitter(Bot):
        async def choose(self, turn: Turn) -> Any:
            return Resign()

    with stub_of(Quitter()) as stub:
        answer = stub.ChooseMove(pb.ChooseMoveRequest(turn=message("classic")))
        assert answer.WhichOneof("decision") == "resignation"


def test_a_bot_says_that_its_port_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert submitted(serve(Bot(), address)).result() == Exit.REFUSED
    assert f"cannot serve on {address}" in caplog.text


def test_an_arena_may_ping_as_often_as_it_likes() -> None:
    with serving(Bot()) as address:
        assert answers_to_pings(address, 20, PATIENCE) == 20
