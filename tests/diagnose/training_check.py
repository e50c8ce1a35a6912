#!/usr/bin/env python3
"""What training runs fail of, by their frames and settings: the first fix is of
that cause, in the words of the log, and what the log rules out is not there."""
import json
import os
import subprocess
import sys
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
LIB = "/opt/venv/lib/python3.11/site-packages/"
FRAME = '  File "{}", line 120, in {}\n    {}\n'
OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB. "
       "GPU 0 has a total capacity of {} GiB of which {} GiB is free. "
       "Including non-PyTorch memory, this process has {} GiB memory in use. "
       "Of the allocated memory {} GiB is allocated by PyTorch, and 90.00 MiB "
       "is reserved by PyTorch but unallocated.\n")
SMALL = OOM.format("0.12", "23.65", "0.08", "23.55", "23.30")


def finding(log):
    done = subprocess.run([OOMKB, "--format", "json"], input=log.encode(),
                          env=ENV, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["findings"][0]


def trace(*frames):
    return ("Traceback (most recent call last):\n"
            + "".join(FRAME.format(*f) for f in frames))


def offered(found):
    return [f for f in found["fixes"] if f["applies"] in ("yes", "if")]


class Evaluation(unittest.TestCase):
    LOOP = trace((LIB + "transformers/trainer.py", "evaluate", "loop("),
                 (LIB + "transformers/trainer.py", "evaluation_loop", "x"),
                 (LIB + "transformers/trainer_pt_utils.py",
                  "torch_pad_and_concatenate", "return torch.cat((a, b))"))

    def test_predictions_of_all_batches_are_no_large_batch(self):
        found = finding(self.LOOP + OOM.format(
            "7.31", "14.75", "2.10", "12.64", "11.98"))
        ids = [f["id"] for f in offered(found)]
        self.assertEqual(found["causes"][0]["cause"], "growth")
        self.assertEqual(ids[0], "eval-accumulation-steps")
        for id_ in ids:
            self.assertNotIn("batch", id_)
            self.assertNotIn("gradient-checkpointing", id_)

    def test_a_loop_that_keeps_each_output_keeps_its_graph(self):
        kept = trace(("extract_features.py", "<module>",
                      "feats.append(model(img.cuda()))"),
                     (LIB + "torchvision/models/resnet.py", "_forward_impl",
                      "x = self.layer3(x)"))
        self.assertEqual(offered(finding(kept + SMALL))[0]["id"], "no-grad")


class State(unittest.TestCase):
    RUN = ("python ft.py --model_name_or_path mistralai/Mistral-7B-v0.1 "
           "--per_device_train_batch_size 4 --learning_rate 2e-5{}\n")
    STEP = trace((LIB + "transformers/trainer.py", "training_step", "x"),
                 (LIB + "transformers/models/mistral/modeling_mistral.py",
                  "forward", "return self.down_proj(x)"))
    FULL = OOM.format("0.22", "79.15", "0.17", "78.97", "77.64")

    def test_state_beyond_the_gpu_is_no_matter_of_the_batch(self):
        first = offered(finding(self.RUN.format("") + self.STEP + self.FULL))[0]
        self.assertIn("--optim adamw_8bit", first["command"])
        self.assertEqual(first["estimate"]["verdict"], "may_be_enough")
        adapters = finding(self.RUN.format(" --lora_rank 16") + self.STEP
                           + self.FULL)
        self.assertIn("--per_device_train_batch_size 2",
                      offered(adapters)[0]["command"])

    def test_deepspeed_makes_its_optimizer(self):
        made = trace((LIB + "deepspeed/runtime/engine.py",
                      "_configure_zero_optimizer", "x"),
                     (LIB + "deepspeed/runtime/zero/stage_1_and_2.py",
                      "__init__", "self.device).clone().float().detach())"))
        found = finding(made + OOM.format("6.06", "39.39", "5.31", "34.07",
                                          "33.26"))
        self.assertEqual(found["entry"], "deepspeed/optimizer-states")


class Weights(unittest.TestCase):
    MOVED = trace((LIB + "torch/nn/modules/module.py", "convert",
                   "return t.to(device)"))

    def test_more_than_16_bits_take_is_32(self):
        log = ('AutoModelForCausalLM.from_pretrained("meta-llama/'
               'Llama-2-7b-chat-hf")\n' + self.MOVED)
        first = offered(finding(log + SMALL))[0]
        self.assertEqual((first["id"], first["estimate"]["verdict"]),
                         ("load-in-16-bit", "enough"))
        half = OOM.format("0.12", "11.80", "0.05", "11.70", "11.50")
        self.assertNotIn("load-in-16-bit",
                         [f["id"] for f in offered(finding(log + half))])


class Table(unittest.TestCase):
    """XLA says what a compiled program needs, part by part."""
    MESSAGE = ("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: "
               "Out of memory allocating 8589934592 bytes.\n")
    PARTS = ("BufferAssignment OOM Debugging.\nBufferAssignment stats:\n"
             "             parameter allocation:   {}GiB\n"
             "     preallocated temp allocation:   {}GiB\n"
             "                 total allocation:   {}GiB\n")

    def test_it_tells_a_step_from_state(self):
        for parts, first in ((("4.21", "19.40", "23.66"), "smaller-step"),
                             (("21.30", "2.06", "23.40"), "smaller-model")):
            found = finding(self.MESSAGE + self.PARTS.format(*parts))
            self.assertEqual(offered(found)[0]["id"], first)

    def test_without_it_host_memory_was_asked(self):
        kinds = [[f["value"] for f in finding(log)["facts"]
                  if f["name"] == "device_kind"]
                 for log in (self.MESSAGE, self.MESSAGE
                             + self.PARTS.format("4.21", "19.40", "23.66"))]
        self.assertEqual(kinds, [["host"], []])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
