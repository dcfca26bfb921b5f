#!/bin/sh
# Makes the bot ready to run: generates internal/pb from the contract and builds bin/bot, unless that is done already. It
# needs Go. BROADSIDE_PROTO names the folder with the contract (default: this checkout's). Safe to run twice at the same time
# (where there is flock).
set -eu
proto=${BROADSIDE_PROTO:-$(dirname "$0")/../../proto}
[ -f "$proto/broadside/v1/agent.proto" ] || {
    echo "there is no broadside/v1/agent.proto in $proto: set BROADSIDE_PROTO to the folder that has it" >&2
    exit 1
}
proto=$(cd "$proto" && pwd)
cd "$(dirname "$0")"

command -v go >/dev/null 2>&1 || {
    echo "there is no Go on this machine: install 1.26 or later (https://go.dev/dl), then run this again" >&2
    exit 1
}

# What the bot is made from: toolchain, contract, sources. Taken before it is made: what is changed meanwhile is made next time.
fingerprint() {
    go version
    (cd "$proto" && find broadside -name '*.proto' -exec cksum {} + | sort)
    find . -name pb -prune -o \( -name '*.go' -o -name 'go.*' -o -name buf.gen.yaml -o -name setup.sh \) -exec cksum {} + | sort
}
wanted=$(fingerprint)
is_done() { [ -x bin/bot ] && [ "$(cat bin/made-from 2>/dev/null)" = "$wanted" ]; }

# A buf that is installed, or npm's, which ships the binary; without either Go builds it, once, which takes minutes.
run_buf() {
    if command -v buf >/dev/null 2>&1; then
        buf "$@"
    elif command -v npx >/dev/null 2>&1; then
        npx --yes --package @bufbuild/buf@1.75.0 -- buf "$@"
    else
        go run github.com/bufbuild/buf/cmd/buf@v1.75.0 "$@"
    fi
}

is_done && exit 0
mkdir -p bin
if command -v flock >/dev/null 2>&1; then # macOS has none
    exec 9>bin/lock
    flock 9
    is_done && exit 0
fi

rm -rf bin/generated
run_buf generate "$proto" --output bin/generated
rm -rf internal/pb
mv bin/generated/internal/pb internal/pb
go build -o bin/bot.new .
mv bin/bot.new bin/bot
printf '%s\n' "$wanted" >bin/made-from
