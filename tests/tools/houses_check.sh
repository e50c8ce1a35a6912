#!/bin/sh
# The street of ARCHITECTURE.md holds: see tests/tools/houses.py.
exec "${PYTHON:-python3}" tests/tools/houses.py
