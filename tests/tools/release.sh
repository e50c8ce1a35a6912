#!/bin/sh
# What a release hands out, as its users meet it: release.sh DIST VERSION
# Built of the last commit into DIST, and again in another folder: both are
# equal. Each artifact is installed and used in a new Debian 12: the static
# program before anything else is there, the package by apt, the source by the
# README's commands. Ends with `N passed, N failed`.
set -eu
cd "$(dirname "$0")/../.."
. tests/tools/root.sh
mkdir -p "$1"
dist=$(cd "$1" && pwd)
version=$2
machine=$(uname -m)
start_roots
passed=0 failed=0

try() { # WHAT COMMAND...
    what=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1))
        echo "ok    $what"
    else
        failed=$((failed + 1))
        echo "FAIL  $what"
        tail -n 20 "$work/out" | sed 's/^/    /'
    fi
}

once() {
    git clone -q . "$work/one" && "$work/one/packaging/dist.sh" "$dist" "$version"
}

again() { # the same commit, in a folder of another name and depth, libraries anew
    git clone -q "$work/one" "$work/another/folder/of/oomkb" &&
        WHEEL_CACHE="$work/wheel" WASM_CACHE="$work/wasm" \
            "$work/another/folder/of/oomkb/packaging/dist.sh" "$work/second" "$version" &&
        diff "$dist/SHA256SUMS" "$work/second/SHA256SUMS"
}

# A failure answered, a fit, a base of one's own, the version: no file of the
# source tree is in reach but a log and an entry.
use() { # PROGRAM
    inside "set -e; cd ~guest
        $1 --version | grep -qx 'oomkb $version'
        $1 crash.log | grep -F '[vllm/kv-cache-too-small]'
        gzip -c crash.log | $1 --format json --redact | grep -F kv-cache-too-small
        $1 fit --model Qwen/Qwen2.5-7B-Instruct --gpu H100 --max-model-len 32k
        $1 search 'shared memory' | grep -F shm
        $1 check own/entries
        $1 build own/entries -o own.db
        $1 --kb own.db list" guest
}

static() {
    tar -C "$root/opt" -xzf "$dist"/oomkb-"$version-linux-$machine".tar.gz &&
        use /opt/oomkb-"$version-linux-$machine"/oomkb
}

package() {
    cp "$dist"/*.deb "$root/tmp/" &&
        inside "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /tmp/oomkb_*.deb" root &&
        use oomkb &&
        inside "test -f /usr/share/man/man1/oomkb.1.gz &&
            bash -c 'source /usr/share/bash-completion/completions/oomkb && complete -p oomkb'" guest
}

purge() {
    inside "dpkg -L oomkb >/tmp/files && apt-get purge -y oomkb &&
        while read -r file; do test -d \$file || ! test -e \$file || exit 1; done </tmp/files" root
}

source_tree() {
    tar -C "$root/root" -xzf "$dist/oomkb-$version.tar.gz" &&
        inside "apt-get install -y --no-install-recommends make pkg-config >/dev/null &&
            cd /root/oomkb-$version && make demo && make install && ldconfig &&
            gcc examples/support-bot.c \$(pkg-config --cflags --libs oomkb) -o /tmp/bot" root &&
        use oomkb
}

wheel() {
    cp "$dist"/*.whl "$root/tmp/" && cp python/check_wheel.sh "$root/tmp/" &&
        inside "apt-get install -y --no-install-recommends python3-venv" root &&
        inside "sh /tmp/check_wheel.sh /tmp/oomkb-$version-*.whl python3" guest
}

# As npm lays it out, and by both of its doors.
npm_package() {
    mkdir -p "$root/home/guest/node_modules" &&
        tar -C "$root/home/guest/node_modules" -xzf "$dist/oomkb-$version.tgz" &&
        mv "$root/home/guest/node_modules/package" "$root/home/guest/node_modules/oomkb" &&
        inside "apt-get install -y --no-install-recommends nodejs" root &&
        inside "cd ~guest
            node node_modules/oomkb/cli.mjs < crash.log | grep -F '[vllm/kv-cache-too-small]' &&
            node -e \"require('oomkb').open().then(kb => console.log(kb.version))\" | grep -qx $version &&
            echo \"import { open } from 'oomkb'; console.log((await open()).version)\" > use.mjs &&
            node use.mjs | grep -qx $version" guest
}

when_there() { # FILE WHAT COMMAND: dist says why there is none
    [ -e "$1" ] || { echo "skipped: $2: dist left it out"; return 0; }
    try "$2" "$3"
}

# Without one file of a Debian: the program, a log and nothing else.
alone() {
    mkdir -p "$work/alone/tmp" &&
        tar -C "$work/alone" --strip-components=1 -xzf "$dist"/oomkb-"$version-linux-$machine".tar.gz &&
        cp examples/vllm-long-context.log "$work/alone/" &&
        chroot "$work/alone" /oomkb vllm-long-context.log | grep -F '[vllm/kv-cache-too-small]'
}

# Emulated: every log of the corpus is answered as the program of this machine does.
aarch64() {
    mkdir -p "$work/here" "$work/there" &&
        tar -C "$work/here" --strip-components=1 -xzf "$dist/oomkb-$version-linux-$machine.tar.gz" &&
        tar -C "$work/there" --strip-components=1 -xzf "$dist/oomkb-$version-linux-aarch64.tar.gz" &&
        for log in entries/*/*.log; do
            "$work/here/oomkb" --format json "$log" > "$work/a" || [ $? = 1 ] || return 1
            qemu-aarch64-static "$work/there/oomkb" --format json "$log" > "$work/b" ||
                [ $? = 1 ] || return 1
            cmp "$work/a" "$work/b" || return 1
        done
}

bill() { # every component has a name, a version and a place of its own
    python3 - "$dist"/*.cdx.json <<'END'
import json, sys
for path in sys.argv[1:]:
    bom = json.load(open(path))
    refs = [c["bom-ref"] for c in bom["components"] if c["name"] and c["version"]]
    parts = 8 if "linux" in path and "manylinux" not in path else 6
    assert len(refs) == len(set(refs)) == parts, path
    assert bom["dependencies"][0]["dependsOn"] == refs, path
END
}

try "make dist" once
try "two builds in different folders are equal" again
try "the bill of materials" bill
try "the static program in an empty root" alone
[ -z "${CROSS:-}" ] || try "the program for aarch64, emulated" aarch64
make_root bookworm ""
cp examples/vllm-long-context.log "$root/home/guest/crash.log"
cp -r tests/good "$root/home/guest/own"
cp kb/ranking.yaml "$root/home/guest/own/kb/"
inside "chown -R guest: /home/guest" root
try "the static program in a bare Debian 12" static
try "the package, installed by apt" package
try "the package leaves nothing when purged" purge
when_there "$dist"/oomkb-"$version"-py3-*.whl "the wheel, in a virtual environment" wheel
when_there "$dist/oomkb-$version.tgz" "the npm package, by import and by require" npm_package
try "the source: make demo, make install" source_tree
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
