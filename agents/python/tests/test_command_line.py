"""The command line and the exit status, the same for both bots."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import grpc
import pytest
from fake_arena import FakeArena, ends_with, listening, welcome
from hand_made import PATIENCE
from programs import BOTS, HERE, program


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_options_reach_the_hello_and_a_signal_ends_the_stream_in_order(bot: str, number: signal.Signals) -> None:
    hellos: Queue[Any] = Queue()

    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        hellos.put(next(requests).hello)
        yield welcome("token-1")
        assert list(requests) == []
        assert context.is_active()  # the bot still listens

    arena = FakeArena(script)
    with listening(arena) as address:
        options = ["--connect", f"http://{address}", "--name", "mine", "--matches", "2", "--seed", "1"]
        with program(bot, *options) as process:
            hello = hellos.get(timeout=PATIENCE)
            assert (hello.profile.name, hello.profile.max_matches) == ("mine", 2)
            process.send_signal(number)
            _, log = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, log
            assert log.endswith("leaving\n") and "Traceback" not in log
    arena.check()


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--connect", "nowhere"], "--connect nowhere is no address: HOST:PORT or https://HOST:PORT"),
        (["--connect", "https://localhost"], "--connect https://localhost is no address"),
        (["--connect", "localhost:65536"], "--connect localhost:65536 is no address"),
        (["--serve", "127.0.0.1:65536"], "--serve 127.0.0.1:65536 is no address: HOST:PORT"),
        (["--serve", "http://127.0.0.1:0"], "--serve http://127.0.0.1:0 is no address: HOST:PORT"),
        (["--ca", "a"], "--ca is for an arena at an https:// address"),
        (["--serve", "127.0.0.1:0", "--ca", "a"], "--ca is for an arena at an https:// address"),
        (["--connect", "https://127.0.0.1:1", "--ca", "bot.py"], "bot.py holds no certificate in PEM"),
        (
            ["--serve", "127.0.0.1:0", "--tls-cert", "bot.py", "--tls-key", "bot.py"],
            "bot.py and bot.py are no certificate and its private key in PEM",
        ),
        (["--serve", "nowhere"], "--serve nowhere is no address: HOST:PORT"),
        (["--matches", "0"], "--matches must be at least 1"),
        (["--tls-cert", "a"], "--tls-cert and --tls-key go together, and with --serve"),
        (["--tls-cert", "a", "--tls-key", "b"], "--tls-cert and --tls-key go together, and with --serve"),
        (["--serve", "127.0.0.1:0", "--tls-cert", "/no/a", "--tls-key", "/no/b"], "No such file or directory: '/no/b'"),
        (["--connect", "https://127.0.0.1:1", "--ca", "/no/ca"], "No such file or directory: '/no/ca'"),
        (["--serve", "127.0.0.1:0", "--connect", "127.0.0.1:1"], "not allowed with argument"),
    ],
)
def test_wrong_usage_is_told(bot: str, arguments: list[str], said: str) -> None:
    with program(bot, *arguments) as process:
        output, log = process.communicate(timeout=PATIENCE)
        assert (process.returncode, output) == (2, "")
        assert said in log and "Traceback" not in log


@pytest.mark.parametrize("bot", BOTS)
def test_a_token_that_cannot_be_sent_is_told(bot: str) -> None:
    with program(bot, BROADSIDE_TOKEN="two\nlines") as process:
        _, log = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2
        assert "BROADSIDE_TOKEN is no token: it is one line of ASCII" in log


@pytest.mark.parametrize(("code", "status"), [("INVALID_ARGUMENT", 1), ("ABORTED", 3)])
@pytest.mark.parametrize("bot", BOTS)
def test_the_exit_status_says_why_it_stays_away(bot: str, code: str, status: int) -> None:
    with listening(FakeArena(ends_with(grpc.StatusCode[code]))) as address:
        with program(bot, "--connect", address) as process:
            _, log = process.communicate(timeout=PATIENCE)
            assert (process.returncode, f"{code}: because" in log) == (status, True), log


@pytest.mark.parametrize("script", ["bot", "bot-asyncio"])
def test_each_bot_has_a_script_that_starts_it(script: str, tmp_path: Path) -> None:
    command = [str(HERE / script), "--help"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "--connect ADDRESS" in done.stdout
