"""An arena of one's own: started when it is needed, gone with whoever started it."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

PROGRAM = "broadside-arena"
VARIABLE = "BROADSIDE_ARENA_PROGRAM"

# The arena ends when its standard input does: however this process ends, its end of the pipe is closed with it.
_TIED = 'exec 3<&0; "$@" 3<&- </dev/null & exec >&- 2>&-; read -r _ <&3; kill -9 $!; wait'


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """Where the arena's program is: the argument, what BROADSIDE_ARENA_PROGRAM names, `broadside-arena` in the PATH, or as built in the checkout.

    Raises FileNotFoundError, which says where it was looked for, if there is none.
    """
    named = os.fspath(program) if program is not None else os.environ.get(VARIABLE, "")
    if named:
        if found := shutil.which(named):
            return found
        origin = "the argument" if program is not None else VARIABLE
        raise FileNotFoundError(f"{named}, named by {origin}, is no program that can be run")
    built = [folder / "target" / kind for folder in Path(__file__).resolve().parents for kind in ("release", "debug")]
    if found := shutil.which(PROGRAM) or next(
        (path for folder in built if (path := shutil.which(PROGRAM, path=folder))), None
    ):
        return found
    raise FileNotFoundError(
        f"{PROGRAM} was not found: name it by an argument or in {VARIABLE}, put it into the PATH, "
        "or build it in a checkout of Broadside (cargo build --release --bin broadside-arena)"
    )


class LocalArena:
    """A `broadside-arena` on a free port of this machine, with a store in memory.

        with LocalArena() as arena:
            print(arena.address)

    It is killed by `close`, and when this process ends, however that is.
    """

    def __init__(self, program: str | os.PathLike[str] | None = None, *, arguments: tuple[str, ...] = ()) -> None:
        """Starts it and waits until it listens; `arguments` are more of its command line.

        Raises FileNotFoundError if there is no program, RuntimeError, with what it said, if it ends instead.
        """
        command = [find_program(program), "--listen", "127.0.0.1:0", "--log", "warn", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BROADSIDE_")}
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            ["sh", "-c", _TIED, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**environment, "BROADSIDE_STORE": "memory"},
            cwd=tempfile.gettempdir(),
        )
        atexit.register(self.close)
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.startswith("listening on "):
            self._let_go()
            self._process.wait()
            self._log.seek(0)
            said = f"{line}{self._log.read()}".strip()
            self.close()
            raise RuntimeError(f"{command[0]} did not start: {said}")
        self.address: str = line.split()[-1]
        """Its HOST:PORT."""

    def close(self) -> None:
        """Ends it. Nothing happens the second time."""
        atexit.unregister(self.close)
        self._let_go()
        for stream in (self._process.stdout, self._log):
            if stream:
                stream.close()
        self._process.wait()

    def _let_go(self) -> None:
        """Ends the pipe, by a line: a process forked from this one may hold an end of it, too."""
        stdin = self._process.stdin
        assert stdin
        with contextlib.suppress(BrokenPipeError, ValueError):  # gone already, or closed
            stdin.write("\n")
            stdin.flush()
        with contextlib.suppress(BrokenPipeError):
            stdin.close()

    def __enter__(self) -> LocalArena:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
