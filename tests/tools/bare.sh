#!/bin/sh
# As a newcomer: the README's two commands in a new Debian 12 and 13 with
# nothing optional installed, as root and as a user with sudo. Needs root and
# debootstrap; takes an hour. The mirror is the one that this machine's apt
# uses. Says how long each command took; exits 1 when one failed.
#
#     bare.sh [SUITE...]         default: bookworm trixie
#     BARE_USERS=root            one of the two users alone
set -eu
cd "$(dirname "$0")/../.."
suites=${*:-bookworm trixie}
[ "$(id -u)" = 0 ] || { echo "bare.sh: needs root, for debootstrap" >&2; exit 2; }
command -v debootstrap >/dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq debootstrap >/dev/null

mirror=$(apt-get indextargets --format '$(SITE)' | grep '/debian/\{0,1\}$' | head -n 1)
[ -n "$mirror" ] || { echo "bare.sh: this machine's apt names no Debian mirror" >&2; exit 2; }
work=$(mktemp -d)
root=
leave() {
    for place in proc dev/shm dev; do
        [ -z "$root" ] || umount "$root/$place" 2>/dev/null || :
    done
    rm -rf --one-file-system "$work"
}
trap leave EXIT INT TERM

make_root() { # SUITE
    root=$work/$1
    debootstrap --variant=minbase "$1" "$root" "$mirror" >"$work/$1.log" 2>&1 || {
        tail -n 20 "$work/$1.log"; exit 1; }
    cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
    cp /etc/hosts "$root/etc/hosts" 2>/dev/null || :
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev" 2>/dev/null || mount -o bind /dev "$root/dev"
    mount --make-rslave "$root/dev" 2>/dev/null || :
    # What a newcomer has: make, git's clone, and sudo for the second user.
    inside "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends make sudo >/dev/null" root
    inside "useradd -m guest && echo 'guest ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/guest" root
}

inside() { # COMMAND USER
    chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        su "$2" -c "$1"
}

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
    make_root "$suite"
    for user in ${BARE_USERS:-root guest}; do
        home=/root
        [ "$user" = root ] || home=/home/guest
        put_clone "$home" "$user"
        try "$suite" "$user" "make demo"
        try "$suite" "$user" "make check"
    done
    umount -R "$root/dev" "$root/proc" 2>/dev/null || umount "$root/dev" "$root/proc" || :
done
exit $failed
