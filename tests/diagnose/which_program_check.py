#!/usr/bin/env python3
"""Which program failed, and so whose settings stand first: by what runs, and by
no folder of a path; what people tell of takes the name of that program."""
import json
import os
import subprocess
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.\n"
METAL = ("libc++abi: terminating due to uncaught exception of type std::runtime_error: [METAL] Command buffer execution "
         "failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)\n")
BUFFER = ("libc++abi: terminating due to uncaught exception of type std::runtime_error: [metal::malloc] Attempting to allocate "
          "61619840000 bytes which is greater than the maximum allowed buffer size of 22743271936 bytes.\n")


def report(log):
    done = subprocess.run([OOMKB, "--format", "json"], input=log.encode(),
                          env=ENV, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.decode())


def root(log):
    return report(log)["findings"][0]


def offered(log):
    return [f for f in root(log)["fixes"] if f["applies"] in ("yes", "if")]


def commands(log):
    return " ".join(f["command"] or "" for f in offered(log)[:3])


def context(log, name):
    fact = report(log)["context"].get(name)
    return fact["value"] if fact else None


class OnlyWhatRuns(unittest.TestCase):
    def test_a_folder_of_models_shows_no_program(self):
        for path in ("/Users/ada/.lmstudio/models/org/Vision-7B-4bit", "/home/ada/.cache/lm-studio/models/org/a.gguf",
                     r"C:\\Users\\ada\\.lmstudio\\models\\org\\a.gguf", "/opt/text-generation-webui/models/org_a"):
            with self.subTest(path=path):
                self.assertIsNone(context(f"python ask.py --model {path}\n{OOM}", "program"))

    def test_code_in_a_folder_of_that_name_does(self):
        for line, program in (('File "/v/exllamav2/models/llama.py", line 3, in forward', "tabbyapi"),
                              ("/home/ada/.lmstudio/extensions/backends/llama.cpp", "lm-studio")):
            with self.subTest(line=line):
                self.assertEqual(context(f"{line}\n{OOM}", "program"), program)


class Mlx(unittest.TestCase):
    def test_its_server_keeps_caches(self):
        log = ("coder model OOM crash on mac studio\n\n"
               "/v/mlx_lm/server.py:1829: UserWarning: mlx_lm.server is not recommended for production\n"
               + "".join(f"2026-05-11 0{i}:00:00,000 - INFO - KV Caches: {i} seq, {4 * i}.50 GB, latest user cache 0 tokens\n"
                         for i in range(1, 7)))
        got = root(log)
        self.assertEqual((got["entry"], got["causes"][0]["cause"]), ("mlx/told", "growth"))
        self.assertIn("--prompt-cache-bytes", offered(log)[0]["command"])
        self.assertNotIn("nvidia-smi", commands(log))

    def test_an_image_is_shrunk(self):
        log = "python -m mlx_vlm.generate --image a.jpg --model /Users/ada/.cache/lm-studio/models/org/V-4bit\n" + BUFFER
        self.assertEqual(context(log, "program"), "mlx-vlm")
        self.assertTrue(offered(log)[0]["command"].startswith("--resize-shape"))

    def test_hours_of_load_are_growth(self):
        told = "It crashes after {} of sustained load, always in prefill:\n\n"
        self.assertEqual(offered(told.format("2-4 hours") + METAL)[0]["id"], "limit-cache")
        self.assertNotEqual(offered(told.format("2-4 seconds") + METAL)[0]["id"], "limit-cache")


class Drafts(unittest.TestCase):
    AT = ("/build/ggml/src/ggml-cuda/ggml-cuda.cu:101: CUDA error\n"
          "  CUDA error: out of memory\n"
          "  current device: 0, in function {}\n"
          "  ...\n")

    def test_the_message_below_its_path_is_of_llama_cpp(self):
        for function in ("ggml_cuda_graph_evaluate_and_capture", "stream", "ggml_cuda_compute_forward"):
            with self.subTest(function=function):
                got = root("Crashed with a CUDA OOM:\n\n" + self.AT.format(function))
                self.assertEqual(got["component"], "llama.cpp" if function != "stream" else "ggml-cuda")
        cut = root("Crashed with a CUDA OOM:\n\n" + self.AT.format("x").split("  current")[0])
        self.assertEqual(cut["entry"], "llama.cpp/gpu-buffer")

    def test_a_failure_in_the_draft_turns_it_off(self):
        log = self.AT.format("alloc") + "  common_speculative_state_mtp::draft\n"
        self.assertEqual((root(log)["entry"], offered(log)[0]["id"]), ("llama.cpp/draft", "drop-draft"))

    def test_a_draft_that_is_on_can_be_turned_off(self):
        kv = ("ggml_backend_cuda_buffer_type_alloc_buffer: allocating 3072.00 MiB on device 0: cudaMalloc failed: out of memory\n"
              "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache\n")
        start = "llama-server -m a.gguf -c 32768{}\n"
        for draft, has in ((" -md /m/small.gguf", True), (" --spec-type draft-mtp", True), (" --spec-type ngram-mod", False),
                           ("", False)):
            with self.subTest(draft=draft):
                ids = [f["id"] for f in offered(start.format(draft) + kv)]
                self.assertEqual("drop-draft" in ids, has)

    def test_of_sglang_as_well(self):
        log = ("python -m sglang.launch_server --model-path a --speculative-algorithm EAGLE\n"
               "Traceback (most recent call last):\n"
               '  File "/v/sglang/srt/managers/scheduler.py", line 800, in event_loop_overlap\n'
               '  File "/v/sglang/srt/speculative/eagle_worker.py", line 300, in forward_batch_generation\n' + OOM)
        self.assertIn("no-draft", [f["id"] for f in offered(log)])
        self.assertNotIn("no-draft", [f["id"] for f in offered(
            log.replace(" --speculative-algorithm EAGLE", "").replace("speculative/eagle_worker", "managers/tp_worker"))])


class Told(unittest.TestCase):
    def test_the_title_names_the_program(self):
        for words, title in (
                ("CUDA OOM after the second image\n\nI use ComfyUI on a 12 GB card.\n", "ComfyUI ran out of GPU memory"),
                ("CUDA OOM with long audio\n\nFile \"/v/infinity_emb/a.py\", line 3, in encode_core\n",
                 "Infinity ran out of GPU memory"),
                ("CUDA OOM in the nightly job\n", "A program ran out of GPU memory"),
                (OOM, "PyTorch ran out of GPU memory")):
            with self.subTest(words=words):
                self.assertEqual(root(words)["title"], title)

    def test_llama_cpp_has_no_fix_in_python(self):
        log = "CUDA OOM with a long context\n\nllama-server -m a-32b-q4_k_m.gguf -c 131072 -ngl 99\n"
        self.assertEqual(root(log)["entry"], "llama.cpp/told")
        self.assertNotIn("autocast", json.dumps(offered(log)))

    def test_a_mac_has_no_nvidia_smi(self):
        self.assertNotIn("nvidia-smi", commands("My script hits an OOM error on a Mac Studio that others use\n"))

    def test_what_shows_vllm(self):
        for line in ("RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
                     "raised from VLLMServerActor.start()", "The server starts (GPU KV cache size: 91,120 tokens) and dies later",
                     "It fails in the first step (vLLM warns of a slow kernel)"):
            with self.subTest(line=line):
                self.assertEqual(context(f"{line}\n{OOM}", "engine"), "vllm")


class ComfyUI(unittest.TestCase):
    LOADED = "Requested to load SomeTEModel_\nloaded completely; 21472.80 MB usable, 17180.60 MB loaded, full load: True\n"
    ASYNC = ("!!! Exception during processing !!! CUDA error: out of memory\n"
             "CUDA kernel errors might be asynchronously reported at some other API call\n")
    RUN = '  File "/opt/ComfyUI/{}", line 3, in {}\n'
    HEAD = ("!!! Exception during processing !!! Allocation on device \nTraceback (most recent call last):\n"
            + RUN.format("execution.py", "execute"))

    def test_its_table_in_words_of_any_language(self):
        got = root("Contexto: geramos um video\n\ntorch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory.\n"
                   "Currently allocated     : 13.40 GiB\nRequested               : 3.10 GiB\n"
                   "Device limit            : 16.00 GiB\nFree (according to CUDA): 0 bytes\n")
        self.assertEqual(got["entry"], "comfyui/allocation-on-device")
        self.assertIn("tried_alloc", [f["name"] for f in got["facts"]])

    def test_a_later_prompt_is_no_other_process(self):
        later = self.LOADED + "Prompt executed in 190.03 seconds\ngot prompt\nRequested to load SomeTEModel_\n" + self.ASYNC
        self.assertEqual(offered(later)[0]["id"], "disable-pinned")
        self.assertNotIn("nvidia-smi", commands(later))
        self.assertNotEqual(root(self.LOADED + self.ASYNC)["entry"], "comfyui/moved-models")

    def test_the_text_encoder_has_no_resolution(self):
        log = (self.LOADED + "!!! Exception during processing !!! " + OOM + "Traceback (most recent call last):\n"
               + self.RUN.format("execution.py", "execute") + self.RUN.format("comfy/{}/llama.py", "forward"))
        encoder = [f["id"] for f in offered(log.format("text_encoders"))]
        self.assertEqual(root(log.format("text_encoders"))["entry"], "comfyui/text-encoder")
        self.assertNotIn("smaller-picture", encoder)
        self.assertIn("smaller-picture", [f["id"] for f in offered(log.format("ldm/modules/diffusionmodules"))])

    def test_a_model_that_it_does_not_manage_gets_smaller_frames(self):
        node = self.HEAD + self.RUN.format("custom_nodes/between/net.py", "forward")
        self.assertEqual(offered(node)[0]["id"], "smaller-frames")
        managed = self.HEAD + self.RUN.format("custom_nodes/between/net.py", "run") \
            + self.RUN.format("comfy/samplers.py", "sample") + self.RUN.format("comfy/ldm/flux/model.py", "forward")
        self.assertEqual(root(managed)["entry"], "comfyui/allocation-in-a-step")


class OwnProcesses(unittest.TestCase):
    def test_ranks_that_fail_together_fill_their_cards_themselves(self):
        line = "[2026-05-04 16:15:28] node-7:29996{0}:30034{0} [{0}] include/alloc.h:228 NCCL WARN Cuda failure 2 'out of memory'\n"
        many = "Training ...\n" + "".join(line.format(gpu) for gpu in range(4))
        self.assertEqual(offered(many)[0]["id"], "fill-less")
        self.assertNotIn("end-other-processes", [f["id"] for f in offered(many)])
        self.assertIn("end-other-processes", [f["id"] for f in offered("Training ...\n" + line.format(0))])

    def test_workers_of_a_test_run(self):
        pids = " ".join(f"Process {pid} has {gib} GiB memory in use." for pid, gib in
                        ((31097, 0.36), (31094, 8.07), (31100, 3.40), (31103, 0.48)))
        log = ("https://github.com/org/repo/actions/runs/22486411322\n"
               "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.60 GiB. GPU 0 has a total capacity of 14.74 GiB of "
               f"which 2.44 GiB is free. {pids} Of the allocated memory 7.85 GiB is allocated by PyTorch, and 86.90 MiB is reserved "
               "by PyTorch but unallocated.\n")
        self.assertEqual(offered(log)[0]["id"], "fewer-workers")
        strangers = log.replace("31097", "4097").replace("31100", "1100").replace("31103", "913")
        self.assertNotEqual(root(strangers)["entry"], "pytorch/cuda-oom-test-workers")


if __name__ == "__main__":
    unittest.main()
