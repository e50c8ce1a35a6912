#!/usr/bin/env python3
"""What the shipped knowledge makes of a few lines of log: the engine, what was
in force, what is said and what is left unsaid."""
import json
import os
import subprocess
import sys
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
ALLOC = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
         "2.00 GiB. GPU 0 has a total capacity of {total} GiB of which "
         "1.13 GiB is free. {others}Including non-PyTorch memory, this "
         "process has 20.55 GiB memory in use. Of the allocated memory "
         "{held} GiB is allocated by PyTorch, and 118.00 MiB is reserved by "
         "PyTorch but unallocated.")
FULL = ALLOC.format(total="23.69", held="19.80", others="")
FREE = ("ValueError: Free memory on device (10.02/23.69 GiB) on startup is "
        "less than desired GPU memory utilization (0.9, 21.32 GiB). Decrease "
        "GPU memory utilization or reduce GPU memory used by other processes.")


def run(log, *words):
    done = subprocess.run([OOMKB, *words], input=log.encode(), env=ENV,
                          stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


def report(*lines, words=()):
    return json.loads(run("\n".join(lines) + "\n", "--format", "json", *words))


def text(*lines, lang="en", words=()):
    return run("\n".join(lines) + "\n", "--lang", lang, "--color", "never",
               *words)


def fact_of(finding, name):
    return next((f["value"] for f in finding["facts"] if f["name"] == name),
                None)


def flat(said):
    return " ".join(said.split())


class Spelling(unittest.TestCase):
    """A command names a setting as the log does."""
    SAID = (("python train.py --batch_size 16", "--batch_size 8"),
            ("python train.py --bs=16 --lr 1", "--bs=8"),
            ("torchrun train.py --per_device_train_batch_size 16",
             "--per_device_train_batch_size 8"),
            ("Namespace(lr=0.1, batch_size=16, epochs=3)", "batch_size=8"),
            ("  'batch_size': 16,", "'batch_size': 8"),
            ('  "train_micro_batch_size_per_gpu": 16,',
             '"train_micro_batch_size_per_gpu": 8'),
            ("  per_device_train_batch_size: 16",
             "per_device_train_batch_size: 8"),
            ("SOLVER.IMS_PER_BATCH 16", "SOLVER.IMS_PER_BATCH 8"),
            ("trainer.ppo_micro_batch_size_per_gpu=16",
             "trainer.ppo_micro_batch_size_per_gpu=8"))
    # No name that somebody could type stands in front of the value.
    PROSE = ("Instantaneous batch size per device = 16",
             "- Micro-batch size per GPU: 16", "Batch size: 16 | LR: 1e-4",
             "micro_batch_size ............ 16")

    def command(self, line):
        found = report(line, FULL)["findings"][0]
        return next(f["command"] for f in found["fixes"]
                    if f["applies"] == "yes" and
                    "batch" in f["action"] and f["command"])

    def test_a_setting_keeps_the_name_that_the_log_gives_it(self):
        for line, command in self.SAID:
            with self.subTest(line=line):
                self.assertEqual(self.command(line), command)

    def test_a_scripts_command_is_corrected_where_the_flag_stands_in_it(self):
        for line, wanted in (
                ("$ python3 tools/train.py -b 16 cfg.yaml",
                 "python3 tools/train.py -b 8 cfg.yaml"),
                ("torchrun --nproc_per_node 8 t.py --batch-size=16 2>&1 | tee x",
                 "torchrun --nproc_per_node 8 t.py --batch-size=8 2>&1 | tee x"),
                # No plain command, and none with the flag: the flag alone.
                ("python a.py --batch_size 16; rm -rf x", None),
                ("python a.py --config c.yaml\nbatch_size: 16", None)):
            with self.subTest(line=line):
                said = report(line, FULL).get("command") or {}
                self.assertEqual(said.get("after"), wanted)

    def test_a_programs_own_flag_is_told_by_both_values(self):
        log = ["accelerate launch train_dreambooth_lora_sdxl.py "
               "--train_batch_size=8", FULL]
        said = text(*log)
        self.assertIn("Reduce the batch size from 8 to 4", said)
        self.assertIn("--train_batch_size=4", said)
        self.assertNotIn("go further", said)

    def test_a_levers_option_is_told_by_both_values(self):
        said = text("yolo detect train data=coco128.yaml imgsz=320 batch=2",
                    "RuntimeError: CUDA out of memory. Tried to allocate "
                    "1.33 GiB")
        self.assertIn("Lower batch from 2 to 1", said)
        self.assertIn("Lower imgsz from 320 to 160", said)
        self.assertNotIn("go further", said)
        self.assertNotIn("Which batch size", said)

    def test_a_wide_word_does_not_keep_a_command_on_one_line(self):
        wide = "--pretrained_model_name_or_path=" + "m" * 60
        said = text(f"accelerate launch train_dreambooth.py {wide} --lr=1e-4 "
                    "--resolution=1024 --train_batch_size=8 --seed=42 "
                    "--max_train_steps=500", FULL)
        lines = [line for line in said.split("\n") if "--seed=42" in line]
        self.assertTrue(lines)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_a_batch_of_1_leaves_the_length(self):
        said = report("python t.py --per_device_train_batch_size 1 "
                      "--gradient_checkpointing True --max_seq_length 4096",
                      FULL)
        first = said["findings"][0]["fixes"][0]
        self.assertEqual(first["command"], "--max_seq_length 2048")
        self.assertEqual(first["estimate"]["verdict"], "may_be_enough")
        self.assertEqual(said["command"]["after"],
                         "python t.py --per_device_train_batch_size 1 "
                         "--gradient_checkpointing True --max_seq_length 2048")

    def test_prose_is_no_name(self):
        for line in self.PROSE:
            with self.subTest(line=line):
                self.assertEqual(self.command(line), "batch_size=8")


class Engine(unittest.TestCase):
    def test_processes_of_vllm_by_all_their_names(self):
        for name in ("EngineCore_0", "EngineCore_DP0", "VllmWorkerProcess",
                     "VllmWorker", "EngineCore"):
            with self.subTest(name=name):
                got = report(f"Process {name}:", FULL)
                self.assertEqual(got["context"]["engine"]["value"], "vllm")

    def test_a_prefix_alone_names_it(self):
        for who in ("(Worker_TP0 pid=7) ", "(EngineCore_DP0 pid=7) ",
                    "(RayWorkerWrapper pid=7, ip=10.0.0.3) "):
            with self.subTest(who=who):
                got = report(f"{who}ERROR 12-15 22:17:19 [a.py:8] {FULL}")
                self.assertEqual(got["context"]["engine"]["value"], "vllm")
        for who in ("(train_loop pid=7) ", "(Worker pid=7) ",
                    "(EngineCoreless pid=7) "):
            with self.subTest(who=who):
                got = report(f"{who}{FULL}")
                self.assertNotIn("engine", got["context"])

    def test_a_program_that_makes_an_engine_names_it(self):
        got = report('llm = LLM("M", max_model_len=4096)', FULL)
        self.assertEqual(got["context"]["engine"]["value"], "vllm")
        got = report('llm = LLM("M", max_seq_len=4096)', FULL)
        self.assertNotIn("engine", got["context"])

    def test_a_sibling_says_the_stage_a_few_lines_late(self):
        late = ("(VllmWorkerProcess pid=8) ERROR 03-02 19:49:43 "
                "[multiproc_worker_utils.py:242] Exception in worker "
                "VllmWorkerProcess while processing method load_model.")
        first = f"(VllmWorkerProcess pid=7) {FULL}"
        got = report(first, late)
        self.assertEqual(got["findings"][0]["entry"], "vllm/cuda-oom-load")
        far = ["(VllmWorkerProcess pid=7) step"] * 20
        got = report(first, *far, late)
        self.assertEqual(got["findings"][0]["entry"], "pytorch/cuda-oom")
        other = late.replace("(VllmWorkerProcess pid=8)", "(Trainer pid=8)")
        got = report(first, other)
        self.assertEqual(got["findings"][0]["entry"], "pytorch/cuda-oom")

    def test_a_command_over_several_lines_is_read_whole(self):
        for first, flag, fact, value in (
                ("python3 -m sglang.launch_server", "--mem-fraction-static",
                 "mem_fraction_static", 0.83),
                ("sglang serve M", "--mem-fraction-static",
                 "mem_fraction_static", 0.83),
                ("trtllm-serve M", "--kv_cache_free_gpu_memory_fraction",
                 "kv_free_fraction", 0.83),
                ("lmdeploy serve api_server M", "--cache-max-entry-count",
                 "kv_free_fraction", 0.83),
                ("text-generation-launcher --port 80",
                 "--max-batch-prefill-tokens", "max_num_batched_tokens", 2048),
                ("./llama-server -m m.gguf", "--ctx-size", "context_length",
                 2048)):
            with self.subTest(first=first):
                got = report(f"{first} \\", "  --port 81  \\",
                             f"  {flag} {value}", "", FULL)
                self.assertEqual(got["context"][fact]["value"], value)

    def test_one_word_of_sglang_outweighs_frames_of_vllm(self):
        frames = [f'  File "/opt/vllm/model_executor/layers/{name}.py", line 9,'
                  " in forward" for name in ("linear", "activation", "mlp")]
        got = report(*frames, FULL, "", "detoken init state: init ok")
        self.assertEqual(got["context"]["engine"]["value"], "sglang")
        got = report(*frames, FULL, "")
        self.assertEqual(got["context"]["engine"]["value"], "vllm")

    def test_the_default_number_of_requests_is_the_releases(self):
        for version, value in (("0.6.3", 256), ("0.8.3", 1024), ("0.9.1", None)):
            with self.subTest(version=version):
                got = report(f"vLLM API server version {version}", FULL)
                fact = got["context"].get("max_num_seqs")
                self.assertEqual(fact and fact["value"], value)

    def test_a_default_that_changed_is_not_guessed(self):
        got = report("Process EngineCore_0:", FULL)
        self.assertNotIn("max_num_seqs", got["context"])
        for fix in got["findings"][0]["fixes"]:
            self.assertNotIn("--max-num-seqs 256", fix.get("command") or "")


class WeightsBeyondTheCard(unittest.TestCase):
    """A model that is larger than its card was still being loaded."""

    def entry(self, *lines):
        return report(*lines, FULL)["findings"][0]["entry"]

    def test_a_known_model_that_never_fits_was_being_loaded(self):
        got = report("vllm serve Qwen/Qwen3-32B --port 8000", FULL)
        finding = got["findings"][0]
        self.assertEqual(finding["entry"], "vllm/cuda-oom-load")
        said = [f for f in finding["facts"] if f["name"] == "stage"]
        self.assertEqual(said[0]["source"], "derived")
        self.assertIn("nine tenths of the card", said[0]["why"])

    def test_so_was_one_that_leaves_less_than_a_tenth(self):
        full = (ALLOC.format(total="15.59", held="14.90", others="")
                .replace("20.55", "15.46").replace("1.13 GiB", "60.00 MiB"))
        got = report("vllm serve meta-llama/Llama-3.1-8B-Instruct", full)
        finding = got["findings"][0]
        self.assertEqual(finding["entry"], "vllm/cuda-oom-load")
        self.assertEqual(finding["fixes"][0]["estimate"]["verdict"], "enough")

    def test_a_call_in_code_tells_the_ranks_as_a_command_does(self):
        for more, entry in (("", "vllm/cuda-oom-load"),
                            (", tensor_parallel_size=4", "pytorch/cuda-oom")):
            call = f'llm = LLM(model="Qwen/Qwen3-32B"{more})'
            self.assertEqual(self.entry("from vllm import LLM", call), entry)

    def test_what_fits_or_is_divided_or_narrower_says_nothing(self):
        for command in ("vllm serve Qwen/Qwen3-8B",
                        "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4",
                        "vllm serve Qwen/Qwen3-32B --cpu-offload-gb 48",
                        "vllm serve Qwen/Qwen3-32B-AWQ",
                        "vllm serve acme/unheard-of-32B"):
            with self.subTest(command=command):
                self.assertEqual(self.entry(command), "pytorch/cuda-oom")

    def test_without_the_command_the_ranks_are_not_known(self):
        self.assertEqual(self.entry("Process EngineCore_0:",
                                    "Starting to load model Qwen/Qwen3-32B"),
                         self.entry("Process EngineCore_0:",
                                    "Starting to load model acme/x-32B"))


class Below(unittest.TestCase):
    """What stands below a failure was not in force."""
    START = "vLLM API server version 0.9.1"

    def context(self, *lines):
        return report(self.START, *lines)["context"]

    def value(self, name, *lines):
        return self.context(*lines)[name]["value"]

    def test_advice_is_no_setting(self):
        for fix in ("**Fix:** use --gpu-memory-utilization 0.80",
                    "It went away with gpu_memory_utilization=0.80."):
            with self.subTest(fix=fix):
                self.assertEqual(
                    self.value("gpu_memory_utilization", FULL, "", fix), 0.9)

    def test_the_command_is_often_printed_below(self):
        command = "vllm serve m/m --gpu-memory-utilization 0.85"
        self.assertEqual(
            self.value("gpu_memory_utilization", FULL, "", command), 0.85)

    def test_a_second_command_below_is_the_mended_one(self):
        command = "vllm serve m/m --gpu-memory-utilization 0.%d"
        self.assertEqual(
            self.value("gpu_memory_utilization", command % 95, FULL, "",
                       command % 70), 0.95)
        self.assertEqual(
            self.value("gpu_memory_utilization", FULL, "", command % 95, "",
                       command % 70), 0.95)

    def test_a_command_above_leaves_nothing_open(self):
        got = self.context("vllm serve m/m --max-model-len 4096", FULL, "",
                           "vllm serve m/m --gpu-memory-utilization 0.70")
        self.assertEqual(got["gpu_memory_utilization"]["value"], 0.9)

    def test_a_dump_below_is_one(self):
        dump = ("args: Namespace(model='m/m', max_model_len=4096, "
                "gpu_memory_utilization=0.85, max_num_seqs=64)")
        self.assertEqual(
            self.value("gpu_memory_utilization", FULL, "", dump), 0.85)

    def test_a_lone_flag_above_counts(self):
        self.assertEqual(self.value("gpu_memory_utilization",
                                    "- --gpu-memory-utilization=0.85", FULL),
                         0.85)


class Command(unittest.TestCase):
    TAIL = ["vllm/vllm-openai:v0.9.1 \\", "  --model Qwen/Qwen2.5-0.5B-Instruct --max-model-len 1024 \\",
            "  --gpu-memory-utilization 0.9"]

    SHORT = ("ValueError: The model's max seq len (1024) is larger than the "
             "maximum number of tokens that can be stored in KV cache (512). "
             "Try increasing `gpu_memory_utilization` or decreasing "
             "`max_model_len` when initializing the engine.")

    def test_a_whole_container_is_corrected_as_a_whole(self):
        got = report("docker run --gpus all -p 8000:8000 \\", *self.TAIL, "",
                     self.SHORT)["command"]
        self.assertTrue(got["before"].startswith("docker run --gpus all"))
        self.assertTrue(got["after"].startswith("docker run --gpus all"))
        self.assertIn("--max-model-len 512 ", got["after"])

    def test_only_arguments_are_said_to_be_arguments(self):
        said = text(*self.TAIL, "", self.SHORT)
        self.assertIn("The arguments after the image, corrected:", said)
        got = report(*self.TAIL, "", self.SHORT)["command"]
        self.assertTrue(got["after"].startswith("vllm/vllm-openai:v0.9.1 \\\n"))
        whole = text("docker run --gpus all \\", *self.TAIL, "", self.SHORT)
        self.assertNotIn("The arguments after the image", whole)

    def test_the_command_is_that_of_the_first_fix(self):
        """Whose command is no setting: then there is none to correct."""
        got = report(*self.TAIL, "", FREE)
        first = got["findings"][0]["fixes"][0]
        self.assertEqual(first["id"], "end-other-processes")
        self.assertIsNone(got["command"])

    def test_arguments_of_a_container_in_a_list(self):
        for line in ('command: ["vllm", "serve", "m/x", "--max-model-len", '
                     '"1024"]', 'args: ["--model", "m/x", '
                     '"--max-model-len", "1024", "--port", "1"]'):
            got = report(line, self.SHORT)["command"]
            self.assertEqual(got["before"], line[line.index("["):])
            self.assertEqual(got["after"],
                             got["before"].replace("1024", "512"))

    def test_a_second_command_is_not_handed_on(self):
        line = "$ vllm serve m/x --port 8000"
        kept = report(line + " 2>&1 | tee out.log", self.SHORT)["command"]
        self.assertEqual(kept["after"], "vllm serve m/x --port 8000 "
                         "--max-model-len 512 2>&1 | tee out.log")
        for rest in ("; rm -rf x", "$(rm x)", "`rm x`", "<<E", '"', "&& rm x",
                     " \\\nINFO vLLM API server version 0.9.1"):
            log = (line + rest, self.SHORT)
            self.assertIsNone(report(*log)["command"], rest)
            self.assertIn("--max-model-len 512", text(*log), rest)
            self.assertNotIn("rm ", text(*log), rest)

    def test_an_image_alone_is_no_command(self):
        got = report("image: vllm/vllm-openai:v0.9.1", FREE)
        self.assertFalse(got.get("command"))


class Numbers(unittest.TestCase):
    def test_what_cannot_be_true_is_neither_drawn_nor_summed_up(self):
        bad = ALLOC.format(total="23.69", held="100.77", others="")
        said = text(bad)
        self.assertIn("more than the GPU has", flat(said))
        self.assertNotIn("  need ", said)
        self.assertNotIn("was free", report(bad)["summary"])
        self.assertIn("was free", report(FULL)["summary"])

    def test_holders_are_named_by_their_pids(self):
        others = ("Process 1253 has 1.08 GiB memory in use. Process 2937823 "
                  "has 900.00 MiB memory in use. ")
        log = ALLOC.format(total="23.69", held="19.80", others=others)
        self.assertIn("PID 1253: 1.08 GiB, PID 2937823: 900 MiB.",
                      flat(text(log)))
        self.assertIn("进程 1253：1.08 GiB、进程 2937823：900 MiB",
                      flat(text(log, lang="zh")))

    def test_a_card_of_47_38_gib_may_be_three(self):
        log = ALLOC.format(total="47.38", held="19.80", others="")
        said = flat(text(log, words=["--all"]))
        for card in ("L40,", "RTX 6000 Ada", "RTX A6000"):
            self.assertIn(card, said)


class OneRoot(unittest.TestCase):
    """One failure that is printed twice, or by two programs."""
    POOLS = ("Prefill out of memory. Try to lower your batch size.",
             "Try to allocate 4096 tokens.",
             "Available full tokens: 303104 (full_available_size=2560 + "
             "full_evictable_size_=300544)",
             "Available mamba: 40 (available_size=1 + "
             "component_evictable_size_=39)")

    @staticmethod
    def roots(*lines):
        return [f["entry"] for f in report(*lines)["findings"]
                if f["role"] == "root"]

    def test_what_a_logger_says_and_then_raises(self):
        logged = ("[2026-05-04 09:10:11 TP0] " + self.POOLS[0],
                  *self.POOLS[1:])
        raised = ("RuntimeError: " + self.POOLS[0], *self.POOLS[1:])
        for lines in (logged, raised, (*logged, "", *raised)):
            self.assertEqual(self.roots(*lines), ["sglang/hybrid-eviction"])

    def test_a_kill_behind_an_error_is_no_root(self):
        killed = ("[2026-02-10 07:34:28,459] [INFO] [launch.py:335:"
                  "sigkill_handler] Killing subprocess 40177",
                  "[2026-02-10 07:34:28,460] [ERROR] [launch.py:341:"
                  "sigkill_handler] ['/usr/bin/python3', 'train.py'] exits "
                  "with return code = -9")
        self.assertEqual(self.roots(*killed), ["deepspeed/launcher-sigkill"])
        self.assertEqual(self.roots("ValueError: 3 columns, not 4", *killed),
                         [])


class Growth(unittest.TestCase):
    """Lines that programs print at each step, and those that prove nothing."""
    KILLED = ("Memory cgroup out of memory: Killed process 123 (python) "
              "total-vm:1000kB, anon-rss:62914560kB, file-rss:0kB, "
              "shmem-rss:0kB, UID:0 pgtables:0kB oom_score_adj:0")

    @staticmethod
    def growth(form, failure, levels=(10, 12, 14, 16, 18)):
        lines = [form.format(level) for level in levels]
        facts = report(*lines, failure)["findings"][0]["facts"]
        return [f["value"] for f in facts if f["name"] == "growth"]

    def test_lines_about_the_gpu(self):
        for form in ("memory allocated: {}.3 GB", "cuda mem: {}.0 GB",
                     "GPU mem: {}.1 GB", "[step 40] loss 2.1 mem {}.0 GB",
                     "epoch 3, lr 0.1, gpu_mem={}.2GB",
                     "MA {}.11 GB         Max_MA 40.2 GB         CA 44 GB"):
            with self.subTest(form=form):
                self.assertEqual(self.growth(form, FULL), [8 * 10 ** 9])

    def test_lines_about_the_host(self):
        for form in ("RSS: {} GB", "rss={}.5GB", "Host memory used: {}.0 GB",
                     "NAME   CPU(cores)   MEMORY(bytes)\nllm-0   12m   {}Gi",
                     "CPU Virtual Memory:  used = {}.4 GB, percent = 9.1%"):
            with self.subTest(form=form):
                unit = 2 ** 30 if "Gi" in form else 10 ** 9
                self.assertEqual(self.growth(form, self.KILLED), [8 * unit])

    def test_a_peak_never_falls_and_proves_nothing(self):
        for form in ("Max memory allocated: {}.0 GB", "peak mem: {}.0 GB",
                     "epoch 3 | max mem {}.0 GB"):
            with self.subTest(form=form):
                self.assertEqual(self.growth(form, FULL), [])

    def test_what_stays_does_not_grow(self):
        self.assertEqual(self.growth("GPU mem: {}.0 GB", FULL,
                                     (20, 20, 20, 20, 20)), [])


class Words(unittest.TestCase):
    def test_facts_are_called_by_their_labels(self):
        log = "torch.cuda.OutOfMemoryError: CUDA out of memory."
        for lang in ("en", "zh"):
            for words in ((), ("--why",)):
                said = text(log, lang=lang, words=words)
                for name in ("pytorch_reserved", "gpu_total", "other_in_use",
                             "tried_alloc"):
                    lines = [line for line in said.splitlines()
                             if name in line and "--set" not in line]
                    self.assertEqual(lines, [], (lang, words))
                self.assertNotIn("\x1f", said)
                self.assertNotIn("\x1e", said)
        self.assertNotIn("\\u001f", run(log, "--format", "json"))

    def test_a_default_in_the_arithmetic_is_called_one(self):
        log = ("INFO 05-20 10:00:00 [api_server.py:1043] vLLM API server "
               "version 0.8.5\n"
               "  File \"vllm/v1/worker/gpu_model_runner.py\", line 1, in "
               "execute_model\n" + FULL + "\n")
        # A default is no value in force: a difference holds for any.
        self.assertIn("whatever the value was", text(log, words=("--all",)))
        self.assertIn("与原值无关",
                      text(log, lang="zh", words=("--all",)))
        told = text(log, words=("--set", "gpu_memory_utilization=0.9"))
        self.assertNotIn("whatever the value was", told)

    def asked(self, *lines):
        return [q["fact"] for q in report(*lines)["questions"]]

    def test_the_model_is_asked_for_before_settings(self):
        asked = self.asked(
            "INFO 05-20 10:00:00 [api_server.py:1043] vLLM API server version "
            "0.8.5", "  File \"vllm/v1/worker/gpu_model_runner.py\", line 1, "
            "in profile_run", FULL)
        self.assertIn("model", asked)
        settings = [a for a in asked
                    if a in ("max_num_batched_tokens", "max_num_seqs")]
        self.assertTrue(settings)
        self.assertLess(asked.index("model"), asked.index(settings[0]))

    def test_a_traceback_is_asked_for_where_its_frames_tell(self):
        self.assertIn("stage", self.asked(FULL))
        alone = ("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to "
                 "allocate 67108864 bytes for new constant")
        self.assertNotIn("stage", self.asked(alone))
        cpp = ["CUDA error 2 at /go/src/github.com/ollama/ollama/llm/llama.cpp"
               "/ggml-cuda.cu:7358: out of memory", "current device: 0"]
        self.assertIn("num_gpu", flat(text(*cpp)))
        self.assertNotIn("stage", self.asked(*cpp))

    def test_who_kept_the_peak_is_asked_for_it(self):
        slurm = ("slurmstepd: error: Detected 1 oom_kill event in "
                 "StepId=481516.0. Some of the step tasks have been OOM "
                 "Killed.")
        how = {q["fact"]: q["how"] for q in report(slurm)["questions"]}
        self.assertIn("sacct -j 481516 ", how["host_rss"])
        pod = ("    State:          Terminated\n      Reason:       OOMKilled"
               "\n      Exit Code:    137")
        how = {q["fact"]: q["how"] for q in report(pod)["questions"]}
        self.assertIn("memory.peak", how["host_rss"])
        kernel = ("Loading checkpoint shards:  12%|#2        | 4/33",
                  "/bin/start.sh: line 3: 4711 Killed    python serve.py")
        how = {q["fact"]: q["how"] for q in report(*kernel)["questions"]}
        self.assertIn("dmesg", how["host_rss"])

    def test_a_chat_is_told_of_no_options(self):
        shown = run(FULL + "\n", "--format", "chat")
        self.assertIn("?", shown)
        self.assertNotIn("--all", shown)
        self.assertNotIn("--why", shown)

    def test_a_wrapper_names_its_line(self):
        log = ["INFO", "INFO", "RuntimeError: Engine core initialization "
               "failed. See root cause above. Failed core proc(s): {}"]
        self.assertIn("above line 3?", flat(text(*log)))
        self.assertIn("第 3 行之前", flat(text(*log, lang="zh")))

    def test_an_amount_stands_once(self):
        pod = ["    Last State:     Terminated", "      Reason:       OOMKilled",
               "      Exit Code:    137", "    Limits:", "      memory:  16Gi"]
        self.assertEqual(text(*pod).count("16 GiB"), 1)

    def test_a_whole_number_is_no_other_amount(self):
        # Half of the request is no 3.65 GiB, which lie outside of torch.
        said = flat(text("[rank0]:   loss.backward()",
                         "torch.OutOfMemoryError: CUDA out of memory. Tried to "
                         "allocate 8.00 GiB. GPU 0 has a total capacity of "
                         "94.97 GiB of which 5.02 GiB is free. Including "
                         "non-PyTorch memory, this process has 89.94 GiB memory "
                         "in use. Of the allocated memory 85.10 GiB is "
                         "allocated by PyTorch, and 1.20 GiB is reserved by "
                         "PyTorch but unallocated."))
        self.assertIn("outside PyTorch 3.64", said)
        self.assertIn("takes 4 GiB instead of 8.00 GiB", said)

    def test_nothing_is_asked_of_what_went_on(self):
        log = ["ggml_backend_cuda_buffer_type_alloc_buffer: allocating 51748.72"
               " MiB on device 1: cudaMalloc failed: out of memory",
               "ggml_gallocr_reserve_n_impl: failed to allocate CUDA1 buffer of "
               "size 54262464512", "graph_reserve: failed to allocate compute "
               "buffers", "sched_reserve: compute buffer allocation failed, "
               "retrying without pipeline parallelism"]
        self.assertEqual(report(*log)["findings"][0]["severity"], "recovery")
        self.assertEqual(self.asked(*log), [])

    def test_an_example_gpu_holds_the_weights(self):
        log = ["INFO [gpu_model_runner.py:2007] Model loading took {} GiB and "
               "12.7 seconds", "INFO [gpu_worker.py:276] Available KV cache "
               "memory: -2.14 GiB", "ValueError: No available memory for the "
               "cache blocks. Try increasing `gpu_memory_utilization` when "
               "initializing the engine."]
        for weights, small in (("15.9", True), ("65.9651", False)):
            said = flat(text(log[0].format(weights), *log[1:]))
            self.assertEqual("on a 24 GiB GPU" in said, small)
            self.assertIn("on an 80 GiB GPU", said)

    def test_pids_are_no_quantities(self):
        log = ("[1.2] Memory cgroup out of memory: Kill process 21984 "
               "(python) score 1978 or sacrifice child")
        self.assertNotIn("21,984", text(log))
        self.assertNotIn("21,984", text(log, lang="zh"))


class Device(unittest.TestCase):
    """What AMD's message leaves out, and whose card and tool are named."""
    HIP = ("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 4.00 "
           "GiB. GPU 0 has a total capacity of 15.98 GiB of which 1.50 GiB is "
           "free. Of the allocated memory 2.00 GiB is allocated by PyTorch, and "
           "200.00 MiB is reserved by PyTorch but unallocated.")

    def test_cards_are_of_the_maker(self):
        self.assertIn("one of: RX 6800 XT.",
                      flat(text(self.HIP, words=["--all"])))
        cuda = text(self.HIP.replace("HIP", "CUDA"), words=["--all"])
        self.assertIn("one of: RTX 4080.", flat(cuda))

    def test_the_tool_is_of_the_maker(self):
        asked = {q["fact"]: q["how"] for q in report(self.HIP)["questions"]}
        self.assertEqual(asked["other_in_use"], "rocm-smi --showpids")

    def test_what_nobody_lists_is_outside_torch(self):
        parts = {p["part"]: p["bytes"]
                 for p in report(self.HIP)["findings"][0]["budget"]}
        gap = parts["non_torch"]
        low, high = (gap["low"], gap["high"]) if isinstance(gap, dict) \
            else (gap, gap)
        self.assertAlmostEqual((low + high) / 2 / 2**30, 12.285, places=2)


class BelowTheFailure(unittest.TestCase):
    """What stands below the failure's first line."""
    LEFT = ("INFO worker.py:267] model weights take 9.37GiB; non_torch_memory "
            "takes 0.11GiB; PyTorch activation peak memory takes 1.20GiB; the "
            "rest of the memory reserved for KV Cache is -0.28GiB.")

    def test_a_length_beside_a_measurement_counts(self):
        log = [self.LEFT, "INFO executor_base.py:116] Maximum concurrency for "
               "4096 tokens per request: 0.00x"]
        self.assertEqual(
            report(*log)["context"]["max_model_len"]["value"], 4096)

    def test_a_length_alone_is_advice(self):
        log = [self.LEFT, "", "A comment below:", "", "max_model_len=4096"]
        self.assertNotIn("max_model_len", {
            k for k, v in report(*log)["context"].items() if v
            and v["value"] == 4096})


class Stage(unittest.TestCase):
    def test_librarys_lines_tell_it_where_no_program_is_named(self):
        log = ["load_tensors: loading model tensors, this can take a while",
               "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 "
               "MiB on device 0: cudaMalloc failed: out of memory",
               "alloc_tensor_range: failed to allocate CUDA0 buffer of size "
               "9437184000", "llama_model_load: error loading model: unable to "
               "allocate CUDA0 buffer"]
        finding = report(*log)["findings"][0]
        stages = {f["value"] for f in finding["facts"] if f["name"] == "stage"}
        self.assertEqual(stages, {"load"})

    def test_a_request_was_answered_before_it_failed(self):
        start = "INFO 01-02 03:04:05 [__init__.py:1] vllm serve org/model"
        served = ('INFO:     10.0.0.7:4242 - "POST /v1/chat/completions '
                  'HTTP/1.1" 200 OK')
        for lines, stage in (([start], None), ([start, served], "serve")):
            facts = report(*lines, FULL)["findings"][0]["facts"]
            told = [f["value"] for f in facts if f["name"] == "stage"]
            self.assertEqual(told, [stage] if stage else [])

    def test_a_notebooks_frames_are_frames(self):
        end = ["--> 889                 result = self.forward(*input)", "",
               FULL.replace("torch.", "")]
        head = "OutOfMemoryError             Traceback (most recent call last)"
        old = ["<ipython-input-12-5a1b> in <module>", "----> 1 step(batch)", "",
               "/opt/venv/torch/nn/modules/module.py in _call_impl(self, *input)"]
        new = ["Cell In[4], line 1", "----> 1 step(batch)", "",
               "File /opt/venv/torch/nn/modules/module.py:1518, in "
               "Module._call_impl(self, *args)"]
        link = "](https://localhost:8080/#) in "
        colab = [f"[<ipython-input-12-5a1b>{link}<cell line: 1>()",
                 "----> 1 step(batch)", "", "3 frames",
                 "[/usr/local/lib/python3.10/dist-packages/torch/nn/modules/"
                 f"module.py{link}_call_impl(self, *args, **kwargs)"]
        windows = ["C:\\env\\lib\\site-packages\\torch\\nn\\modules\\"
                   "module.py in _call_impl(self, *input)"]
        for frames in (old, new, colab, windows):
            with self.subTest(frames=frames[0]):
                finding = report(head, *frames, *end)["findings"][0]
                self.assertEqual(finding["mechanism"], "activation")

    def test_colab_hides_frames_in_the_middle_of_a_traceback(self):
        module = "/usr/local/lib/python3.10/dist-packages/torch/nn/modules/"
        lines = ["OutOfMemoryError             Traceback (most recent call "
                 "last)", "<ipython-input-5-ab> in <cell line: 1>()",
                 "----> 1 model = model.to(device)", "", "2 frames",
                 f"{module}module.py in convert(t)",
                 "-> 1150                     non_blocking)", ""]
        self.assertEqual(self.mechanism(*lines, self.TIGHT), "weights")

    # No reserve to speak of, so that only the stage can choose.
    TIGHT = ("RuntimeError: CUDA out of memory. Tried to allocate 64.00 MiB "
             "(GPU 0; 7.79 GiB total capacity; 7.21 GiB already allocated; "
             "11.44 MiB free; 7.23 GiB reserved in total by PyTorch)")

    def mechanism(self, *lines):
        return report(*lines)["findings"][0]["mechanism"]

    def test_innermost_frame_of_ipython_tells_it(self):
        module = "~/env/lib/python3.10/site-packages/torch/nn/modules/"
        head = ["RuntimeError                Traceback (most recent call last)",
                f"File {module}module.py:1145, in Module.to(self, *args)",
                "-> 1145 return self._apply(convert)", "",
                f"File {module}module.py:797, in Module._apply(self, fn)",
                "--> 797     module._apply(fn)", ""]
        self.assertEqual(self.mechanism(*head, self.TIGHT), "weights")
        self.assertEqual(self.mechanism(
            *head[:1], "/usr/lib/python3.7/dist-packages/torch/nn/modules/"
            "linear.py in forward(self, input)",
            "---> 96         return F.linear(input, self.weight)", "",
            self.TIGHT), "activation")

    def test_a_line_of_code_above_the_error_is_enough(self):
        for code in ("  pairs = torch.cat([rows, cols], dim=-1)",
                     "[rank1]:     lp = torch.gather(x.log_softmax(-1), 2, y)",
                     "    logits = logits / temperature"):
            with self.subTest(code=code):
                self.assertEqual(self.mechanism(code, self.TIGHT),
                                 "activation")
        self.assertEqual(self.mechanism("it used torch.cat, I think",
                                        self.TIGHT), "unspecified")

    def test_repeated_lines_of_ray_are_of_before(self):
        log = ["vllm serve Qwen/Qwen2.5-7B-Instruct",
               "INFO model_runner.py:1442] Capturing cudagraphs for decoding.",
               "(RayWorkerWrapper pid=9, ip=10.0.0.2) INFO 03-27 10:29:01 "
               "[worker.py:267] Memory profiling takes 4.26 seconds [repeated "
               "7x across cluster]", FULL]
        finding = report(*log)["findings"][0]
        self.assertEqual(finding["mechanism"], "cuda_graph")


class Commands(unittest.TestCase):
    def test_a_value_that_nobody_knows_is_in_no_command(self):
        fixes = report(FULL)["findings"][0]["fixes"]
        gaps = [f for f in fixes if "BATCH_SIZE" in (f["command"] or "")]
        self.assertTrue(gaps)
        for words in ((), ("--format", "markdown")):
            self.assertNotIn("BATCH_SIZE", text(FULL, words=words))


class Refusal(unittest.TestCase):
    """Ollama prints what it lacks: nothing was killed, nothing is guessed."""
    LOG = ("Error: model requires more system memory ({0} GiB) than is "
           "available (5.2 GiB)")

    def test_the_headline_has_both_amounts(self):
        self.assertIn("Asked for 7.50 GiB of host memory; 5.20 GiB was free "
                      "(line 1): short by 2.30 GiB.",
                      flat(text(self.LOG.format("7.5"))))
        self.assertIn("申请 7.50 GiB 主机内存，只有 5.20 GiB 空闲（第 1 行），"
                      "还差 2.30 GiB。",
                      flat(text(self.LOG.format("7.5"), lang="zh")))

    def test_words_alone_are_a_failure_and_no_number_is_told(self):
        for line in ("Out of memory!", "CUDA out of memory",
                     "torch.cuda.OutOfMemoryError", "std::bad_alloc"):
            with self.subTest(line=line):
                got = text(line)
                self.assertIn(f"Line 1: {line}", got)
                self.assertNotIn("bare (line", got)
        self.assertIn("No known", text("How to avoid CUDA out of memory"))

    def test_a_line_that_is_quoted_has_its_own_number(self):
        line = ("KV cache pool is full. Retract requests. #retracted_reqs: {0}, "
                "#new_token_ratio: 0.5 -> 1.0").format
        self.assertIn("Line 3: KV cache pool is full. Retract requests. "
                      "#retracted_reqs: 5,",
                      flat(text(line(3), "step", line(5))))

    def test_of_counters_the_kills_are_quoted(self):
        for lines in (("max 350", "oom 2", "oom_kill 2", "oom_group_kill 0"),
                      ("max 350", "oom 0", "oom_kill 1"),
                      ("oom_kill_disable 0", "under_oom 0", "oom_kill 1")):
            got = flat(text(*lines))
            kills = next(s for s in lines if s.startswith("oom_kill ")
                         and s != "oom_kill 0")
            self.assertIn(f"Line {lines.index(kills) + 1}: {kills}", got)

    def test_numbers_of_another_cause_are_no_instance_of_this_one(self):
        line = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                "{0} GiB. GPU 0 has a total capacity of {1} GiB of which {2} "
                "GiB is free.").format
        got = report(line("2.00", "39.39", "0.50"), "step 2 of 3",
                     line("88.00", "79.11", "10.00"))
        asked = {f["entry"]: [a["value"] for a in f["facts"]
                              if a["name"] == "tried_alloc"]
                 for f in got["findings"]}
        self.assertEqual(asked, {
            "pytorch/cuda-oom-larger-than-card": [88 << 30],
            "pytorch/cuda-oom": [2 << 30]})

    def test_the_line_that_raises_is_no_second_event(self):
        words = "No available memory for the cache blocks. "
        frames = ["Traceback (most recent call last):",
                  '  File "/opt/vllm/core.py", line 9, in init',
                  f'    raise ValueError("{words}"',
                  f"ValueError: {words}Try a larger share."]
        self.assertNotIn("Seen 2", text(*frames))
        self.assertIn("Seen 2", text(*frames, "a second attempt", *frames))

    def test_nobody_is_asked_about_the_kernel(self):
        got = report(self.LOG.format("7.5"))
        self.assertNotIn("host_rss", {q["fact"] for q in got["questions"]})

    def test_what_cannot_be_enough_gives_way(self):
        for size, applies, first in (("7.5", "yes", "free-ram"),
                                     ("164.8", "no", "smaller-model")):
            fixes = report(self.LOG.format(size))["findings"][0]["fixes"]
            self.assertEqual(fixes[0]["id"], first)
            self.assertEqual([f["applies"] for f in fixes
                              if f["id"] in ("free-ram", "add-swap")],
                             [applies] * 2)


class ReadFromTheLog(unittest.TestCase):
    """What the log says of the run decides which fix is first."""

    def first(self, *lines):
        got = report(*lines)["findings"][0]
        return got["fixes"][0]["id"], got

    def test_a_program_has_its_own_switch(self):
        full = FULL.replace("Tried to allocate 1.50 GiB", "Tried to allocate 2.50 GiB")
        for line, fix in (("python inference_realesrgan.py -i a.png -t 0",
                           "real-esrgan-tile-256"),
                          ('  File "/srv/lib/demucs/apply.py", line 9, in apply_model',
                           "demucs-segment-7")):
            with self.subTest(line=line):
                self.assertEqual(self.first(line, full)[0], fix)
        _, got = self.first(full)
        named = {f["id"]: f["applies"] for f in got["fixes"]}
        self.assertEqual(named.get("real-esrgan-tile-256", "no"), "no")

    def test_a_batch_of_one_is_not_reduced(self):
        _, got = self.first("torchrun tune.py --per_device_train_batch_size 1 "
                            "--learning_rate 1e-5", FULL)
        offered = [f["id"] for f in got["fixes"]
                   if f["applies"] in ("yes", "if")]
        self.assertNotIn("smaller-batch", offered)
        self.assertNotIn("fewer-items", offered)

    def test_16_bits_in_force_are_not_offered(self):
        _, got = self.first("python tools/train.py -b 3 --fp16", FULL)
        halves = {f["id"]: f["applies"] for f in got["fixes"]}
        self.assertEqual(halves.get("half-precision", "no"), "no")

    def test_a_node_on_the_cpu_is_no_gpu_failure(self):
        fix, got = self.first(
            "step 212400, loss = 0.31 (2950.1 examples/sec)",
            "W op_kernel.cc:1158] Resource exhausted: OOM when allocating "
            "tensor with shape[1152,192]",
            "ResourceExhaustedError: OOM when allocating tensor with "
            "shape[1152,192]",
            '\t [[Node: Avg/sub = Sub[T=DT_FLOAT, _device="/job:localhost/'
            'replica:0/task:0/cpu:0"](a/read, b/read)]]')
        self.assertEqual(got["entry"], "tensorflow/oom-tensor-host")
        self.assertEqual(fix, "stop-the-growth")

    def test_many_hours_speak_for_a_leak(self):
        fix, got = self.first("Termination Reason: OOMKill (memory limit)",
                              "Runtime: ~24 hours", "Memory Limit: 900Gi")
        self.assertEqual(got["causes"][0]["cause"], "host_leak")
        self.assertEqual(fix, "keep-less")

    def test_free_memory_and_workers_are_the_commit_limit(self):
        old = ("RuntimeError: CUDA out of memory. Tried to allocate 64.00 MiB "
               "(GPU 0; 24.00 GiB total capacity; 12.00 GiB already allocated; "
               "6.00 GiB free; 12.10 GiB reserved in total by PyTorch)")
        self.assertEqual(self.first("num_workers = 6", old)[0], "fewer-workers")

    def test_a_server_over_its_share_lacks_room_for_the_weights(self):
        full = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                "1.90 GiB. GPU 1 has a total capacity of 79.10 GiB of which "
                "90.00 MiB is free. Of the allocated memory 76.90 GiB is "
                "allocated by PyTorch, and 46.00 MiB is reserved by PyTorch "
                "but unallocated.")
        fix, got = self.first("python3 -m sglang.launch_server --model-path m "
                              "--tp 2 --mem-fraction-static 0.7", full)
        self.assertEqual(got["causes"][0]["cause"], "weights")
        self.assertEqual(fix, "weights-fill-the-card")


class FullCard(unittest.TestCase):
    def test_adapters_have_little_state(self):
        model = "model_name_or_path: meta-llama/Llama-3.2-3B"
        for how, is_full in (("finetuning_type: lora", False),
                             ("finetuning_type: full", True)):
            said = flat(text("***** Running training *****", model, how,
                             FULL, words=("--all",)))
            self.assertEqual("before any sample" in said, is_full)
            self.assertEqual("8-bit optimizer" in said, is_full)

    def test_eager_attention_in_the_log_is_named(self):
        first = {}
        for kind in ("eager", "sdpa"):
            log = ["***** Running training *****",
                   f"attn_implementation: {kind}", FULL]
            first[kind] = report(*log)["findings"][0]["fixes"][0]["command"]
        self.assertEqual(first["eager"], 'attn_implementation="sdpa"')
        self.assertNotEqual(first["sdpa"], first["eager"])

    def test_a_key_of_hydra_keeps_its_path(self):
        said = text("python3 -m verl.trainer.main_ppo actor_rollout_ref.actor."
                    "ppo_micro_batch_size_per_gpu=8", FULL)
        self.assertIn("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
                      said)

    def test_what_is_trained_is_counted(self):
        start = ["***** Running training *****",
                 "  Instantaneous batch size per device = 4"]
        for trained, is_full in (("7,615,616,512", True), ("4,194,304", False)):
            said = flat(text(*start, f"  Number of trainable parameters = "
                             f"{trained}", FULL, words=("--all",)))
            self.assertEqual("are sharded or offloaded" in said, is_full)


    LOG = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {0} "
           "MiB. GPU 0 has a total capacity of 40.00 GiB of which 11.00 MiB "
           "is free. Including non-PyTorch memory, this process has 39.98 GiB "
           "memory in use. Of the allocated memory {1} GiB is allocated by "
           "PyTorch, and {2} MiB is reserved by PyTorch but unallocated.")

    def finding(self, *amounts, above=""):
        got = report(above, self.LOG.format(*amounts))["findings"][0]
        self.assertEqual(got["entry"], "pytorch/cuda-oom")
        return got, {f["id"]: f for f in got["fixes"]}

    def test_sizes_alone_do_not_say_what_fills_it(self):
        # A full card and a small request do not say what fills it: PyTorch
        # asks for blocks of 2 and 20 MiB whatever the tensor.
        for amounts in ((320, 39, 1), (320, 39, 400), (20, 39, 1),
                        (20, 39, 400), (2048, 37, 1)):
            with self.subTest(amounts=amounts):
                got, fixes = self.finding(*amounts)
                self.assertEqual(got["causes"][0]["cause"], "one_step")
                # what runs is not said, so no batch is
                self.assertEqual(fixes["smaller-batch"]["applies"], "no")
                self.assertEqual(got["fixes"][0]["id"], "fewer-items")
        got, fixes = self.finding(20, 39, 1, above="Running Qwen2.5-32B on "
                                  "one A100-40GB, inference")
        self.assertEqual(got["causes"][0]["cause"], "weights")

    def test_an_optimizers_variable_is_no_batch(self):
        node = ("ResourceExhaustedError: OOM when allocating tensor with "
                "shape[52000,640]\n\t [[Node: training/{}/mul_7 = "
                "Mul[T=DT_FLOAT, _device=\"/job:localhost/replica:0/task:0/"
                "device:GPU:0\"](beta/read, slot/read)]]\n")
        for layer, first in (("Adam", "smaller-model"),
                             ("dense_1", "smaller-batch")):
            got = report(node.format(layer))["findings"][0]
            self.assertEqual(got["fixes"][0]["id"], first)

    def test_a_training_run_keeps_more_than_weights(self):
        got, fixes = self.finding(20, 39, 400,
                                  above="deepspeed --num_gpus 8 train_ppo "
                                        "--zero_stage 2")
        self.assertIn("zero-offload-optimizer",
                      [f["id"] for f in got["fixes"][:3]])
        self.assertEqual(fixes["smaller-weights"]["applies"], "no")
        state = {"zero-3", "zero-offload-optimizer"}
        _, others = self.finding(20, 39, 400)
        for name in state:
            self.assertEqual(fixes[name]["applies"], "yes")
            self.assertEqual(others[name]["applies"], "no")

    def test_what_pytorch_does_not_hold_is_another_library(self):
        self.assertEqual(
            [self.finding(*amounts)[1]["another-library"]["applies"]
             for amounts in ((20, 2, 8), (20, 39, 1))], ["yes", "no"])


class Blocks(unittest.TestCase):
    def test_a_backend_may_choose_larger_blocks(self):
        log = ("ValueError: To serve at least one request with the models's "
               "max seq len (131072), (16.00 GiB KV cache is needed, which is "
               "larger than the available KV cache memory (0.71 GiB). Based "
               "on the available memory, the estimated maximum model length "
               "is 5632.")
        self.assertIn("meta-llama/Llama-3.1-8B-Instruct",
                      flat(text(log, words=["--all"])))


class Checkpoint(unittest.TestCase):
    def test_a_bare_kill_names_the_size_of_the_weights(self):
        log = ["vllm serve Qwen/Qwen2.5-7B-Instruct",
               "INFO Starting to load model Qwen/Qwen2.5-7B-Instruct...",
               "[1.2] Out of memory: Killed process 21984 (python) "
               "total-vm:41943040kB, anon-rss:16777216kB, file-rss:0kB, "
               "shmem-rss:0kB"]
        self.assertRegex(flat(text(*log, words=["--all"])),
                         r"The checkpoint of "
                         r"Qwen/Qwen2.5-7B-Instruct is about 14\.\d+ GiB in "
                         r"bfloat16")
        self.assertNotIn("checkpoint of", text(log[2]))


class Room(unittest.TestCase):
    """What was free when llama.cpp's buffer was refused: free before the load
    less the buffers since."""
    LOAD = ["llama-server -m Qwen3-30B-A3B-Q4_K_M.gguf -ngl 99 -c 131072",
            "ggml_cuda_init: found {cards} CUDA devices:",
            "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA "
            "GeForce RTX 3090) - 23871 MiB free",
            "print_info: file size   = 17.28 GiB (4.86 BPW)",
            "load_tensors: offloaded 49/49 layers to GPU",
            "load_tensors:        CUDA0 model buffer size = 17524.42 MiB",
            "llama_context: n_ctx         = 131072",
            "llama_context: flash_attn    = 0"]
    REFUSED = ["ggml_backend_cuda_buffer_type_alloc_buffer: allocating "
               "12288.00 MiB on device {card}: cudaMalloc failed: out of "
               "memory",
               "alloc_tensor_range: failed to allocate CUDA{card} buffer of "
               "size 12884901888",
               "llama_init_from_model: failed to initialize the context: "
               "failed to allocate buffer for kv cache"]

    def found(self, cards=1, card=0):
        lines = self.LOAD + self.REFUSED
        return report(*[x.format(cards=cards, card=card) for x in lines])

    def test_buffers_since_the_load_are_taken_off(self):
        got = self.found()["findings"][0]
        facts = {f["name"]: f for f in got["facts"]}
        self.assertEqual(facts["gpu_free"]["value"] >> 20, 6346)
        self.assertEqual(facts["gpu_free"]["source"], "derived")
        fixes = {f["id"]: f["estimate"] for f in got["fixes"]}
        for fix in ("lower-ctx-size", "fewer-gpu-layers"):
            self.assertEqual(fixes[fix]["verdict"], "enough")
        # the scores of 65,536 tokens would not fit behind their cache
        self.assertEqual(fixes["lower-ctx-size"]["after"], 3 << 30)
        # two layers in five left on the GPU cost more than half the length
        self.assertEqual(got["fixes"][0]["id"], "lower-ctx-size")

    def test_another_card_is_not_that_one(self):
        facts = [f["name"] for f in
                 self.found(cards=2, card=1)["findings"][0]["facts"]]
        self.assertNotIn("gpu_free", facts)

    def test_more_layers_than_there_are_means_all(self):
        self.assertNotIn("but 49", json.dumps(self.found()))


class InForce(unittest.TestCase):
    """A limit that the log shows is raised from there, and no default."""
    SHOWN = (
        (("java.lang.OutOfMemoryError: Java heap space",
          "java -Xms512m -Xmx2g -jar app.jar"), "-Xmx4g"),
        (("java.lang.OutOfMemoryError: Java heap space",),
         "-XX:MaxRAMPercentage=75"),
        (("FATAL ERROR: Reached heap limit Allocation failed - JavaScript "
          "heap out of memory",
          "NODE_OPTIONS=--max-old-space-size=4096 yarn build"),
         "NODE_OPTIONS=--max-old-space-size=8192"),
        (("slurmstepd: error: Detected 1 oom_kill event in StepId=55.0.",
          "#SBATCH --mem-per-cpu=4G"), "#SBATCH --mem-per-cpu=8G"),
        (("vllm.service: Failed with result 'oom-kill'.",
          "vllm.service: Consumed 3min CPU time, 23.9G memory peak."),
         "systemctl set-property vllm.service MemoryMax=29G"))

    def test_it_is_doubled_or_a_fifth_above_the_peak(self):
        for lines, command in self.SHOWN:
            first = report(*lines)["findings"][0]["fixes"][0]
            self.assertEqual(first["command"], command)

    def test_a_shell_that_limits_is_lifted_first(self):
        lines = ["terminate called after throwing an instance of "
                 "'std::bad_alloc'", "$ ulimit -v", "16777216"]
        for count, first in ((1, "more-host-memory"), (3, "look-at-limits")):
            self.assertEqual(report(*lines[:count])["findings"][0]["fixes"]
                             [0]["id"], first)


class Renamed(unittest.TestCase):
    """A flag of llama.cpp that Ollama calls otherwise is no second fix."""

    def test_one_fix_for_one_setting(self):
        made = report("ollama run yarn-mistral:7b-128k",
                      "CUDA error 2 at /go/src/github.com/jmorganca/ollama/"
                      "llm/llama.cpp/gguf/ggml-cuda.cu:8001: out of memory")
        actions = [f["action"] for f in made["findings"][0]["fixes"]
                   if f["applies"] == "yes"]
        self.assertIn("Put fewer layers on the GPU (num_gpu)", actions)
        self.assertEqual(len(actions), len(set(actions)), actions)


class Readers(unittest.TestCase):
    """What two readers stumbled over, each as a log of its kind."""

    def test_a_blotted_job_number_is_none(self):
        said = text("slurmstepd: error: Detected 1 oom_kill event in "
                    "StepId=71xxxx")
        self.assertNotIn("-j 71", said)

    def test_cargo_has_jobs_of_its_own(self):
        made = report("$ cargo build", "error: linking with `cc` failed: "
                      "exit status: 1", "= note: collect2: fatal error: ld "
                      "terminated with signal 9 [Killed]")
        self.assertEqual(made["findings"][0]["fixes"][0]["command"],
                         "CARGO_BUILD_JOBS=2")

    def test_an_old_kernel_names_the_group(self):
        made = report("dc kernel: runc:[2:INIT] invoked oom-killer: "
                      "gfp_mask=0xd0, order=0, oom_score_adj=0",
                      "dc kernel: Task in /docker/0abc killed as a result of "
                      "limit of /docker/0abc")
        self.assertIn("limit", made["findings"][0]["fixes"][0]["action"])

    def test_a_batch_of_one_is_not_halved(self):
        made = report("使用自己的数据集对模型进行训练，batch_size=1，出现如下问题：", FULL)
        first = made["findings"][0]["fixes"][0]
        self.assertEqual(made["context"]["task"]["value"], "train")
        self.assertNotIn("batch", first["action"])

    def test_the_systems_refusal_speaks_of_the_host(self):
        made = report("OSError: Cannot allocate memory (os error 12)")
        self.assertEqual(made["findings"][0]["mechanism"], "host_ram")

    def test_a_title_takes_the_traceback_that_was_cut(self):
        cut = ('Traceback (most recent call last):\n'
               '  File "/opt/app/server.py", line 9, in <module>\n'
               '    model = load_model(name)\n'
               '  File "/opt/app/loader.py", line 20, in load_model\n'
               '    model = model.to(torch.device("cuda:0"))\n')
        between = "I start it like this and then it stops.\n\nINFO:Loading toy-6b\n"
        for end, stage in (("", "load"),
                           ("ValueError: no such file\n", None)):
            made = report("CUDA out of memory when it starts\n", between + cut + end)
            said = [f["value"] for f in made["findings"][0]["facts"]
                    if f["name"] == "stage"]
            with self.subTest(end=end):
                self.assertEqual(said, [stage] if stage else [])

    def test_what_people_write_tells_model_and_stage(self):
        error = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                 "26.00 MiB. GPU 0 has a total capacity of 15.77 GiB of which "
                 "14.44 MiB is free.\n")
        for prose, entry in (
                ("I serve Qwen3-32B-FP8 with vllm==0.9.1 on it.", "vllm/cuda-oom-load"),
                ("I serve Qwen3-4B with vllm==0.9.1 on it.", "pytorch/cuda-oom"),
                ("It runs out of memory while loading the model.", "pytorch/cuda-oom-weights"),
                ("加载模型的时候显存不够：", "pytorch/cuda-oom-weights"),
                ("It runs out of memory while serving.", "pytorch/cuda-oom")):
            with self.subTest(prose=prose):
                self.assertEqual(report(prose, error)["findings"][0]["entry"], entry)

    def test_a_copy_of_all_parameters_is_the_optimizers(self):
        for size, cause in (("23.26", "optimizer_state"), ("17.10", "one_tensor")):
            made = report(
                "python train.py --model_name_or_path THUDM/chatglm2-6b --do_train",
                ALLOC.format(total="79.35", held="60.00", others="")
                .replace("2.00 GiB", size + " GiB"))
            with self.subTest(size=size):
                self.assertEqual(made["findings"][0]["causes"][0]["cause"], cause)

    def test_a_named_limit_for_weights_decides(self):
        line = ("Model '{}' (131.42GB) exceeds max-model-memory ({}.00GB)")
        for name, limit, verdict in (
                ("Llama-3.3-70B-Instruct", 60, "enough"),
                ("Llama-3.3-70B-Instruct", 25, "not_enough"),
                ("Llama-3.3-70B-Instruct-nvfp4", 25, "none")):
            with self.subTest(name=name, limit=limit):
                made = report(line.format(name, limit))["findings"][0]
                fixes = {f["id"]: f for f in made["fixes"]}
                self.assertEqual(fixes["smaller-quantization"]["estimate"]
                                 ["verdict"], verdict)

    def test_a_server_full_of_weights_fails_in_its_profile_run(self):
        lines = ('  File "/x/vllm/worker/model_runner.py", line 1100, in '
                 "execute_model", FULL)
        for model, stage in (("meta-llama/Llama-2-13b-hf", "profile"),
                             ("meta-llama/Llama-2-7b-hf", "serve")):
            with self.subTest(model=model):
                made = report(f"vllm serve {model}", *lines)["findings"][0]
                self.assertEqual(fact_of(made, "stage"), stage)
        # A version that ran out of steps served before it failed.
        made = report("vllm serve meta-llama/Llama-2-13b-hf",
                      "INFO: Application startup complete.", FULL)
        self.assertEqual(fact_of(made["findings"][0], "stage"), "serve")

    def test_a_trainers_command_is_corrected_whole(self):
        made = report("swift sft --model Qwen/Qwen2.5-7B-Instruct "
                      "--per_device_train_batch_size 4 --max_length 2048", FULL)
        self.assertTrue(made["command"]["after"].startswith("swift sft --model"))
        self.assertIn("--per_device_train_batch_size 2",
                      made["command"]["after"])

    def test_a_store_that_ray_cuts_is_a_warning(self):
        made = report("System memory request exceeds memory available in "
                      "/dev/shm. The request is for 6442450944 bytes, and the "
                      "amount available is 4294967296 bytes.")
        self.assertEqual([f["severity"] for f in made["findings"]],
                         ["warning"])

    def test_need_and_limit_on_two_lines_name_both(self):
        at = FULL.index(" of which")
        lines = FULL[:at], FULL[at + 1:]
        self.assertIn("(lines 1 and 2)", flat(text(*lines)))
        self.assertIn("（第 1、2 行）", text(*lines, lang="zh"))
        self.assertIn("(line 1)", flat(text(FULL)))

    def test_ranks_of_one_size_are_the_jobs(self):
        own = "".join(f"Process {pid} has 413.00 MiB memory in use. "
                      for pid in (37200, 37198, 37199))
        made = report("lmdeploy serve api_server m --tp 4", ALLOC.format(
            total="23.69", held="19.80", others=own))
        first = made["findings"][0]["fixes"][0]["action"]
        self.assertNotIn("End the other", first)


class Told(unittest.TestCase):
    """A person tells of it, and what the program printed ends above its
    message or is not there."""
    SAID = ("[Bug]: CUDA OOM on two RTX 3090 with a 30k prompt",
            "OutOfMemoryError for batch 8",
            "Qwen3-8B on one L4 causes OOM",
            "the job fails with OOM after the first step",
            "There is always a CUDA out of memory error, although 10 GB are free",
            "We are seeing OOM errors on the second request",
            "After an hour a GPU OOM occurs",
            "Every time I start it I run out of GPU memory",
            "跑到第 128 步报 OOM", "总是在某个时间节点爆显存而退出",
            "2 枚目の画像で OOM が発生します", "не хватает видеопамяти")
    UNSAID = ("This avoids OOM when loading large checkpoints.",
              "Fix CUDA OOM in the sampler", "Add an OOM handler.",
              "If you hit OOM, lower the batch size.",
              "It may get CUDA out of memory on small cards.",
              "No OOM was seen during the test.",
              "The OOM killer is configured on this host.",
              "Without offload this would cause OOM.",
              "We never ran into OOM again after the upgrade.",
              "How to avoid CUDA OOM?", "Does this reduce OOM errors?",
              "OOM tests pass on A100",
              "It is not OOM but a segmentation fault",
              "INFO oom policy: kill", "如果爆显存，就调小 batch",
              "the bedroom is out of memory lane")

    def test_what_is_told_is_a_failure(self):
        for line in self.SAID:
            with self.subTest(line=line):
                found = report(line)["findings"]
                self.assertEqual([f["entry"] for f in found],
                                 ["pytorch/cuda-oom"])
                self.assertIn("own message, which has the numbers, is missing", flat(text(line)))

    def test_without_a_verdict_no_column_stands_for_one(self):
        line = "the job fails with OOM after the first step"
        self.assertNotIn("not computed", text(line))
        self.assertIn("not computed", text(line, words=("--all",)))
        for shown in (text(line, words=("--format", "chat")),
                      text(line, words=("--format", "markdown"))):
            self.assertIn("flag, speed", shown)
            self.assertNotIn("(;", shown)
            self.assertNotIn("\u2014 \u00b7", shown)

    def test_what_did_not_happen_is_none(self):
        for line in self.UNSAID:
            with self.subTest(line=line):
                self.assertEqual(report(line)["findings"], [])

    def test_a_message_says_more(self):
        for line in (FULL, FREE):
            made = report("Constant CUDA OOM on my machine", "", line)
            self.assertEqual(len(made["findings"]), 1)
            self.assertNotEqual(fact_of(made["findings"][0], "oom_words"),
                                "told")

    def test_the_log_below_tells_the_stage_and_the_engine(self):
        made = report("TensorRT-LLM runs into OOM with EXAONE", "",
                      "[TRT-LLM] [RANK 0] [I] Run generation-only CUDA graph "
                      "warmup for batch size=128, draft_len=0")["findings"][0]
        self.assertEqual(made["entry"], "tensorrt-llm/cuda-oom-step")
        self.assertEqual(fact_of(made, "stage"), "capture")

    def test_another_server_of_the_same_maker(self):
        made = report("there is always CUDA out of memory error",
                      'INFO text_embeddings_router: router/src/main.rs:189: '
                      'Args { model_id: "BAA*/**e-m3", revision: None, '
                      "tokenization_workers: None, dtype: None }")
        self.assertNotIn("engine", made["context"])
        fix = made["findings"][0]["fixes"][0]
        self.assertEqual(fix["acts_on"]["flag"], "--max-batch-tokens")


class Around(unittest.TestCase):
    """What people write beside an error is evidence."""
    SHORT = "RuntimeError: CUDA error: out of memory"

    def test_what_ran_before_an_update_goes_back(self):
        for line, told in (("It worked fine before the update.", True),
                           ("After upgrading to 2.4 I get this error.", True),
                           ("更新后就报这个错", True),
                           ("I want to update my environment next week.",
                            False)):
            with self.subTest(line=line):
                first = report(line, "", self.SHORT)["findings"][0]["fixes"][0]
                self.assertEqual(first["id"] == "go-back", told)

    def test_a_log_of_updates_tells_of_none(self):
        for line in ("2026-01-02 10:00:00 INFO Memory after update: 20.1 GB",
                     "(WorkerDict pid=1) After update weights in sharding "
                     "manager: 37.92 GB", "before the update step: 12 GB",
                     "[step 5] before updating the KV cache: 12 GB",
                     "2026-01-02 INFO worked until 12:00",
                     "INFO checking for memory leak detector",
                     "INFO scheduler: batch size 32 for prefill"):
            with self.subTest(line=line):
                told = report(line, FULL)["context"]
                self.assertFalse({"regression_told", "growth_told",
                                  "batch_size"} & set(told))

    def test_memory_that_is_said_to_grow_counts(self):
        for line in ("The memory keeps growing until it fails.",
                     "There is a memory leak somewhere.", "显存一直增长"):
            with self.subTest(line=line):
                made = report(line, "", self.SHORT)
                self.assertTrue(made["context"]["growth_told"]["value"])
                whys = [why for c in made["findings"][0]["causes"]
                        if c["cause"] == "growth" for why in c["because"]]
                self.assertTrue(any("grows" in w for w in whys), whys)

    def test_the_gpus_that_a_command_shows_count(self):
        made = report("CUDA_VISIBLE_DEVICES=0,1,2,3 python -m vllm.entrypoints."
                      "openai.api_server --model m", FULL)
        self.assertEqual(made["context"]["gpu_count"]["value"], 4)

    def test_a_steps_buffer_does_not_shrink_with_the_layers(self):
        made = report('llama-cli -m "/m/Llama-3.2-3B-Instruct-Q4_0.gguf" '
                      "-ngl 99 -c 40100",
                      "alloc: can't allocate 568118476 Bytes of memory on "
                      "device/GPU", "SYCL error: CHECK_TRY_ERROR")["findings"][0]
        fixes = {f["acts_on"].get("flag"): f for f in made["fixes"]}
        self.assertEqual(fact_of(made, "stage"), "serve")
        self.assertIsNone(fixes["--n-gpu-layers"]["estimate"]["formula"])
        self.assertEqual(made["fixes"][0]["acts_on"]["flag"], "--ubatch-size")

    def test_a_need_above_what_is_free_has_a_verdict(self):
        made = report("Error: model requires more system memory (19.3 GiB) than "
                      "is available (4.5 GiB)")["findings"][0]["fixes"][0]
        self.assertEqual(made["estimate"]["verdict"], "may_be_enough")
        self.assertIn("4.50 GiB", made["estimate"]["condition"])


class Beside(unittest.TestCase):
    """What stands beside the message, and says more than it does."""

    def test_free_before_the_load_is_the_sum_of_one_line(self):
        end = ("[2026-05-14 09:11:02 TP0] Load weight end. type=X, "
               "avail mem=%s GB, mem usage=60.60 GB.")
        fail = ("RuntimeError: Not enough memory. Please try to increase "
                "--mem-fraction-static. Current value: mem_fraction_static=0.4")
        found = report(end % "32.40", fail)["findings"][0]
        self.assertEqual(fact_of(found, "free_before_load"), 93 << 30)
        self.assertEqual(found["fixes"][0]["command"],
                         "--mem-fraction-static 0.69")
        begin = "[2026-05-14 09:10:02 TP0] Load weight begin. avail mem=94.00 GB"
        found = report(begin, end % "32.40", fail)["findings"][0]
        self.assertIsNone(fact_of(found, "free_before_load"))

    def test_a_heading_announces_the_frames_below(self):
        log = ["# ComfyUI Error Report",
               "- **Exception Message:** Allocation on device 0 would exceed "
               "allowed memory. (out of memory)",
               "Currently allocated     : 4.86 GiB",
               "Requested               : 2.12 GiB",
               "Device limit            : 23.99 GiB", "",
               "TIPS: the batch size may be larger than it was.", "%s", "```",
               '  File "/srv/ComfyUI/execution.py", line 515, in execute',
               '  File "/srv/ComfyUI/comfy/samplers.py", line 210, in sample',
               '  File "/srv/ComfyUI/comfy/ops.py", line 90, in forward',
               "```"]
        for heading, stage in (("## Stack Trace", "forward"),
                               ("The rest of the page.", None)):
            lines = [heading if line == "%s" else line for line in log]
            found = report(*lines)["findings"][0]
            self.assertEqual(fact_of(found, "stage"), stage, heading)

    def test_the_pool_of_xla_is_no_tensorflow(self):
        pool = ("bfc_allocator.cc:514] Allocator (GPU_0_bfc) ran out of memory "
                "trying to allocate 73.30GiB (rounded to 78702055168)"
                "requested by op")
        error = ("jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory "
                 "while trying to allocate 73.30GiB.")
        self.assertEqual([f["entry"] for f in report(pool, error)["findings"]],
                         ["jax/step-too-large"])
        self.assertEqual([f["entry"] for f in report(pool)["findings"]],
                         ["tensorflow/oom-tensor"])


class OnWindows(unittest.TestCase):
    """Tracebacks with backslashes, and GPUs that host memory is lent to."""

    OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %s. "
           "GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. Of "
           "the allocated memory %s is allocated by PyTorch, and 90.00 MiB is "
           "reserved by PyTorch but unallocated.")

    def test_its_paths_tell_as_much(self):
        site = "C:/Users/me/venv/Lib/site-packages/"
        cases = (
            ("diffusers/models/autoencoders/vae.py", "forward", "forward", "vae"),
            ("torch/optim/adamw.py", "_init_group", "optimizer", "optimizer"),
            ("torch/nn/modules/loss.py", "forward", "forward", "loss"),
            ("torch/_inductor/compile_fx.py", "run", "compile", "compile"),
        )
        for file, function, stage, work in cases:
            for path in (site + file, (site + file).replace("/", "\\")):
                found = report(
                    "Traceback (most recent call last):",
                    '  File "%s", line 90, in %s' % (path, function),
                    self.OOM % ("700.00 MiB", "7.10 GiB"))["findings"][0]
                self.assertEqual((fact_of(found, "stage"),
                                  fact_of(found, "work")), (stage, work), path)

    def test_tensors_beyond_the_gpu_may_be_of_one_step(self):
        found = report(self.OOM % ("1.20 GiB", "13.00 GiB"))["findings"][0]
        ids = [f["use"] or f["id"] for f in found["fixes"]
               if f["applies"] != "no"]
        self.assertEqual(ids[0], "fewer-items")
        self.assertNotIn("end-other-processes", ids)
        self.assertNotIn("expandable-segments", ids)
        found = report(self.OOM % ("20.00 MiB", "13.00 GiB"))["findings"][0]
        self.assertEqual(found["causes"][0]["cause"], "weights")

    def test_nothing_is_advised_that_the_frames_show_in_use(self):
        def offered(*lines):
            found = report("Traceback (most recent call last):", *lines,
                           self.OOM % ("448.00 MiB", "7.60 GiB"))["findings"][0]
            return [f["id"] for f in found["fixes"] if f["applies"] != "no"]
        frame = r'  File "D:\lib\transformers\integrations\%s.py", line 9, in %s'
        self.assertNotIn("memory-efficient-attention", offered(
            frame % ("sdpa_attention", "sdpa_attention_forward")))
        self.assertIn("fused-attention", offered(
            frame % ("eager", "eager_attention_forward")))
        self.assertNotIn("spread-over-cards", offered(
            r'  File "D:\lib\transformers\models\llama\modeling_llama.py", '
            'line 9, in forward',
            r'  File "D:\lib\accelerate\hooks.py", line 360, in pre_forward',
            "    set_module_tensor_to_device(",
            r'  File "D:\lib\accelerate\utils\modeling.py", line 363, in '
            "set_module_tensor_to_device"))


class InForce(unittest.TestCase):
    """An advice starts from what the log shows, and is not said twice."""

    OOM = OnWindows.OOM % ("448.00 MiB", "7.60 GiB")

    @staticmethod
    def offered(*lines):
        found = report(*lines)["findings"][0]
        return {f["id"]: f for f in found["fixes"] if f["applies"] != "no"}

    def test_8_bits_in_use_leave_4(self):
        frames = ["Traceback (most recent call last):",
                  '  File "/lib/transformers/modeling_utils.py", line 9, in '
                  "from_pretrained",
                  '  File "/lib/accelerate/utils/modeling.py", line 3, in '
                  "set_module_tensor_to_device", self.OOM]
        self.assertIn("quantize", self.offered(*frames))
        ids = self.offered("load_in_8bit=True", *frames)
        self.assertIn("quantize-further", ids)
        self.assertNotIn("quantize", ids)
        ids = self.offered("load_in_4bit=True", *frames)
        self.assertFalse({"quantize", "quantize-further"} & set(ids))

    def test_a_trainers_fraction_goes_up_by_a_step(self):
        pool = ("RuntimeError: Not enough memory. Please try to increase "
                "--mem-fraction-static.")
        for line, said in (("GRPO_GPU_MEMORY_UTILIZATION=0.12", "0.17"),
                           ("'gpu_memory_utilization': 0.2,", "0.25"),
                           ("mem_fraction_static=0.6", "0.85"),
                           ("mem_fraction_static=0.88", "0.93")):
            found = report(line, pool)["findings"][0]
            self.assertEqual(found["fixes"][0]["command"],
                             "--mem-fraction-static " + said, line)

    def test_the_commit_limit_is_no_fragment(self):
        full = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                "12.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which "
                "5.62 GiB is free. Of the allocated memory 1.23 GiB is "
                "allocated by PyTorch, and 66.60 MiB is reserved by PyTorch "
                "but unallocated.")
        for file, is_said in (("C:\\a\\train.py", False),
                              ("/a/train.py", True)):
            said = flat(text('  File "%s", line 9, in forward' % file, full,
                             words=("--all",)))
            self.assertEqual("is fragmented, or another" in said, is_said, file)

    def test_img2img_has_no_size(self):
        frame = '  File "/opt/stable-diffusion/%s", line 9, in %s'
        layer = frame % ("ldm/modules/attention.py", "forward")
        for script, is_offered in (("scripts/txt2img.py", True),
                                   ("scripts/img2img.py", False)):
            said = flat(text("Traceback (most recent call last):",
                             frame % (script, "main"), layer, self.OOM))
            self.assertEqual("--H 384" in said, is_offered, script)
            self.assertEqual("--init-img smaller" in said, not is_offered)

    def test_back_to_a_release_only_after_an_update(self):
        for lines, is_offered in (((FULL,), False),
                                  (("It worked fine before the last update.",
                                    FULL), True)):
            found = report(*lines)["findings"][0]
            self.assertEqual(any(f["use"] == "go-back" and f["applies"] != "no"
                                 for f in found["fixes"]), is_offered)

    def test_graphs_that_the_share_pays_for(self):
        none = ("Available KV cache memory: -1.42 GiB",
                "ValueError: No available memory for the cache blocks. Try "
                "increasing `gpu_memory_utilization` when initializing the "
                "engine.")
        seen = "Profiling CUDA graph memory: PIECEWISE=6 (largest=32), FULL=4"
        first = report(seen, *none)["findings"][0]["fixes"][:3]
        self.assertIn("--enforce-eager", [f["command"] for f in first])
        self.assertNotIn("no-graphs", self.offered(*none))
        eager = self.offered("vllm serve m/m --enforce-eager", seen, *none)
        self.assertEqual(eager["no-graphs"]["applies"], "already")
        self.assertNotIn("no-graphs", self.offered("vLLM API server version "
                                                   "0.19.1", seen, *none))

    def test_the_tools_are_those_of_the_maker(self):
        for line, tool in (("", "nvidia-smi"),
                           ("GPU 0: AMD Instinct MI300X", "rocm-smi"),
                           ("Device 0: AMD Radeon RX 7900 XTX", "rocm-smi"),
                           ("Intel(R) Arc(TM) A770 Graphics", "xpu-smi"),
                           ("NvMapMemHandleAlloc: error 0", "nvmap"),
                           ("Jetson Orin NX", "nvmap")):
            said = text(line, FREE, words=("--all",))
            self.assertIn(tool, said, line)
            self.assertEqual("nvidia-smi" in said, tool == "nvidia-smi", line)
        said = text("ggml_cuda_init: found 2 ROCm devices:",
                    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating "
                    "27000.00 MiB on device 0: cudaMalloc failed: out of memory",
                    "llama_model_load: error loading model: unable to allocate "
                    "backend buffer", words=("--all",))
        self.assertNotIn("nvidia-smi", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
