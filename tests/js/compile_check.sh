#!/bin/sh
# js/*.c use inner headers, and emscripten is no package of `make check`: an
# ordinary compiler finds a function or member that is no longer there. (mallinfo
# is deprecated in glibc; emscripten has no other.)
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#define EMSCRIPTEN_KEEPALIVE' > "$work/emscripten.h"
for file in js/*.c; do
    ${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -Wno-deprecated-declarations -Isrc -Iinclude -I"$work" \
        -fsyntax-only "$file"
done
echo "ok"
