#!/bin/sh
# The libraries that the engine is linked with, for where Debian has none of them:
# libraries.sh wasm|linux CACHE, with COMPILE and ARCHIVE, the commands of that target.
#
#     wasm     for the npm package: no threads, no files, no JIT
#     linux    for the wheel: for a glibc older than this machine's
#
#     CACHE/src/NAME    unpacked, with Debian's patches
#     CACHE/include     sqlite3.h pcre2.h jansson.h zlib.h zstd.h lzma.h
#     CACHE/lib/NAME.a
#     CACHE/licences/NAME
#     CACHE/contents    a line for each: src:NAME=VERSION, as Debian counts
#
# Sources are Debian 12's: apt fetches them from where this machine's packages
# come from, checks the archive's signature, and the sum below is of the file
# that the authors released. What is there already is not made again.
set -eu
target=$1
cache=$(mkdir -p "$2" && cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
jobs=${JOBS:-$(nproc)}
export NODE_PATH=/usr/share/nodejs # where Debian's emcc finds its own modules
unset EM_CACHE MAKEFLAGS MFLAGS

case $target in
wasm) sqlite="-DSQLITE_OS_OTHER=1 -DSQLITE_TEMP_STORE=3 -DSQLITE_THREADSAFE=0
        -DSQLITE_OMIT_WAL" pcre2= ;;
linux) sqlite=-DSQLITE_THREADSAFE=1 pcre2=-DSUPPORT_JIT ;;
*) echo "usage: libraries.sh wasm|linux CACHE" >&2; exit 2 ;;
esac

wanted="$target ${COMPILE##*/} $(cksum < "$here/libraries.sh")"
if [ "$(cat "$cache/made" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

# What another recipe left is not taken; what this one left half done is.
if [ "$(cat "$cache/begun" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$cache/src" "$cache/include" "$cache/lib"
    echo "$wanted" > "$cache/begun"
fi

# source, upstream's file, its SHA-256
sources="
sqlite3   sqlite3_3.40.1.orig.tar.xz        aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655
pcre2     pcre2_10.42.orig.tar.gz           c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f
jansson   jansson_2.14.orig.tar.gz          c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
zlib      zlib_1.2.13.dfsg.orig.tar.bz2     71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
libzstd   libzstd_1.5.4+dfsg2.orig.tar.xz   8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
xz-utils  xz-utils_5.4.1.orig.tar.xz        5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5
"

# An apt of our own, so that nothing of the system's is changed.
private_apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$cache/apt/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root \
        -o Dir::State::lists="$cache/apt/lists" \
        -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= "$@"
}

# apt_sources CODENAME...: those releases, from where this machine has them
apt_sources() {
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
        --format "deb-src [signed-by=$keys] \$(REPO_URI) \$(CODENAME) main" |
        sort -u | grep -w -e "$1 main" > "$cache/apt/sources.list" || {
        echo "$target: needs Debian 12 (bookworm) among apt's sources" >&2
        exit 1
    }
    private_apt update
    (cd "$cache/fetched" && private_apt source --download-only \
        $(echo "$sources" | awk '{ print $1 }')) > "$cache/log" 2>&1
}

# Of security's archive older fixes may be gone, of the release nothing is.
fetch() {
    mkdir -p "$cache/apt/lists/partial" "$cache/fetched"
    apt_sources 'bookworm.*' || { rm -f "$cache"/fetched/*
        apt_sources bookworm; } || { tail -n 5 "$cache/log" >&2; exit 1; }
}

unpack() { # SOURCE FILE SUM
    if [ -f "$cache/lib/$1.a" ]; then return; fi
    echo "$3  $cache/fetched/$2" | sha256sum --quiet -c ||
        { echo "$target: $2 is not the release that was tried" >&2; exit 1; }
    rm -rf "$cache/src/$1"
    mkdir -p "$cache/src"
    (cd "$cache/fetched" && dpkg-source --no-copy -x "$1"_*.dsc \
        "$cache/src/$1") > "$cache/log" 2>&1 ||
        { tail -n 5 "$cache/log" >&2; exit 1; }
}

# archive NAME FLAGS FILE...: relative to its source
archive() {
    name=$1 flags=$(echo $2) # one line
    shift 2
    if [ -f "$cache/lib/$name.a" ]; then return; fi
    echo "  $target: $name"
    rm -rf "$cache/obj/$name" && mkdir -p "$cache/obj/$name" "$cache/lib"
    (cd "$cache/src/$name" && printf '%s\n' "$@" |
        xargs -P "$jobs" -I FILE sh -c "$COMPILE"' -O2 -w '"$flags"' -c FILE \
            -o "$0/$(echo FILE | tr / _).o"' "$cache/obj/$name") || exit 1
    $ARCHIVE rcs "$cache/lib/$name.new" "$cache/obj/$name"/*.o
    mv "$cache/lib/$name.new" "$cache/lib/$name.a"
}

make_sqlite() {
    [ -f "$cache/lib/sqlite3.a" ] || (cd "$cache/src/sqlite3" && ./configure --disable-readline &&
        make sqlite3.c) > "$cache/log" 2>&1 || { tail "$cache/log" >&2; exit 1; }
    archive sqlite3 "$sqlite -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_DQS=0
        -DSQLITE_ENABLE_FTS5 -DSQLITE_DEFAULT_MEMSTATUS=0" sqlite3.c
    cp "$cache/src/sqlite3/sqlite3.h" "$cache/include/"
}

make_pcre2() {
    (cd "$cache/src/pcre2/src" && cp config.h.generic config.h &&
        cp pcre2.h.generic pcre2.h &&
        cp pcre2_chartables.c.dist pcre2_chartables.c)
    archive pcre2 "$pcre2 -DHAVE_CONFIG_H -DSUPPORT_UNICODE -DPCRE2_CODE_UNIT_WIDTH=8
        -DPCRE2_STATIC -Isrc" $(for part in auto_possess chartables compile \
        config context convert dfa_match error extuni find_bracket \
        jit_compile maketables match match_data newline ord2utf pattern_info \
        script_run serialize string_utils study substitute substring tables \
        ucd valid_utf xclass; do echo "src/pcre2_$part.c"; done)
    cp "$cache/src/pcre2/src/pcre2.h" "$cache/include/"
}

make_jansson() {
    (cd "$cache/src/jansson" && cp android/jansson_config.h src/ &&
        : > src/jansson_private_config.h)
    archive jansson "-Isrc -DHAVE_STDINT_H -DHAVE_SYS_TIME_H -DHAVE_GETTIMEOFDAY" \
        $(cd "$cache/src/jansson" && ls src/*.c)
    cp "$cache/src/jansson/src/jansson.h" \
        "$cache/src/jansson/src/jansson_config.h" "$cache/include/"
}

make_zlib() {
    archive zlib "" adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c
    cp "$cache/src/zlib/zlib.h" "$cache/src/zlib/zconf.h" "$cache/include/"
}

make_zstd() {
    archive libzstd "-DZSTD_DISABLE_ASM -DZSTD_STRIP_ERROR_STRINGS=0" \
        $(cd "$cache/src/libzstd" && ls lib/common/*.c lib/decompress/*.c)
    cp "$cache/src/libzstd/lib/zstd.h" "$cache/src/libzstd/lib/zstd_errors.h" \
        "$cache/include/"
}

make_lzma() {
    at=src/liblzma
    flags="-DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_STDBOOL_H -DHAVE_STRING_H
        -DHAVE_LIMITS_H -DHAVE_DECODERS -DASSUME_RAM=128
        -DHAVE_CHECK_CRC32 -DHAVE_CHECK_CRC64 -DHAVE_CHECK_SHA256
        -DHAVE_LZIP_DECODER -DHAVE___BUILTIN_BSWAPXX -DTUKLIB_FAST_UNALIGNED_ACCESS
        -DTUKLIB_SYMBOL_PREFIX=lzma_ -Isrc/common"
    for filter in LZMA1 LZMA2 DELTA X86 POWERPC IA64 ARM ARMTHUMB ARM64 SPARC; do
        flags="$flags -DHAVE_DECODER_$filter"
    done
    for part in api common check lz rangecoder lzma delta simple; do
        flags="$flags -I$at/$part"
    done
    archive xz-utils "$flags" $(cd "$cache/src/xz-utils" &&
        ls $at/common/*.c $at/check/*.c $at/lz/*.c $at/lzma/*.c \
            $at/rangecoder/*.c $at/delta/*.c $at/simple/*.c |
        grep -v -e encode -e encoder -e _mt -e tablegen -e fastpos -e price \
            -e crc32_small -e crc64_small -e outqueue \
            -e hardware_ -e easy_preset)
    cp -R "$cache/src/xz-utils/$at/api/lzma.h" "$cache/src/xz-utils/$at/api/lzma" \
        "$cache/include/"
}

fetch
mkdir -p "$cache/include"
echo "$sources" | while read -r name file sum; do
    [ -z "$name" ] || unpack "$name" "$file" "$sum"
done
make_sqlite
make_pcre2
make_jansson
make_zlib
make_zstd
make_lzma
mkdir -p "$cache/licences"
for name in $(echo "$sources" | awk '{ print $1 }'); do
    cp "$cache/src/$name/debian/copyright" "$cache/licences/$name"
    echo "src:$name=$(dpkg-parsechangelog -l "$cache/src/$name/debian/changelog" -S Version)"
done > "$cache/contents"
rm -rf "$cache/obj"
echo "$wanted" > "$cache/made"
