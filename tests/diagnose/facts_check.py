#!/usr/bin/env python3
"""What a log tells beside its failure message: settings, the operation, the
task, who else uses the memory, who was killed, how long it ran, what the
program itself advises. And what it does not tell.

A case is (what, lines, facts that must stand, facts that must not). A fact is
looked for in the first finding, then in the context; a value may be left out of
those that must not.

Run from the top of the repository; OOMKB names the program.
"""
import json
import os
import subprocess
import sys

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
CUDA = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 "
        "GiB. GPU 0 has a total capacity of 23.33 GiB of which 1.88 GiB is "
        "free. Including non-PyTorch memory, this process has 21.40 GiB memory "
        "in use. Of the allocated memory 15.00 GiB is allocated by PyTorch, "
        "and 6.00 GiB is reserved by PyTorch but unallocated.")


def trace(*frames):
    """A traceback above CUDA: (file, function, line of source)."""
    out = ["Traceback (most recent call last):"]
    for name, function, source in frames:
        out += [f'  File "/srv/job/{name}", line 12, in {function}',
                f"    {source}"]
    return out + [CUDA]


TRAIN = ("run.py", "train_one_epoch", "out = model(batch)")
FRAMES = [
    ("attention by the name of a function",
     trace(TRAIN, ("net.py", "eager_attention_forward", "w = q @ k.mT")),
     {"work": "attention", "task": "train"}, {}),
    ("the innermost telling frame speaks",
     trace(TRAIN, ("net.py", "forward", "x = self.self_attn(x)"),
           ("lib.py", "apply_rotary_pos_emb", "q = q * cos")),
     {"work": "rope"}, {}),
    ("a call in the line of source below a frame",
     trace(TRAIN, ("net.py", "forward", "logits = self.lm_head(hidden)")),
     {"work": "logits"}, {}),
    ("a convolution of a VAE is the VAE's",
     trace(("p.py", "vae_decode", "x = self.up(x)"),
           ("torch/nn/modules/conv.py", "_conv_forward", "return F.conv2d(")),
     {"work": "vae"}, {}),
    ("a convolution of its own",
     trace(("torch/nn/modules/conv.py", "_conv_forward", "return F.conv2d(")),
     {"work": "conv"}, {"task": None}),
    ("what runs inside the sampler is the sampler's",
     trace(("v/sampler.py", "apply_top_k_top_p", "torch.sort(logits)")),
     {"work": "sampler"}, {}),
    ("the optimizer trains",
     trace(("torch/optim/adamw.py", "_init_group", "torch.zeros_like(p)")),
     {"work": "optimizer", "task": "train"}, {}),
    ("evaluation inside a training run",
     trace(TRAIN, ("t.py", "evaluation_loop", "out = model(x)")),
     {"task": "evaluate"}, {}),
    ("generation inside a training run",
     trace(TRAIN, ("t.py", "generate", "out = self.model(x)")),
     {"task": "infer"}, {}),
    ("a word in a line of source is no operation",
     trace(("m.py", "step", 'log("attention: backward of the loss")')),
     {}, {"work": None, "task": None}),
    ("a rank's traceback below another's message tells the stage",
     [CUDA, "[rank1]: Traceback (most recent call last):"]
     + ["[rank1]:   " + line
        for i in range(4) for line in (f'File "run.py", line {i}, in go', "  x()")]
     + ['[rank1]:   File "run.py", line 9, in run_sft',
        "[rank1]:     model = load_model(args)"],
     {"stage": "load", "task": "train"}, {}),
    ("the moments of an optimizer without its frame",
     ['[rank3]: state["exp_avg_sq"] = torch.zeros_like(', "[rank3]: " + CUDA],
     {"stage": "optimizer", "task": "train"}, {}),
    ("dynamo's eval_frame evaluates nothing",
     trace(("torch/_dynamo/eval_frame.py", "_fn", "return fn(*args)")),
     {}, {"task": "evaluate"}),
]

SETTINGS = [
    ("Transformers 5 takes fsdp=True",
     ["args = TrainingArguments(output_dir='out', fsdp=True)", CUDA],
     {"zero_stage": 3}, {}),
    ("a flag of a script",
     ["$ python run.py --batch_size 64 --num_workers 8", CUDA],
     {"batch_size": 64, "num_workers": 8}, {}),
    ("a short flag of a script",
     ["$ python run.py -b 16 --lr 1e-4", CUDA],
     {"batch_size": 16, "task": "train"}, {}),
    ("the bits of LMDeploy's checkpoint",
     ["lmdeploy chat m --model-format awq --cache-max-entry-count 0.3",
      "RuntimeError: [TM][ERROR] CUDA runtime error: out of memory /a.h:2"],
     {"quantization": "awq", "kv_free_fraction": 0.3}, {}),
    ("a format that says nothing of bits",
     ["lmdeploy chat m --model-format hf",
      "RuntimeError: [TM][ERROR] CUDA runtime error: out of memory /a.h:2"],
     {"engine": "lmdeploy"}, {"quantization": None}),
    ("a dump of arguments",
     ["Namespace(batch_size=12, num_frames=49, resolution=1024)", CUDA],
     {"batch_size": 12, "num_frames": 49, "image_side": 1024}, {}),
    ("YAML", ["gradient_accumulation_steps: 4", "num_envs: 4096", CUDA],
     {"gradient_accumulation": 4, "num_envs": 4096}, {}),
    ("JSON", ['{"micro_batch_size": 2, "global_batch_size": 128,', CUDA],
     {"batch_size": 2, "global_batch_size": 128}, {}),
    ("a table of arguments", ["| batch_size           | 24 |", CUDA],
     {"batch_size": 24}, {}),
    ("the run that failed, said below it",
     [CUDA, "", "OOM with batch_size=8. I will try less."], {"batch_size": 8}, {}),
    ("the command below the failure, over several lines",
     [CUDA, "", "torchrun --nproc_per_node 8 tune.py \\", "  --bf16 True \\",
      "  --per_device_train_batch_size 1 \\", "  --learning_rate 1e-5"],
     {"batch_size": 1, "precision": "mixed", "task": "train"}, {}),
    ("the command of a rank, as DeepSpeed's launcher prints it below",
     [CUDA, "[2026-03-04 10:00:00,123] [ERROR] [launch.py:321:sigkill_handler] "
      "['/opt/py/bin/python', '-u', 'tune.py', '--local_rank=0', "
      "'--per_device_train_batch_size', '1', '--zero_stage', '3', "
      "'--gradient_checkpointing'] exits with return code = 1"],
     {"batch_size": 1, "zero_stage": 3, "gradient_checkpointing": True,
      "engine": "deepspeed"}, {}),
    ("a failed command of Python's subprocess",
     [CUDA, "subprocess.CalledProcessError: Command '['/usr/bin/python3', "
      "'tune.py', '--batch_size=6']' returned non-zero exit status 1."],
     {"batch_size": 6}, {}),
    ("the loss in a progress bar",
     ["steps:   1%|    | 7/600 [00:59<98:28, 9.09s/it, avr_loss=0.509]", CUDA],
     {"task": "train", "steps_done": 7}, {}),
    ("a script by its name alone",
     ["V100 finetuning_lora.py", CUDA], {"task": "train"}, {}),
    ("a frame of a helper of training is no script",
     ['  File "/srv/x/train_utils.py", line 3, in load_image', CUDA],
     {}, {"stage": "forward"}),
    ("16 bits by a switch behind a Windows launcher",
     ["py -3.10 tools/train.py -f conf.py -b 3 --fp16 -o", CUDA],
     {"batch_size": 3, "precision": "mixed", "task": "train"}, {}),
    ("16 bits switched off",
     ["python run.py --fp16 False --lr 1e-4", "bf16: false", CUDA], {},
     {"precision": None}),
    ("half precision in code", ["    model.half()", CUDA],
     {"precision": "half"}, {}),
    ("what an arrow leads to is advice",
     ["**--num_workers 4 --> --num_workers 0**", CUDA], {"num_workers": 4}, {}),
    ("what the program advises in quotes is no setting",
     ["INFO 06-20 09:00:40 llm_engine.py:161] Initializing an LLM engine "
      "(v0.5.0) with config: model='m', enforce_eager=False",
      "INFO 06-20 09:00:45 model_runner.py:889] Capturing the model for CUDA "
      "graphs. To run the model in eager mode, set 'enforce_eager=True' or "
      "use '--enforce-eager' in the CLI.", CUDA],
     {"engine": "vllm"}, {"enforce_eager": True}),
    ("advice below the failure is no setting",
     [CUDA, "", "Try batch_size=1 and num_workers=0 then."], {},
     {"batch_size": None, "num_workers": None}),
]

HOST = [
    ("the heap that V8's collector left",
     ["[22:0x14] 30985 ms: Mark-sweep 2053.1 (2143.0) -> 2044.9 (2149.7) MB, "
      "1212.1 / 0.2 ms  (average mu = 0.477) allocation failure",
      "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out "
      "of memory"], {"heap_mib": 2044}, {}),
    ("Slurm's request in MiB",
     ["#SBATCH --mem=8000",
      "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.batch "
      "cgroup."],
     {"host_limit": 8000 << 20, "os": "linux"}, {}),
    ("compilers side by side",
     ["export MAX_JOBS=16", "FAILED: src/a.o",
      "c++: fatal error: Killed signal terminated program cc1plus"],
     {"build_jobs": 16, "task": "build"}, {}),
    ("WSL has Linux's paths",
     ["Linux host 5.15.167.4-microsoft-standard-WSL2 x86_64",
      'File "/usr/lib/x.py", line 1, in f', CUDA], {"os": "wsl"}, {}),
    ("Linux by its paths",
     ['  File "/usr/lib/x.py", line 1, in f', CUDA], {"os": "linux"}, {}),
]

OLD = ("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU {gpu};"
       " 11.00 GiB total capacity; 8.00 GiB already allocated; 0.50 GiB free; "
       "8.50 GiB reserved in total by PyTorch)")
LISTED = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
          "GiB. GPU 0 has a total capacity of 79.00 GiB of which 1.00 GiB is "
          "free. Process {pid} has {size} GiB memory in use. Including "
          "non-PyTorch memory, this process has 30.00 GiB memory in use. Of "
          "the allocated memory 28.00 GiB is allocated by PyTorch, and 1.00 "
          "GiB is reserved by PyTorch but unallocated.")
TWINS = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
         "GiB. GPU 0 has a total capacity of 31.50 GiB of which 0.72 GiB is "
         "free. Process {0} has 400.00 MiB memory in use. Process {1} has "
         "400.00 MiB memory in use. Process 102 has 30.00 GiB memory in use. "
         "Of the allocated memory 28.50 GiB is allocated by PyTorch, and 1.00 "
         "GiB is reserved by PyTorch but unallocated.")
VLLM = "INFO 07-01 10:00:00 [api_server.py:1289] vLLM API server version 0.9.1"
GIB = 1 << 30

NUMBERS = [
    ("without neighbours the rest is rounding", [CUDA],
     {"others_in_use": 0}, {"own_ranks": None}),
    ("a neighbour is named", [LISTED.format(pid=77, size="48.00")],
     {"others_in_use": 48 * GIB, "own_ranks": 0}, {}),
    ("a neighbour that is not named",
     [LISTED.format(pid=77, size="8.00")], {"others_in_use": 48 * GIB}, {}),
    ("another rank on the same GPU, by its size",
     [VLLM, "vllm serve m --tensor-parallel-size 2",
      LISTED.format(pid=77, size="30.00")],
     {"own_ranks": 1, "others_in_use": 18 * GIB}, {}),
    ("the same size without ranks is a neighbour",
     [LISTED.format(pid=77, size="30.00")], {"own_ranks": 0}, {}),
    ("contexts of one size, started one after the other, are ranks",
     [TWINS.format(100, 101)], {"own_ranks": 2, "others_in_use": 0}, {}),
    ("contexts of one size, started at other times, are neighbours",
     [TWINS.format(4100, 90101)], {"own_ranks": 0}, {}),
    ("what is in use outside the allocator", [OLD.format(gpu=0)],
     {"outside_framework": 2 * GIB}, {"others_in_use": None}),
    ("a count below the own tensors is no count: a container prints 0 bytes",
     [CUDA.replace("this process has 21.40 GiB", "this process has 0 bytes")],
     {}, {"others_in_use": None}),
    ("two GPUs of one event", [OLD.format(gpu=0), "", OLD.format(gpu=1)],
     {"siblings": 2}, {"attempts": None}),
    ("one message is one event", [OLD.format(gpu=0)], {},
     {"siblings": None, "attempts": None}),
    ("the same GPU fails again with other numbers",
     [OLD.format(gpu=0), "", OLD.format(gpu=0).replace("0.50", "0.25")], {},
     {"siblings": None}),
    ("a printed shape has a size",
     ["ResourceExhaustedError: OOM when allocating tensor with shape"
      "[64,3,512,512] and type float on /job:localhost/replica:0/task:0/"
      "device:GPU:0 by allocator GPU_0_bfc"],
     {"tensor_bytes": 64 * 3 * 512 * 512 * 4}, {}),
    ("a shape without a type has none",
     ["ResourceExhaustedError: OOM when allocating tensor with shape"
      "[64,3,512,512]"], {}, {"tensor_bytes": None}),
    ("NumPy's shape",
     ["numpy._core._exceptions._ArrayMemoryError: Unable to allocate 149. GiB "
      "for an array with shape (200000, 100000) and data type float64"],
     {"tensor_bytes": 160000000000}, {}),
    ("the victim of a kill and what it held",
     ["[1.2] Out of memory: Killed process 21984 (python) total-vm:4194304kB, "
      "anon-rss:1048576kB, file-rss:1024kB, shmem-rss:0kB"],
     {"victim": "python", "victim_rss": (1048576 + 1024) * 1024}, {}),
    ("nobody is killed on a GPU", [CUDA], {},
     {"victim": None, "victim_rss": None}),
    ("GPU 3 of a server is rank 3 at least",
     [VLLM, LISTED.format(pid=77, size="2.00").replace("GPU 0", "GPU 3")],
     {"ranks_least": 4, "tensor_parallel": None}, {}),
    ("GPU 3 of a script says nothing of ranks",
     [LISTED.format(pid=77, size="2.00").replace("GPU 0", "GPU 3")], {},
     {"ranks_least": None}),
]

SHARED = [
    ("a GPU without memory of its own, by its name",
     ["GPU: NVIDIA GB10", CUDA], {"shares_host_memory": True}, {}),
    ("the same by a total that only it has",
     [CUDA.replace("23.33 GiB", "121.69 GiB")], {"shares_host_memory": True},
     {}),
    ("a GPU with memory of its own", ["GPU: NVIDIA H100 80GB HBM3", CUDA], {},
     {"shares_host_memory": None}),
]
VERSIONS = [
    ("SGLang's lines since 0.5.17: the pool after the capture, its graphs",
     ["[2026-11-20 10:00:00] Capture target decode CUDA graph begin. "
      "backend=full, num_tokens_per_req=1, avail mem=9.50 GB",
      "[2026-11-20 10:00:20] Capture target decode CUDA graph end. bs="
      + str(list(range(1, 161))) + ", elapsed=20.00 s, mem usage=1.25 GB, "
      "avail mem=8.25 GB.",
      "[2026-11-20 10:00:21] Post-capture KV sizing: KV cache allocated. dtype: "
      "torch.bfloat16, #tokens: 51200, KV size: 6.25 GB, avail mem=2.00 GB",
      CUDA],
     {"engine": "sglang", "kv_tokens": 51200, "kv_bytes": 6710886400,
      "cuda_graph_bytes": 1342177280, "stage": "serve"}, {}),
    ("... and a capture that has begun",
     ["[2026-11-20 10:00:00] Load weight end. elapsed=9.1 s, avail mem=9.50 GB",
      "[2026-11-20 10:00:01] Capture target decode CUDA graph begin. "
      "backend=full, num_tokens_per_req=1, avail mem=9.50 GB", CUDA],
     {"engine": "sglang", "stage": "capture"}, {}),
    ("vLLM says its release and its model in one line",
     ["(APIServer pid=1) INFO 11-20 10:00:00 [startup.py:38] vLLM server "
      "version 0.33.0, serving model Qwen/Qwen3-8B", CUDA],
     {"engine": "vllm", "engine_version": "0.33.0", "model": "Qwen/Qwen3-8B"},
     {}),
    ("... or as a banner",
     ["INFO 11-20 10:00:00 [startup.py:38]",
      "       █     █     █▄   ▄█", " ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.33.0",
      "  █▄█▀ █     █     █     █  model   Qwen/Qwen3-8B", CUDA],
     {"engine": "vllm", "engine_version": "0.33.0"}, {}),
    ("llama.cpp's build behind its version; its server listens",
     ["version: 0.6.0-dev (build 11434, commit 0a1b2c3d4)",
      "srv  llama_server: listening on http://127.0.0.1:8080",
      "ggml_cuda_compute_forward: MUL_MAT failed", "CUDA error: out of memory",
      "  current device: 0, in function alloc at ggml-cuda.cu:438"],
     {"engine": "llama.cpp", "engine_version": "11434", "stage": "serve"}, {}),
    ("a frame proves a release",
     trace(TRAIN, ("torch/nn/modules/module.py", "_wrapped_call_impl",
                   "return self._call_impl(*args, **kwargs)")),
     {"torch_since": "2.4.0"}, {"torch_before": None, "torch_version": None}),
    ("an older name of the error",
     [CUDA.replace("torch.Out", "torch.cuda.Out")],
     {"torch_since": "1.13.0", "torch_before": "2.4.0"}, {}),
]

ADVICE = [
    ("the message's own variable",
     [CUDA + " If reserved but unallocated memory is large try setting "
      "PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation."],
     {"advised_env": "PYTORCH_ALLOC_CONF=expandable_segments:True"},
     {"expandable_segments": None}),
    ("a message that advises nothing", [CUDA], {}, {"advised_env": None}),
    ("vLLM's own share",
     [VLLM, "INFO 07-01 10:00:00 To maintain the same effective KV cache size "
      "as before, increase --gpu-memory-utilization to 0.8389.", CUDA],
     {"advised_utilization": 0.8389}, {"gpu_memory_utilization": None}),
    ("vLLM's sampler",
     [VLLM, CUDA, "RuntimeError: CUDA out of memory occurred when warming up "
      "sampler with 1024 dummy requests. Please try lowering `max_num_seqs` "
      "or `gpu_memory_utilization` when initializing the engine."],
     {"advised_flag": "max_num_seqs"}, {}),
    ("TGI's flag",
     ["RuntimeError: Not enough memory to handle 4096 prefill tokens. You need "
      "to decrease `--max-batch-prefill-tokens`"],
     {"advised_flag": "--max-batch-prefill-tokens"}, {}),
]

PROSE = [
    ("a card by its number in a sentence",
     ["I get this on a single 3090 GPU with the 7B model.", CUDA],
     {"gpu_name": "RTX 3090"}, {}),
    ("a number that is no card",
     ["It fails on the 4090 tokens of a 3080 steps run.", CUDA],
     {}, {"gpu_name": None}),
    ("a share and a card that somebody writes of",
     [VLLM, CUDA, "", "gemma-2-9B with AWQ at `--gpu-memory-utilization 0.70` "
      "needs 9.1 GB."],
     {"gpu_memory_utilization": 0.7, "model": "google/gemma-2-9b-it"}, {}),
    ("the program itself is believed before them",
     ["vllm serve m --gpu-memory-utilization 0.85", CUDA, "",
      "It failed: m at `--gpu-memory-utilization 0.70` needs 9.1 GB."],
     {"gpu_memory_utilization": 0.85}, {}),
    ("Ollama's settings, told below the failure",
     ["Ollama API error: llama runner process has terminated: cudaMalloc "
      "failed: out of memory", "", "It was configured with:",
      "- `num_ctx=16384`", "- `num_gpu=24`"],
     {"context_length": 16384, "gpu_layers": 24}, {}),
    ("a round size is what the card is sold as",
     ["RuntimeError: CUDA error: out of memory", "",
      "That was on my 24 GB card."], {}, {"gpu_total": None}),
    ("advice in the line of the message",
     [OLD.format(gpu=0) + ", then run it with `--hparams=batch_size=32`."], {},
     {"batch_size": None}),
]

RUN = [
    ("a bar of steps",
     [" 12%|##        | 120/1000 [02:01<15:10,  1.02s/it]", CUDA],
     {"steps_done": 120}, {}),
    ("a bar of loading counts no steps",
     ["Loading checkpoint shards:  50%|###  | 2/4 [00:05<00:05,  2.51s/it]",
      CUDA], {}, {"steps_done": None}),
    ("a step with its loss", ["step 300/5000 | loss 2.31 | lr 1e-4", CUDA],
     {"steps_done": 300}, {}),
    ("from the first line that is known to the failure",
     [VLLM, "ERROR 07-01 10:12:30 [core.py:515] " + CUDA],
     {"run_seconds": 750}, {}),
    ("over midnight and a year",
     ["2025-12-31 23:59:00,000 INFO Running training: Num Epochs = 3",
      "2026-01-01 00:01:00,000 ERROR " + CUDA], {"run_seconds": 120}, {}),
    ("a pod's own times",
     ["    Last State:     Terminated", "      Reason:       OOMKilled",
      "      Exit Code:    137",
      "      Started:      Mon, 31 Aug 2026 08:55:27 +0000",
      "      Finished:     Tue, 01 Sep 2026 08:55:37 +0000"],
     {"run_seconds": 86410}, {}),
    ("no time, no length of a run", [CUDA], {}, {"run_seconds": None}),
    ("a step of instructions", ["Step 3: install the requirements", CUDA], {},
     {"steps_done": None}),
]

INSTALLED = [
    ("the release of torch from pip freeze",
     ["tokenizers==0.22.1", "torch==2.13.0", "torchvision==0.28.0", CUDA],
     {"torch_version": "2.13.0"}, {}),
    ("... with a local label, at the end of the list",
     [CUDA, "```", "safetensors==0.6.2", "torch==2.9.1+cu128", "```"],
     {"torch_version": "2.9.1+cu128"}, {}),
    ("... from pip list",
     ["tokenizers                0.22.1",
      "torch                     2.13.0", CUDA],
     {"torch_version": "2.13.0"}, {}),
    ("... from collect_env",
     ["[pip3] numpy==2.1.3", "[pip3] torch==2.15.0", CUDA],
     {"torch_version": "2.15.0"}, {}),
    ("... from what uv installed", [" + torch==2.14.1", CUDA],
     {"torch_version": "2.14.1"}, {}),
    ("... from what pip installed",
     ["Successfully installed sympy-1.14.0 torch-2.13.0 triton-3.7.0", CUDA],
     {"torch_version": "2.13.0"}, {}),
    ("a requirement is not what is installed",
     ["some-lib 1.2 requires torch==2.1.0, but you have torch 2.4.0 which is "
      "incompatible.", "pip install torch==2.0.1", CUDA],
     {}, {"torch_version": None}),
    ("a neighbour is not torch",
     ["torchvision==0.28.0", "pytorch-lightning==2.5.0", "torchaudio    2.8.0",
      CUDA], {}, {"torch_version": None}),
]
CASES = INSTALLED + FRAMES + SETTINGS + HOST + NUMBERS + SHARED + VERSIONS + ADVICE + PROSE + RUN


def facts_of(lines):
    run = subprocess.run([PROGRAM, "--format", "json"], check=False,
                         input="\n".join(lines + [""]).encode(),
                         env={"LANG": "C", "XDG_DATA_HOME": "/nowhere"},
                         stdout=subprocess.PIPE)
    said = json.loads(run.stdout)
    out = {name: fact["value"] for name, fact in said["context"].items()
           if fact["source"] != "default"}
    for fact in reversed(said["findings"][0]["facts"]):
        out[fact["name"]] = fact["value"]
    return out


def main():
    wrong = 0
    for what, lines, must, must_not in CASES:
        got = facts_of(lines)
        bad = [f"{name} is {got.get(name)}, not {value}"
               for name, value in must.items() if got.get(name) != value]
        bad += [f"{name} is {got[name]}" for name, value in must_not.items()
                if name in got and value in (None, got[name])]
        for why in bad:
            print(f"{what}: {why}")
        wrong += bool(bad)
    print(f"{len(CASES) - wrong} of {len(CASES)} cases hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
