#!/usr/bin/env python3
"""`oomkb fit` as its users meet it: the JSON's contract, exit statuses, one
line for every mistake, models from files, and what must hold for any numbers.
"""
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C", "TERM": "dumb",
       "ASAN_OPTIONS": "detect_leaks=1"}
GIB = 1 << 30
LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
GEMMA = "google/gemma-3-27b-it"


def schema(name):
    with open(os.path.join(ROOT, "kb", name), encoding="utf-8") as file:
        return json.load(file)


SCHEMA = schema("fit.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(
    {"$ref": "#/$defs/fit", "$defs": SCHEMA["$defs"]})


SLOW = {"enforce_eager", "cpu_offload", "swap_space", "gpu_layers", "offload"}


def price(step):
    """What plans are sorted by: hardware last, before it what costs quality,
    before that what slows every step."""
    if step["effort"] == "hardware":
        return 3
    if step["loses"] == "quality":
        return 2
    return int(any(change["name"] in SLOW for change in step["changes"]))


def oomkb(*words, stdin=b""):
    return subprocess.run([OOMKB, *map(str, words)], input=stdin, env=ENV,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)


class Fit(unittest.TestCase):
    def fit(self, *words, status=None):
        done = oomkb("fit", "--format", "json", *words)
        self.assertEqual(done.stderr, b"", words)
        if status is not None:
            self.assertEqual(done.returncode, status, words)
        answer = json.loads(done.stdout)
        for error in VALIDATOR.iter_errors(answer):
            self.fail(f"{words}: {list(error.absolute_path)}: "
                      f"{error.message[:300]}")
        return answer

    def kv(self, *words):
        return self.fit(*words)["kv"]

    def refused(self, *words):
        done = oomkb("fit", *words)
        self.assertEqual(done.returncode, 2, words)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, rb"^oomkb: [^\n]+\n$")
        return done.stderr.decode()

    def file(self, content, suffix=".json"):
        file = tempfile.NamedTemporaryFile(suffix=suffix)
        self.addCleanup(file.close)
        file.write(content if isinstance(content, bytes)
                   else json.dumps(content).encode())
        file.flush()
        return file.name


class Empty(unittest.TestCase):
    def test_csv_without_a_table_is_empty(self):
        """Under sanitizers: no bytes are no pointer for fwrite()."""
        program = os.path.abspath(os.environ.get("OOMKB_SAN", OOMKB))
        done = subprocess.run(
            [program, "fit", "--format", "csv", "--model", LLAMA, "--gpu",
             "RTX 4090"], env=ENV, capture_output=True, check=False)
        self.assertEqual((done.stdout, done.stderr), (b"", b""))


class Commands(Fit):
    """A command line in the engine's own words. Flags and what they mean:
    vLLM's engine/arg_utils.py (human_readable_int: 1k is 1000, 1K is 1024),
    SGLang's srt/server_args.py, llama.cpp's common/arg.cpp."""

    def said(self, *words):
        inputs = self.fit("--gpu", "H100", *words)["inputs"]
        return {name: fact["value"] for name, fact in inputs.items()
                if fact["source"] in ("user", "derived")}

    def expect(self, words, **facts):
        said = self.said(*words)
        for name, value in facts.items():
            self.assertEqual(said.get(name), value, (words, name))

    def test_flags_are_those_of_the_engine(self):
        llama = ["--model", "Qwen/Qwen3-14B"]
        self.expect([*llama, "-tp", 2, "--max-model-len", "32k"],
                    tensor_parallel=2, max_model_len=32000)
        self.expect([*llama, "--tensor-parallel-size=4", "-pp", 2,
                     "--max-model-len=32K", "--enforce-eager"],
                    tensor_parallel=4, pipeline_parallel=2,
                    max_model_len=32768, enforce_eager=True)
        self.expect([*llama, "-c", 8192, "-ngl", 20, "-ub", 256, "-np", 2,
                     "-ctk", "q8_0"],
                    engine="llama.cpp", context_length=8192, gpu_layers=20,
                    max_num_batched_tokens=256, max_num_seqs=2,
                    kv_cache_dtype="q8_0")
        self.expect(["--engine", "sglang", *llama, "--tp-size", 2,
                     "--context-length", 16384, "--mem-fraction-static",
                     "0.8"],
                    tensor_parallel=2, context_length=16384,
                    mem_fraction_static=0.8)
        self.expect([*llama, "--no-enable-prefix-caching",
                     "--cpu-offload-gb", 4],
                    prefix_caching=False, cpu_offload=4 * GIB)

    def test_the_program_says_whose_command_it_is(self):
        for command, engine, facts in (
                ("vllm serve Qwen/Qwen3-14B -tp 2", "vllm",
                 {"tensor_parallel": 2}),
                ("docker run --gpus all vllm/vllm-openai:v0.9.1 "
                 "--model Qwen/Qwen3-14B", "vllm", {"engine_version": "0.9.1"}),
                ("python -m sglang.launch_server --model-path "
                 "Qwen/Qwen3-14B --tp 2", "sglang", {"tensor_parallel": 2}),
                ("llama-server -m Qwen3-14B-Q4_K_M.gguf -c 4096 -ngl 99",
                 "llama.cpp", {"quantization": "Q4_K_M",
                               "context_length": 4096}),
                ("trtllm-serve Qwen/Qwen3-14B --tp_size 2", "tensorrt-llm",
                 {"tensor_parallel": 2}),
                ("ollama run qwen3:14b", "ollama", {}),
                ("bash -c 'vllm serve Qwen/Qwen3-14B -tp 4'", "vllm",
                 {"tensor_parallel": 4}),
                ('["vllm", "serve", "Qwen/Qwen3-14B", "-tp", "2"]', "vllm",
                 {"tensor_parallel": 2})):
            self.expect([command], engine=engine, model="Qwen/Qwen3-14B",
                        **facts)

    def test_one_command_in_four_ways(self):
        command = "vllm serve Qwen/Qwen3-14B -tp 2 --max-model-len 32k"
        whole = self.fit("--gpu", "H100", command)
        words = ["fit", "--format", "json", "--gpu", "H100"]
        for done in (
                oomkb(*words, "--", *command.split()),
                oomkb(*words, *command.split()),
                oomkb(*words, "-", stdin=command.encode()),
                oomkb(*words, self.file(
                    b"#!/bin/sh\nexport A=1\n" + command.encode(), ".sh"))):
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout), whole)

    def test_what_is_said_beside_it_wins(self):
        self.expect(["--tp", 4, "vllm serve Qwen/Qwen3-14B -tp 2"],
                    tensor_parallel=4)

    def test_a_flag_that_is_not_reckoned_is_named(self):
        def remarks(flags):
            return self.fit("--gpu", "H100", "vllm serve Qwen/Qwen3-14B " +
                            flags)["remarks"]
        self.assertEqual(remarks("--port 80 --served-model-name m "
                                 "--disable-log-requests --no-trust-remote-code"
                                 " --structured-outputs-config.backend x"), [])
        for flags, said in (
                ("--frobnicate 3", "does not know the flag --frobnicate"),
                ("--max-model-lenn 3", "did you mean --max-model-len?"),
                ("--enable-lora", "--enable-lora changes memory use too"),
                ("-tp $TP", "-tp has no value yet ($TP)")):
            one, = remarks(flags)
            self.assertIn(said, one)
        one, = self.fit("--gpu", "H100", "--engine-version", "0.6.3",
                        "vllm serve Qwen/Qwen2.5-7B "
                        "--kv-cache-memory-bytes 4GiB")["remarks"]
        self.assertIn("vLLM 0.6.3 does not take --kv-cache-memory-bytes", one)

    def test_what_is_no_command_is_refused(self):
        for words, said in (
                (["nginx -p 80"], "starts no engine that is known"),
                (["/no/such/file"], "No such file"),
                (["--max-model-lenn", 3, "--model", LLAMA],
                 "did you mean --max-model-len?"),
                (["-tp", "x", "--model", LLAMA], "tensor_parallel")):
            self.assertIn(said, self.refused("--gpu", "H100", *words))

    def test_a_flag_for_k_leaves_v_alone(self):
        def need(*words):
            return self.kv("--gpu", "H100", "--model", LLAMA, "-c", 8192,
                           *words)["bytes_per_request"]
        whole = need()
        self.assertEqual(need("-ctk", "q8_0"), whole / 2 * (1 + 34 / 64))
        self.assertEqual(need("-ctk", "q8_0", "-ctv", "q8_0"),
                         whole * 34 / 64)


class Splits(Fit):
    """What engines check before they cut a model up: vllm/config/model.py
    (verify_with_parallel_config), linear.py and vocab_parallel_embedding.py
    (divide), quantization/fp8.py; the error of vllm#17569 is the row of
    Qwen3-235B-A22B-FP8."""

    def check(self, *words):
        answer = self.fit("--gpu", "H200", *words)
        split = answer["checks"].get("split", {}).get("verdict")
        return answer["verdict"], split, answer["because"] or ""

    def test_what_vllm_refuses_to_cut(self):
        qwen = "Qwen/Qwen3-235B-A22B-FP8"
        for words, said in (
                (["--model", qwen, "--tp", 8],
                 "192 columns per rank are not a multiple of 128"),
                (["--model", "Qwen/Qwen3-30B-A3B-FP8", "--tp", 4],
                 "192 columns per rank are not a multiple of 128"),
                (["--model", "Qwen/Qwen3-14B", "--tp", 5],
                 "8 KV heads can be neither divided nor copied"),
                (["--config", self.file({
                    "num_hidden_layers": 4, "hidden_size": 768,
                    "num_attention_heads": 12, "num_key_value_heads": 12,
                    "vocab_size": 32000, "intermediate_size": 3072,
                    "max_position_embeddings": 4096}), "--tp", 3],
                 "the vocabulary, padded to 32,000 rows, does not divide evenly"),
                (["--config", self.file({
                    "num_hidden_layers": 4, "hidden_size": 768,
                    "num_attention_heads": 12, "num_key_value_heads": 12,
                    "vocab_size": 32064, "intermediate_size": 3070,
                    "max_position_embeddings": 4096}), "--tp", 3],
                 "a feed-forward layer of 3,070 columns does not divide evenly"),
                (["--config", self.file({
                    "num_hidden_layers": 4, "hidden_size": 1024,
                    "num_attention_heads": 8, "num_key_value_heads": 8,
                    "vocab_size": 32000, "intermediate_size": 29568,
                    "max_position_embeddings": 4096,
                    "quantization_config": {"quant_method": "awq",
                                            "group_size": 32}}), "--tp", 8],
                 "3,696 columns per rank are not a multiple of 32")):
            verdict, split, why = self.check(*words)
            self.assertEqual((verdict, split), ("does_not_fit", "not_enough"),
                             words)
            self.assertIn(said, why)

    def test_a_stage_has_a_layer(self):
        """Qwen3-8B has 36 layers."""
        model = ["--model", "Qwen/Qwen3-8B", "--gpus", 64, "--pp"]
        for engine in ("vllm", "sglang"):
            of = ["--engine", engine, *model]
            self.assertEqual(self.check(*of, 64), (
                "does_not_fit", "not_enough",
                "64 pipeline stages are more than the 36 layers of the model: "
                "a stage needs at least one."))
            self.assertEqual(self.check(*of, 36)[:2], ("fits", None))
        # cards that llama.cpp has no layer for lie idle
        self.assertEqual(self.check("--engine", "llama.cpp", "--model",
                                    "Qwen/Qwen3-8B", "--gpus", 40)[0], "fits")
        self.assertEqual(self.fit("--gpu", "H200", *model, 36)["remarks"], [])

    def test_what_it_takes(self):
        qwen = "Qwen/Qwen3-235B-A22B-FP8"
        for words in (["--model", qwen, "--tp", 4],
                      ["--model", qwen, "--tp", 8,
                       "--enable-expert-parallel"],
                      # its own weights, narrowed at start: no blocks
                      ["--model", "Qwen/Qwen3-235B-A22B", "--tp", 8,
                       "--quantization", "fp8"],
                      # KV heads are copied: 16 ranks, 8 heads
                      ["--model", "Qwen/Qwen3-32B", "--tp", 16],
                      ["--engine", "sglang", "--model", qwen, "--tp", 8,
                       "--ep-size", 8]):
            self.assertEqual(self.check(*words)[:2], ("fits", None), words)

    def test_of_a_usual_group_it_is_a_doubt(self):
        answer = self.fit("--gpu", "H200", "--model",
                          "Qwen/Qwen2.5-72B-Instruct-AWQ", "--tp", 8)
        self.assertEqual(answer["checks"]["split"]["verdict"], "unknown")
        self.assertEqual(answer["verdict"], "fits")

    def test_expert_parallel_mends_the_split(self):
        plan = self.fit("--gpu", "H200", "--tp", 8, "--model",
                        "Qwen/Qwen3-235B-A22B-FP8")["plan"]
        self.assertIn("--enable-expert-parallel",
                      [step["command"] for step in plan])

    def test_experts_are_dealt_out_over_data_parallel_ranks(self):
        """DeepSeek-V3: 58 layers x 256 experts x 3 x 7168 x 2048 weights in 8
        bits; with DP 8 and TP 1 a rank has an eighth of them."""
        def weights(*words):
            return self.fit("--gpu", "H200", "--model",
                            "deepseek-ai/DeepSeek-V3", "--dp", 8,
                            *words)["weights"]["bytes_per_gpu"]
        experts = 58 * 256 * 3 * 7168 * 2048
        saved = weights() - weights("--enable-expert-parallel")
        self.assertAlmostEqual(saved / (experts * 7 / 8), 1, delta=0.06)

    def test_all_cards_are_used(self):
        for words, tp, pp in (
                (["--model", "Qwen/Qwen3-32B", "--gpus", 4], 4, 1),
                (["--model", "Qwen/Qwen3-32B", "--gpus", 6], 2, 3),
                (["--model", "Qwen/Qwen3-235B-A22B-FP8", "--gpus", 8], 4, 2),
                (["--engine", "sglang", "--model", "Qwen/Qwen3-32B",
                  "--gpus", 4], 4, 1)):
            answer = self.fit("--gpu", "H200", *words)
            inputs = answer["inputs"]
            self.assertEqual((inputs["tensor_parallel"]["value"],
                              inputs["pipeline_parallel"]["value"]),
                             (tp, pp), words)
            self.assertIn("GPUs were given without a split",
                          answer["remarks"][0])
        said = self.fit("--gpu", "H200", "--model", "Qwen/Qwen3-32B",
                        "--gpus", 4, "--tp", 2)
        self.assertEqual(said["inputs"]["tensor_parallel"]["value"], 2)
        self.assertEqual(said["remarks"], [])

    def test_sglang_may_share_its_ranks(self):
        """server_args.py: under --enable-dp-attention dp_size divides tp_size
        and all of them are tp_size GPUs."""
        words = ["--engine", "sglang", "--gpu", "H200", "--gpus", 8, "--model",
                 "deepseek-ai/DeepSeek-V3", "--tp", 8, "--dp"]
        self.assertEqual(self.fit(*words, 8)["verdict"], "fits")
        self.assertEqual(self.fit(*words, 3)["checks"]["ranks"]["verdict"],
                         "not_enough")

    def test_the_model_came_with_a_release(self):
        """openai/gpt-oss: vllm#22327, in 0.10.1."""
        def check(version):
            return self.fit("--gpu", "H200", "--model", "openai/gpt-oss-20b",
                            "--engine-version", version)["checks"]
        self.assertEqual(check("0.10.0")["release"]["verdict"], "not_enough")
        self.assertNotIn("release", check("0.10.1"))
        self.assertNotIn("release", self.fit(
            "--gpu", "H200", "--model", LLAMA, "--engine-version",
            "0.2.0")["checks"])
        done = oomkb("fit", "--gpu", "H200", "--model", "openai/gpt-oss-20b",
                     "--engine-version", "0.10.0")
        self.assertRegex(done.stdout.decode().replace("\n ", ""),
                         r"vLLM 0\.10\.0 does not support openai/gpt-oss-20b")

    def test_since_is_an_engine_and_a_release(self):
        folder = os.path.join(ROOT, "kb", "models")
        count = 0
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for line in re.findall(r"^    since: \[(.*?)\]", file.read(),
                                       re.M):
                    for one in line.split(", "):
                        self.assertRegex(one, r"^(vllm|sglang) \d+\.\d[\w.]*$")
                        count += 1
        self.assertGreater(count, 50)

    def test_v_in_few_bits_wants_flash_attention(self):
        """llama-context.cpp: "V cache quantization requires flash_attn"."""
        words = ["--engine", "llama.cpp", "--gpu", "H200", "--model", LLAMA,
                 "--set", "quantization=Q4_K_M", "-ctk", "q8_0"]
        off = ["--set", "flash_attention=false"]
        self.assertEqual(self.fit(*words, "-ctv", "q8_0", *off)["verdict"],
                         "does_not_fit")
        for more in (off, ["-ctv", "q8_0"], ["-ctv", "f16", *off]):
            self.assertEqual(self.fit(*words, *more)["verdict"], "fits")


class Doubts(Fit):
    def test_a_missing_estimate_makes_it_likely(self):
        for words in (["--model", "Qwen/Qwen3-8B", "--gpu", "RTX 4090"],
                      ["--model", "Qwen/Qwen3-14B", "--gpu", "RTX 4090",
                       "--quantization", "torchao"]):
            answer = self.fit(*words, status=0)
            self.assertEqual(answer["verdict"], "likely")
            self.assertIn("because of an estimate", answer["because"])

    def test_of_every_model_something_is_said(self):
        """With a card and a model of known size no verdict is left open."""
        folder = os.path.join(ROOT, "kb", "models")
        for name in sorted(os.listdir(folder))[::4]:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                model = re.search(r"^  - id: (\S+)(?:(?!^  - id).)*?"
                                  r"^    params: ", file.read(), re.M | re.S)
            for engine in ("vllm", "sglang", "llama.cpp", "transformers"):
                answer = self.fit("--model", model.group(1), "--gpu", "H100",
                                  "--engine", engine)
                self.assertNotEqual(answer["verdict"], "unknown",
                                    (model.group(1), engine))

    def test_what_slows_every_step_is_no_mere_flag(self):
        """llama.cpp: fewer layers on the card come after a shorter context;
        vLLM: eager mode after settings that cost nothing or a batch."""
        plans = (
            self.fit("--engine", "llama.cpp", "--gpu", "RTX 4090", "--model",
                     "Qwen/Qwen3-32B", "--set", "quantization=Q4_K_M", "-c",
                     40960)["plan"],
            self.fit("--gpu", "RTX 4090", "--model", "Qwen/Qwen3-8B")["plan"])
        for plan in plans:
            slow = [i for i, step in enumerate(plan)
                    if {c["name"] for c in step["changes"]} & SLOW]
            self.assertTrue(slow)
            for i in slow:
                self.assertEqual(plan[i]["loses"], "speed")
                self.assertTrue(all(price(step) == 0 for step in plan[:i]
                                    if plan.index(step) not in slow))


class Contract(Fit):
    def test_the_shared_definitions_are_those_of_reports(self):
        report = schema("report.schema.json")["$defs"]
        for name in ("fact_name", "fact", "amount", "kv", "budget_part"):
            self.assertEqual(SCHEMA["$defs"][name], report[name], name)

    def test_a_uniform_model_is_exact(self):
        answer = self.fit("--model", LLAMA, "--max-model-len", 20000,
                          "--kv-available", "3.81GiB", status=0)
        self.assertEqual(answer["kv"], {
            "bytes_per_token": {"fixed": 0, "slope": 131072},
            "bytes_per_block": 2097152, "bytes_per_request": 2621440000,
            "blocks": 1950, "tokens": 31200, "max_concurrency": 1.56,
            "est_max_model_len": 20000, "fits": True, "needs": []})
        self.assertEqual(answer["weights"]["bytes_per_gpu"], 2 * 8030261248)

    def test_defaults_are_said_to_be_defaults(self):
        inputs = self.fit("--model", LLAMA, "--kv-available", "8GiB")["inputs"]
        for name, value in (("engine", "vllm"), ("dtype", "bfloat16"),
                            ("kv_cache_dtype", "auto"),
                            ("tensor_parallel", 1), ("pipeline_parallel", 1),
                            ("data_parallel", 1), ("block_size", 16),
                            ("gpu_memory_utilization", 0.92)):
            self.assertEqual(inputs[name]["value"], value, name)
            self.assertEqual(inputs[name]["source"], "default", name)
        self.assertEqual(inputs["engine_version"]["source"], "default")
        old = self.fit("--model", LLAMA, "--kv-available", "8GiB",
                       "--engine-version", "0.9.2")["inputs"]
        self.assertEqual(old["gpu_memory_utilization"]["value"], 0.9)
        self.assertEqual(old["engine_version"]["source"], "user")

    def test_a_request_is_fixed_and_slope(self):
        for model, words in (
                (LLAMA, []), ("deepseek-ai/DeepSeek-V3", ["--tp", 8]),
                (GEMMA, ["--max-num-batched-tokens", 8192]),
                ("openai/gpt-oss-20b", ["--max-num-batched-tokens", 2048])):
            for length in (4097, 32768, 100001):
                answer = self.kv("--model", model, "--kv-available", "80GiB",
                                 "--max-model-len", length, *words)
                whole = -(-length // 16) * 16
                parts = answer["bytes_per_token"]
                self.assertEqual(parts["fixed"] + parts["slope"] * whole,
                                 answer["bytes_per_request"], (model, length))

    def test_what_is_printed_depends_on_the_release(self):
        words = ["--model", GEMMA, "--max-num-batched-tokens", 8192,
                 "--max-model-len", 4096, "--kv-available", "109.86GiB"]
        old = self.kv(*words, "--engine-version", "0.11.0")
        self.assertEqual(old["blocks"], 89997)
        self.assertEqual(old["tokens"], 205696)
        self.assertEqual(old["max_concurrency"], 50.05)
        new = self.kv(*words, "--engine-version", "0.21.0")
        self.assertEqual(new["tokens"],
                         new["blocks"] * 4096 // (256 + 6 * 257))

    def test_mla_is_on_every_rank_whole(self):
        one = self.kv("--model", "deepseek-ai/DeepSeek-V3")
        eight = self.kv("--model", "deepseek-ai/DeepSeek-V3", "--tp", 8)
        self.assertEqual(one["bytes_per_token"]["slope"], 70272)
        self.assertEqual(eight["bytes_per_token"]["slope"], 70272)

    def test_heads_are_copied_when_ranks_are_more(self):
        slopes = [self.kv("--model", LLAMA, "--tp", tp)["bytes_per_token"]
                  ["slope"] for tp in (1, 2, 8, 16)]
        self.assertEqual(slopes, [131072, 65536, 16384, 16384])

    def test_the_fullest_stage_binds(self):
        slope = self.kv("--model", "deepseek-ai/DeepSeek-V3", "--pp",
                        2)["bytes_per_token"]["slope"]
        self.assertEqual(slope, 31 * 1152)

    def test_unknown_is_an_answer_that_names_what_is_missing(self):
        for words, name in (([], "model"), (["--model", LLAMA], "gpu_total"),
                            (["--gpu", "RTX 4090"], "model")):
            answer = self.fit(*words, status=2)
            self.assertIsNone(answer["kv"]["fits"])
            self.assertIn(name, answer["kv"]["needs"], words)

    def test_names_as_people_write_them(self):
        for name in ("llama3.1:8b", "Meta-Llama-3.1-8B-Instruct-AWQ-INT4",
                     "/models/Llama-3.1-8B-Instruct-Q4_K_M.gguf",
                     "RedHatAI/Llama-3.1-8B-Instruct-quantized.w4a16"):
            answer = self.fit("--model", name, "--kv-available", "8GiB")
            self.assertEqual(answer["kv"]["bytes_per_token"]["slope"], 131072,
                             name)
        guessed = self.fit("--model", "unsloth/Llama-3.1-8B-Instruct-bnb-4bit")
        self.assertIn("guess", guessed["inputs"]["model"]["why"])
        self.assertLess(guessed["weights"]["high"], 8 * GIB)


class Status(Fit):
    def test_fits_or_not(self):
        self.fit("--model", LLAMA, "--gpu", "A100 80GB", "--max-model-len",
                 8192, status=0)
        self.fit("--model", "meta-llama/Llama-3.1-70B-Instruct", "--gpu",
                 "RTX 4090", status=1)
        self.fit("--model", LLAMA, "--kv-available", "1GiB",
                 "--max-model-len", 16384, status=1)

    def test_settings_that_vllm_refuses_do_not_fit(self):
        answer = self.fit("--model", LLAMA, "--gpu", "H200", "--tp", 3,
                          status=1)
        self.assertEqual(answer["checks"]["heads"]["verdict"], "not_enough")
        self.fit("--model", LLAMA, "--gpu", "H200", "--tp", 2, "--gpus", 1,
                 status=1)
        self.fit("--model", LLAMA, "--gpu", "H200", "--max-model-len", 4096,
                 "--set", "gpu_free=20GiB", status=1)

    def test_many_requests_at_once(self):
        words = ["--model", LLAMA, "--kv-available", "8GiB",
                 "--max-model-len", 16384]
        self.fit(*words, "--concurrency", 4, status=0)
        self.fit(*words, "--concurrency", 5, status=1)

    def test_kaito_turns_a_quantized_copy_away(self):
        answer = self.fit("--model", "meta-llama/Llama-3.1-70B-Instruct",
                          "--quantization", "awq", "--gpu", "A100 80GB",
                          "--max-model-len", 4096)
        sku = answer["checks"]["kaito_sku"]
        self.assertEqual((sku["verdict"], sku["bypass"]),
                         ("not_enough", True))


class Mistakes(Fit):
    def test_each_is_one_line(self):
        for words, said in (
                (["--model", "no/such-model"], "no/such-model"),
                (["--gpu", "Voodoo 2"], "Voodoo 2"),
                (["--gpu", "A100"], "A100 40GB"),
                (["--gpu", "A100"], "A100 80GB PCIe"),
                (["--gpu-memory", "23.69"], "unit"),
                (["--gpu-memory", "24 bananas"], "24 bananas"),
                (["--gpu-memory", "-1GiB"], "above 0"),
                (["--gpu-memory", "9999999999TiB"], "64 bits"),
                (["--kv-available", "much"], "much"),
                (["--tp", "0"], "from 1"), (["--tp", "two"], "two"),
                (["--block-size", "-16"], "from 1"),
                (["--max-model-len", "0"], "from 1"),
                (["--gpu-memory-utilization", "95"], "0.9"),
                (["--gpu-memory-utilization", "0"], "above 0"),
                (["--dtype", "int3"], "bfloat16"),
                (["--engine", "frobnicator"], "vllm"),
                (["--engine-version", "latest"], "latest"),
                (["--concurrency", "0"], "1000000"),
                (["--compare", "tp="], "fact=value"),
                (["--compare", "nonsense=1,2"], "nonsense"),
                (["--sweep", "tp"], "max_model_len"),
                (["--set", "nonsense=1"], "nonsense"),
                (["--config", "/nonexistent.json"], "/nonexistent.json"),
                (["--from-log", "/nonexistent.log"], "/nonexistent.log"),
                (["--format", "pdf"], "pdf"), (["--top", "3"], "--top"),
                (["some.log"], "some.log")):
            with self.subTest(words=words):
                self.assertIn(said, self.refused(*words))

    def test_fit_options_belong_to_fit(self):
        done = oomkb("--tp", "2", "some.log")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--tp", done.stderr)

    def test_a_bare_h100_has_80_gb(self):
        answer = self.fit("--model", LLAMA, "--gpu", "H100",
                          "--max-model-len", 8192)
        self.assertEqual(answer["inputs"]["gpu_name"]["value"],
                         "H100 SXM5 80GB")

    def test_a_size_without_a_unit_is_bytes(self):
        answer = self.fit("--model", LLAMA, "--kv-available", 4194304)
        self.assertEqual(answer["kv"]["blocks"], 2)

    def test_decimal_and_binary_gigabytes(self):
        for text, size in (("24GiB", 24 * GIB), ("24GB", 24 * 10 ** 9),
                           ("24 GiB", 24 * GIB)):
            answer = self.fit("--gpu-memory", text)
            self.assertEqual(answer["inputs"]["gpu_total"]["value"], size)

    def test_errors_as_json(self):
        done = oomkb("fit", "--format", "json", "--tp", "0")
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "usage")


def gguf(pairs, tensors=(), version=3):
    def text(s):
        return struct.pack("<Q", len(s)) + s.encode()

    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, value in pairs.items():
        out += text(key)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + text(value)
        elif isinstance(value, list):
            out += struct.pack("<IIQ", 9, 4, len(value))
            out += b"".join(struct.pack("<I", n) for n in value)
        else:
            out += struct.pack("<II", 4, value)
    for name, dims, kind in tensors:
        out += text(name) + struct.pack("<I", len(dims))
        out += b"".join(struct.pack("<Q", n) for n in dims)
        out += struct.pack("<IQ", kind, 0)
    return out


PLAIN = {"general.architecture": "llama", "llama.block_count": 32,
         "llama.embedding_length": 4096, "llama.context_length": 8192,
         "llama.feed_forward_length": 14336,
         "llama.attention.head_count": 32,
         "llama.attention.head_count_kv": 8, "general.file_type": 15}


class Files(Fit):
    def config(self, *words, **fields):
        return self.kv("--config", self.file(fields), "--kv-available",
                       "40GiB", *words)

    def test_llama_like(self):
        kv = self.config(num_hidden_layers=32, hidden_size=4096,
                         num_attention_heads=32, num_key_value_heads=8,
                         vocab_size=128256, intermediate_size=14336,
                         max_position_embeddings=8192)
        self.assertEqual(kv["bytes_per_token"], {"fixed": 0, "slope": 131072})

    def test_its_parameters(self):
        name = self.file({
            "num_hidden_layers": 32, "hidden_size": 4096,
            "num_attention_heads": 32, "num_key_value_heads": 8,
            "vocab_size": 128256, "intermediate_size": 14336})
        weights = self.fit("--config", name)["weights"]["bytes_per_gpu"]
        self.assertAlmostEqual(weights / 16060522496, 1, delta=0.02)

    def test_older_spellings(self):
        kv = self.config(n_layer=12, n_embd=768, n_head=12, n_positions=1024)
        self.assertEqual(kv["bytes_per_token"]["slope"], 12 * 2 * 768 * 2)
        kv = self.config(n_layer=32, hidden_size=4544, n_head=71,
                         multi_query=True)
        self.assertEqual(kv["bytes_per_token"]["slope"], 32 * 2 * 64 * 2)

    def test_mla(self):
        kv = self.config(num_hidden_layers=61, hidden_size=7168,
                         num_attention_heads=128, kv_lora_rank=512,
                         qk_rope_head_dim=64, v_head_dim=128)
        self.assertEqual(kv["bytes_per_token"]["slope"], 70272)

    def test_an_indexer(self):
        kv = self.config(num_hidden_layers=61, hidden_size=7168,
                         num_attention_heads=128, kv_lora_rank=512,
                         qk_rope_head_dim=64, index_head_dim=128)
        self.assertEqual(kv["bytes_per_token"]["slope"], 61 * (1152 + 132))

    def test_windows_by_name_and_by_design(self):
        shape = {"num_hidden_layers": 12, "hidden_size": 2048,
                 "num_attention_heads": 16, "num_key_value_heads": 8,
                 "sliding_window": 512, "max_position_embeddings": 32768}
        types = (["sliding_attention"] * 5 + ["full_attention"]) * 2
        words = ["--engine-version", "0.21.0",
                 "--max-num-batched-tokens", 2048]
        by_name = self.config(*words, layer_types=types, **shape)
        by_design = self.config(*words, model_type="gemma3_text", **shape)
        inside = self.kv("--config", self.file(
            {"model_type": "gemma3", "text_config": {
                **shape, "layer_types": types}}), "--kv-available", "40GiB",
            *words)
        self.assertEqual(by_name, by_design)
        self.assertEqual(by_name, inside)
        row = 2 * 8 * 128 * 2
        self.assertEqual(by_name["bytes_per_token"]["slope"], 2 * row)
        blocks = -(-(511 + 2048) // 16) + 1
        self.assertEqual(by_name["bytes_per_token"]["fixed"],
                         10 * row * 16 * blocks)

    def test_shared_layers_keep_nothing(self):
        kv = self.config(num_hidden_layers=30, num_kv_shared_layers=10,
                         hidden_size=2048, num_attention_heads=8, head_dim=256,
                         num_key_value_heads=2)
        self.assertEqual(kv["bytes_per_token"]["slope"], 20 * 2 * 2 * 256 * 2)

    def test_hybrids(self):
        kv = self.config("--engine", "llama.cpp", "--max-model-len", 4096,
                         num_hidden_layers=48, hidden_size=2048, num_attention_heads=16, head_dim=256,
                         num_key_value_heads=2, full_attention_interval=4,
                         linear_num_key_heads=16, linear_num_value_heads=32,
                         linear_key_head_dim=128, linear_value_head_dim=128,
                         linear_conv_kernel_dim=4)
        self.assertEqual(kv["bytes_per_token"]["slope"], 12 * 2 * 2 * 256 * 2)
        state = 32 * 128 * 128 + (2 * 16 * 128 + 32 * 128) * 3
        self.assertEqual(kv["bytes_per_token"]["fixed"], 36 * state * 4)
        nemotron = self.config(
            "--engine", "vllm", "--engine-version", "0.21.0",
            num_hidden_layers=6, hybrid_override_pattern="M-M*-*",
            hidden_size=4096, num_attention_heads=32, num_key_value_heads=8,
            head_dim=128, mamba_num_heads=128, mamba_head_dim=64,
            ssm_state_size=128, n_groups=8, conv_kernel=4)
        self.assertEqual(nemotron["bytes_per_token"]["slope"],
                         2 * 2 * 8 * 128 * 2)

    def test_what_is_no_config(self):
        for content, said in ((b"not JSON", "not JSON"), ({}, "missing"),
                              ({"num_hidden_layers": "many"}, "missing"),
                              ({"num_hidden_layers": 10 ** 7,
                                "hidden_size": 8}, "layers"),
                              (b"[" * 100000, "not JSON"), (b"", "not JSON")):
            with self.subTest(content=repr(content)[:20]):
                self.assertIn(said, self.refused("--config",
                                                 self.file(content)))

    def test_hostile_sizes_are_answered(self):
        done = oomkb("fit", "--config", self.file(
            {"num_hidden_layers": 4096, "hidden_size": 10 ** 8,
             "num_attention_heads": 10 ** 8, "head_dim": 10 ** 8,
             "kv_lora_rank": 0, "vocab_size": 10 ** 8,
             "intermediate_size": 10 ** 8, "num_experts": 10 ** 8,
             "mamba_num_heads": 10 ** 8, "mamba_head_dim": 10 ** 8,
             "max_position_embeddings": 10 ** 8}), "--gpu", "H200")
        self.assertIn(done.returncode, (1, 2))
        self.assertEqual(done.stderr, b"")

    def gguf(self, pairs, *words, tensors=()):
        return self.fit("--engine", "llama.cpp", "--config",
                        self.file(gguf(pairs, tensors), ".gguf"), *words)

    def test_a_gguf_header(self):
        answer = self.gguf(PLAIN, "--max-model-len", 8192)
        self.assertEqual(answer["kv"]["bytes_per_request"], GIB)
        self.assertEqual(answer["inputs"]["quantization"]["value"], "Q4_K_M")
        narrow = self.gguf(PLAIN, "--max-model-len", 8192, "--kv-cache-dtype",
                           "q8_0,q4_0")
        self.assertEqual(narrow["kv"]["bytes_per_request"],
                         (34 + 18) * GIB // 128)

    def test_tensors_are_the_weights(self):
        answer = self.gguf(PLAIN, tensors=[("a", [4096, 32], 12),
                                           ("b", [4096], 0)])
        self.assertEqual(answer["weights"]["bytes_per_gpu"],
                         4096 * 32 * 144 // 256 + 4096 * 4)

    def test_layers_of_gguf_differ(self):
        some = {**PLAIN, "llama.block_count": 4,
                "llama.attention.head_count_kv": [8, 0, 0, 8]}
        answer = self.gguf(some, "--max-model-len", 1024)
        self.assertEqual(answer["kv"]["bytes_per_token"]["slope"], 2 * 4096)
        gpt = {key.replace("llama.", "gpt-oss."): value
               for key, value in PLAIN.items()}
        gpt.update({"general.architecture": "gpt-oss",
                    "gpt-oss.block_count": 24,
                    "gpt-oss.attention.key_length": 64,
                    "gpt-oss.attention.value_length": 64,
                    "gpt-oss.attention.sliding_window": 128})
        answer = self.gguf(gpt, "--max-model-len", 131072,
                           "--max-num-batched-tokens", 2048)
        self.assertEqual(answer["kv"]["bytes_per_token"]["fixed"], 54 << 20)

    def test_a_damaged_gguf(self):
        whole = gguf(PLAIN)
        for cut in list(range(4, len(whole), 7)) + [len(whole) - 1]:
            self.refused("--config", self.file(whole[:cut], ".gguf"))
        for at, value in ((4, 2 ** 32 - 1), (16, 2 ** 64 - 1),
                          (24, 2 ** 63)):
            size = "<I" if at == 4 else "<Q"
            bad = bytearray(whole)
            bad[at:at + struct.calcsize(size)] = struct.pack(size, value)
            self.refused("--config", self.file(bytes(bad), ".gguf"))
        huge = gguf({**PLAIN, "llama.rope.x": [1] * 4}).replace(
            struct.pack("<IIQ", 9, 4, 4), struct.pack("<IIQ", 9, 4, 1 << 61))
        self.refused("--config", self.file(huge, ".gguf"))


class Starts(Fit):
    """vLLM's check at start may count less than its pool keeps. 0.8.3 to
    0.9.0.1: unify_hybrid_kv_cache_specs() makes windows whole after the check;
    0.14 to 0.18: _max_memory_usage_bytes_from_groups() counts one group. A
    request without room waits or is preempted for ever: schedule() in
    v1/core/sched/scheduler.py."""

    WORDS = ["--model", GEMMA, "--gpu", "H100 80GB"]
    NO_ERROR = "gets no error"

    def of(self, release, available, *words, **status):
        return self.fit(*self.WORDS, "--engine-version", release,
                        "--kv-available", available, *words, **status)

    def starts(self, answer):
        return answer["checks"]["kv_at_start"]["verdict"]

    def test_one_block_is_never_handed_out(self):
        """v1/core/block_pool.py takes the null block from 0.8.3 on (#14097);
        get_kv_cache_configs() leaves it out from 0.29.0 on (#47272). A request
        of all blocks waits for ever (#35541)."""
        block = 16 * 128 * 1024
        for release, blocks, starts, longest in (
                ("0.8.2", 100, True, 1600), ("0.8.3", 100, True, 1584),
                ("0.10.1", 100, True, 1584), ("0.28.0", 100, True, 1584),
                ("0.29.0", 100, False, 1584), ("0.8.3", 101, True, 1600),
                ("0.28.0", 101, True, 1600), ("0.29.0", 101, True, 1600)):
            answer = self.fit("--model", LLAMA, "--gpu", "H100 80GB",
                              "--engine-version", release, "--max-model-len",
                              1600, "--kv-available", blocks * block)
            case = (release, blocks)
            self.assertEqual(answer["inverses"]["max_model_len"], longest,
                             case)
            self.assertEqual(answer["verdict"] == "fits",
                             longest == 1600, case)
            said = "never hands out one block (2 MiB)" in " ".join(
                answer["remarks"])
            self.assertEqual(said, starts and longest < 1600, case)

    def test_a_start_is_no_room(self):
        page = 2 * 16 * 128 * 2 * 16
        answer = self.of("0.9.0", "20GiB", status=1)
        self.assertEqual(answer["kv"]["bytes_per_request"], 14670102528)
        self.assertEqual(answer["kept_per_request"], 62 * 8192 * page)
        self.assertEqual(self.starts(answer), "enough")
        self.assertEqual(answer["inverses"]["max_model_len"],
                         (20 * GIB // (62 * page) - 1) * 16)
        self.assertIn(self.NO_ERROR, " ".join(answer["remarks"]))
        refused = self.of("0.9.0", "13GiB", status=1)
        self.assertEqual(self.starts(refused), "not_enough")
        self.assertEqual(refused["remarks"], [])

    def test_one_group_is_not_all(self):
        page = 10 * 2 * 16 * 128 * 2 * 16
        blocks = 8192 + 6 * (-(-(1023 + 8192) // 16) + 1)
        answer = self.of("0.16.0", "1GiB", status=1)
        self.assertEqual(answer["kept_per_request"], blocks * page)
        self.assertEqual(self.starts(answer), "enough")
        longest = answer["inverses"]["max_model_len"]
        self.assertLess(longest, 131072)
        self.of("0.16.0", "1GiB", "--max-model-len", longest, status=0)
        self.of("0.16.0", "1GiB", "--max-model-len", longest + 17, status=1)
        self.assertIn(self.NO_ERROR, " ".join(answer["remarks"]))
        room = self.of("0.16.0", "15GiB", status=0)
        self.assertEqual(room["remarks"], [])

    def test_later_checks_count_what_is_kept(self):
        for release in ("0.19.0", "0.33.0"):
            answer = self.of(release, "20GiB", status=0)
            self.assertEqual(answer["kept_per_request"],
                             answer["kv"]["bytes_per_request"], release)
            self.assertNotIn("kv_at_start", answer["checks"])

    def test_a_window_alone_has_a_longest(self):
        words = ["--model", "mistralai/Mistral-7B-Instruct-v0.1",
                 "--max-num-batched-tokens", 2048, "--kv-available"]
        short = self.fit(*words, "700MiB", status=1)
        longest = short["inverses"]["max_model_len"]
        self.assertTrue(1024 < longest < 4096 + 2 * 2048)
        self.fit(*words, "700MiB", "--max-model-len", longest, status=0)
        for release in ("0.8.5", "0.9.2", "0.33.0"):
            room = self.fit(*words, "3GiB", "--engine-version", release,
                            status=0)
            self.assertEqual(room["inverses"]["max_model_len"], 32768)

    def test_recurrent_layers_ran_in_the_first_engine(self):
        """is_v1_compatible and has_inner_state in engine/arg_utils.py."""
        words = ["--model", "ai21labs/AI21-Jamba-Mini-1.5", "--kv-available",
                 "10GiB", "--tp", 2]
        for release in ("0.8.5", "0.9.1", "0.10.1.1"):
            kv = self.fit(*words, "--engine-version", release,
                          status=0)["kv"]
            self.assertEqual(kv["bytes_per_request"],
                             4 * 2 * 4 * 128 * 2 * 262144, release)

    def test_it_is_said_in_both_languages(self):
        for lang, number in (("en", "62.00 GiB"), ("zh", "62.00 GiB")):
            text = oomkb("fit", "--lang", lang, *self.WORDS,
                         "--engine-version", "0.9").stdout.decode()
            self.assertIn(number, text)
            self.assertIn("13.66 GiB", text)


class Embedders(Fit):
    """Encoders keep nothing: EncoderOnlyAttentionSpec and, until 0.10.0,
    runner_type "pooling" of vLLM; create_memory() of llama.cpp since #13108,
    Ollama since 0.7.0. SGLang has slots for them. Decoders that embed keep a
    cache in vLLM from 0.9.2 on."""

    ENCODERS = ("BAAI/bge-m3", "bge-reranker-v2-m3", "all-minilm",
                "nomic-embed-text", "multilingual-e5-large",
                "google-bert/bert-base-uncased", "embeddinggemma")

    def kept(self, *words):
        answer = self.fit("--gpu", "RTX 4060", *words)
        return answer["kv"]["bytes_per_request"]

    def test_an_encoder_keeps_nothing(self):
        for model in self.ENCODERS:
            for engine in ("vllm", "ollama", "llama.cpp", "transformers"):
                answer = self.fit("--model", model, "--gpu", "RTX 4060",
                                  "--engine", engine, status=0)
                kv = answer["kv"]
                self.assertEqual((kv["bytes_per_request"],
                                  kv["bytes_per_token"]["slope"]), (0, 0))
                self.assertIsNone(kv["max_concurrency"])
                parts = [part["part"] for part in answer["budget"]]
                self.assertNotIn("kv_cache", parts)
                self.assertIn("free", parts)

    def test_some_engines_keep_it_all_the_same(self):
        model = ["--model", "BAAI/bge-m3", "--max-model-len", 8192]
        whole = 24 * 2 * 16 * 64 * 2 * 8192
        for words, kept in ((["sglang"], whole), (["llama.cpp"], 0),
                            (["llama.cpp", "--engine-version", "4000"], whole),
                            (["ollama", "--engine-version", "0.6.8"], whole),
                            (["ollama", "--engine-version", "0.7.0"], 0),
                            (["vllm", "--engine-version", "0.6.4"], 0)):
            self.assertEqual(self.kept("--engine", *words, *model), kept,
                             words)

    def test_a_decoder_that_embeds_does(self):
        words = ["--model", "Qwen/Qwen3-Embedding-0.6B"]
        whole = 28 * 2 * 8 * 128 * 2 * 32768
        for release, kept in (("0.9.1", 0), ("0.9.2", whole),
                              ("0.33.0", whole)):
            self.assertEqual(self.kept(*words, "--engine-version", release),
                             kept, release)
        self.assertEqual(self.kept(*words, "--engine", "llama.cpp"), whole)

    def test_a_step_takes_a_whole_text(self):
        step = self.fit("--model", "BAAI/bge-m3", "--gpu",
                        "RTX 4060")["inputs"]["max_num_batched_tokens"]
        self.assertEqual(step["value"], 8192)

    def test_what_does_not_fit_has_no_length(self):
        answer = self.fit("--model", "BAAI/bge-m3", "--gpu-memory", "600MiB",
                          status=1)
        self.assertIsNone(answer["inverses"]["max_model_len"])
        for plan in answer["plan"]:
            self.assertNotIn("max_num_batched_tokens",
                             [change["name"] for change in plan["changes"]])

    def test_a_file_says_it_too(self):
        bert = {"model_type": "bert", "num_hidden_layers": 24,
                "hidden_size": 1024, "num_attention_heads": 16,
                "intermediate_size": 4096, "vocab_size": 30522,
                "max_position_embeddings": 512}
        gemma = {"model_type": "gemma3_text", "num_hidden_layers": 24,
                 "hidden_size": 768, "num_attention_heads": 3, "head_dim": 256,
                 "num_key_value_heads": 1, "intermediate_size": 1152,
                 "vocab_size": 262144, "max_position_embeddings": 2048,
                 "use_bidirectional_attention": True}
        for config in (bert, gemma):
            answer = self.fit("--config", self.file(config), "--gpu",
                              "RTX 4060", status=0)
            self.assertEqual(answer["kv"]["bytes_per_request"], 0)
        held = self.fit("--config", self.file(bert))["weights"]
        self.assertAlmostEqual(held["bytes_per_gpu"], 2 * 335141888,
                               delta=10 ** 7)


class Inverses(Fit):
    WORDS = ["--max-num-batched-tokens", 4096]

    def test_the_longest_fits_and_one_block_more_does_not(self):
        for model in (LLAMA, GEMMA, "deepseek-ai/DeepSeek-V3"):
            words = ["--model", model, "--kv-available", "4GiB", *self.WORDS]
            longest = self.fit(*words)["inverses"]["max_model_len"]
            self.assertIsInstance(longest, int)
            self.fit(*words, "--max-model-len", longest, status=0)
            self.fit(*words, "--max-model-len", longest + 17, status=1)

    def test_the_estimate_is_its_own(self):
        words = ["--model", LLAMA, "--kv-available", "3.3GiB"]
        est = self.kv(*words)["est_max_model_len"]
        self.assertEqual(est % 16, 0)
        self.assertEqual(self.kv(*words, "--max-model-len",
                                 est)["est_max_model_len"], est)

    def test_the_least_utilization(self):
        words = ["--model", LLAMA, "--gpu", "A100 80GB", "--max-model-len",
                 8192]
        share = self.fit(*words)["inverses"]["least_gpu_memory_utilization"]
        surely = share["high"] if isinstance(share, dict) else share
        self.assertLess(surely, 0.5)
        self.fit(*words, "--gpu-memory-utilization", surely, status=0)

    def test_the_largest_that_passes_the_free_check(self):
        words = ["--model", LLAMA, "--gpu-memory", "80GiB", "--max-model-len",
                 8192, "--set", "gpu_free=60GiB"]
        share = self.fit(*words)["inverses"]["most_gpu_memory_utilization"]
        self.assertEqual(share, 0.75)
        self.fit(*words, "--gpu-memory-utilization", share, status=0)
        self.fit(*words, "--gpu-memory-utilization", 0.76, status=1)

    def test_the_least_card_and_ranks(self):
        inverses = self.fit("--model", "meta-llama/Llama-3.1-70B-Instruct",
                            "--gpu", "H100 80GB", "--max-model-len",
                            8192)["inverses"]
        least = inverses["least_tensor_parallel"]
        surely = least["high"] if isinstance(least, dict) else least
        self.fit("--model", "meta-llama/Llama-3.1-70B-Instruct", "--gpu",
                 "H100 80GB", "--max-model-len", 8192, "--tp", surely,
                 status=0)
        self.fit("--model", "meta-llama/Llama-3.1-70B-Instruct", "--gpu",
                 inverses["least_gpu"], "--max-model-len", 8192, status=0)

    def test_the_least_card_is_of_the_same_kind(self):
        """One that could stand in its place: of its maker, and eight of a
        machine with one memory are no answer."""
        words = ["--model", "deepseek-ai/DeepSeek-V3", "--max-model-len", 8192]
        least = self.fit(*words, "--gpu", "H200", "--gpus", 8, "--tp",
                         8)["inverses"]["least_gpu"]
        self.assertEqual(least, "H200 SXM")
        least = self.fit("--model", LLAMA, "--gpu", "MI300X",
                         "--max-model-len", 8192)["inverses"]["least_gpu"]
        self.assertRegex(least, "^(MI|Radeon|RX|Ryzen)")

    def test_a_share_beyond_what_is_free_is_lowered(self):
        words = ["--model", LLAMA, "--gpu", "L4", "--set", "gpu_free=19GiB",
                 "--max-model-len", 4096]
        first = self.fit(*words, status=1)["plan"][0]
        shares = [change["value"] for change in first["changes"]
                  if change["name"] == "gpu_memory_utilization"]
        self.assertEqual(first["effort"], "flag")
        self.assertEqual(len(shares), 1)
        self.assertLessEqual(shares[0] * 22.30, 19)

    def test_ranks_that_do_not_divide_are_mended(self):
        answer = self.fit("--model", LLAMA, "--gpu", "RTX 4090", "--tp", 3,
                          status=1)
        first = answer["plan"][0]
        self.assertEqual(first["effort"], "flag")
        self.assertEqual(first["changes"][0]["name"], "tensor_parallel")
        self.assertEqual(first["changes"][0]["value"], 2)

    def test_the_engine_s_own_word_on_length(self):
        log = os.path.join(ROOT, "examples", "vllm-long-context.log")
        answer = self.fit("--from-log", log, status=1)
        # Of its estimate of 40,048 the last block is never handed out.
        self.assertEqual(answer["inverses"]["max_model_len"], 40032)
        self.assertEqual(answer["plan"][0]["changes"][0]["value"], 40032)

    def test_a_likely_plan_stands_where_only_hardware_is_sure(self):
        """Weights of 4 bits on the cards at hand come before more cards, and
        are said to be likely; asked for, the answer is likely, too."""
        words = ["--model", "meta-llama/Llama-3.1-70B-Instruct", "--gpu",
                 "RTX 4090", "--gpus", "2"]
        plan = self.fit(*words, status=1)["plan"]
        self.assertEqual([step["verdict"] for step in plan[:2]],
                         ["likely", "fits"])
        self.assertEqual(plan[1]["effort"], "hardware")
        for change in plan[0]["changes"]:
            words += ["--set", f"{change['name']}={change['value']}"]
        self.assertEqual(self.fit(*words, status=0)["verdict"], "likely")

    def test_no_length_is_said_in_words(self):
        run = oomkb("fit", "--model", "meta-llama/Llama-3.1-70B-Instruct",
                    "--gpu", "RTX 4090")
        self.assertIn(b"no length fits", run.stdout)
        self.assertNotIn(b" 0 tokens", run.stdout)

    def test_plans_hold_when_they_are_followed(self):
        names = {"max_model_len": "--max-model-len", "tensor_parallel": "--tp",
                 "pipeline_parallel": "--pp",
                 "gpu_memory_utilization": "--gpu-memory-utilization",
                 "kv_cache_dtype": "--kv-cache-dtype",
                 "quantization": "--quantization"}
        words = ["--model", LLAMA, "--gpu", "RTX 4090"]
        plan = self.fit(*words, status=1)["plan"] or \
            self.fit(*words)["plan"]
        self.assertTrue(plan)
        ranks = [price(step) for step in plan]
        self.assertEqual(ranks, sorted(ranks))
        for step in plan:
            more = []
            for change in step["changes"]:
                if change["name"] in names:
                    more += [names[change["name"]], change["value"]]
                else:
                    value = str(change["value"]).lower()
                    more += ["--set", f"{change['name']}={value}"]
            self.fit(*words, *more, status=0)


class Properties(Fit):
    def amount(self, value):
        return value["high"] if isinstance(value, dict) else value

    def monotone(self, key, series, is_rising):
        values = [self.amount(self.kv(*words)[key]) for words in series]
        pairs = list(zip(values, values[1:]))
        for a, b in pairs:
            self.assertTrue(a <= b if is_rising else a >= b, (key, values))
        self.assertNotEqual(values[0], values[-1])

    def test_more_of_a_knob_never_helps_the_other_way(self):
        for model in (LLAMA, GEMMA, "deepseek-ai/DeepSeek-V3",
                      "openai/gpt-oss-20b"):
            base = ["--model", model, "--kv-available", "20GiB"]
            batch = ["--max-num-batched-tokens", 4096]
            self.monotone("bytes_per_request",
                          [[*base, *batch, "--max-model-len", n]
                           for n in (1, 16, 17, 4096, 65536, 10 ** 7)], True)
            self.monotone("max_concurrency",
                          [[*base, *batch, "--max-model-len", n]
                           for n in (512, 4096, 65536)], False)
            self.monotone("blocks",
                          [["--model", model, *batch, "--kv-available", size]
                           for size in ("1GiB", "1.5GiB", "40GiB")], True)
            self.monotone("bytes_per_request",
                          [[*base, *batch, "--max-model-len", 65536,
                            "--kv-cache-dtype", kind]
                           for kind in ("fp8", "auto")], True)
        self.monotone("bytes_per_request",
                      [["--model", GEMMA, "--max-model-len", 131072,
                        "--max-num-batched-tokens", n]
                       for n in (1024, 2048, 16384)], True)

    def test_nothing_overflows(self):
        shape = self.file({"num_hidden_layers": 1000, "hidden_size": 65536,
                           "num_attention_heads": 512,
                           "num_key_value_heads": 512})
        kv = self.kv("--config", shape, "--max-model-len", 10 ** 7,
                     "--kv-available", "1024TiB", "--max-num-seqs", 10 ** 4)
        self.assertEqual(kv["bytes_per_request"],
                         1000 * 2 * 65536 * 2 * 10 ** 7)
        self.fit("--model", LLAMA, "--max-model-len", 2 ** 62,
                 "--gpu", "H200", "--concurrency", 10 ** 4)
        self.fit("--model", LLAMA, "--tp", 10 ** 6, "--pp", 10 ** 6, "--gpus",
                 10 ** 6, "--dp", 10 ** 6, "--gpu", "H200")
        self.refused("--tp", 10 ** 6 + 1)
        self.fit("--model", LLAMA, "--block-size", 2 ** 62, "--gpu", "H200")


class Engines(Fit):
    """Each by its own rule; the numbers are reckoned here by hand."""

    def low(self, value):
        return value["low"] if isinstance(value, dict) else value

    def high(self, value):
        return value["high"] if isinstance(value, dict) else value

    def sum(self, answer, *parts):
        found = [p["bytes"] for p in answer["budget"] if p["part"] in parts]
        return sum(self.low(b) for b in found), sum(self.high(b) for b in found)

    def share_of_free(self, engine, fractions, *words):
        answer = self.fit("--engine", engine, "--model", LLAMA,
                          "--gpu-memory", "40GiB", *words)
        least, most = self.sum(answer, "weights", "activation", "non_torch")
        low, high = fractions
        self.assertAlmostEqual(self.low(answer["pool"]),
                               (40 * GIB - most) * low, delta=4)
        self.assertAlmostEqual(self.high(answer["pool"]),
                               (40 * GIB - least) * high, delta=4)
        return answer

    def test_tensorrt_llm_takes_nine_tenths_of_what_is_free(self):
        answer = self.share_of_free("tensorrt-llm", (0.9, 0.9))
        self.assertEqual(answer["inputs"]["block_size"]["value"], 32)
        self.assertEqual(answer["kv"]["bytes_per_block"], 32 * 131072)
        self.share_of_free("tensorrt-llm", (0.5, 0.5), "--set",
                           "kv_free_fraction=0.5")
        old = self.fit("--engine", "tensorrt-llm", "--engine-version",
                       "0.12.0", "--model", LLAMA, "--gpu-memory", "40GiB")
        self.assertEqual(old["inputs"]["block_size"]["value"], 64)

    def test_tgi_leaves_five_to_ten_percent(self):
        self.share_of_free("tgi", (0.9, 0.95))
        kv = self.kv("--engine", "tgi", "--model", GEMMA, "--max-model-len",
                     20000, "--kv-available", "80GiB")
        self.assertEqual(kv["bytes_per_token"]["slope"], 62 * 2 * 16 * 128 * 2)

    def test_lmdeploy_quantizes_heads(self):
        self.share_of_free("lmdeploy", (0.8, 0.8))
        for bits in (8, 4):
            kv = self.kv("--engine", "lmdeploy", "--model", LLAMA,
                         "--kv-cache-dtype", bits, "--max-model-len", 100)
            row = 128 * bits // 8 + 4
            self.assertEqual(kv["bytes_per_token"]["slope"], 32 * 2 * 8 * row)
            self.assertEqual(kv["bytes_per_request"], 128 * 32 * 2 * 8 * row)

    def test_transformers_spreads_latents_out(self):
        slope = self.kv("--engine", "transformers", "--model",
                        "deepseek-ai/DeepSeek-V3")["bytes_per_token"]["slope"]
        self.assertEqual(slope, 61 * 128 * (192 + 128) * 2)
        kv = self.kv("--engine", "transformers", "--model", LLAMA,
                     "--set", "batch_size=4", "--max-model-len", 1000)
        self.assertEqual(kv["bytes_per_request"], 4 * 1000 * 131072)

    def test_mlx_keeps_windows_and_steps_of_256(self):
        words = ["--engine", "mlx", "--model", GEMMA, "--max-model-len", 5000]
        row = 2 * 16 * 128 * 2
        self.assertEqual(self.kv(*words)["bytes_per_request"],
                         row * (10 * 5120 + 52 * 1024))
        narrow = self.kv("--engine", "mlx", "--model", LLAMA,
                         "--kv-cache-dtype", "8")["bytes_per_token"]["slope"]
        self.assertEqual(narrow, 32 * 2 * 8 * (128 + 2 * 4))
        small = self.fit("--engine", "mlx", "--gpu-memory", "16GiB", "--model",
                         LLAMA, "--quantization", "4bit")
        self.assertLess(self.high(small["pool"]), 12 * GIB)

    def test_exllama_has_a_scale_per_32(self):
        kv = self.kv("--engine", "exllama", "--model", LLAMA,
                     "--kv-cache-dtype", "q4")
        self.assertEqual(kv["bytes_per_token"]["slope"],
                         131072 // 2 * 18 // 32)

    def test_sglang_has_a_pool_for_windows(self):
        words = ["--engine", "sglang", "--model", GEMMA]
        row = 2 * 16 * 128 * 2
        slope = self.kv(*words, "--set",
                        "swa_full_tokens_ratio=0.5")["bytes_per_token"]
        self.assertEqual(slope["slope"], row * (10 + 26))
        open_ = self.kv(*words)["bytes_per_token"]["slope"]
        self.assertAlmostEqual(open_["low"], row * (10 + 0.8 * 52), delta=1)
        self.assertEqual(open_["high"], row * 62)

    def test_llama_cpp_lays_layers_over_cards(self):
        words = ["--engine", "llama.cpp", "--model", LLAMA, "--gpu",
                 "RTX 4090", "--max-model-len", 8192]
        one, two = self.fit(*words), self.fit(*words, "--gpus", 2)
        self.assertEqual(two["inputs"]["pipeline_parallel"]["value"], 2)
        self.assertEqual(2 * two["kv"]["bytes_per_request"],
                         one["kv"]["bytes_per_request"])
        part = self.fit(*words, "--set", "gpu_layers=8")
        self.assertEqual(4 * part["kv"]["bytes_per_request"],
                         one["kv"]["bytes_per_request"])
        least, most = self.sum(part, "weights")
        self.assertLess(most, 16.5e9 / 4)
        self.assertGreater(least, 16e9 / 4 * 0.75)

    def test_ollama_tags_are_of_four_bits(self):
        answer = self.fit("--engine", "ollama", "--model", LLAMA, "--gpu",
                          "RTX 3060", "--max-model-len", 8192, status=0)
        self.assertEqual(answer["inputs"]["quantization"]["value"], "Q4_K_M")
        self.assertEqual(answer["inputs"]["quantization"]["source"], "default")

    def test_experts_alone_are_in_mxfp4(self):
        """OpenAI's card: 60.8 and 12.8 GiB (arXiv:2508.10925, table 1);
        kernels of servers pad rows of 2,880."""
        for size, gib in (("120b", 60.8), ("20b", 12.8)):
            for engine, most in (("vllm", 1.15), ("ollama", 1.02)):
                held = self.fit("--model", "openai/gpt-oss-" + size, "--engine",
                                engine, "--gpu", "H200")["weights"]
                self.assertLess(held["low"], gib * GIB)
                self.assertGreater(held["low"], 0.98 * gib * GIB)
                self.assertGreater(held["high"], gib * GIB)
                self.assertLess(held["high"], most * gib * GIB)

    def test_ollama_has_no_fp8(self):
        inputs = self.fit("--engine", "ollama", "--gpu", "H200", "--model",
                          "MiniMaxAI/MiniMax-M2")["inputs"]
        self.assertEqual(inputs["quantization"]["value"], "Q4_K_M")

    def test_ollama_has_the_library_s_rules(self):
        """It runs llama-server from 0.30.0 on: latents and windows are cut."""
        for model in ("deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b"):
            words = ["--model", model, "--max-model-len", 8192, "--engine"]
            self.assertEqual(self.kv(*words, "ollama")["bytes_per_request"],
                             self.kv(*words, "llama.cpp")["bytes_per_request"])

    def test_sglang_starts_with_less(self):
        words = ["--model", "Qwen/Qwen3-8B", "--engine", "sglang"]
        for gpu, starts in (("RTX 4090", True), ("RTX 3060 12GB", False),
                            ("H200", False)):
            said = " ".join(self.fit(*words, "--gpu", gpu)["remarks"])
            self.assertEqual("starts all the same" in said, starts, gpu)

    def test_the_share_of_windows_is_a_setting(self):
        plans = self.fit("--engine", "sglang", "--model", GEMMA, "--gpu",
                         "H200")["plan"]
        plan, = [plan for plan in plans if plan["command"] ==
                 "--swa-full-tokens-ratio 0.5"]
        row = 2 * 16 * 128 * 2
        self.assertEqual(plan["needed"], row * (10 + 26) * 131072)
        self.assertEqual(plan["loses"], "capacity")

    def test_the_reason_is_what_leaves_most_open(self):
        """Windows of TensorRT-LLM by settings; a context without PyTorch."""
        windows = self.fit("--engine", "tensorrt-llm", "--model", GEMMA,
                           "--gpu", "H100 80GB")
        self.assertIn("10.41 GiB to 62.00 GiB", windows["because"])
        context = self.fit("--engine", "llama.cpp", "--model", "Qwen/Qwen3-4B",
                           "--gpu-memory", "3.6GiB", "--quantization",
                           "Q4_K_M", "--max-model-len", 4096)
        self.assertNotIn("PyTorch", context["because"])
        self.assertNotIn("--kv-available", context["because"])

    def test_ollama_has_a_context_by_default(self):
        """envconfig/config.go, api/types.go and server/routes.go of the
        releases: 0.6.7 (44b466eeb), 0.15.5 (0334ffa62)."""
        words = ["--engine", "ollama", "--model", LLAMA]
        rows = [("L4", "0.5.0", 2048), ("L4", "0.6.6", 2048),
                ("L4", "0.6.7", 4096), ("H100 80GB", "0.15.4", 4096),
                ("L4", "0.15.5", 4096), ("RTX 4090", "0.15.5", 32768),
                ("L40S", "0.32.15", 32768)]
        for gpu, release, tokens in rows:
            answer = self.fit(*words, "--gpu", gpu, "--engine-version",
                              release, status=0)
            length = answer["inputs"]["max_model_len"]
            self.assertEqual((length["value"], length["source"]),
                             (tokens, "default"), (gpu, release))
            self.assertIn(f"{tokens:,}", " ".join(answer["remarks"]))
        # 262,144 by its tier; the model has less. Two cards are one sum.
        for more in (["--gpu", "H100 80GB"],
                     ["--gpu", "RTX 4090", "--gpus", 2]):
            length = self.fit(*words, *more)["inputs"]["max_model_len"]
            self.assertEqual((length["value"], length["source"]),
                             (131072, "catalogue"), more)
        given = self.fit(*words, "--gpu", "L4", "--max-model-len", 16384)
        self.assertEqual(given["inputs"]["max_model_len"]["value"], 16384)
        self.assertEqual(given["remarks"], [])
        # The least card has the default of that card.
        self.assertEqual(self.fit(*words, "--gpu", "RTX 4090")["inverses"]
                         ["least_gpu"], "RTX 4060")

    def test_ollama_gives_some_models_a_longer_context(self):
        """server/routes.go, scheduleRunner(): 0.11.0 (fa7776fd2), 0.11.4
        (f2e9c9aff), 0.12.7 (7d25b9e19), 0.15.5 (0334ffa62)."""
        oss, vl = "gpt-oss:20b", "qwen3-vl:8b"
        for model, release, gpu, more, tokens in (
                (oss, "0.10.1", "L4", [], 4096),
                (oss, "0.11.0", "RTX 4080", [], 8192),
                (oss, "0.11.4", "RTX 4080", [], 4096),
                (oss, "0.11.4", "RTX 4080", ["--gpus", 2], 8192),
                (oss, "0.15.4", "L4", [], 8192),
                (oss, "0.15.5", "L4", [], 4096),
                (vl, "0.12.6", "L4", [], 4096),
                (vl, "0.12.7", "L4", [], 8192),
                ("qwen3-vl:30b", "0.12.7", "L4", [], 8192),
                ("qwen3:8b", "0.12.7", "L4", [], 4096),
                (oss, "0.12.0", "L4", ["--max-model-len", 2048], 8192),
                (oss, "0.12.0", "L4", ["--max-model-len", 16384], 16384)):
            answer = self.fit("--engine", "ollama", "--engine-version",
                              release, "--model", model, "--gpu", gpu, *more)
            case = (model, release, gpu, more)
            self.assertEqual(answer["inputs"]["max_model_len"]["value"],
                             tokens, case)
            said = "8,192 tokens of context at least" in " ".join(
                answer["remarks"])
            self.assertEqual(said, tokens == 8192, case)

    def test_columns_of_other_lengths_say_so(self):
        for words, said in (
                (["--engine", "ollama", "--compare",
                  "gpu=RTX 3060 12GB,RTX 4090"], True),
                (["--gpu", "L4", "--compare", "max_model_len=1024,2048"],
                 False),
                (["--compare", "gpu=L4,RTX 4090"], False)):
            text = oomkb("fit", "--model", LLAMA, *words).stdout.decode()
            self.assertEqual("row by row: 4,096; 32,768 tokens" in text, said)
            self.assertEqual("row by row" in text, said)

    def test_a_context_beyond_the_model_s_own(self):
        for engine, word in (("vllm", "VLLM_ALLOW_LONG_MAX_MODEL_LEN"),
                             ("sglang", "SGLANG_ALLOW_OVERWRITE"),
                             ("ollama", "Ollama takes 40,960"),
                             ("llama.cpp", "was not made for")):
            text = oomkb("fit", "--model", "Qwen/Qwen3-8B", "--gpu", "H200",
                         "--engine", engine, "--max-model-len",
                         65536).stdout.decode().replace("\n  ", " ")
            self.assertIn(word, text, engine)
            self.assertEqual("vLLM" in text, engine == "vllm", engine)

    def test_ollama_makes_its_slots_at_start(self):
        words = ["--gpu", "RTX 4060", "OLLAMA_CONTEXT_LENGTH=8192"]
        run = ["ollama", "run", "llama3.1:8b"]
        self.fit(*words, *run, status=0)
        self.fit(*words, "OLLAMA_NUM_PARALLEL=4", *run, status=1)

    def test_what_lies_with_the_host_runs_too(self):
        words = ["--model", "qwen3:32b", "--gpu", "RTX 4060",
                 "--max-model-len", 4096]
        for engine, more, runs in (
                ("ollama", [], True), ("ollama", ["--set", "gpu_layers=64"],
                                       False),
                ("llama.cpp", [], True),
                ("llama.cpp", ["--engine-version", "7406"], False),
                ("vllm", [], False)):
            answer = self.fit(*words, "--engine", engine, *more, status=1)
            self.assertEqual("in host memory" in " ".join(answer["remarks"]),
                             runs, (engine, more))

    def test_a_plan_for_every_engine(self):
        for engine in ("sglang", "tensorrt-llm", "tgi", "lmdeploy",
                       "llama.cpp", "transformers", "exllama"):
            answer = self.fit("--engine", engine, "--model", LLAMA,
                              "--gpu", "RTX 4070", "--max-model-len", 4096,
                              status=1)
            self.follow(answer, "--engine", engine, "--model", LLAMA,
                        "--gpu", "RTX 4070", "--max-model-len", 4096)

    def follow(self, answer, *words):
        self.assertTrue(answer["plan"] or "exllama" in words, words)
        for step in answer["plan"]:
            more = []
            for change in step["changes"]:
                value = str(change["value"]).lower() if isinstance(
                    change["value"], bool) else change["value"]
                more += ["--set", f"{change['name']}={value}"]
            left = list(words)
            for change in step["changes"]:
                if change["name"] == "max_model_len":
                    at = left.index("--max-model-len")
                    del left[at:at + 2]
            self.fit(*left, *more, status=0)


# File sizes of published checkpoints, in decimal gigabytes: model cards and
# file lists, and llama.cpp's own table of bits per weight.
SIZES = [("Qwen/Qwen2.5-7B-Instruct", "awq", 5.57),
         ("Qwen/Qwen2.5-72B-Instruct", "awq", 41.6),
         ("Qwen/Qwen2.5-72B-Instruct", "gptq", 41.6),
         ("meta-llama/Llama-3.1-8B-Instruct", "awq", 5.73),
         ("meta-llama/Llama-3.1-8B-Instruct", "gptq", 5.74),
         ("meta-llama/Llama-3.1-8B-Instruct", "fp8", 9.08),
         ("meta-llama/Llama-3.1-8B-Instruct", "bitsandbytes", 5.70),
         ("meta-llama/Llama-3.1-70B-Instruct", "awq", 39.8),
         ("meta-llama/Llama-3.1-70B-Instruct", "fp8", 72.7),
         ("meta-llama/Llama-3.3-70B-Instruct", "nvfp4", 42.7),
         ("Qwen/Qwen3-32B", "fp8", 33.9), ("Qwen/Qwen3-32B", "awq", 19.3),
         ("openai/gpt-oss-20b", "", 13.76), ("openai/gpt-oss-120b", "", 65.25),
         ("deepseek-ai/DeepSeek-V3", "", 688.6),
         ("meta-llama/Llama-3.1-8B-Instruct", "Q2_K", 3.17),
         ("meta-llama/Llama-3.1-8B-Instruct", "Q4_K_M", 4.92),
         ("meta-llama/Llama-3.1-8B-Instruct", "Q5_K_M", 5.73),
         ("meta-llama/Llama-3.1-8B-Instruct", "Q6_K", 6.60),
         ("meta-llama/Llama-3.1-8B-Instruct", "Q8_0", 8.54),
         ("meta-llama/Llama-3.1-70B-Instruct", "Q4_K_M", 42.5),
         ("google/gemma-3-27b-it", "Q4_K_M", 16.55),
         ("google/gemma-2-2b-it", "Q4_K_M", 1.71),
         ("Qwen/Qwen2.5-0.5B-Instruct", "Q4_K_M", 0.398),
         ("Qwen/Qwen3-30B-A3B", "Q4_K_M", 18.56),
         ("openai/gpt-oss-20b", "Q4_K_M", 11.6),
         # printed at load: 10.45 GiB (vLLM, pull request 13109), 34.03 GiB
         ("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "awq", 11.22),
         ("codellama/CodeLlama-34b-Instruct-hf", "Q8_0", 36.54)]


class Weights(Fit):
    def test_published_sizes_lie_within(self):
        for model, how, size in SIZES:
            words = ["--quantization", how] if how else []
            weights = self.fit("--model", model, *words)["weights"]
            with self.subTest(model=model, how=how):
                self.assertLessEqual(weights["low"], size * 1e9)
                self.assertGreaterEqual(weights["high"], size * 1e9)
                self.assertLess(weights["high"], weights["low"] * 1.6)


class Training(Fit):
    WORDS = ["--engine", "deepspeed", "--model", LLAMA, "--gpu", "H100 80GB"]

    def parts(self, answer):
        return {p["part"]: p["bytes"] for p in answer["budget"]}

    def run_of(self, *facts, status=None):
        words = [w for fact in facts for w in ("--set", fact)]
        return self.fit(*self.WORDS, *words, status=status)

    def test_state_stands_in_the_budget(self):
        answer = self.run_of(status=1)
        parts = self.parts(answer)
        params = 8030261248
        self.assertEqual(parts["weights"], 2 * params)
        self.assertEqual(parts["gradients"], {"low": 2 * params,
                                              "high": 4 * params})
        self.assertEqual(parts["optimizer"], 12 * params)
        self.assertEqual(answer["training"]["weights"], 2 * params)
        self.assertIsNone(answer["kv"]["bytes_per_request"])
        for name in ("optimizer", "precision", "zero_stage", "batch_size",
                     "seq_len", "gradient_checkpointing", "lora_rank"):
            self.assertEqual(answer["inputs"][name]["source"], "default")

    def test_stages_divide(self):
        totals = [self.run_of(f"zero_stage={n}", "gpu_count=8")["training"]
                  ["total"]["high"] for n in range(4)]
        self.assertEqual(totals, sorted(totals, reverse=True))
        full = self.fit("--engine", "fsdp", "--model", LLAMA, "--gpus", 8,
                        "--gpu", "H100 80GB")
        self.assertEqual(full["inputs"]["zero_stage"]["value"], 3)

    def test_every_knob_takes_less(self):
        base = self.run_of("batch_size=4")["training"]["total"]["high"]
        for fact in ("optimizer=adamw_8bit", "optimizer=sgd",
                     "gradient_checkpointing=true", "precision=half",
                     "lora_rank=8", "offload=optimizer", "offload=all",
                     "batch_size=1"):
            facts = ["batch_size=4", fact] if "batch" not in fact else [fact]
            self.assertLess(self.run_of(*facts)["training"]["total"]["high"],
                            base, fact)

    def test_qlora_of_a_large_model(self):
        answer = self.run_of("lora_rank=16", "quantization=bitsandbytes",
                             "gradient_checkpointing=true", status=0)
        self.assertLess(self.parts(answer)["weights"]["high"], 7e9)
        counted = self.run_of("trainable_params=41943040")
        self.assertEqual(self.parts(counted)["optimizer"], 12 * 41943040)

    def test_the_largest_batch_is_an_edge(self):
        facts = ["zero_stage=2", "gpu_count=8"]
        batch = self.run_of(*facts)["inverses"]["batch_size"]
        self.run_of(*facts, f"batch_size={batch['low']}", status=0)
        self.run_of(*facts, f"batch_size={batch['high'] + 1}", status=1)

    def test_plans_hold_and_rise_in_cost(self):
        for facts in ([], ["batch_size=8", "gpu_count=4", "zero_stage=1"],
                      ["lora_rank=64", "seq_len=32768"]):
            answer = self.run_of(*facts)
            ranks = [price(step) for step in answer["plan"]]
            self.assertEqual(ranks, sorted(ranks))
            self.assertTrue(ranks, facts)
            for step in answer["plan"]:
                said = dict(fact.split("=") for fact in facts)
                for change in step["changes"]:
                    said[change["name"]] = str(change["value"]).lower()
                self.run_of(*(f"{k}={v}" for k, v in said.items()), status=0)

    def test_mistakes(self):
        for fact, said in (("optimizer=magic", "adamw"),
                           ("precision=fuzzy", "mixed"),
                           ("offload=moon", "optimizer"),
                           ("zero_stage=4", "0 to 3")):
            self.assertIn(said, self.refused(*self.WORDS, "--set", fact))


class Shown(Fit):
    def test_every_format_says_the_same(self):
        words = ["fit", "--model", LLAMA, "--gpu", "RTX 4090",
                 "--max-model-len", "8192"]
        line = oomkb(*words, "--format", "jsonl").stdout
        self.assertEqual(line.count(b"\n"), 1)
        self.assertEqual(json.loads(line),
                         json.loads(oomkb(*words, "--format", "json").stdout))
        for lang in ("en", "zh"):
            for kind in ("text", "markdown"):
                text = oomkb(*words, "--format", kind, "--lang",
                             lang).stdout.decode()
                self.assertNotRegex(text, r"fit\.[a-z]|\{\d\}|budget\.")
                self.assertIn("1.00 GiB", text)

    def test_side_by_side(self):
        words = ["--model", LLAMA, "--max-model-len", "8192", "--compare",
                 "L4, RTX 4090,A100 80GB"]
        rows = self.fit(*words, status=0)["compare"]
        self.assertEqual([row["value"] for row in rows],
                         ["L4", "RTX 4090", "A100 80GB"])
        text = oomkb("fit", *words).stdout.decode()
        self.assertIn("A100 80GB", text)
        self.assertRegex(text, r"\n  GPU +verdict")
        self.assertNotIn("gpu_name", text)
        chinese = oomkb("fit", "--lang", "zh", "--model", LLAMA, "--gpu", "L4",
                        "--compare", "tp=1,2").stdout.decode()
        self.assertRegex(chinese, r"\n  张量并行数 +结论")
        rows = self.fit("--model", LLAMA, "--gpu", "L4", "--compare",
                        "tp=1,2,4")["compare"]
        sizes = [row["weights"]["bytes_per_gpu"] for row in rows]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_a_curve(self):
        answer = self.fit("--model", GEMMA, "--kv-available", "8GiB",
                          "--max-num-batched-tokens", 2048, "--sweep",
                          "max_model_len")
        points = answer["sweep"]
        lengths = [point["max_model_len"] for point in points]
        self.assertEqual(lengths[-4:], [49152, 65536, 98304, 131072])
        needs = [point["bytes_per_request"] for point in points]
        self.assertEqual(needs, sorted(needs))
        fits = [point["fits"] for point in points]
        self.assertEqual(fits, sorted(fits, reverse=True))
        text = oomkb("fit", "--model", GEMMA, "--kv-available", "8GiB",
                     "--engine-version", "0.21.0",
                     "--sweep", "max_model_len").stdout.decode()
        self.assertRegex(text, "need  [\u2588#]{20}")
        self.assertRegex(text, r"131,072 +11.41 to 17.98 GiB")

    def test_a_curve_is_drawn_beside_its_lengths(self):
        text = oomkb("fit", "--model", GEMMA, "--kv-available", "8GiB",
                     "--max-num-batched-tokens", "2048",
                     "--sweep", "max_model_len").stdout.decode()
        drawn = re.findall(r"^ +([\d,]+) .*?(?:fit|fits)  +([\u2588-\u258f#]+)$",
                           text, re.M)
        self.assertEqual(drawn[-1][0], "131,072")
        self.assertGreaterEqual(len(drawn), 4)
        lengths = [len(bar) for _, bar in drawn]
        self.assertEqual(lengths, sorted(lengths))
        self.assertGreater(lengths[-1], 1.5 * lengths[-3])

    def test_a_slice_has_what_its_name_says(self):
        for name, gib in (("A100 80GB 3g.40gb", 40),
                          ("A100 80GB MIG 1g.10gb", 10)):
            total = self.fit("--gpu", name)["inputs"]["gpu_total"]
            self.assertEqual(total["high"], gib * GIB)
            self.assertGreater(total["low"], 0.93 * gib * GIB)
        text = oomkb("fit", "--model", LLAMA, "--gpu", "A100 80GB 2g.20gb",
                     "--max-model-len", "4096").stdout.decode()
        self.assertIn("20.00 GiB", text.splitlines()[0] + text.splitlines()[1])

    def test_many_at_once_are_counted(self):
        words = ["fit", "--model", LLAMA, "--kv-available", "8GiB",
                 "--max-model-len", "16384", "--concurrency", "9"]
        text = oomkb(*words).stdout.decode()
        self.assertIn("9 full-length requests", text)
        self.assertRegex(text, r"need .* 18 GiB")
        plan = self.fit(*words[1:], "--gpu", "L4", status=1)
        self.assertFalse(plan["kv"]["fits"])

    def test_people_read_of_the_first_that_fits(self):
        words = ["--model", LLAMA, "--max-model-len", "8192", "--compare",
                 "RTX 3060,A100 80GB"]
        text = oomkb("fit", *words).stdout.decode()
        self.assertIn("A100 80GB PCIe", text.splitlines()[0])
        self.assertIsNone(self.fit(*words)["kv"]["fits"])

    def test_formulas_speak_chinese(self):
        words = ["fit", "--model", LLAMA, "--gpu", "L40S", "--lang", "zh",
                 "--engine", "tgi", "--all"]
        text = oomkb(*words).stdout.decode()
        for english in (" params", " layers", " kv heads", " rank's",
                        "catalogue", "about"):
            self.assertNotIn(english, text)
        self.assertIn("\u53c2\u6570", text)

    def test_unknown_names_what_is_needed(self):
        answer = self.fit("--model", GEMMA, status=2)
        self.assertEqual(answer["verdict"], "unknown")
        self.assertIsNone(answer["kv"]["fits"])
        self.assertTrue(answer["kv"]["needs"])

    def test_bounds_that_overlap_are_likely(self):
        words = ("--model", GEMMA, "--gpu", "H100 80GB")
        answer = self.fit(*words, status=0)
        self.assertEqual(answer["verdict"], "likely")
        self.assertIsNone(answer["kv"]["fits"])
        self.assertTrue(answer["kv"]["needs"])
        need, pool = answer["kv"]["bytes_per_request"], answer["pool"]
        need = need if isinstance(need, int) else need["high"]
        self.assertLess(pool["low"], need)
        self.assertGreater(pool["high"], need)
        text = oomkb("fit", *words).stdout.decode()
        self.assertIn("it is likely to fit", text.splitlines()[0])
        chinese = oomkb("fit", "--lang", "zh", *words).stdout.decode()
        self.assertIn("\u5f88\u53ef\u80fd\u653e\u5f97\u4e0b", chinese)

    def test_verdict_and_status_agree(self):
        for words, status, verdict in (
                (("--model", LLAMA, "--gpu", "H100 80GB"), 0, "fits"),
                (("--model", LLAMA, "--gpu", "L4", "--max-model-len", "131072",
                  "--gpu-memory-utilization", "0.5"), 1, "does_not_fit")):
            answer = self.fit(*words, status=status)
            self.assertEqual(answer["verdict"], verdict)

    def test_a_log_gives_what_it_has(self):
        log = self.file(
            b"INFO Initializing a V1 LLM engine (v0.10.0) with config: "
            b"model='Qwen/Qwen3-4B', dtype=torch.bfloat16, "
            b"tensor_parallel_size=1\n"
            b"ValueError: To serve at least one request with the models's max "
            b"seq len (40960), (5.62 GiB KV cache is needed, which is larger "
            b"than the available KV cache memory (4.89 GiB). Based on the "
            b"available memory, the estimated maximum model length is 35600. "
            b"Try increasing `gpu_memory_utilization` or decreasing "
            b"`max_model_len` when initializing the engine.\n", ".log")
        answer = self.fit("--from-log", log, status=1)
        inputs = answer["inputs"]
        self.assertEqual(inputs["model"]["value"], "Qwen/Qwen3-4B")
        self.assertEqual(inputs["kv_available"]["source"], "log")
        self.assertEqual(answer["kv"]["bytes_per_token"]["slope"], 147456)
        self.fit("--from-log", log, "--max-model-len", 32768, status=0)

    def test_arguments_are_not_obeyed(self):
        done = oomkb("fit", "--model", b"\x1b[2Jx".decode(), "--gpu", "L4")
        self.assertNotIn(b"\x1b", done.stderr)
        shape = self.file({"_name_or_path": "\x1b[2J|`x`\n# y",
                           "num_hidden_layers": 2, "hidden_size": 64,
                           "num_attention_heads": 1})
        for kind in ("text", "markdown", "json"):
            done = oomkb("fit", "--config", shape, "--format", kind)
            self.assertNotIn(b"\x1b", done.stdout)
            self.assertFalse(re.search(rb"^# y", done.stdout, re.M))


if __name__ == "__main__":
    unittest.main()
