#!/bin/sh
# Runs the bot's tests, with GoogleTest, which it installs as setup.sh does; says nothing if all pass.
set -eu
cd "$(dirname "$0")"
./setup.sh
if command -v flock >/dev/null; then
    exec 9<.
    flock 9
fi
limit=
if command -v timeout >/dev/null; then limit='timeout 300'; fi
sh install.sh 'libgtest-dev openssl'
report=$(mktemp)
trap 'rm -f "$report"' EXIT
{ cmake -B build --log-level=WARNING && cmake --build build --target bot_tests && $limit build/bot_tests; } >"$report" 2>&1 || {
    cat "$report"
    exit 1
}
