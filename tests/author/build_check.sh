#!/bin/sh
# A build that fails, or is killed, leaves the old index as it was.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r tests/good/. "$dir"
cp kb/ranking.yaml "$dir/kb/"
db=$dir/oomkb.db

"$OOMKB" build "$dir/entries" -o "$db" 2>"$dir/said"
grep -q '^oomkb: 2 entries, 4 samples, 0 errors, 0 warnings$' "$dir/said" || {
    cat "$dir/said"
    exit 1
}
cp "$db" "$dir/first"

cp -r tests/bad/E005-unknown-key/entries/. "$dir/entries"
status=0
"$OOMKB" build "$dir/entries" -o "$db" 2>"$dir/said" || status=$?
test "$status" = 2
grep -q 'broken.yaml:9:1: error: .*\[E005\]$' "$dir/said"
cmp "$db" "$dir/first"
rm "$dir/entries/toy/broken.yaml"

for try in 1 2 3 4 5; do
    "$OOMKB" build "$dir/entries" -o "$db" 2>/dev/null &
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    cmp "$db" "$dir/first"
done

rm -f "$db".*
"$OOMKB" check "$dir/entries" --write-docs 2>/dev/null
"$OOMKB" check "$dir/entries" 2>/dev/null
echo stale >>"$dir/kb/FORMAT.md"
status=0
"$OOMKB" check "$dir/entries" 2>"$dir/said" || status=$?
test "$status" = 2
grep -q 'FORMAT.md: error: .*\[E044\]$' "$dir/said"
