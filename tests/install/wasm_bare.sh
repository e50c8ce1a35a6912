#!/bin/sh
# `make wasm` as a newcomer has it: a new Debian 12 with make and nothing else.
# Says how long it took, and answers a log by what it made. Root; ten minutes.
set -eu
cd "$(dirname "$0")/../.."
. tests/tools/root.sh
start_roots
make_root bookworm make
git clone -q . "$root/root/oomkb"
start=$(date +%s)
if ! inside "cd ~/oomkb && make wasm" root >"$work/out" 2>&1; then
    tail -n 40 "$work/out"
    echo "FAILED after $(($(date +%s) - start)) s"
    exit 1
fi
took=$(($(date +%s) - start))
inside "cd ~/oomkb && node build/wasm/npm/cli.mjs < examples/vllm-long-context.log" root |
    grep -F '[vllm/kv-cache-too-small]'
echo "make wasm in a bare Debian 12: $took s: $(tail -n 1 "$work/out")"
[ "$took" -le 600 ] || { echo "longer than 600 s"; exit 1; }
