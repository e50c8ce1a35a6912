#!/usr/bin/env python3
"""Did it take effect? A setting that was named and is not in force is said to
be so, and what says nothing of the kind is left alone.

Run from the top of the repository; OOMKB names the program.
"""
import json
import os
import subprocess
import sys

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB."
       " GPU 0 has a total capacity of 23.33 GiB of which 1.88 GiB is free. "
       "Including non-PyTorch memory, this process has 21.40 GiB memory in use."
       " Of the allocated memory 15.00 GiB is allocated by PyTorch, and 6.00 "
       "GiB is reserved by PyTorch but unallocated.\n")
VLLM = ("vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768 "
        "--max-num-seqs 16 --tensor-parallel-size 1\n"
        "INFO 07-01 10:00:00 [api_server.py:1289] non-default args: "
        "{'model': 'Qwen/Qwen2.5-7B-Instruct', 'max_model_len': %s}\n")
SGLANG = ("$ python -m sglang.launch_server --model-path m "
          "--mem-fraction-static 0.7 --context-length 8192 "
          "--kv-cache-dtype fp8_e5m2\n"
          "[2026-01-02 10:00:00] server_args=ServerArgs(model_path='m', "
          "mem_fraction_static=%s, context_length=%s, kv_cache_dtype='%s', "
          "chunked_prefill_size=8192, tp_size=1)\n")
LLAMA = ("$ llama-server -m m.gguf -c %s -ngl %s\n"
         "llama_context: n_ctx         = 4096\n"
         "load_tensors: offloaded 0/33 layers to GPU\n"
         "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 5120.00 MiB "
         "on device 0: cudaMalloc failed: out of memory\n"
         "llama_init_from_model: failed to initialize the context: failed to "
         "allocate compute pp buffers\n")
EXPANDABLE = "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n"
RAY = ("INFO 07-01 10:00:00 [ray_distributed_executor.py:352] Copying the "
       "following environment variables to workers: ['VLLM_USE_V1'%s]\n")
POD = ("    env:\n    - name: PYTORCH_CUDA_ALLOC_CONF\n"
       "      value: \"expandable_segments:True\"\n")

# (what, log, options, remarks that must stand, words that must not)
CASES = [
    ("vLLM dropped a flag", VLLM % 32768 + OOM, [],
     ["max_num_seqs was set to 16 but is missing from the settings"],
     ["max_model_len was set", "tensor parallel"]),
    ("vLLM took another length", VLLM % 4096 + OOM, [],
     ["max_model_len was set to 32768, but 4096 was in force (line 2)"], []),
    ("a list that somebody cut",
     (VLLM % 32768).replace("{'model'", "{..., 'model'") + OOM, [], [],
     ["is not among"]),
    ("a list without its end", (VLLM % 32768).replace("}", "") + OOM, [], [],
     ["is not among"]),
    ("the user says otherwise", VLLM % 32768 + OOM,
     ["--set", "max_model_len=8192"],
     ["You say that max_model_len is 8192; the log shows 32768"], []),
    ("SGLang lists all", SGLANG % ("0.88", "None", "auto") + OOM, [],
     ["mem_fraction_static was set to 0.7, but 0.88 was in force",
      "context length was set to 8192 but is missing from the settings",
      "KV cache dtype was set to fp8_e5m2, but auto was in force"], []),
    ("SGLang took all", SGLANG % ("0.7", "8192", "fp8_e5m2") + OOM, [], [],
     ["was set to", "in force"]),
    ("llama.cpp built without a GPU", LLAMA % (32768, 99), [],
     ["context length was set to 32768, but 4096 was in force (line 2)",
      "layers on the GPU was set to 99, but 0 was in force (line 3)"], []),
    ("llama.cpp as asked", LLAMA % (4096, 0), [], [], ["was set to"]),
    ("not on this platform", EXPANDABLE + "UserWarning: expandable_segments "
     "not supported on this platform (Triggered internally)\n" + OOM, [],
     ["expandable_segments was set to true, but false was in force"], []),
    ("Ray's workers do not get it", EXPANDABLE + RAY % "" + OOM, [],
     ["is missing from the variables that were passed on (line 2)"], []),
    ("Ray's workers get it",
     EXPANDABLE + RAY % ", 'PYTORCH_CUDA_ALLOC_CONF'" + OOM, [], [],
     ["was set to"]),
    ("a container without variables", POD + "    Environment: <none>\n" + OOM,
     [], ["is missing from the variables that were passed on (line 4)"], []),
    ("a pod's variable", POD + OOM, [], [], ["was set to"]),
    ("PyTorch's advice is no setting", OOM, [], [], ["was set to"]),
]


# A server that died once its pool was there, without and with its own list.
SERVED = ("INFO 07-01 10:00:00 [core.py:77] Initializing a V1 LLM engine "
          "(v0.11.0) with config: model='m'\n%s"
          "INFO 07-01 10:00:09 [gpu_worker.py:298] Available KV cache memory: "
          "4.00 GiB\nINFO 07-01 10:00:19 [gpu_model_runner.py:1] Graph "
          "capturing finished in 20 secs, took 0.50 GiB\n" +
          OOM.replace("15.00 GiB is", "20.90 GiB is").replace("6.00", "0.10"))
LISTED = "INFO 07-01 10:00:01 [utils.py:253] non-default args: {'model': 'm'}\n"


def report(log, options):
    run = subprocess.run([PROGRAM, "--format", "json", *options], input=log,
                         text=True, capture_output=True, check=False,
                         env=os.environ | {"XDG_DATA_HOME": "/nowhere",
                                           "LANG": "C"})
    return json.loads(run.stdout)


def findings(log, options):
    return report(log, options)["findings"]


def unlisted():
    """What a list leaves out is in force as its default, and nobody is asked
    for it; without the list it is a first try, and asked for."""
    faults = []
    for lines, wanted, asked in (("", ("0.88", False), True),
                                 (LISTED, ("0.88", True), False)):
        said = report(SERVED % lines, [])
        fix = next(f for f in said["findings"][0]["fixes"]
                   if "memory-utilization" in (f["command"] or ""))
        value, is_firm = wanted
        if value not in fix["command"] or is_firm != (
                fix["first_try"] is None):
            faults.append(f"after {lines!r}: {fix['command']}, first try "
                          f"{fix['first_try']}")
        is_asked = any("set to" in q["ask"] for q in said["questions"])
        if is_asked != asked:
            faults.append(f"after {lines!r}: {said['questions']}")
    return faults


def main():
    faults = []
    for what, log, options, wanted, unwanted in CASES:
        found = findings(log, options)
        said = " ".join(r for f in found for r in f["remarks"])
        faults += [f"{what}: `{words}` is missing in: {said}"
                   for words in wanted if words not in said]
        faults += [f"{what}: `{words}` stands in: {said}"
                   for words in unwanted if words in said]
        if not found:
            faults.append(f"{what}: nothing was found")
    faults += unlisted()
    # what was named in vain is neither `already` done nor called useless
    fixes = {f["id"]: f for f in findings(EXPANDABLE + RAY % "" + OOM,
                                          [])[0]["fixes"]}
    fix = fixes["expandable-segments"]
    if fix["applies"] != "yes" or "did not take effect" not in (
            fix["because"] or ""):
        faults.append(f"the fix named in vain: {fix['applies']}, "
                      f"{fix['because']}")
    taken = {f["id"]: f for f in findings(
        EXPANDABLE + RAY % ", 'PYTORCH_CUDA_ALLOC_CONF'" + OOM, [])[0]["fixes"]}
    if taken["expandable-segments"]["applies"] != "already":
        faults.append("the fix in force is not said to be so")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
