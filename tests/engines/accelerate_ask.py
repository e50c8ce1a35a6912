"""Run in the cache's environment by accelerate_run.py: what accelerate's
estimator says of models that transformers builds without memory.

A line of JSON is {"class": configuration, "words": its arguments}; the answer
is {"total": bytes of all parameters and buffers in 32 bits, "buffers": those of
the buffers, "train": {precision: the parts of a step}}.
"""
import json
import sys

import transformers
from accelerate import init_empty_weights
from accelerate.commands.estimate import estimate_training_usage
from accelerate.utils import calculate_maximum_sizes


def answer(one):
    config = getattr(transformers, one["class"])(**one["words"])
    with init_empty_weights():
        model = transformers.AutoModelForCausalLM.from_config(config)
    model.tie_weights()  # a table that input and output share is one
    total = calculate_maximum_sizes(model)[0]
    return {"total": total,
            "buffers": sum(each.numel() * each.element_size()
                           for each in model.buffers()),
            "train": {precision: estimate_training_usage(total, precision)
                      for precision in ("float32", "bfloat16")}}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
