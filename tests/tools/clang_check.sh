#!/bin/sh
# clang finds other things than gcc: the same warnings, as errors.
set -eu
# A peer of the bench is welcome, not needed: its program only where it is.
peers=
echo '#include <hs/hs.h>' | clang -fsyntax-only -x c - 2>/dev/null ||
    peers='! -name scan_hs.c'
# shellcheck disable=SC2046,SC2086
clang -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wshadow \
    -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
    -Wundef -Werror -DPACK_LAYOUT=0u -Isrc -Iinclude -Itests -fsyntax-only \
    $(find src tests -name '*.c' ! -path 'tests/install/*' $peers)
