#!/bin/sh
# Makes the bot ready to run: generates Java from the contract and builds target/bot.jar, unless that is done already. It
# needs a JDK and Maven, and as root on Debian or Ubuntu installs those that are missing. BROADSIDE_PROTO names the folder with
# the contract (default: this checkout's). Safe to run twice at the same time (where there is flock).
set -eu
proto=${BROADSIDE_PROTO:-$(dirname "$0")/../../proto}
[ -f "$proto/broadside/v1/agent.proto" ] || {
    echo "there is no broadside/v1/agent.proto in $proto: set BROADSIDE_PROTO to the folder that has it" >&2
    exit 1
}
proto=$(cd "$proto" && pwd)
cd "$(dirname "$0")"

install_jdk() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
    wait=DPkg::Lock::Timeout=300 # for another apt-get to end
    apt-get -o "$wait" update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get -o "$wait" install -qq -y --no-install-recommends default-jdk-headless maven
} >&2

# The javac that macOS has without a JDK only fails.
has_jdk() { command -v mvn >/dev/null 2>&1 && javac -version >/dev/null 2>&1; }

has_jdk || install_jdk || {
    echo "install a JDK (17 or later) and Maven (3.8 or later), then run this again" >&2
    exit 1
}

# What the bot is made from: toolchain, contract, sources. Taken before it is made: what is changed meanwhile is made next time.
fingerprint() {
    command -v javac
    javac -version 2>&1
    command -v mvn
    (cd "$proto" && find broadside -name '*.proto' -exec cksum {} + | sort)
    find src/main pom.xml setup.sh -type f -exec cksum {} + | sort
}
wanted=$(fingerprint)
is_done() { [ -f target/bot.jar ] && [ "$(cat target/made-from 2>/dev/null)" = "$wanted" ]; }

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
printf '%s\n' "$wanted" >target/made-from
