#!/bin/sh
# Runs the bot's own tests. Quiet when they pass. Generates and builds what they need if the contract or a source is newer.
set -eu
proto=${BROADSIDE_PROTO:-$(dirname "$0")/../../proto}
proto=$(cd "$proto" && pwd)
cd "$(dirname "$0")"
./setup.sh
output=$(mvn --quiet --batch-mode --no-transfer-progress -Dbroadside.proto="$proto" test 2>&1) || {
    printf '%s\n' "$output" >&2
    exit 1
}
