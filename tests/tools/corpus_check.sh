#!/bin/sh
# The whole corpus passes its own checks and lies as `oomkb fmt` lays it out
# (elsewhere a warning: others may lay theirs out as they like), and building it
# again gives the same bytes.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$OOMKB" check entries >"$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }
if grep -A 1 '\[W111\]' "$dir/said"; then exit 1; fi
"$OOMKB" build entries -o "$dir/again.db"
cmp "$dir/again.db" "$(dirname "$OOMKB")/oomkb.db"
