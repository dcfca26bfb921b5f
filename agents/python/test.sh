#!/bin/sh
# Runs the bots' own tests, after setup.sh. What only they need goes into .venv-test, so that the bots' environment stays as it is.
# Safe to run twice at the same time.
set -eu
cd "$(dirname "$0")"
sh setup.sh

wanted="$(cat .venv/installed requirements-dev.txt)"
is_done() { [ "$(cat .venv-test/installed 2>/dev/null)" = "$wanted" ]; }

if [ "${1:-}" = --install ]; then
    # Under the lock: whoever held it before may have done it.
    is_done && exit 0
    rm -rf .venv-test
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --target .venv-test --requirement requirements-dev.txt
    printf '%s\n' "$wanted" >.venv-test/installed
    exit 0
fi

# The kernel frees the lock however the installation ends.
is_done || .venv/bin/python -c '
import fcntl, os
lock = os.open(".", os.O_RDONLY)
fcntl.flock(lock, fcntl.LOCK_EX)
os.set_inheritable(lock, True)
os.environ["BROADSIDE_SETUP_LOCKED"] = "yes"
os.execvp("sh", ["sh", "test.sh", "--install"])
'

PYTHONPATH="$PWD/.venv-test${PYTHONPATH:+:$PYTHONPATH}" exec .venv/bin/python -m pytest --quiet -p no:cacheprovider "$@"
