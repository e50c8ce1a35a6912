#!/usr/bin/env python3
"""measure.py without a GPU: what it works out before it asks one, what it
makes of messages, and that it writes nothing where there is none."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import measure  # noqa: E402

FRAGMENTED = b"""Traceback (most recent call last):
  File "train.py", line 9, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. \
GPU 0 has a total capacity of 39.50 GiB of which 37.10 GiB is free. \
2.00 GiB allowed; Of the allocated memory 900.00 MiB is allocated by \
PyTorch, and 900.00 MiB is reserved by PyTorch but unallocated.
"""


def failure(name):
    return next(f for f in measure.FAILURES if f.name == name)


class WithoutGpu(unittest.TestCase):
    def run_with(self, torch):
        """measure.py with a torch of ours in front of any other."""
        with tempfile.TemporaryDirectory() as work:
            with open(os.path.join(work, "torch.py"), "w",
                      encoding="utf-8") as file:
                file.write(torch)
            path = os.path.join(work, "MEASURED.md")
            done = subprocess.run(
                [sys.executable, os.path.join(HERE, "measure.py"), OOMKB,
                 path], env={**os.environ, "PYTHONPATH": work}, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return done, os.path.exists(path)

    def test_says_so_in_one_line_and_writes_nothing(self):
        for torch, why in (("raise ImportError", "not installed"),
                           ("class cuda:\n    is_available = lambda: False",
                            "no NVIDIA GPU")):
            done, is_written = self.run_with(torch)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(done.stdout.count(b"\n"), 1)
            self.assertIn(why, done.stdout.decode())
            self.assertFalse(is_written)


class Caches(unittest.TestCase):
    """Layer by layer from the shape is what `fit` says of the whole."""

    def test_six_architectures(self):
        models = measure.shapes()
        self.assertEqual(len(measure.CACHES), 6)
        for cache in measure.CACHES:
            tensors = measure.cache_tensors(models[cache.model], cache.tokens)
            low, high = measure.predicted(OOMKB, cache)
            self.assertTrue(
                measure.is_within(measure.bytes_of(tensors), low, high,
                                  tensors),
                f"{cache.model}: {low}..{high}, the tensors make "
                f"{measure.bytes_of(tensors)}")

    def test_a_wrong_byte_count_is_seen(self):
        tensors = [measure.Tensor(1000, 2)]
        self.assertTrue(measure.is_within(2048, 2000, 2000, tensors))
        self.assertFalse(measure.is_within(1999, 2000, 2000, tensors))
        self.assertFalse(measure.is_within(2513, 2000, 2000, tensors))

    def test_a_set_of_layers_is_filled(self):
        def kept(*counts):
            groups = [{"layers": n} for n in counts]
            return [measure.layers_kept({"groups": groups}, g)
                    for g in groups]
        self.assertEqual(kept(10, 52), [10, 60])
        self.assertEqual(kept(12, 36), [12, 36])
        self.assertEqual(kept(10, 12), [12, 12])
        self.assertEqual(kept(61), [61])

    def test_a_window_holds_its_step(self):
        group = {"kind": "sliding", "window": 128}
        self.assertEqual(measure.held_tokens(group, 1 << 20, 16),
                         (-(-(127 + 2048) // 16) + 1) * 16)
        self.assertEqual(measure.held_tokens({"kind": "full"}, 17, 16), 32)

    def test_a_block_is_raised_until_it_holds_a_state(self):
        heads = {"kind": "full", "kv_heads": 2, "k_dim": 256, "v_dim": 256}
        state = {"kind": "state", "conv_channels": 8192, "conv_steps": 3,
                 "state_elements": 524288}
        self.assertEqual(measure.block_of({"groups": [heads]}), 16)
        self.assertEqual(measure.block_of({"groups": [heads, state]}), 544)


class Messages(unittest.TestCase):
    def judged(self, truth, name="free memory in pieces", log=FRAGMENTED):
        return measure.judge(failure(name), measure.diagnose(OOMKB, log),
                             truth)

    def test_the_right_entry_with_the_right_number(self):
        entry, wrong = self.judged({"tried_alloc": 512 << 20})
        self.assertEqual((entry, wrong),
                         ("pytorch/cuda-oom-fragmentation", []))

    def test_a_wrong_number_is_told(self):
        _, wrong = self.judged({"tried_alloc": 700 << 20})
        self.assertEqual(len(wrong), 1)

    def test_a_wrong_entry_is_told(self):
        _, wrong = self.judged({}, name="CuPy's pool")
        self.assertEqual(wrong,
                         ["answered by pytorch/cuda-oom-fragmentation"])

    def test_silence_is_told(self):
        self.assertEqual(self.judged({}, log=b"all is well\n"),
                         (None, ["not found"]))

    def test_truths_are_read(self):
        self.assertEqual(measure.truths("x\nTRUTH gpu_total=12\nTRUTH a=1\n"),
                         {"gpu_total": 12, "a": 1})

    def test_every_entry_named_is_there(self):
        for each in measure.FAILURES:
            for entry in each.entries:
                done = subprocess.run([OOMKB, "explain", entry], check=False,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, entry)

    def test_every_failure_is_a_program(self):
        for each in measure.FAILURES:
            compile(each.code, each.name, "exec")


class Page(unittest.TestCase):
    def test_says_what_was_wrong_and_what_was_missing(self):
        cache = measure.CACHES[0]
        bad = measure.CacheResult(cache, 1, 1, measure.GIB, False)
        absent = measure.FailureResult(failure("JAX's share"), None, None, "",
                                       None)
        text = measure.page("a card", [bad], [absent])
        self.assertIn("**no**", text)
        self.assertIn("not installed: jax", text)
        self.assertFalse(measure.is_all_right([bad], [absent]))
        self.assertTrue(measure.is_all_right([], [absent]))


if __name__ == "__main__":
    unittest.main()
