# A bare Debian in a folder, for scripts that source this file. Needs root and
# debootstrap. The mirror is the one that this machine's apt uses.
#
#     start_roots                     a folder for them, $work; gone at exit
#     make_root SUITE PACKAGES        its folder is $root; minbase and PACKAGES
#     inside COMMAND USER             run a command there
#     end_root                        nothing stays mounted

start_roots() {
    [ "$(id -u)" = 0 ] || { echo "needs root, for debootstrap" >&2; exit 2; }
    command -v debootstrap >/dev/null ||
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq debootstrap >/dev/null
    mirror=$(apt-get indextargets --format '$(SITE)' | grep '/debian/\{0,1\}$' | head -n 1)
    [ -n "$mirror" ] || { echo "this machine's apt names no Debian mirror" >&2; exit 2; }
    work=$(mktemp -d)
    root=
    trap leave_roots EXIT INT TERM
}

end_root() {
    [ -n "$root" ] || return 0
    umount -R "$root/dev" 2>/dev/null || umount "$root/dev" 2>/dev/null || :
    umount "$root/proc" 2>/dev/null || :
}

leave_roots() {
    end_root
    rm -rf --one-file-system "$work"
}

make_root() { # SUITE PACKAGES
    root=$work/$1
    debootstrap --variant=minbase "$1" "$root" "$mirror" >"$work/$1.log" 2>&1 || {
        tail -n 20 "$work/$1.log"; exit 1; }
    cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
    cp /etc/hosts "$root/etc/hosts" 2>/dev/null || :
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev" 2>/dev/null || mount -o bind /dev "$root/dev"
    mount --make-rslave "$root/dev" 2>/dev/null || :
    inside "apt-get update -qq" root
    [ -z "$2" ] ||
        inside "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $2 >/dev/null 2>&1" root
    inside "useradd -m guest" root
}

inside() { # COMMAND USER
    chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        su "$2" -c "$1"
}
