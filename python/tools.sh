#!/bin/sh
# tools.sh VENV: what makes the wheel, from PyPI, in releases that give the same
# bytes every time. Zig is the compiler, auditwheel says which systems it fits.
set -eu
tools="auditwheel==6.8.2 build==1.6.1 setuptools==80.10.2 ziglang==0.13.0"
[ "$(cat "$1/made" 2>/dev/null)" != "$tools" ] || exit 0
rm -rf "$1"
"${PYTHON:-python3}" -m venv "$1"
# shellcheck disable=SC2086
"$1/bin/pip" -q --disable-pip-version-check install $tools
echo "$tools" > "$1/made"
