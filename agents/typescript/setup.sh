#!/bin/sh
# Makes the bot ready to run: installs its packages into node_modules, generates code from the proto files and compiles
# it all into dist. Does nothing if that is done already. Safe to run twice at the same time (where there is flock).
# BROADSIDE_PROTO names the folder of the proto files (default: this checkout's).
set -eu
proto=${BROADSIDE_PROTO:-$(dirname "$0")/../../proto}
[ -d "$proto/broadside/v1" ] || {
    echo "setup.sh: no proto files in $proto: set BROADSIDE_PROTO to the folder that has broadside/v1" >&2
    exit 1
}
proto=$(cd "$proto" && pwd)
cd "$(dirname "$0")"
for tool in node npm; do
    command -v "$tool" >/dev/null || {
        echo "setup.sh: $tool is missing: install Node.js 20 or later" >&2
        exit 1
    }
done

fingerprint() {
    node --version
    cksum package.json package-lock.json
    [ "$1" = packages ] && return
    cksum setup.sh buf.gen.yaml tsconfig.json src/*.ts test/*.ts "$proto"/broadside/v1/*.proto
}
packages=$(fingerprint packages)
wanted=$(fingerprint everything)

is_done() { [ -d node_modules ] && [ "$(cat dist/built 2>/dev/null)" = "$wanted" ]; }

is_done && exit 0

if command -v flock >/dev/null; then # freed by the kernel, however this script ends
    exec 9<.
    flock 9
    is_done && exit 0
fi

if [ "$(cat node_modules/.installed 2>/dev/null)" != "$packages" ]; then
    npm ci --include=dev --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null
    printf '%s\n' "$packages" >node_modules/.installed
fi
rm -rf dist
PATH=$PWD/node_modules/.bin:$PATH buf generate "$proto" --path "$proto/broadside/v1" >&2
node_modules/.bin/tsc >&2
printf '%s\n' "$wanted" >dist/built
