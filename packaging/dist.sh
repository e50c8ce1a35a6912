#!/bin/sh
# What a release hands out, made of the last commit: dist.sh FOLDER VERSION
#
#     oomkb-VERSION.tar.gz                 the source
#     oomkb-VERSION-linux-MACHINE.tar.gz   a static program, its manual, licences
#     oomkb-VERSION-linux-MACHINE.cdx.json what is linked into it (CycloneDX)
#     oomkb_VERSION-1_MACHINE.deb          built against shared libraries
#     oomkb-VERSION-py3-none-*.whl         for Python; *.cdx.json beside it
#     oomkb-VERSION.tgz                    for npm; *.cdx.json beside it
#     SHA256SUMS
#
# CROSS=1: the static program for aarch64, too.
# MAINTAINER='Name <address>': who answers for the Debian package. The project
# has no address of its own, so the default is one that nobody has (RFC 2606).
#
# The wheel needs python3-venv and PyPI (`make wheel`), the npm package emscripten
# (`make wasm`): where one cannot be made, that is said and the rest stands.
#
# The programs are built from the source tarball, unpacked beside them, so it is
# complete. The same commit and the same packages give the same bytes in any
# folder: times are those of the commit, paths are mapped away.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
version=$2
source=oomkb-$version
linked="libc6-dev libjansson-dev liblzma-dev libpcre2-dev libsqlite3-dev libyaml-dev
libzstd-dev zlib1g-dev"
work=$out/work
maintainer=${MAINTAINER:-$(sed -n 's/^Maintainer: //p' packaging/debian/control)}
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export LC_ALL=C TZ=UTC0
unset MAKEFLAGS MFLAGS CFLAGS
umask 022
jobs=$(nproc)
flags="CFLAGS=-O2 -ffile-prefix-map=$work/$source=."
wheel_cache=${WHEEL_CACHE:-$HOME/.cache/oomkb-wheel}
wasm_cache=${WASM_CACHE:-$HOME/.cache/oomkb-wasm}

pack() { # FOLDER, in $work: times, order and owners say nothing of this machine
    tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner --format=gnu -c "$1" | gzip -n -9 > "$out/$1.tar.gz"
}

make_source() {
    [ -z "$(git status --porcelain --untracked-files=no)" ] ||
        echo "dist: changes that are not committed are left out" >&2
    git archive --format=tar --prefix="$source/" HEAD | tar -C "$work" -x
    pack "$source"
}

# Whose code the static program holds, as their packages say it.
put_licences() { # FOLDER
    mkdir -p "$1"
    cp LICENSE "$1/oomkb"
    for package in $linked; do
        cp "/usr/share/doc/$package/copyright" "$1/$package"
    done
}

build() { # COMMAND...: what it says is of interest when it fails
    (cd "$work/$source" && "$@") > "$work/log" 2>&1 || {
        tail -n 40 "$work/log"
        exit 1
    }
}

bill() { # NAME PACKAGES
    # shellcheck disable=SC2086
    python3 packaging/sbom.py "$1" "$version" $2 > "$out/$1.cdx.json"
}

make_static() { # MACHINE DEBIAN_NAME STRIP MAKE_ARGUMENTS...
    static=$source-linux-$1
    debian=$2 strip=$3
    shift 3
    build make -j"$jobs" "$flags" "$@"
    mkdir "$work/$static"
    install -m 755 "$work/$source/build/oomkb-static" "$work/$static/oomkb"
    "$strip" -s "$work/$static/oomkb"
    cp docs/oomkb.1 "$work/$static/"
    put_licences "$work/$static/licences"
    pack "$static"
    # shellcheck disable=SC2086
    bill "$static" "$(printf "%s:$debian " $linked)"
}

left_out() {
    echo "dist: left out: $1" >&2
}

# Of the programs at hand, with the index that they just compiled.
make_wheel() {
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        { left_out "the wheel: needs python3-venv"; return; }
    python/tools.sh "$wheel_cache/venv" 2>/dev/null ||
        { left_out "the wheel: needs Zig, build and auditwheel from PyPI"; return; }
    build make wheel "$flags" WHEEL_CACHE="$wheel_cache"
    mv "$work/$source"/build/wheel/*.whl "$out/"
    name=$(cd "$out" && echo *.whl)
    bill "${name%.whl}" "$(cat "$wheel_cache/contents")"
}

make_npm() {
    { command -v emcc && command -v node && command -v tclsh; } >/dev/null ||
        { left_out "the npm package: needs emscripten, nodejs and tcl"; return; }
    build make wasm "$flags" WASM_CACHE="$wasm_cache"
    mv "$work/$source"/build/wasm/*.tgz "$out/"
    bill "$source-npm" "$(cat "$wasm_cache/contents")"
}

make_deb() {
    cp -r packaging/debian "$work/$source/debian"
    sed -i "s/^Maintainer: .*/Maintainer: $maintainer/" "$work/$source/debian/control"
    cat > "$work/$source/debian/changelog" <<END
oomkb ($version-1) unstable; urgency=medium

  * Release $version. What changed stands in CHANGELOG.md.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
    build env DEB_BUILD_OPTIONS="noautodbgsym parallel=$jobs" \
        dpkg-buildpackage -b -us -uc
    mv "$work"/oomkb_*.deb "$out/"
}

rm -rf "$work" "$out"/*.tar.gz "$out"/*.deb "$out"/*.cdx.json "$out"/*.whl "$out"/*.tgz
mkdir "$work"
make_source
make_static "$(uname -m)" "$(dpkg --print-architecture)" strip build/oomkb-static
make_wheel
make_npm
rm -rf "$work/$source/build"
[ -z "${CROSS:-}" ] ||
    make_static aarch64 arm64 aarch64-linux-gnu-strip build/oomkb-static \
        CC=aarch64-linux-gnu-gcc RUN=qemu-aarch64-static
rm -rf "$work/$source/build"
make_deb
rm -rf "$work"
cd "$out"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum -- |
    tee SHA256SUMS
lintian --allow-root --fail-on error ./*.deb
