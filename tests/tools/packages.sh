#!/bin/sh
# Make sure that the packages of a purpose are there: packages.sh build|test|bench|dist|cross|wasm|wheel|fuzz
# Debian and Ubuntu: installs what is missing (root, or sudo). Elsewhere: names
# them and stops. The peers of the bench are welcome, not needed.
set -eu

build="gcc make libc6-dev libsqlite3-dev libpcre2-dev libyaml-dev
libjansson-dev zlib1g-dev libzstd-dev liblzma-dev"
test="cmark-gfm libcmocka-dev pmccabe python3 python3-jsonschema python3-yaml g++ clang mandoc
binutils pkg-config abigail-tools"
dist="debhelper dpkg-dev git lintian python3"
cross="gcc-aarch64-linux-gnu qemu-user-static libsqlite3-dev:arm64 libpcre2-dev:arm64
libyaml-dev:arm64 libjansson-dev:arm64 zlib1g-dev:arm64 libzstd-dev:arm64 liblzma-dev:arm64"
sources="bzip2 dpkg-dev tcl xz-utils" # to unpack those of libraries, and to make SQLite's
wasm="$sources emscripten nodejs"
wheel="$sources python3-venv"
fuzz="clang libclang-rt-dev" # libFuzzer

peers="ripgrep g++ libvectorscan-dev libre2-dev"
optional=

case "${1-}" in
build) wanted=$build ;;
test) wanted="$build $test" ;;
bench) wanted=$build optional=$peers ;;
dist) wanted="$build $dist" ;;
cross) wanted="$build $dist $cross" ;;
wasm) wanted="$build $wasm" ;;
wheel) wanted="$build $wheel" ;;
fuzz) wanted="$build $test $fuzz" ;;
*) echo "usage: packages.sh build|test|bench|dist|cross|wasm|wheel|fuzz" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Another system: trust the compiler to say what is missing, if all is well.
    if printf '#include <sqlite3.h>\n#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>\n#include <yaml.h>\n#include <jansson.h>\n#include <zlib.h>
#include <zstd.h>\n#include <lzma.h>\n' | ${CC:-cc} -fsyntax-only -x c - 2>/dev/null; then
        exit 0
    fi
    echo "oomkb: this is not Debian or Ubuntu; please install the packages that" \
         "correspond to:" $wanted >&2
    exit 1
fi

is_there() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
        grep -q 'install ok installed'
}

missing= wished=
for package in $wanted; do is_there "$package" || missing="$missing $package"; done
for package in $optional; do is_there "$package" || wished="$wished $package"; done
[ -n "$missing$wished" ] || exit 0
sudo=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1; then
        sudo=sudo
    elif [ -n "$missing" ]; then
        echo "oomkb: missing packages, and neither root nor sudo:$missing" >&2
        exit 1
    else
        echo "not installed, neither root nor sudo:$wished" >&2
        exit 0
    fi
fi

# shellcheck disable=SC2086
install() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends "$@" >/dev/null
}
echo "installing:$missing$wished"
case "$missing" in
*:arm64*) $sudo dpkg --add-architecture arm64 ;;
esac
$sudo apt-get update -qq || [ -z "$missing" ]
# shellcheck disable=SC2086
[ -z "$missing" ] || install $missing
for package in $wished; do
    install "$package" 2>/dev/null || echo "not to be had: $package" >&2
done
