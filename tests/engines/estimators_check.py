#!/usr/bin/env python3
"""What DeepSpeed's and accelerate's estimators and SGLang's releases answered,
against `fit`: each number is what docs/ORACLES.md says of it."""
import os
import sys

import accelerate_run
import deepspeed_run
import sglang_oracle

OOMKB = os.environ["OOMKB"]
sys.exit(deepspeed_run.check(OOMKB) | accelerate_run.check(OOMKB) |
         sglang_oracle.main([OOMKB, "--ends"]))
