"""The programs, as they are started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
BOTS = ["bot.py", "asyncio_bot.py"]


@contextmanager
def program(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environ = {**os.environ, **environment}
    with subprocess.Popen([sys.executable, *arguments], cwd=HERE, env=environ, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def address_served(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    assert line.startswith("serving on 127.0.0.1:"), line
    return line.split()[-1]
