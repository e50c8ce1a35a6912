#!/bin/sh
# The public header alone, as old C and old C++ and without our flags.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#include <oomkb/oomkb.h>\nint main(void) { return oomkb_version() == 0; }\n' \
  > "$work/alone.c"
cp "$work/alone.c" "$work/alone.cc"
strict="-Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only"
${CC:-cc} -std=c99 $strict "$work/alone.c"
${CXX:-g++} -std=c++11 $strict "$work/alone.cc"
