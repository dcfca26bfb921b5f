#!/bin/sh
# Runs the bot's own tests. Quiet when they pass.
set -eu
cd "$(dirname "$0")"
./setup.sh
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not as gofmt would write it: $unformatted" >&2; exit 1; }
go vet ./...
output=$(go test ./... 2>&1) || { printf '%s\n' "$output" >&2; exit 1; }
