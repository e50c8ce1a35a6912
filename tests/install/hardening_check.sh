#!/bin/sh
# What reads bytes that others wrote is built so that a fault in it is hard to
# use: position-independent, read-only after relocation, bound at start, no
# executable stack, canaries on stacks, checked string functions.
set -eu
cd "$(dirname "$0")/../.."
build=$(dirname "${OOMKB:-build/oomkb}")

fail() {
    echo "FAIL  $*"
    exit 1
}

expect() { # FILE WHAT PATTERN READELF-OPTIONS...
    file=$1 what=$2 pattern=$3
    shift 3
    readelf -W "$@" "$file" | grep -qE "$pattern" || fail "$file: $what"
}

for file in "$build/oomkb" "$build/liboomkb.so"; do
    expect "$file" "not position-independent" 'Type: *DYN' -h
    expect "$file" "not read-only after relocation" 'GNU_RELRO' -l
    expect "$file" "the stack can be executed" 'GNU_STACK.* RW ' -l
    expect "$file" "bound as it runs" 'BIND_NOW|Flags: NOW' -d
    expect "$file" "no canaries" '__stack_chk_fail' --dyn-syms
    expect "$file" "no checked functions" '__(memcpy|snprintf|vsnprintf|memset)_chk' --dyn-syms
done
# Of our own objects, those that read logs, not only of what is linked in.
expect "$build/obj/log/wrap.o" "no canaries" '__stack_chk_fail' -s
echo "ok"
