#!/bin/sh
# The npm package of what `make wasm` built: package.sh BUILD OUT VERSION CACHE
# writes the folder OUT and OUT/../oomkb-VERSION.tgz, with the licences of the
# libraries that CACHE has. The same sources give the
# same bytes: times are those of the commit.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
out=$2
version=$3
stamp=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}
umask 022

rm -rf "$out"
mkdir -p "$out"
cp "$here"/src/* "$here/README.md" "$here/../LICENSE" "$out/"
cp -R "$4/licences" "$out/"
# Types of what require() gives: the same, without classes, which are not there.
for name in index client; do
    sed -e "s|'./index.mjs'|'./index.cjs'|" -e '/^  private constructor()$/d' \
        -e '/OomkbError/!s/^export class /export interface /' \
        "$here/src/$name.d.mts" > "$out/$name.d.cts"
done
sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" \
    "$here/package.json" > "$out/package.json"
cp "$build/wasm/engine.mjs" "$out/engine.mjs"
cp "$build/wasm/engine.wasm" "$out/oomkb.wasm"
gzip -n -9 < "$build/wasm/oomkb.db" > "$out/oomkb.db.gz"
chmod -R u=rwX,go=rX "$out"
chmod 755 "$out/cli.mjs"

tar -C "$out" --sort=name --mtime="@$stamp" --owner=0 --group=0 \
    --numeric-owner --format=ustar --transform 's|^\.|package|' -c . |
    gzip -n -9 > "$build/wasm/oomkb-$version.tgz"
echo "  $out, $build/wasm/oomkb-$version.tgz: $(wc -c < "$build/wasm/oomkb-$version.tgz") bytes"
