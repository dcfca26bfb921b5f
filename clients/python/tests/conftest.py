from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from broadside_arena.local_arena import LocalArena, find_program


@pytest.fixture(scope="session")
def program() -> str:
    """The arena's program. Without one its tests are skipped, and fail with CI=true."""
    try:
        return find_program()
    except FileNotFoundError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(f"NOT TESTED over the wire: {error}")


@pytest.fixture(scope="session")
def arena(program: str) -> Iterator[LocalArena]:
    with LocalArena(program) as arena:
        yield arena
