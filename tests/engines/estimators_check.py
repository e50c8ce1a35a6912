#!/usr/bin/env python3
"""What DeepSpeed's estimators answered, against `fit`: each number lies in the
range, or the difference has the reason that docs/ORACLES.md gives."""
import os
import sys

import deepspeed_run

sys.exit(deepspeed_run.check(os.environ["OOMKB"]))
