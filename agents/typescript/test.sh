#!/bin/sh
# Runs the bot's tests, with node's test runner; says nothing if all pass.
set -eu
cd "$(dirname "$0")"
./setup.sh
report=$(mktemp)
trap 'rm -f "$report"' EXIT
node --test --test-timeout=60000 --test-reporter=spec dist/test/*.test.js >"$report" 2>&1 || {
    cat "$report"
    exit 1
}
