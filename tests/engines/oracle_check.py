#!/usr/bin/env python3
"""What the engines answered, against `fit`: every number is the same."""
import os
import sys

import oracle_run

sys.exit(oracle_run.main([os.environ["OOMKB"], "--ends"]))
