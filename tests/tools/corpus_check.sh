#!/bin/sh
# The whole corpus passes its own checks, and building it twice gives the same
# bytes.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$OOMKB" check entries
"$OOMKB" build entries -o "$dir/one.db"
"$OOMKB" build entries -o "$dir/two.db"
cmp "$dir/one.db" "$dir/two.db"
