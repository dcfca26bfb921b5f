#!/bin/sh
# Makes the bot ready to run: installs the Debian packages that it needs, if this is root and they are missing, generates
# code from the proto files and compiles it all into build. Does nothing if that is done already. Safe to run twice at
# the same time (where there is flock).
# BROADSIDE_PROTO names the folder of the proto files (default: this checkout's).
set -eu
packages='cmake g++ libasio-dev libcli11-dev libgrpc++-dev libprotobuf-dev libssl-dev ninja-build protobuf-compiler protobuf-compiler-grpc'
proto=${BROADSIDE_PROTO:-$(dirname "$0")/../../proto}
[ -d "$proto/broadside/v1" ] || {
    echo "setup.sh: no proto files in $proto: set BROADSIDE_PROTO to the folder that has broadside/v1" >&2
    exit 1
}
proto=$(cd "$proto" && pwd)
cd "$(dirname "$0")"

toolchain() {
    pwd
    echo "$proto"
    # shellcheck disable=SC2086
    dpkg-query --show $packages 2>/dev/null || c++ --version
}
fingerprint() {
    toolchain
    cksum setup.sh CMakeLists.txt src/* "$proto"/broadside/v1/*.proto
}
is_done() { [ -x build/broadside-cpp-bot ] && [ "$(cat build/built 2>/dev/null)" = "$(fingerprint)" ]; }

is_done && exit 0

if command -v flock >/dev/null; then # freed by the kernel, however this script ends
    exec 9<.
    flock 9
    is_done && exit 0
fi

sh install.sh "$packages"
wanted=$(fingerprint) # of what is built now: what changes meanwhile is built next time

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
}

if [ "$(cat build/configured 2>/dev/null)" != "$(toolchain)" ]; then
    rm -rf build
    quietly cmake -G Ninja -B build -D BROADSIDE_PROTO="$proto"
    toolchain >build/configured
fi
quietly cmake --build build
printf '%s\n' "$wanted" >build/built
