#!/bin/sh
# Makes docs/contract/ from the comments of the contract: pages to open in a browser, with a search. It needs npx, whose buf reads the
# contract, and python3, for the generator (sabledocs, in an environment of its own under target/).
set -eu
cd "$(dirname "$0")"

for needed in npx python3; do
    command -v $needed >/dev/null 2>&1 && continue
    echo "SKIPPED: there is no $needed on this machine, so that docs/contract is NOT made" >&2
    [ "${CI:-}" = true ] && exit 1
    exit 0
done

version=0.19.1050
tools=../target/sabledocs-$version
if [ ! -x "$tools/bin/sabledocs" ]; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check "sabledocs==$version"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npx --yes --package @bufbuild/buf@1.75.0 -- buf build --output "$work/contract.binpb"
cat >"$work/sabledocs.toml" <<END
module-title = "The Broadside contract"
input-descriptor-file = "$work/contract.binpb"
main-page-content-file = "$work/main.md"
output-dir = "$work/pages"
member-ordering = "preserve"
END
cat >"$work/main.md" <<'END'
What a bot and the arena say to each other, message by message. How the messages follow one another, and what to do on each
error, is in `docs/protocol.md`; start at the service `GatewayService` if your bot dials in, at `AgentService` if it is dialled, and in both cases at
the message `Turn`.
END
(cd "$work" && "$OLDPWD/$tools/bin/sabledocs") >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
# Every message, call and enum has its place, or the pages are not what they say.
kinds='message|enum|service'
for file in broadside/v1/*.proto; do
    sed -nE "s/^($kinds) ([A-Za-z]+) .*/\1-broadside.v1.\2/p" "$file"
done | while read -r place; do
    grep -q "id=\"$place\"" "$work/pages/broadside.v1.html" && continue
    echo "the pages have no $place" >&2
    exit 1
done
rm -rf ../docs/contract
mv "$work/pages" ../docs/contract
echo "docs/contract/index.html"
