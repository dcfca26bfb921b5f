#!/bin/sh
# Makes .venv beside this file and installs requirements.txt into it, unless that is done already.
# BROADSIDE_PYTHON names the interpreter (default: python3). Safe to run twice at the same time.
set -eu
cd "$(dirname "$0")"

python=${BROADSIDE_PYTHON:-python3}
version=$("$python" -c 'import sys; print(sys.version, sys.base_prefix)')
wanted="$version
$(cat requirements.txt)"

is_done() { [ -x .venv/bin/python ] && [ "$(cat .venv/installed 2>/dev/null)" = "$wanted" ]; }

is_done && exit 0

if [ "${BROADSIDE_SETUP_LOCKED:-}" != yes ]; then
    # Hold a lock for the rest of this script: the kernel frees it however the script ends.
    export BROADSIDE_SETUP_LOCKED=yes
    exec "$python" -c '
import fcntl, os, sys
lock = os.open(".", os.O_RDONLY)
fcntl.flock(lock, fcntl.LOCK_EX)
os.set_inheritable(lock, True)
os.execvp("sh", ["sh", sys.argv[1]])
' "./$(basename "$0")"
fi

"$python" -m venv --clear .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
printf '%s\n' "$wanted" >.venv/installed
