#!/usr/bin/env python3
"""`fit --compare engine_version=...`: where a rule changed between releases,
by how much, why; and the line of a report whose request another release holds.

The bytes are those that the releases themselves answered (runs in
tests/data/oracle/vllm.jsonl) or sums that are written out."""
import json
import os
import re
import subprocess
import unittest

import jsonschema

OOMKB = os.environ["OOMKB"]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GIB = 1 << 30


def schema(name, noun):
    with open(os.path.join(ROOT, "kb", name), encoding="utf-8") as file:
        defs = json.load(file)["$defs"]
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{noun}",
                                            "$defs": defs})


FIT, FINDING = schema("fit.schema.json", "fit"), schema("report.schema.json",
                                                        "finding")


def oomkb(*words, stdin=""):
    done = subprocess.run([OOMKB, *map(str, words)], input=stdin.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, env={**os.environ, "LC_ALL": "C"})
    return done.stdout.decode(), done.stderr.decode()


def fit(*words):
    answer = json.loads(oomkb("fit", "--format", "json", *words)[0])
    for error in FIT.iter_errors(answer):
        raise AssertionError(f"{list(error.absolute_path)}: {error.message}")
    return answer


def changes(model, releases, *words):
    answer = fit("--model", model, "--compare",
                 "engine_version=" + ",".join(releases), *words)
    return {step["release"]: step for step in answer["changes"]}


def reasons(step):
    return [one["link"].split("/vllm/", 1)[-1] for one in step["because"]]


class Compare(unittest.TestCase):
    def test_a_row_for_each_release_and_the_newest_by_name(self):
        answer = fit("--model", "Qwen/Qwen3-8B", "--compare",
                     "engine_version=0.20,0.26,newest")
        values = [row["value"] for row in answer["compare"]]
        with open(os.path.join(ROOT, "kb/engines/vllm.yaml"),
                  encoding="utf-8") as file:
            newest = re.search(r'^newest: "(.*)"', file.read(), re.M).group(1)
        self.assertEqual(values, ["0.20", "0.26", newest])
        self.assertEqual(answer["changes"], [])  # full attention alone

    def test_no_release_is_compared_where_something_else_is(self):
        answer = fit("--model", "Qwen/Qwen3-8B", "--compare", "tp=1,2")
        self.assertNotIn("changes", answer)

    def test_a_word_that_is_no_release_is_refused(self):
        out, err = oomkb("fit", "--model", "Qwen/Qwen3-8B", "--compare",
                         "engine_version=0.20,latest")
        self.assertEqual(out, "")
        self.assertRegex(err, "not a version")
        out, err = oomkb("fit", "--model", "Qwen/Qwen3-8B", "--engine", "exllama",
                         "--compare", "engine_version=newest")
        self.assertRegex(err, "no newest release of exllama is known")

    def test_windows_outlive_two_steps_from_0_26(self):
        """Gemma 3 27B: 10 layers a group, 16 heads x 128 x 2 bytes x 2 = 8,192
        bytes a row, 16 rows a block. 6 groups keep min(1023 + steps x 2048)
        / 16 + 1 blocks, one keeps 8,192."""
        def need(steps):
            window = -(-(1023 + steps * 2048) // 16) + 1
            return 10 * 8192 * 16 * (6 * window + 8192)
        step = changes("google/gemma-3-27b-it", ["0.21.0", "0.26.0"],
                       "--max-model-len", 131072, "--kv-available",
                       str(int(11.8 * GIB)),
                       "--max-num-batched-tokens", 2048)["0.26.0"]
        self.assertEqual(step["before"]["bytes_per_request"], need(1))
        self.assertEqual(step["from"]["bytes_per_request"], need(2))
        self.assertEqual(step["percent"], 8)
        self.assertEqual(step["before"]["verdict"], "fits")
        self.assertEqual(step["from"]["verdict"], "does_not_fit")
        self.assertEqual(reasons(step), ["pull/47728"])

    def test_windows_are_charged_as_windows_from_0_8_3(self):
        step = changes("google/gemma-3-27b-it", ["0.8.2", "0.8.4"],
                       "--max-model-len", 131072, "--kv-available", "20GiB",
                       "--max-num-batched-tokens", 2048)["0.8.3"]
        self.assertEqual(step["before"]["bytes_per_request"],
                         62 * 8192 * 2 * 131072 // 2)
        self.assertEqual(step["before"]["verdict"], "does_not_fit")
        self.assertEqual(reasons(step), ["pull/14097"])

    def test_graphs_and_the_default_share_move_the_pool_in_0_20(self):
        step = changes("Qwen/Qwen3-8B", ["0.19.1", "0.21.0"], "--gpu", "L4",
                       "--max-model-len", 8192)["0.20.0"]
        self.assertEqual(step["before"]["bytes_per_request"],
                         step["from"]["bytes_per_request"])
        self.assertNotEqual(step["before"]["pool"], step["from"]["pool"])
        self.assertEqual(reasons(step), ["pull/38284"])
        share = [(one["before"]["value"], one["from"]["value"])
                 for one in step["defaults"]
                 if one["from"]["name"] == "gpu_memory_utilization"]
        self.assertEqual(share, [(0.9, 0.92)])
        eager = changes("Qwen/Qwen3-8B", ["0.19.1", "0.21.0"], "--gpu", "L4",
                        "--enforce-eager", "--max-model-len", 8192)["0.20.0"]
        self.assertEqual(eager["because"], [])  # the share alone

    def test_latents_are_rows_from_0_7_1(self):
        """DeepSeek-V2-Lite: 27 layers; 16 heads x 192 x 2 x 2 bytes before, a
        row of 576 x 2 bytes from then on."""
        step = changes("deepseek-ai/DeepSeek-V2-Lite", ["0.7.0", "0.7.1"],
                       "--max-model-len", 1600)["0.7.1"]
        self.assertEqual(step["before"]["bytes_per_request"],
                         27 * 1600 * 16 * 192 * 2 * 2)
        self.assertEqual(step["from"]["bytes_per_request"],
                         27 * 1600 * 576 * 2)

    def test_hybrids_keep_a_second_state_from_0_28(self):
        step = changes("Qwen/Qwen3-Next-80B-A3B-Instruct",
                       ["0.27.0", "0.28.0"], "--max-model-len", 32768)
        self.assertEqual(list(step), ["0.28.0"])
        self.assertEqual(reasons(step["0.28.0"]),
                         ["blob/v0.28.0/vllm/config/model.py"])

    def test_sglang_reserves_for_graphs_of_the_prefill_from_0_5_10(self):
        step = changes("Qwen/Qwen3-8B", ["0.5.9", "0.5.10"], "--engine",
                       "sglang", "--gpu", "L4")["0.5.10"]
        self.assertRegex(step["because"][0]["what"], "prefill")
        answered = changes("Qwen/Qwen3-8B", ["0.5.9", "0.5.10"], "--engine",
                           "sglang", "--gpu", "L4", "--set",
                           "mem_fraction_static=0.8")
        self.assertEqual(answered, {})

    def test_every_change_of_numbers_has_a_reason(self):
        """Over models of every kind of layer, and cards."""
        models = ["Qwen/Qwen3-8B", "google/gemma-3-27b-it",
                  "openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V3.2-Exp",
                  "meta-llama/Llama-4-Scout-17B-16E-Instruct",
                  "Qwen/Qwen3-Next-80B-A3B-Instruct",
                  "deepseek-ai/DeepSeek-V2-Lite"]
        settings = [["--gpu", "H100"], ["--gpu", "T4"], ["--kv-available",
                    "10GiB"], ["--gpu", "H100", "--pp", 2]]
        for model in models:
            for words in settings:
                found = changes(model, ["0.6.3", "newest"], "--max-model-len",
                                8192, *words)
                for release, step in found.items():
                    self.assertTrue(step["because"] or step["defaults"],
                                    (model, words, release, step))

    def test_every_row_of_the_rules_is_told(self):
        """Where a row of rules.c or rules.h begins, release_table.def has one."""
        def read(path):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                return file.read()
        source = read("src/memory/rules.c")
        told = set(re.findall(r'CHANGE\("vllm", "([\d.]+)"',
                              read("src/memory/release_table.def")))
        rows = source[source.index("rows[] = {"):source.index("ROW_COUNT")]
        begin = set(re.findall(r'\{"([\d.]+)", "', rows)) | \
            set(re.findall(r'is_between\(c, "([\d.]+)", "[^"]*"\)',
                           source[source.index("enum answer rules_check_free"):
                                  ]))
        # What moves no amount: how the pool is printed (0.20.1).
        self.assertEqual(begin - told - {"0", "0.20.1"}, set())
        source += read("src/memory/kv.h")
        self.assertEqual({one for one in told if one not in begin and
                          f'"{one}"' not in source}, {"0.9.1"})


LOG = """\
INFO 11-20 10:00:01 [utils.py:233] non-default args: {{'model': \
'google/gemma-3-27b-it', 'max_model_len': 131072, \
'max_num_batched_tokens': 2048}}
(EngineCore pid=90) INFO 11-20 10:00:09 [core.py:93] Initializing a V1 LLM \
engine (v{0}) with config: model='google/gemma-3-27b-it', \
dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=1
(EngineCore pid=90) INFO 11-20 10:01:01 [gpu_worker.py:298] Available KV \
cache memory: {1} GiB
(EngineCore pid=90) ERROR 11-20 10:01:02 [core.py:866] ValueError: To serve \
at least one request with the models's max seq len (131072), ({2} GiB KV \
cache is needed, which is larger than the available KV cache memory ({1} \
GiB). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` \
when initializing the engine.
"""


class Report(unittest.TestCase):
    def report(self, *args):
        log = LOG.format(*args)
        out = json.loads(oomkb("--format", "json", "-", stdin=log)[0])
        for error in FINDING.iter_errors(out["findings"][0]):
            raise AssertionError(f"{list(error.absolute_path)}: "
                                 f"{error.message}")
        texts = [oomkb("--lang", lang, "-", stdin=log)[0].replace("\n", " ")
                 for lang in ("en", "zh")]
        return out["findings"][0]["release_change"], *texts

    def test_the_release_before_holds_it(self):
        change, text, chinese = self.report("0.26.0", "12.00", "12.35")
        self.assertEqual(change["release"], "0.26.0")
        self.assertEqual(change["percent"], 8)
        self.assertEqual(change["before"]["verdict"], "fits")
        self.assertEqual(change["from"]["verdict"], "does_not_fit")
        self.assertIn("Fits before vLLM 0.26.0, not since (+8 % KV cache)",
                      text)
        self.assertIn("vllm-project/vllm#47728", text)
        self.assertIn("vLLM 0.26.0 之前的版本放得下", chinese)

    def test_a_later_release_holds_it(self):
        change, text, chinese = self.report("0.8.2", "20.00", "62.00")
        self.assertEqual(change["release"], "0.8.3")
        self.assertEqual(change["before"]["verdict"], "does_not_fit")
        self.assertIn("Fits from vLLM 0.8.3 on, not before (-82 % KV cache)",
                      text)
        self.assertIn("从 vLLM 0.8.3 起放得下", chinese)

    def test_nothing_is_said_where_no_release_holds_it(self):
        change, text, _ = self.report("0.26.0", "6.00", "12.35")
        # 0.14 to 0.18 charge 241 MiB, but their pool is reckoned otherwise.
        self.assertIsNone(change)
        self.assertNotIn("Fits ", text)

    def test_nothing_is_said_where_the_model_does_not_explain_the_log(self):
        change, text, _ = self.report("0.26.0", "12.00", "14.35")
        self.assertIsNone(change)
        self.assertNotIn("Fits ", text)

    def test_from_a_log_each_release_is_asked_by_its_own_rules(self):
        log = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                           f"oomkb-releases-{os.getpid()}.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write(LOG.format("0.26.0", "12.00", "12.35"))
        self.addCleanup(os.unlink, log)
        answer = fit("--from-log", log, "--compare",
                     "engine_version=0.25.0,0.26.0")
        verdicts = [row["verdict"] for row in answer["compare"]]
        self.assertEqual(verdicts[0], "fits")
        self.assertNotEqual(verdicts[1], "fits")


if __name__ == "__main__":
    unittest.main()
