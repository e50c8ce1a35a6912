#!/bin/sh
# The library under ThreadSanitizer: one base, sixteen threads. Built into
# build/tsan around the knowledge base that is already compiled.
set -eu
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MFLAGS
CC=${CC:-gcc}
from=$(dirname "${OOMKB:-build/oomkb}")
into=build/tsan
mkdir -p "$into"

# Can it run here at all? Some kernels place memory where it cannot work;
# without random addresses they do not.
printf 'int main(void) { return 0; }\n' > "$into/can.c"
if ! "$CC" -fsanitize=thread -o "$into/can" "$into/can.c" 2>"$into/can.log"; then
    echo "skipped: $CC has no ThreadSanitizer: $(head -n 1 "$into/can.log")"
    exit 0
fi
if "$into/can" 2>"$into/can.log"; then
    run=
elif setarch -R "$into/can" 2>>"$into/can.log"; then
    run="setarch -R"
else
    echo "skipped: ThreadSanitizer does not run here:" \
         "$(head -n 1 "$into/can.log")"
    exit 0
fi

[ "$(cat "$into/cc" 2>/dev/null)" = "$CC" ] || rm -rf "$into/obj"
echo "$CC" > "$into/cc"
cmp -s "$from/oomkb.db" "$into/oomkb.db" || cp "$from/oomkb.db" "$into/"
make --no-print-directory BUILD="$into" SAN=-fsanitize=thread \
    CFLAGS="-O1 -g" CC="$CC" -o "$into/oomkb.db" "$into/liboomkb.so"
cp "$into/liboomkb.so" "$into/liboomkb.so.0" # its soname
"$CC" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -O1 -g \
    -fsanitize=thread -Iinclude -o "$into/threads" tests/api/threads.c \
    "$into/liboomkb.so" -Wl,-rpath,"$PWD/$into" -pthread
TSAN_OPTIONS="halt_on_error=0 exitcode=66" $run "$into/threads"
