#!/bin/sh
# Checks the package: lint, types, tests. Makes .venv beside this file and installs the package with what its tests need, unless that is done.
#
# BROADSIDE_ARENA_PROGRAM names the arena for the tests that play over the wire; without one they are skipped, and fail with CI=true.
# BROADSIDE_PYTHON names the interpreter (default: python3). Safe to run twice at the same time.
set -eu
cd "$(dirname "$0")"

python=${BROADSIDE_PYTHON:-python3}
bin=.venv/bin
wanted=$("$python" -c 'import sys; print(sys.version, sys.base_prefix)'; cat pyproject.toml hatch_build.py ../../proto/broadside/v1/*.proto | cksum)

is_done() { [ -f src/broadside_arena/v1/__init__.py ] && [ "$(cat .venv/installed 2>/dev/null)" = "$wanted" ]; }

if [ "${1:-}" = --install ]; then
    # Under the lock: whoever held it before may have done it.
    is_done && exit 0
    "$python" -m venv --clear .venv
    $bin/python -m pip install --quiet --disable-pip-version-check --editable '.[env,test]'
    printf '%s\n' "$wanted" >.venv/installed
    exit 0
fi

# The kernel frees the lock however the installation ends.
is_done || "$python" -c '
import fcntl, os
lock = os.open(".", os.O_RDONLY)
fcntl.flock(lock, fcntl.LOCK_EX)
os.set_inheritable(lock, True)
os.execvp("sh", ["sh", "test.sh", "--install"])
'

$bin/ruff check --quiet .
$bin/ruff format --quiet --check . || { echo "not formatted: run clients/python/.venv/bin/ruff format clients/python" >&2; exit 1; }
$bin/mypy --no-error-summary
$bin/python -m pytest --quiet -p no:cacheprovider "$@"
