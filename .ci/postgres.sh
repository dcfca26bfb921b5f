#!/bin/sh
# Runs a command with a PostgreSQL server for its tests: sh .ci/postgres.sh cargo test --workspace
#
# The server is this machine's, or Debian's, which is installed if there is none (as root). Its cluster is made anew in a temporary
# directory, and gone at the end. BROADSIDE_TEST_POSTGRES says where it is; if that is set already, nothing is started.
set -eu

[ $# -gt 0 ] || { echo "usage: sh .ci/postgres.sh COMMAND..." >&2; exit 2; }
if [ -n "${BROADSIDE_TEST_POSTGRES:-}" ]; then exec "$@"; fi

# Debian keeps the server's programs out of the PATH; the newest version is the last.
find_programs() {
    for initdb in /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb /usr/local/bin/initdb /opt/homebrew/bin/initdb; do
        [ -x "$initdb" ] && programs=$(dirname "$initdb")
    done
    if [ -z "$programs" ] && initdb=$(command -v initdb); then programs=$(dirname "$initdb"); fi
    [ -n "$programs" ]
}

programs=
if ! find_programs; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "there is no PostgreSQL server here: install one (Debian: apt-get install postgresql), or name one in BROADSIDE_TEST_POSTGRES" >&2
        exit 1
    fi
    apt-get update >&2
    # Without a cluster of the machine's own.
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postgresql >&2
    find_programs || { echo "the package postgresql has brought no initdb" >&2; exit 1; }
fi

# PostgreSQL does not run as root.
if [ "$(id -u)" -eq 0 ]; then
    user=postgres
    id "$user" >/dev/null 2>&1 || user=nobody
    as_user() { (cd / && setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"); }
else
    as_user() { "$@"; }
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/broadside-postgres.XXXXXX")
command=
stop() {
    trap '' HUP INT TERM
    [ -z "$command" ] || kill "$command" 2>/dev/null || :
    if [ -f "$directory/data/postmaster.pid" ]; then
        as_user "$programs/pg_ctl" --pgdata="$directory/data" --mode=immediate --wait stop >/dev/null || :
    fi
    rm -rf "$directory"
}
trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
[ "$(id -u)" -ne 0 ] || chown "$user" "$directory"

as_user "$programs/initdb" --pgdata="$directory/data" --username=broadside --auth=trust --encoding=UTF8 --locale=C --no-sync >"$directory/initdb.log" 2>&1 || {
    cat "$directory/initdb.log" >&2
    exit 1
}

# Another may take the port between its choice and the start: then it is the next one's turn.
attempt=0
while :; do
    port=$((20000 + ($$ + attempt * 7919) % 10000))
    if as_user "$programs/pg_ctl" --pgdata="$directory/data" --wait --log="$directory/server.log" --options="-c port=$port \
-c listen_addresses=127.0.0.1 -c unix_socket_directories='$directory' -c fsync=on -c max_connections=400" start >/dev/null; then
        break
    fi
    attempt=$((attempt + 1))
    if [ "$attempt" -ge 10 ]; then
        cat "$directory/server.log" >&2
        exit 1
    fi
done

export BROADSIDE_TEST_POSTGRES="postgres://broadside@127.0.0.1:$port/postgres"
# In the background, so that a signal is not kept waiting until the command ends.
"$@" <&0 &
command=$!
status=0
wait "$command" || status=$?
command=
exit "$status"
