#!/bin/sh
# clang finds other things than gcc: the same warnings, as errors.
set -eu
clang -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wshadow \
    -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
    -Wundef -Werror -DPACK_LAYOUT=0u -Isrc -Iinclude -Itests -fsyntax-only \
    $(find src tests -name '*.c' ! -path 'tests/install/*')
