#!/bin/sh
# wheel.sh LIBRARY OUT VERSION CACHE: OUT/oomkb-VERSION-py3-none-manylinux2014_*.whl
# with that library inside, and the licences of what it holds. CACHE/venv has the
# tools (tools.sh). The same library and commit give the same bytes: times are
# those of the commit.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$(readlink -f "$1")
out=$(cd "$2" && pwd)
tools=$4/venv/bin
platform=manylinux2014_$(uname -m)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -R "$here/src" "$here/README.md" "$here/pyproject.toml" "$here/setup.py" "$here/../LICENSE" "$work/"
find "$work" -name __pycache__ -prune -exec rm -rf {} +
cp "$library" "$work/src/oomkb/liboomkb.so"
cp -R "$4/licences" "$work/"
chmod -R u=rwX,go=rX "$work"
echo "$3" > "$work/VERSION"
rm -f "$out"/*.whl
"$tools/python" -m build -q --wheel --no-isolation --outdir "$out" \
    -C=--build-option=--plat-name="$platform" "$work"
# A library that needs a newer glibc than that platform has, or a library that
# not every machine has, gets another tag.
"$tools/auditwheel" show "$out"/*.whl | tr '\n' ' ' > "$work/shown"
grep -Eq 'platform tag: *"manylinux_2_([5-9]|1[0-7])_' "$work/shown" ||
    { cat "$work/shown" >&2; exit 1; }
