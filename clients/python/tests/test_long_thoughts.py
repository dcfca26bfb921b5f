"""Bots whose decision never ends: they leave all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from broadside_arena import pb, rpc

from .fake_arena import FakeArena, Requests, listening, taken_over, welcome
from .hand_made import PATIENCE, message, shot

ENDLESS = """
import sys, threading
from broadside_arena import Bot
class Endless(Bot):
    def choose(self, turn):
        print("thinking", flush=True)
        threading.Event().wait()
sys.exit(Endless.main())
"""
TURN = message("classic", legal={"moves": [shot("classic", 3, 3)]})


@contextmanager
def endless_bot(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", ENDLESS, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def await_thought(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    assert process.stdout.readline() == "thinking\n"


def assert_ends(process: subprocess.Popen[str], status: int) -> None:
    _, log = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in log) == (status, False), log


def test_a_bot_that_dials_leaves_on_a_signal() -> None:
    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=TURN)
        assert list(requests) == []

    arena = FakeArena(script)
    with listening(arena) as address, endless_bot("--connect", address) as process:
        await_thought(process)
        process.send_signal(signal.SIGTERM)
        assert_ends(process, 0)
    arena.check()


def test_a_bot_whose_name_is_taken_over_leaves() -> None:
    thinking = threading.Event()

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        next(requests)
        yield welcome("token")
        yield pb.ConnectResponse(turn=TURN)
        assert thinking.wait(PATIENCE)
        yield taken_over()

    arena = FakeArena(script)
    with listening(arena) as address, endless_bot("--connect", address) as process:
        await_thought(process)
        thinking.set()
        assert_ends(process, 3)
    arena.check()


def test_a_bot_that_serves_leaves_on_a_signal() -> None:
    with endless_bot("--serve", "127.0.0.1:0") as process:
        assert process.stdout
        address = process.stdout.readline().split()[-1]
        with grpc.insecure_channel(address) as channel:
            call = rpc.AgentServiceStub(channel).ChooseMove.future(pb.ChooseMoveRequest(turn=TURN))
            await_thought(process)
            process.send_signal(signal.SIGTERM)
            assert_ends(process, 0)
            with pytest.raises(grpc.RpcError):
                call.result(PATIENCE)
