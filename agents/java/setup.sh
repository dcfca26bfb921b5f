#!/bin/sh
# Makes the bot ready to run: generates Java from the contract and builds target/bot.jar, unless that is done already. It
# needs a JDK and Maven. BROADSIDE_PROTO names the folder with the contract (default: this checkout's). Safe to run twice at
# the same time.
set -eu
proto=${BROADSIDE_PROTO:-$(dirname "$0")/../../proto}
[ -f "$proto/broadside/v1/agent.proto" ] || {
    echo "there is no broadside/v1/agent.proto in $proto: set BROADSIDE_PROTO to the folder that has it" >&2
    exit 1
}
proto=$(cd "$proto" && pwd)
cd "$(dirname "$0")"

# What the bot is made from: toolchain, contract, sources.
wanted() {
    readlink -f "$(command -v javac)" "$(command -v mvn)"
    (cd "$proto" && find broadside -name '*.proto' -exec cksum {} + | sort)
    find src/main pom.xml setup.sh -type f -exec cksum {} + | sort
}
is_done() { [ -f target/bot.jar ] && [ "$(cat target/made-from 2>/dev/null)" = "$(wanted)" ]; }

install_jdk() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
    apt-get update -qq && apt-get install -qq -y --no-install-recommends openjdk-17-jdk-headless maven
} >&2

command -v javac >/dev/null 2>&1 && command -v mvn >/dev/null 2>&1 || install_jdk || {
    echo "install a JDK (17 or later) and Maven (3.8 or later), then run this again" >&2
    exit 1
}

is_done && exit 0
if command -v flock >/dev/null 2>&1; then # macOS has none
    exec 9<.
    flock 9
    is_done && exit 0
fi

rm -rf target
output=$(mvn --quiet --batch-mode --no-transfer-progress -Dbroadside.proto="$proto" -Dmaven.test.skip=true package 2>&1) || {
    printf '%s\n' "$output" >&2
    exit 1
}
wanted >target/made-from
