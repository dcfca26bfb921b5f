"""What the README shows is run as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from broadside_arena import Bot, pb
from broadside_arena.local_arena import LocalArena

from .hand_made import PATIENCE
from .test_arena import dialled, played

ROOT = Path(__file__).resolve().parents[1]


def examples() -> dict[str, str]:
    """The blocks of Python, by the heading that they stand under."""
    sections = (ROOT / "README.md").read_text().split("\n## ")[1:]
    blocks = {
        section.partition("\n")[0]: section.partition("```python\n")[2].partition("```")[0] for section in sections
    }
    return {heading: block for heading, block in blocks.items() if block}


def test_each_capability_has_an_example() -> None:
    assert list(examples()) == ["A bot", "Replays", "Environments"]


def test_a_bot_has_at_most_fifteen_lines() -> None:
    assert len([line for line in examples()["A bot"].splitlines() if line.strip()]) <= 15


def test_the_bot_plays_its_variant_and_another(arena: LocalArena, tmp_path: Path) -> None:
    script = tmp_path / "my_bot.py"
    script.write_text(examples()["A bot"])
    command = [sys.executable, str(script), "--connect", arena.address, "--name", "my-bot"]
    opponent = Bot("opponent")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process, dialled(opponent, arena) as matches:
        try:
            for options in (pb.Options(classic=pb.ClassicOptions()), pb.Options(salvo=pb.SalvoOptions())):
                played(matches, options, pb.Player(name="my-bot"), pb.Player(name="opponent"))
        finally:
            process.terminate()
            _, log = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "failed" not in log
    assert "refused" not in log


def run(code: str, folder: Path, **environment: str) -> str:
    environ = {**os.environ, **environment}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=60, env=environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_replay_is_gone_through(tmp_path: Path, arena: LocalArena) -> None:
    bot = Bot("itself", matches=2)
    me: Any = pb.Player(name="itself")
    with dialled(bot, arena) as matches:
        match_id = played(matches, pb.Options(amiral=pb.AmiralOptions()), me, me)
        record = matches.GetMatchRecord(pb.GetMatchRecordRequest(match_id=match_id), timeout=PATIENCE).record
    (tmp_path / "match.pb").write_bytes(record.SerializeToString())
    told = run(examples()["Replays"], tmp_path)
    assert told.startswith("1 ")
    assert "own ships afloat: 4" in told


def test_the_environment_plays_a_match(program: str, tmp_path: Path) -> None:
    assert run(examples()["Environments"], tmp_path, BROADSIDE_ARENA_PROGRAM=program) == ""
