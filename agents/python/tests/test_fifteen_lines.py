"""The smallest whole bots."""

from __future__ import annotations

import pytest
from fake_arena import FakeArena, listening, whole_session
from hand_made import PATIENCE
from programs import HERE, address_served, program
from test_serving import play_every_variant


def test_fifteen_lines() -> None:
    arena = FakeArena(whole_session)
    with listening(arena) as address, program("fifteen_lines.py", address, "short") as process:
        _, log = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, log
    arena.check()


def test_fifteen_lines_dialled() -> None:
    with program("fifteen_lines_dialled.py", "0") as process:
        play_every_variant(address_served(process))


@pytest.mark.parametrize(
    ("file", "begins"), [("fifteen_lines.py", "_, address"), ("fifteen_lines_dialled.py", "class Bot")]
)
def test_fifteen_lines_are_no_more(file: str, begins: str) -> None:
    own = (HERE / file).read_text().partition(f"\n{begins}")[2]
    assert len([line for line in own.splitlines() if line.strip()]) <= 15
