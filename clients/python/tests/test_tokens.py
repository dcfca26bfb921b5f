"""At an arena that takes no call without a token."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from broadside_arena import Bot, Exit, replay
from broadside_arena.env import raw_env
from broadside_arena.local_arena import LocalArena

from .hand_made import PATIENCE
from .running_bots import dialling, run
from .test_env import play


def test_tokens_open_what_they_are_for(program: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ["--store", str(tmp_path / "arena.sqlite")]

    def token(*of: str) -> str:
        command = [program, *store, "token", "create", *of]
        made = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
        return made.stdout.split()[-1]

    operator, learner = token("--operator"), token("--agent", "learner")
    with LocalArena(program, arguments=(*store, "--require-tokens")) as arena:
        assert run(Bot("learner"), arena.address) == Exit.REFUSED
        assert "UNAUTHENTICATED" in caplog.text
        assert run(Bot("other"), arena.address, token=learner) == Exit.REFUSED
        assert "PERMISSION_DENIED" in caplog.text

        game = raw_env("salvo", arena=arena.address, name="learner", token=learner, operator_token=operator)
        play(game, 1)
        match_id = game.match_id
        game.close()
        with pytest.raises(LookupError, match="UNAUTHENTICATED"):
            replay.fetch(match_id, arena.address)
        assert replay.fetch(match_id, arena.address, token=learner).winner is not None

        alone = raw_env("salvo", arena=arena.address, name="learner", token=learner)
        with pytest.raises(ConnectionError, match="makes no match"):
            alone.reset(seed=1)
        alone.close()
        caplog.clear()
        with caplog.at_level("INFO"), dialling(Bot("learner"), arena.address, token=learner):
            deadline = time.monotonic() + PATIENCE
            while "connected as learner" not in caplog.text:
                assert time.monotonic() < deadline, caplog.text
