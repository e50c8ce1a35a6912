#!/bin/sh
# The site in a browser: run.sh BUILD [SHOTS]. Needs node, npm and chromium; the
# log page and the calculator also what `make wasm` builds.
set -eu
build=$1 here=$(cd "$(dirname "$0")" && pwd)
chromium=${CHROMIUM:-$(command -v chromium || true)}
for program in node npm "${chromium:-chromium}"; do
    command -v "$program" >/dev/null ||
        { echo "skipped: check-web needs $program"; exit 0; }
done
mkdir -p "$build/web"
cp "$here"/*.mjs "$here/package.json" "$build/web/"
(cd "$build/web" && npm --silent install)
engine=
[ ! -f "$build/wasm/npm/oomkb.wasm" ] || engine="--wasm $build/wasm/npm"
rm -rf "$build/web/site"
"$build/oomkb" site --html -o "$build/web/site" $engine \
    --base-url https://example.org/kb
CHROMIUM=$chromium exec node "$build/web/check.mjs" "$build/web/site" \
    "$build/oomkb" examples/vllm-long-context.log ${2:+"$2"}
