#!/bin/sh
# As a newcomer: the README's two commands in a new Debian 12 and 13 with
# nothing optional installed, as root and as a user with sudo. Takes an hour.
# Says how long each command took; exits 1 when one failed.
#
#     bare.sh [SUITE...]         default: bookworm trixie
#     BARE_USERS=root            one of the two users alone
set -eu
cd "$(dirname "$0")/../.."
. tests/tools/root.sh
suites=${*:-bookworm trixie}
start_roots

put_clone() { # HOME USER
    rm -rf "${root:?}$1/oomkb"
    git clone -q . "$root$1/oomkb"
    inside "chown -R $2: $1/oomkb" root
}

failed=0
try() { # SUITE USER COMMAND
    start=$(date +%s)
    if inside "cd ~$2/oomkb && $3" "$2" >"$work/out" 2>&1; then word=ok; else word=FAILED failed=1; fi
    echo "$word  $1, $2: $3: $(($(date +%s) - start)) s: $(tail -n 1 "$work/out")"
    [ "$word" = ok ] || { grep -A 12 '^FAIL' "$work/out" || tail -n 40 "$work/out"; }
}

for suite in $suites; do
    # What a newcomer has: make, git's clone, and sudo for the second user.
    make_root "$suite" "make sudo"
    inside "echo 'guest ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/guest" root
    for user in ${BARE_USERS:-root guest}; do
        home=/root
        [ "$user" = root ] || home=/home/guest
        put_clone "$home" "$user"
        try "$suite" "$user" "make demo"
        try "$suite" "$user" "make check"
    done
    end_root
done
exit $failed
