#!/bin/sh
# install.sh 'PACKAGE ...': installs those of the Debian packages that are missing, or says what to install.
set -eu
command -v dpkg-query >/dev/null || exit 0 # another system: CMake says what it does not find
missing=
for package in $1; do
    case $(dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null) in
    'install ok installed') ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0
[ "$(id -u)" = 0 ] || {
    echo "install.sh: packages are missing; install them: sudo apt-get install$missing" >&2
    exit 1
}

# One at a time on this machine, whichever checkout it is for; and after whoever else uses dpkg.
exec 8</var/lib/dpkg
flock 8
export DEBIAN_FRONTEND=noninteractive
install() {
    # shellcheck disable=SC2086
    apt-get --quiet=2 --yes --no-install-recommends -o DPkg::Lock::Timeout=600 install $missing >/dev/null
}
install 2>/dev/null || { # the lists may be old, or not there at all
    apt-get --quiet=2 update >/dev/null || :
    install || {
        echo "install.sh: apt-get could not install$missing" >&2
        exit 1
    }
}
