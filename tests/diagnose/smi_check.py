#!/usr/bin/env python3
"""Pasted tables of nvidia-smi, boxed and csv: the card's memory and who holds it, beside a message that says neither."""
import json
import os
import subprocess
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
MIB = 1 << 20
OOM = "RuntimeError: CUDA error: out of memory\n"
NAMED = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 23.65 GiB\n"
OLD = """\
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  NVIDIA GeForce ...  On   | 00000000:01:00.0  On |                  N/A |
| 30%   40C    P8    30W / 350W |    500MiB / 24576MiB |      0%      Default |
|   1  NVIDIA GeForce ...  On   | 00000000:02:00.0 Off |                  N/A |
| 30%   40C    P8    30W / 350W |  20993MiB / 24576MiB |      0%      Default |
+-----------------------------------------------------------------------------+
|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |
|    0   N/A  N/A      1412      G   /usr/lib/xorg/Xorg                 71MiB |
|    1   N/A  N/A      4711      C   /home/jane/venv/bin/python3     20480MiB |
"""
WIDE = """\
|=========================================+========================+======================|
|   0  Tesla T4                       Off |   00000000:00:04.0 Off |                    0 |
| N/A   45C    P0              27W /  70W |   14605MiB /  15360MiB |      0%      Default |
+-----------------------------------------+------------------------+----------------------+
|    0   N/A  N/A            2201      C   ...vs/serve/bin/python           14600MiB |
"""
VERY_OLD = "|    0      1234      C   python    10993MiB |\n"
CARDS = """\
$ nvidia-smi --query-gpu=index,name,memory.total,memory.used,memory.free --format=csv
index, name, memory.total [MiB], memory.used [MiB], memory.free [MiB]
0, NVIDIA A100-SXM4-40GB, 40960 MiB, 3 MiB, 40536 MiB
1, NVIDIA A100-SXM4-40GB, 40960 MiB, 38012 MiB, 2527 MiB
"""
STAT = """\
[0] Tesla V100-SXM2-16GB | 44'C,   0 % | 15836 / 16130 MB | jane(15826M)
[1] Tesla V100-SXM2-16GB | 37'C,   0 % |     0 / 16130 MB |
"""
APPS = """\
pid, process_name, used_gpu_memory [MiB]
31337, /home/jane/env/bin/python, 37100 MiB
31338, ollama, 900 MiB
"""


def report(log):
    done = subprocess.run([OOMKB, "--format", "json"], input=log.encode(), env=ENV, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.decode())


def facts(log, name):
    return [(f["value"], f.get("pid")) for f in report(log)["findings"][0]["facts"] if f["name"] == name]


def text(log):
    done = subprocess.run([OOMKB], input=log.encode(), env=ENV, stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


class Tables(unittest.TestCase):
    def test_boxes_of_the_card_that_failed(self):
        self.assertEqual(facts(OLD + NAMED, "other_in_use"), [(20480 * MIB, 4711)])
        self.assertEqual(facts(OLD + NAMED, "gpu_used"), [(20993 * MIB, None)])
        self.assertEqual(facts(WIDE + OOM, "other_in_use"), [(14600 * MIB, 2201)])
        self.assertEqual(facts(VERY_OLD + OOM, "other_in_use"), [(10993 * MIB, 1234)])

    def test_of_several_cards_none_is_guessed(self):
        self.assertEqual(facts(OLD + OOM, "other_in_use"), [])

    def test_columns_stand_in_any_order(self):
        for titles, row in (("index, memory.used [MiB], memory.total [MiB]", "0, 3000 MiB, 40960 MiB"),
                            ("memory.total [MiB], memory.used [MiB]", "40960 MiB, 3000 MiB"),
                            ("name, memory.total [MiB], memory.used [MiB], utilization.gpu [%]",
                             "Tesla T4, 40960 MiB, 3000 MiB, 7 %")):
            with self.subTest(titles=titles):
                log = titles + "\n" + row + "\n" + OOM
                self.assertEqual(facts(log, "gpu_used"), [(3000 * MIB, None)])
                self.assertEqual([value for value, _ in facts(log, "gpu_total")], [40960 * MIB])

    def test_csv_of_cards_and_of_programs(self):
        self.assertEqual(facts(CARDS + NAMED, "gpu_used"), [(38012 * MIB, None)])
        self.assertEqual(facts(APPS + OOM, "other_in_use"), [(37100 * MIB, 31337), (900 * MIB, 31338)])
        self.assertEqual([value for value, _ in facts(APPS + OOM, "others_in_use")], [38000 * MIB])

    def test_what_was_free_before_the_load_stands_above(self):
        self.assertEqual([v for v, _ in facts(WIDE + OOM, "free_before_load")], [(15360 - 14605) * MIB])
        self.assertEqual(facts(OOM + WIDE, "free_before_load"), [])
        self.assertEqual([v for v, _ in facts(OOM + WIDE, "others_in_use")], [14600 * MIB])

    def test_the_answer_names_them_without_folders(self):
        said = text(OOM + APPS)
        self.assertIn("PID 31337 (python): 36.2 GiB, PID 31338 (ollama): 900 MiB", said)
        self.assertNotIn("jane", said)
        self.assertIn("End the other processes", said.split("Do this first")[1].splitlines()[1])

    def test_a_message_that_counts_itself_is_believed(self):
        own = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 14.58 "
               "GiB of which 1.00 GiB is free. Process 9 has 13.50 GiB memory in use. Of the allocated memory 13.20 GiB is "
               "allocated by PyTorch, and 0.10 GiB is reserved by PyTorch but unallocated.\n")
        self.assertNotIn(2201, [pid for _, pid in facts(WIDE + own, "other_in_use")])

    def test_an_idle_card_beside_a_full_one_is_first(self):
        for table, idle, free in ((OLD, 0, 24076), (CARDS, 0, 40957),
                                  (STAT, 1, 16130)):
            with self.subTest(table=table[:40]):
                self.assertEqual(facts(table + OOM, "idle_gpu"), [(idle, None)])
                self.assertEqual(facts(table + OOM, "idle_free"),
                                 [(free * MIB, None)])
                first = text(table + OOM).split("Do this first")[1]
                self.assertIn(f"CUDA_VISIBLE_DEVICES={idle}", first.splitlines()[2])
                self.assertNotIn("End the other processes", first)
        self.assertEqual(facts(WIDE + OOM, "idle_gpu"), [])

    def test_gpustat_counts_the_card(self):
        self.assertEqual(facts(STAT.splitlines()[0] + "\n" + OOM, "gpu_used"),
                         [(15836 * MIB, None)])


if __name__ == "__main__":
    unittest.main()
