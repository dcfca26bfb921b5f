from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from typing import Any

import pytest

from broadside_arena import pb

from .fake_arena import FakeArena, Requests, listening, welcome
from .hand_made import PATIENCE

FIVE_LINES = """
import random, sys
from broadside_arena import Bot
class MyBot(Bot):
    "A bot of five lines."
    def choose(self, turn): return random.choice(turn.legal)
sys.exit(MyBot.main())
"""


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", FIVE_LINES, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_options_reach_the_hello_and_a_signal_ends_the_bot(number: signal.Signals) -> None:
    hellos: Queue[pb.Hello] = Queue()

    def script(requests: Requests, context: Any) -> Iterator[pb.ConnectResponse]:
        hellos.put(next(requests).hello)
        yield welcome("token")
        assert list(requests) == []

    arena = FakeArena(script)
    with listening(arena) as address:
        options = ["--connect", f"http://{address}", "--name", "mine", "--matches", "2", "--seed", "1"]
        with program(*options) as process:
            profile = hellos.get(timeout=PATIENCE).profile
            assert (profile.name, profile.max_matches) == ("mine", 2)
            process.send_signal(number)
            _, log = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, log
            assert log.endswith("leaving\n")
            assert "Traceback" not in log
    arena.check()


def test_a_bot_that_serves_says_where_and_leaves_on_a_signal() -> None:
    with program("--serve", "127.0.0.1:0") as process:
        assert process.stdout
        assert process.stdout.readline().startswith("serving on 127.0.0.1:")
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "Traceback" in log) == (0, False), log


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--connect", "nowhere"], "'nowhere' is no address of an arena"),
        (["--serve", "nowhere"], "'nowhere' is no address to serve at: HOST:PORT"),
        (["--connect", "https://localhost"], "'https://localhost' is no address of an arena"),
        (["--connect", "localhost:65536"], "'localhost:65536' is no address of an arena"),
        (["--serve", "127.0.0.1:65536"], "'127.0.0.1:65536' is no address to serve at: HOST:PORT"),
        (["--serve", "http://127.0.0.1:0"], "'http://127.0.0.1:0' is no address to serve at: HOST:PORT"),
        (["--ca", "a"], "--ca is for an arena at an https:// address"),
        (["--serve", "127.0.0.1:0", "--ca", "a"], "--ca is for an arena at an https:// address"),
        (["--connect", "https://127.0.0.1:1", "--ca", __file__], "test_command_line.py holds no certificate in PEM"),
        (
            ["--serve", "127.0.0.1:0", "--tls-cert", __file__, "--tls-key", __file__],
            "test_command_line.py are no certificate and its private key in PEM",
        ),
        (["--matches", "0"], "0 matches at once are too few or too many: at least 1"),
        (["--tls-cert", "a"], "--tls-cert and --tls-key go together"),
        (["--tls-cert", "a", "--tls-key", "b"], "--tls-cert and --tls-key are for --serve"),
        (["--serve", "127.0.0.1:0", "--tls-cert", "/no/a", "--tls-key", "/no/b"], "No such file or directory: '/no/b'"),
        (["--connect", "https://127.0.0.1:1", "--ca", "/no/ca"], "No such file or directory: '/no/ca'"),
        (["--serve", "127.0.0.1:0", "--connect", "127.0.0.1:1"], "not allowed with argument"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], said: str) -> None:
    with program(*arguments) as process:
        output, log = process.communicate(timeout=PATIENCE)
        assert (process.returncode, output) == (2, "")
        assert said in log
        assert "Traceback" not in log


def test_the_help_begins_with_what_the_bot_says_of_itself() -> None:
    with program("--help") as process:
        output, _ = process.communicate(timeout=PATIENCE)
        assert "A bot of five lines." in output
        assert "BROADSIDE_TOKEN" in output
