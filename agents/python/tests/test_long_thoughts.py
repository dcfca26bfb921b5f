"""Bots whose choose() never returns: they leave all the same, and are not cut off while they think."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from fake_arena import FakeArena, listening, taken_over, welcome
from hand_made import PATIENCE, shot, turn_of
from pinging import answers_to_pings
from programs import BOTS, address_served, program

from contract import pb, rpc

ENDLESS = """
import runpy, sys, threading, player
def choose(turn):
    print("thinking", flush=True)
    threading.Event().wait()
player.choose = choose
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
TURN = turn_of("classic", [shot("classic", 3, 3)])


def await_thought(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    assert process.stdout.readline() == "thinking\n"


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_that_dials_leaves_on_a_signal(bot: str) -> None:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=TURN)
        assert list(requests) == []

    arena = FakeArena(script)
    with listening(arena) as address, program("-c", ENDLESS, bot, "--connect", address) as process:
        await_thought(process)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "Traceback" in log) == (0, False), log
    arena.check()


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_whose_name_is_taken_over_leaves(bot: str) -> None:
    thinking = threading.Event()

    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=TURN)
        assert thinking.wait(PATIENCE)
        yield taken_over()

    arena = FakeArena(script)
    with listening(arena) as address, program("-c", ENDLESS, bot, "--connect", address) as process:
        await_thought(process)
        thinking.set()
        _, log = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "Traceback" in log) == (3, False), log
    arena.check()


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_that_serves_leaves_on_a_signal(bot: str) -> None:
    with program("-c", ENDLESS, bot, "--serve", "127.0.0.1:0") as process:
        with grpc.insecure_channel(address_served(process)) as channel:
            call = rpc.AgentServiceStub(channel).ChooseMove.future(pb.ChooseMoveRequest(turn=TURN))
            await_thought(process)
            process.send_signal(signal.SIGTERM)
            _, log = process.communicate(timeout=PATIENCE)
            assert (process.returncode, "Traceback" in log) == (0, False), log
            assert call.exception(timeout=PATIENCE) is not None


@pytest.mark.parametrize("bot", BOTS)
def test_an_arena_may_ping_as_often_as_it_likes(bot: str) -> None:
    with program(bot, "--serve", "127.0.0.1:0") as process:
        assert answers_to_pings(address_served(process), 20, PATIENCE) == 20


def test_an_arena_may_ping_the_smallest_bot_as_often_as_it_likes() -> None:
    with program("fifteen_lines_dialled.py", "0") as process:
        assert answers_to_pings(address_served(process), 20, PATIENCE) == 20
