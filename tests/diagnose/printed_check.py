#!/usr/bin/env python3
"""Numbers, verdicts and questions beside what the log prints: no condition that every fix meets, no figure of one
setting beside another, no question that the log answers, and what was set by hand is the first thing to change."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, "tests/support")
from many import reports_of  # noqa: E402

OOMKB = os.environ.get("OOMKB", "build/oomkb")


def torch(asked, total, free, allocated, rest=""):
    return (f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of {total} of "
            f"which {free} is free. {rest}Of the allocated memory {allocated} is allocated by PyTorch, and 20.00 MiB is "
            "reserved by PyTorch but unallocated.\n")


def text_of(log):
    done = subprocess.run([OOMKB], input=log.encode(), stdout=subprocess.PIPE, check=False, env={**os.environ, "COLUMNS": "80"})
    return " ".join(done.stdout.decode().split())


REFUSED = ("ggml_backend_cuda_buffer_type_alloc_buffer: allocating {mib}.00 MiB on device 0: cudaMalloc failed: out of memory\n"
           "ggml_gallocr_reserve_n_impl: failed to allocate CUDA0 buffer of size {size}\n"
           "graph_reserve: failed to allocate compute buffers\n")


def refused(mib):
    return REFUSED.format(mib=mib, size=mib << 20)


def context(log):
    return {name: fact["value"] for name, fact in reports_of(OOMKB, [log])[0]["context"].items()}


def first(log):
    return reports_of(OOMKB, [log])[0]["findings"][0]["fixes"][0]


class Numbers(unittest.TestCase):
    def test_few_others_are_no_cure_of_a_full_gpu(self):
        log = torch("180.00 MiB", "23.53 GiB", "81.00 MiB", "21.90 GiB",
                    "Process 77 has 506.00 MiB memory in use. Including non-PyTorch memory, this process has 22.50 GiB memory in use. ")
        self.assertNotEqual(first(log)["acts_on"].get("kind"), "kill_process")
        self.assertNotIn(" enough stop others", text_of(log))

    def test_a_condition_that_every_fix_meets_is_not_shown(self):
        log = torch("76.00 MiB", "287.98 GiB", "0 bytes", "8.51 GiB")
        self.assertNotIn("76 MiB of", text_of(log).split("Do this first")[1])
        self.assertNotIn("if it frees", text_of(log))
        self.assertIn("if it frees 53.3", reports_of(OOMKB, [torch("106.38 MiB", "11.91 GiB", "53.06 MiB", "10.26 GiB")])[0][
            "findings"][0]["fixes"][0]["estimate"]["condition"], "a program still reads it")

    def test_what_others_hold_is_no_condition_where_nobody_counts_them(self):
        log = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 276.62 GiB "
               "of which 799.56 MiB is free.\n")
        self.assertNotIn("if it frees", text_of(log))

    def test_where_the_first_fix_is_enough_no_more_is_planned_for(self):
        log = torch("50.00 MiB", "23.56 GiB", "30.50 MiB", "22.70 GiB")
        self.assertIn("plan for far more", text_of(log))
        load = ("$ vllm serve Qwen/Qwen1.5-72B-Chat\n  File \"/v/vllm/worker/model_runner.py\", line 1, in load_model\n"
                "    self.model = get_model(vllm_config=self.vllm_config)\n" + torch("384.00 MiB", "79.33 GiB", "352.00 MiB", "78.30 GiB"))
        first = reports_of(OOMKB, [load])[0]["findings"][0]["fixes"][0]
        self.assertEqual(first["estimate"]["verdict"], "enough")
        self.assertNotIn("plan for far more", text_of(load))

    def test_what_neither_tensors_nor_free_memory_are_is_said(self):
        log = ("  File \"ComfyUI/comfy/sample.py\", line 65, in sample\ntorch.OutOfMemoryError: Allocation on device 0 would "
               "exceed allowed memory. (out of memory)\nCurrently allocated     : 3.11 GiB\nRequested               : 3.00 GiB\n"
               "Device limit            : 11.59 GiB\nFree (according to CUDA): 42.88 MiB\n"
               "PyTorch limit (set by user-supplied memory fraction)\n                        : 11.59 GiB\n")
        self.assertIn("8.44 GiB (73 % of the GPU) is neither in these tensors nor free", text_of(log))
        self.assertIn("outside these tensors 8.44", text_of(log))
        self.assertNotIn("1/128", text_of(log))

    def test_the_sum_of_others_is_that_of_the_list(self):
        log = torch("320.00 MiB", "22.05 GiB", "113.62 MiB", "6.79 GiB",
                    "Process 60 has 184.00 MiB memory in use. Process 161 has 184.00 MiB memory in use. Process 198 has 13.57 GiB "
                    "memory in use. Process 344 has 184.00 MiB memory in use. Including non-PyTorch "
                    "memory, this process has 7.79 GiB memory in use. ")
        self.assertIn("14.1 GiB (64 % of the GPU) is in use by other processes", text_of(log))


class Printed(unittest.TestCase):
    def test_the_command_that_a_shell_says_has_died_was_in_force(self):
        log = refused(18176) + ("bash: line 1: 4242 Segmentation fault      (core dumped) nohup bash -c \"numactl ...\n"
                                "  --flash-attn 0 --cache-type-k f16 --ctx-size 16384 ...\"\n")
        self.assertEqual((context(log)["context_length"], context(log)["flash_attention"]), (16384, False))
        self.assertIn("flash attention", first(log)["action"])
        self.assertNotIn("--set context_length=", text_of(log))
        self.assertNotIn("context_length", context(refused(18176) + "Fix: start it with --ctx-size 16384\n"), "advice")

    def test_what_the_library_prints_below_counts_and_the_last_of_it(self):
        log = refused(302) + ("llama_context: n_ctx = 262144\ncommon_params_fit_impl: context size reduced from 262144 to "
                              "81920 -> need 25372 MiB less memory in total\nllama_context: n_ctx = 81920\n")
        self.assertEqual(context(log)["context_length"], 81920)
        self.assertIn("from 81920 to 40960", text_of(log))
        self.assertNotIn("try 8192", text_of(log))

    def test_a_half_is_no_figure_of_a_value_that_is_tried(self):
        self.assertIn("(--ubatch-size): try 128", text_of(refused(18176)))
        self.assertNotIn("8.88 GiB", text_of(refused(18176)))
        known = text_of("llama_context: worst-case: n_tokens = 4096, n_seqs = 1, n_outputs = 1\n" + refused(12710))
        self.assertNotIn("try 128", known)

    def test_free_memory_at_the_cut_end_of_the_message(self):
        log = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 954.00 MiB. GPU 0 has a total capacity of "
               "23.51 GiB of which 402.38 MiB")
        self.assertIn("402 MiB of 23.5 GiB was free", text_of(log))

    def test_the_stage_in_a_sentence_is_not_asked_for(self):
        oom = torch("7.65 GiB", "79.19 GiB", "6.87 GiB", "70.63 GiB")
        for told in ("The GPU memory is rising in the first forward pass.", "The runner crashes with signal 6 during prefill."):
            with self.subTest(told=told):
                self.assertNotIn("--set stage=", text_of(told + "\n\n" + oom))
        self.assertIn("--set stage=", text_of(oom))


class SetByHand(unittest.TestCase):
    def test_a_pool_of_a_given_size_is_raised_where_the_gpu_is_free(self):
        log = ("$ vllm serve moonshotai/Kimi-Linear-48B-A3B-Instruct --tensor-parallel-size 4 --kv-cache-memory-bytes 4294967296\n"
               "INFO [gpu_worker.py:544] Initial free memory {} GiB, reserved 4.0 GiB memory for KV Cache as specified by "
               "kv_cache_memory_bytes config and skipped memory profiling.\n"
               "ValueError: To serve at least one request with the model's max seq len (1048576), 7.89 GiB KV cache is needed, "
               "which is larger than the available KV cache memory (4.0 GiB). Based on the available memory, the estimated "
               "maximum model length is 530432. Try increasing `gpu_memory_utilization` (which also controls CPU memory on the "
               "CPU backend) or decreasing `max_model_len` when initializing the engine.\n")
        fix = first(log.format("93.95"))
        self.assertEqual((fix["acts_on"]["flag"], fix["estimate"]["verdict"]), ("--kv-cache-memory-bytes", "enough"))
        self.assertIn("--kv-cache-memory-bytes 8589934592", fix["command"])
        self.assertNotEqual(first(log.format("31.2"))["acts_on"]["flag"], "--kv-cache-memory-bytes", "the weights take 23")

    def test_flash_attention_that_is_off_by_a_value_is_turned_on_by_one(self):
        log = "$ ./llama-server -m q.gguf -c 16384 --flash-attn {}\n" + refused(18176)
        for value in ("off", "0"):
            with self.subTest(value=value):
                self.assertIn("-c 16384 --flash-attn on", text_of(log.format(value)))

    def test_blocks_that_are_swapped_already_are_more(self):
        log = "python train_lora.py --resolution 512 --blocks_to_swap 10\n" + torch(
            "180.00 MiB", "23.53 GiB", "81.00 MiB", "21.90 GiB",
            "Process 77 has 506.00 MiB memory in use. Including non-PyTorch memory, this process has 22.50 GiB memory in use. ")
        self.assertEqual(first(log)["action"], "Raise --blocks_to_swap")
        self.assertIn("--blocks_to_swap 20", first(log)["command"])

    def test_a_built_in_configuration_names_its_stage(self):
        log = "swift sft --model Qwen/Qwen3-VL-8B-Instruct --deepspeed zero2 --max_length 32768\n[rank1]: " + torch(
            "674.00 MiB", "79.14 GiB", "100.75 MiB", "78.18 GiB")
        self.assertEqual(context(log)["zero_stage"], 2)
        fixes = reports_of(OOMKB, [log])[0]["findings"][0]["fixes"]
        said = [fix["action"] for fix in fixes if fix["applies"] == "yes"]
        self.assertIn("Pass --deepspeed zero3", said)
        self.assertNotIn('Set "stage": 3 in zero_optimization', said)

    def test_the_projector_that_the_log_names_is_what_moves(self):
        log = ("clip_model_loader: model name:   gemma-4-26B-A4B-it\n"
               "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1139.46 MiB on device 0: cudaMalloc failed: out of memory\n"
               "alloc_tensor_range: failed to allocate CUDA0 buffer of size 1194806272\n"
               "clip_init: failed to load model 'mmproj-BF16.gguf': load_tensors: failed to allocate buffer\n")
        self.assertEqual(first(log)["acts_on"]["flag"], "--no-mmproj-offload")

    def test_a_model_of_another_family_in_a_sentence(self):
        log = ("# cuda OOM on loading opt-66B\n  File \"/srv/x.py\", line 905, in convert\n    return t.to(device)\n"
               "RuntimeError: CUDA out of memory. Tried to allocate 162.00 MiB (GPU 2; 79.35 GiB total capacity; 77.00 GiB already "
               "allocated; 146.19 MiB free; 77.01 GiB reserved in total by PyTorch)\n")
        self.assertEqual(context(log)["model"], "facebook/opt-66b")
        self.assertNotIn("309 GiB", text_of(log))

    def test_layers_that_were_set_by_hand_make_the_reserve_useless(self):
        log = ('Ollama API error 500: {"error":"llama runner process has terminated: cudaMalloc failed: out of memory"}\n\n'
               "Model `q:latest` was configured with:\n- `num_ctx=8192` (large)\n- `num_gpu=30` (30/49 layers on GPU)\n\n"
               "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 3840.00 MiB on device 0: cudaMalloc failed: out of memory\n"
               "alloc_tensor_range: failed to allocate CUDA0 buffer of size 4026531840\n")
        self.assertEqual(first(log)["acts_on"]["flag"], "num_gpu")
        self.assertNotIn("Raise OLLAMA_GPU_OVERHEAD", text_of(log))
        self.assertIn("(num_ctx)", text_of(log), "the cache of the slots is as large")
        self.assertNotIn("loading weights", text_of(log), "such a buffer is of the cache as well")


class Command(unittest.TestCase):
    def test_what_is_typed_next_was_not_in_force(self):
        oom = torch("288.00 MiB", "8.00 GiB", "0 bytes", "7.24 GiB")
        for prompt in ("PS D:\\job> ", "$ ", "(base) C:\\job>"):
            with self.subTest(prompt=prompt):
                self.assertNotIn("batch_size", context(oom + prompt + "python train.py --batch-size 8\n"))
        self.assertEqual(context("$ python train.py --batch-size 8\n" + oom)["batch_size"], 8)
        self.assertEqual(context(oom + "\nMy command:\n\npython train.py --batch-size 8\n")["batch_size"], 8)

    def test_the_tool_of_the_log_decides_the_words(self):
        killed = "c++: fatal error: Killed signal terminated program cc1plus\n"
        self.assertIn("MAX_JOBS", first(killed)["action"])
        self.assertIn("-j", first("The job builds at `-j$(nproc)`.\n" + killed)["action"])
        docker = ('#19 1.003     Updating crates.io index\n#19 242.6 Killed\n#19 ERROR: process "/bin/sh -c cargo install -vv x" '
                  "did not complete successfully: exit code: 137\n")
        offered = [fix for fix in reports_of(OOMKB, [docker])[0]["findings"][0]["fixes"] if fix["applies"] == "yes"]
        self.assertFalse([fix for fix in offered if "MAX_JOBS" in (fix["command"] or "")])
        self.assertTrue([fix for fix in offered if "CARGO_NET_GIT_FETCH_WITH_CLI=true" in (fix["command"] or "")])


if __name__ == "__main__":
    unittest.main()
