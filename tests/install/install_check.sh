#!/bin/sh
# What `make install` puts into a clean prefix is enough to build and run the
# support bot, shared and static; nothing but oomkb_* leaves the library; and
# `make uninstall` leaves nothing behind.
set -eu
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MFLAGS PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
CC=${CC:-gcc}
PYTHON=${PYTHON:-python3}
build=$(dirname "${OOMKB:-build/oomkb}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-std=c17 -Wall -Wextra -Werror"

fail() {
    echo "$@"
    exit 1
}

make_into() { # TARGET DESTDIR PREFIX
    make --no-print-directory BUILD="$build" CC="$CC" DESTDIR="$2" PREFIX="$3" \
        "$1" > "$work/make.log" 2>&1 || {
        cat "$work/make.log"
        fail "make $1 failed"
    }
}

version=$("$build/oomkb" version | sed -n '1s/oomkb //p')

expect_files() { # ROOT: exactly these
    (cd "$1" && find . ! -type d | sort) > "$work/is"
    sort > "$work/wanted" <<END
./bin/oomkb
./include/oomkb/oomkb.h
./lib/liboomkb.a
./lib/liboomkb.so
./lib/liboomkb.so.0
./lib/liboomkb.so.$version
./lib/pkgconfig/oomkb.pc
./share/man/man1/oomkb.1
./share/man/man3/oomkb.3
./share/bash-completion/completions/oomkb
./share/fish/vendor_completions.d/oomkb.fish
./share/zsh/site-functions/_oomkb
END
    find examples -type f | sed 's|^|./share/doc/oomkb/|' >> "$work/wanted"
    find kb -maxdepth 1 -name '*.schema.json' | sed 's|^kb|./share/oomkb|' >> "$work/wanted"
    [ ! -f LICENSE ] || echo ./share/doc/oomkb/LICENSE >> "$work/wanted"
    sort -o "$work/wanted" "$work/wanted"
    diff "$work/wanted" "$work/is" || fail "other files than expected in $1"
    "$1/bin/oomkb" completion zsh | cmp - "$1/share/zsh/site-functions/_oomkb" ||
        fail "the completion is another program's"
}

# The names that the header declares, and no others.
expect_names() { # NM-OPTIONS LIBRARY
    grep OOMKB_API include/oomkb/oomkb.h |
        sed -n 's/.*\b\(oomkb_[a-z_]*\)(.*/\1/p' | sort > "$work/declared"
    # shellcheck disable=SC2086
    nm $1 --defined-only "$2" | sed -n 's/^[0-9a-f]* [A-Z] //p' |
        sort > "$work/defined"
    diff "$work/declared" "$work/defined" || fail "$2: other names than the header's"
}

expect_library() { # LIBDIR
    [ "$(readlink "$1/liboomkb.so")" = liboomkb.so.0 ] ||
        fail "liboomkb.so does not lead to liboomkb.so.0"
    readelf -d "$1/liboomkb.so.0" > "$work/dynamic"
    grep -q 'SONAME.*\[liboomkb\.so\.0\]' "$work/dynamic" || fail "no soname"
    sed -n 's/.*NEEDED.*\[\([a-z0-9-]*\)\.so.*/\1/p' "$work/dynamic" |
        sort > "$work/needed"
    printf 'libc\nlibpcre2-8\nlibsqlite3\n' | diff - "$work/needed" ||
        fail "liboomkb.so needs other libraries"
    expect_names -D "$1/liboomkb.so.0"
    [ "$(ar t "$1/liboomkb.a")" = oomkb.o ] || fail "liboomkb.a: not one object"
    expect_names -g "$1/liboomkb.a"
}

# The example in oomkb.3, as it is printed there.
expect_example() { # ROOT FLAGS...
    root=$1
    shift
    sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$root/share/man/man3/oomkb.3" |
        sed '1,/^\.Bd/d; /^\.Ed/d; s/\\en/\\n/g' > "$work/example.c"
    # shellcheck disable=SC2086
    "$CC" $strict "$work/example.c" "$@" -o "$work/example"
    LD_LIBRARY_PATH=$root/lib "$work/example" |
        grep -q '"component": "pytorch"' || fail "the example of oomkb.3 is off"
}

expect_bot() { # ROOT FLAGS...
    root=$1
    shift
    # In a folder of its own: nothing of the source tree may be in reach.
    cp examples/support-bot.c "$work/"
    # shellcheck disable=SC2086
    (cd "$work" && "$CC" $strict support-bot.c "$@" -o support-bot)
    LD_LIBRARY_PATH=$root/lib "$PYTHON" tests/install/talk.py \
        "$work/support-bot" || fail "the bot ($*) answers otherwise"
}

flags() { # pkg-config in the prefix at hand
    pkg-config --cflags --libs "$@" oomkb
}

expect_all() { # ROOT: $root as programs see it; pkg-config is set up
    expect_files "$1"
    expect_library "$1/lib"
    [ "$(pkg-config --modversion oomkb)" = "$version" ] || fail "oomkb.pc: version"
    mandoc -Tlint -W warning "$1/share/man/man1/oomkb.1" \
        "$1/share/man/man3/oomkb.3"
    "$1/bin/oomkb" explain vllm/kv-cache-too-small > /dev/null
    # shellcheck disable=SC2046
    expect_example "$1" $(flags)
    # shellcheck disable=SC2046
    expect_bot "$1" $(flags)
    LD_LIBRARY_PATH=$1/lib ldd "$work/support-bot" |
        grep -q "liboomkb.so.0 => $1/lib" || fail "another library was found"
    # Static: the archive needs PCRE2, SQLite and nothing else.
    # shellcheck disable=SC2046
    expect_bot "$1" $(pkg-config --cflags oomkb) "$1/lib/liboomkb.a" \
        -lpcre2-8 -lsqlite3
    ldd "$work/support-bot" | grep liboomkb && fail "not static"
    # And as pkg-config says it, where the system has static libraries.
    printf 'int main(void) { return 0; }\n' > "$work/can.c"
    if "$CC" -static "$work/can.c" -lsqlite3 -lpcre2-8 -lm -o "$work/can" \
        2> /dev/null; then
        # shellcheck disable=SC2046
        expect_bot "$1" -static $(flags --static) 2> /dev/null
    fi
}

# As a packager: put under DESTDIR what will live in PREFIX.
make_into install "$work/stage" /opt/oomkb
grep -q '^prefix=/opt/oomkb$' "$work/stage/opt/oomkb/lib/pkgconfig/oomkb.pc" ||
    fail "oomkb.pc names another prefix"
(
    export PKG_CONFIG_PATH="$work/stage/opt/oomkb/lib/pkgconfig"
    export PKG_CONFIG_SYSROOT_DIR="$work/stage"
    expect_all "$work/stage/opt/oomkb"
)
make_into uninstall "$work/stage" /opt/oomkb
[ -z "$(find "$work/stage" ! -type d)" ] || fail "uninstall left files"
[ ! -d "$work/stage/opt/oomkb/include/oomkb" ] || fail "uninstall left folders"

# As a user: into a prefix that other things live in.
mkdir -p "$work/prefix/include"
echo mine > "$work/prefix/include/mine.h"
make_into install "" "$work/prefix"
rm "$work/prefix/include/mine.h"
(
    export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig"
    expect_files "$work/prefix"
    # shellcheck disable=SC2046
    expect_bot "$work/prefix" $(flags)
)
echo mine > "$work/prefix/include/mine.h"
make_into uninstall "" "$work/prefix"
[ "$(find "$work/prefix" ! -type d)" = "$work/prefix/include/mine.h" ] ||
    fail "uninstall left files, or took others'"
