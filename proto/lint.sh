#!/bin/sh
# Checks the contract with buf (its npm package ships the binary): lint, format, vendoring, and no breaking change against landed.binpb,
# the schema as it last landed. With --land that file is written anew once the checks have passed.
set -eu
cd "$(dirname "$0")"

if ! command -v npx >/dev/null 2>&1; then
    echo "SKIPPED: there is no npx on this machine, so that the contract is NOT linted" >&2
    [ "${CI:-}" = true ] && exit 1
    exit 0
fi

buf() { npx --yes --package @bufbuild/buf@1.75.0 -- buf "$@"; }

buf lint
buf format --diff --exit-code
if [ -f landed.binpb ]; then
    buf breaking --against landed.binpb
fi
# As an outsider takes it: whole, with its page and its licence, and it builds where nothing else is.
vendored=$(mktemp -d)
trap 'rm -rf "$vendored"' EXIT
buf export . --all --output "$vendored"
for file in README.md LICENSE broadside/v1/*.proto; do
    cmp "$file" "$vendored/$file"
done
buf build "$vendored" --output "$vendored/contract.binpb"
cmp LICENSE ../LICENSE
if [ "${1:-}" = --land ]; then
    buf build --exclude-source-info --output landed.binpb
fi
echo "the contract is clean"
