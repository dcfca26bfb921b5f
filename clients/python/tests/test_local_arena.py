from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import grpc
import pytest

from broadside_arena import pb, rpc
from broadside_arena.local_arena import LocalArena, find_program

from .hand_made import PATIENCE


def test_a_program_that_is_not_there_is_told_by_who_named_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="/no/such, named by the argument, is no program"):
        find_program("/no/such")
    monkeypatch.setenv("BROADSIDE_ARENA_PROGRAM", "/no/such")
    with pytest.raises(FileNotFoundError, match="/no/such, named by BROADSIDE_ARENA_PROGRAM, is no program"):
        find_program()
    monkeypatch.delenv("BROADSIDE_ARENA_PROGRAM")
    program = tmp_path / "broadside-arena"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program() == str(program)


def test_an_arena_that_does_not_start_says_why(program: str) -> None:
    with pytest.raises(RuntimeError, match=r"did not start: .*--no-such-flag"):
        LocalArena(program, arguments=("--no-such-flag",))


def is_there(address: str) -> bool:
    with grpc.insecure_channel(address) as channel:
        try:
            rpc.CatalogServiceStub(channel).GetLimits(pb.GetLimitsRequest(), timeout=PATIENCE)
        except grpc.RpcError:
            return False
        return True


def test_an_arena_is_gone_when_it_is_closed(program: str) -> None:
    with LocalArena(program) as arena:
        assert is_there(arena.address)
    assert not is_there(arena.address)
    arena.close()


def test_an_arena_goes_with_a_process_that_is_killed(program: str) -> None:
    code = (
        "import os, signal, sys; from broadside_arena.local_arena import LocalArena;"
        "arena = LocalArena(sys.argv[1]); print(arena._process.pid, arena.address, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, program], check=False, stdout=subprocess.PIPE, text=True, timeout=PATIENCE
    )
    address = done.stdout.split()[1]
    assert done.returncode == -9
    deadline = time.monotonic() + PATIENCE
    while is_there(address):  # its end of the pipe is closed, and it takes a moment to see it
        assert time.monotonic() < deadline


def test_an_arena_can_be_closed_though_a_forked_process_holds_its_pipe(program: str) -> None:
    arena = LocalArena(program)
    assert arena._process.stdin
    held = os.dup(arena._process.stdin.fileno())  # as a fork would
    try:
        closing = threading.Thread(target=arena.close, daemon=True)
        closing.start()
        closing.join(PATIENCE)
        assert not closing.is_alive()
        assert not is_there(arena.address)
    finally:
        os.close(held)
