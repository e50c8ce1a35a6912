#!/usr/bin/env python3
"""Predictions of oomkb held against a real GPU.

    measure.py OOMKB [PAGE]

Needs an NVIDIA GPU and torch; without them it says so in one line, writes
nothing and ends with status 0. Two parts:

    caches     KV caches of six architectures are allocated in torch, layer by
               layer as an engine does, and the bytes that the allocator then
               holds are compared with `oomkb fit`.
    failures   real ones, each in a process of its own (torch; JAX, CuPy and
               Triton where installed). What they print goes through oomkb: the
               entry and the printed numbers are checked against what was
               really asked for; then the advice is applied and run again.

PAGE is written whole, after everything ran. The process exits 1 when a
prediction or a diagnosis was wrong; the page then says so too.
"""
import json
import os
import subprocess
import sys
from collections import namedtuple
from glob import glob

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MIB, GIB = 1 << 20, 1 << 30
BLOCK = 16
STEP_TOKENS = 2048  # max_num_batched_tokens: what a window layer holds besides
VERSION = "0.21.0"  # of vLLM: what windows keep differs by release
ROUNDING = 512      # torch rounds every allocation up to this
SECONDS_MAX = 300


# ---- caches: what an engine would allocate for one request ----

Cache = namedtuple("Cache", "model what tokens")
CACHES = [
    Cache("meta-llama/Llama-3.1-8B-Instruct", "grouped heads", 16384),
    Cache("facebook/opt-13b", "every head", 2048),
    Cache("deepseek-ai/DeepSeek-V3", "a latent (MLA)", 16384),
    Cache("google/gemma-3-27b-it", "windows of 1,024, one layer in six full",
          16384),
    Cache("openai/gpt-oss-20b", "windows of 128 in every second layer", 16384),
    Cache("Qwen/Qwen3-Next-80B-A3B-Instruct",
          "a recurrent state in three layers of four", 16384),
]

# One tensor of the cache: how many elements of how many bytes.
Tensor = namedtuple("Tensor", "elements width")


def rounded_up(n, step):
    return -(-n // step) * step


def row_bytes(group):
    """One token in one layer, in 16 bits."""
    if group["kind"] == "mla":
        return 2 * group["latent_dim"]
    return 2 * group["kv_heads"] * (group["k_dim"] + group["v_dim"])


def state_bytes(group):
    """What a recurrent layer keeps: its convolution's tail in 16 bits, its
    state in the type that the checkpoint asks for."""
    wide = 4 if (group.get("state_dtype") == "float32" or
                 group.get("mixer") == "kda") else 2
    return (group.get("conv_channels", 0) * group.get("conv_steps", 0) * 2 +
            group.get("state_elements", 0) * wide)


def block_of(model):
    """Tokens of a block. One that shares its pages with states is raised
    until a page holds a state."""
    rows = [row_bytes(g) for g in model["groups"] if g["kind"] != "state"]
    states = [state_bytes(g) for g in model["groups"]
              if g["kind"] == "state"]
    if not states:
        return BLOCK
    return rounded_up(-(-max(states) // min(rows)), BLOCK)


def held_tokens(group, tokens, block):
    """A window layer holds its window and one step, and one block more."""
    if group["kind"] not in ("sliding", "chunked"):
        return rounded_up(tokens, block)
    held = min(group["window"] - 1 + STEP_TOKENS, tokens)
    return rounded_up(held, block) + block


def layer_tensors(model, group, tokens):
    """The tensors of one layer for one request."""
    block = block_of(model)
    if group["kind"] == "state":
        page = min(row_bytes(g) for g in model["groups"]
                   if g["kind"] != "state") * block
        return [Tensor(page, 1)]
    held = held_tokens(group, tokens, block)
    if group["kind"] == "mla":
        return [Tensor(held * group["latent_dim"], 2)]
    rows = held * group["kv_heads"]
    return [Tensor(rows * group["k_dim"], 2), Tensor(rows * group["v_dim"], 2)]


def layers_kept(model, group):
    """vLLM shares its pool among sets of layers of one size; a kind that does
    not fill its last set is padded: 52 window layers beside 10 are six sets."""
    counts = [g["layers"] for g in model["groups"]]
    size = min(counts) if max(counts) >= 1.5 * min(counts) else max(counts)
    return -(-group["layers"] // size) * size


def cache_tensors(model, tokens):
    return [tensor for group in model["groups"]
            for _ in range(layers_kept(model, group))
            for tensor in layer_tensors(model, group, tokens)]


def bytes_of(tensors):
    return sum(t.elements * t.width for t in tensors)


def shapes():
    import yaml  # of the tests, as in tests/tools/packages.sh
    found = {}
    for path in glob(os.path.join(ROOT, "kb", "models", "*.yaml")):
        with open(path, encoding="utf-8") as file:
            for model in yaml.safe_load(file)["models"]:
                found[model["id"]] = model
    return found


def ends(value):
    if isinstance(value, dict):
        return value["low"], value["high"]
    return value, value


def predicted(program, cache):
    """Bytes of one request, the least and the most."""
    done = subprocess.run(
        [program, "fit", "--format", "json", "--model", cache.model,
         "--engine-version", VERSION,
         "--max-model-len", str(cache.tokens), "--block-size", str(BLOCK),
         "--max-num-batched-tokens", str(STEP_TOKENS)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.stderr:
        raise RuntimeError(done.stderr.decode().strip())
    return ends(json.loads(done.stdout)["kv"]["bytes_per_request"])


def is_within(measured, low, high, tensors):
    """torch's own rounding is no error of the prediction."""
    return low <= measured <= high + ROUNDING * len(tensors)


def measured_bytes(torch, tensors):
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    # kept alive until the allocator was asked
    kept = [torch.empty(t.elements * t.width, dtype=torch.uint8,
                        device="cuda") for t in tensors]
    after = torch.cuda.memory_allocated()
    del kept
    torch.cuda.empty_cache()
    return after - before


CacheResult = namedtuple("CacheResult", "cache low high measured holds")


def measure_caches(torch, program):
    models, results = shapes(), []
    for cache in CACHES:
        tensors = cache_tensors(models[cache.model], cache.tokens)
        low, high = predicted(program, cache)
        free, _ = torch.cuda.mem_get_info()
        if bytes_of(tensors) + GIB > free:
            results.append(CacheResult(cache, low, high, None, None))
            continue
        measured = measured_bytes(torch, tensors)
        results.append(CacheResult(cache, low, high, measured,
                                   is_within(measured, low, high, tensors)))
    return results


# ---- failures ----

# needs: modules. code: a program (in a file: Triton reads a kernel's source
# from there); it prints TRUTH name=bytes for what it really asked for. entries: any of these is a right answer. remedy: the
# environment and the words on the command line of the second run, and what
# that is in oomkb's advice.
Failure = namedtuple("Failure", "name needs code entries remedy advice")

TORCH = """
import sys, torch
total = torch.cuda.get_device_properties(0).total_memory
print(f"TRUTH gpu_total={total}", flush=True)
"""

KERNEL = """
import sys, torch, triton
import triton.language as tl

@triton.jit
def product(a, b, c, K, SIZE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.arange(0, SIZE)
    inner = tl.arange(0, DEPTH)
    total = tl.zeros((SIZE, SIZE), dtype=tl.float32)
    for k in range(0, K, DEPTH):
        left = tl.load(a + row[:, None] * K + k + inner[None, :])
        right = tl.load(b + (k + inner)[:, None] * SIZE + row[None, :])
        total += tl.dot(left, right)
    tl.store(c + row[:, None] * SIZE + row[None, :], total)

size, depth, k = 128, 128, 1024
a = torch.empty(size, k, device="cuda", dtype=torch.float16)
b = torch.empty(k, size, device="cuda", dtype=torch.float16)
c = torch.empty(size, size, device="cuda", dtype=torch.float32)
product[(1,)](a, b, c, k, SIZE=size, DEPTH=depth,
              num_stages=1 if "fewer" in sys.argv else 6)
torch.cuda.synchronize()
"""

FAILURES = [
    Failure("more than the card", ["torch"], TORCH + """
n = total // 4 if "smaller" in sys.argv else total + total // 4
print(f"TRUTH tried_alloc={n}", flush=True)
torch.empty(n, dtype=torch.uint8, device="cuda")
""", ["pytorch/cuda-oom", "pytorch/cuda-oom-larger-than-card"],
            ({}, ["smaller"]), "ask for less than the card"),
    Failure("a share of the card", ["torch"], TORCH + """
share = 0.5 if "raised" in sys.argv else 0.05
torch.cuda.set_per_process_memory_fraction(share)
n = total // 10
print(f"TRUTH tried_alloc={n}", flush=True)
torch.empty(n, dtype=torch.uint8, device="cuda")
""", ["pytorch/cuda-oom", "pytorch/cuda-oom-other-process",
      "pytorch/cuda-oom-larger-than-card"],
            ({}, ["raised"]), "raise the process's share"),
    Failure("free memory in pieces", ["torch"], TORCH + """
torch.cuda.set_per_process_memory_fraction(2 * 2**30 / total)
# three to a segment of 20 MiB: every segment keeps one, none can be given back
pieces = [torch.empty(6 << 20, dtype=torch.uint8, device="cuda")
          for _ in range(300)]
del pieces[1::2]
n = 512 << 20
print(f"TRUTH tried_alloc={n}", flush=True)
torch.empty(n, dtype=torch.uint8, device="cuda")
""", ["pytorch/cuda-oom-fragmentation"],
            ({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}, []),
            "expandable_segments:True"),
    Failure("a forward pass", ["torch"], TORCH + """
torch.cuda.set_per_process_memory_fraction(4 * 2**30 / total)
rows = 1 << (16 if "halved" in sys.argv else 19)
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024)
                              for _ in range(8)]).cuda()
model(torch.empty(rows, 1024, device="cuda"))
""", ["pytorch/cuda-oom-activation", "pytorch/cuda-oom"],
            ({}, ["halved"]), "lower the batch size"),
    Failure("JAX's share", ["jax"], """
import jax.numpy as jnp
print(f"TRUTH tried_alloc={2 * 2**30}", flush=True)
jnp.zeros((2, 2**30), dtype=jnp.uint8).block_until_ready()
""", ["jax/resource-exhausted", "jax/step-too-large"],
            ({"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.5"}, []),
            "raise XLA_PYTHON_CLIENT_MEM_FRACTION"),
    Failure("CuPy's pool", ["cupy"], """
import sys, cupy
limit = 4 * 2**30 if "raised" in sys.argv else 2**30
cupy.get_default_memory_pool().set_limit(size=limit)
print(f"TRUTH tried_alloc={2 * 2**30}", flush=True)
cupy.empty(2 * 2**30, dtype=cupy.uint8)
""", ["cupy/out-of-memory"], ({}, ["raised"]), "raise the pool's limit"),
    Failure("Triton's shared memory", ["torch", "triton"], KERNEL,
            ["triton/out-of-resources"], ({}, ["fewer"]),
            "smaller blocks or fewer stages"),
]

def has_modules(names):
    from importlib.util import find_spec
    return all(find_spec(name) is not None for name in names)


def run_failure(failure, work, env, words):
    path = os.path.join(work, "failure.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(failure.code)
    # JAX takes three quarters of the card unless it is told otherwise
    base = {"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.01"}
    return subprocess.run([sys.executable, path, *words], check=False,
                          env={**os.environ, **base, **env},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=SECONDS_MAX)


def truths(text):
    """{'tried_alloc': 536870912} of the lines that a failure prints."""
    found = {}
    for line in text.splitlines():
        if line.startswith("TRUTH "):
            name, value = line[len("TRUTH "):].split("=")
            found[name] = int(value)
    return found


def diagnose(program, log):
    done = subprocess.run([program, "--format", "json", "-"], input=log,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return json.loads(done.stdout)


def wrong_facts(facts, truth, slack=0):
    """Facts whose interval does not hold what was really asked for."""
    wrong = []
    for fact in facts:
        if fact["name"] in truth:
            low = fact.get("low", fact["value"]) - slack
            high = fact.get("high", fact["value"]) + slack
            if not low <= truth[fact["name"]] <= high:
                wrong.append(f"{fact['name']} {fact['value']}, really "
                             f"{truth[fact['name']]}")
    return wrong


def judge(failure, report, truth):
    """(entry or None, list of what is wrong)."""
    roots = [f for f in report["findings"] if f["role"] == "root"]
    if not roots:
        return None, ["not found"]
    entry = roots[0]["entry"]
    wrong = [] if entry in failure.entries else [f"answered by {entry}"]
    # torch rounds large requests up to 2 MiB before it prints them
    return entry, wrong + wrong_facts(roots[0]["facts"], truth, 2 * MIB)


FailureResult = namedtuple("FailureResult", "failure entry wrong message cured")


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def measure_failure(program, failure, work):
    if not has_modules(failure.needs):
        return FailureResult(failure, None, None, "", None)
    done = run_failure(failure, work, {}, [])
    message = done.stderr.decode(errors="replace")
    if done.returncode == 0:
        return FailureResult(failure, None, ["did not fail"], "", None)
    entry, wrong = judge(failure, diagnose(program, done.stderr),
                         truths(done.stdout.decode(errors="replace")))
    env, words = failure.remedy
    again = run_failure(failure, work, env, words)
    return FailureResult(failure, entry, wrong, last_line(message),
                         again.returncode == 0)


# ---- the page ----

def gib(n):
    return f"{n / GIB:.3f}"


def cache_row(r):
    between = gib(r.low) if r.low == r.high else f"{gib(r.low)} to {gib(r.high)}"
    if r.measured is None:
        return [r.cache.model, r.cache.what, f"{r.cache.tokens:,}", between,
                "no room on this card", ""]
    return [r.cache.model, r.cache.what, f"{r.cache.tokens:,}", between,
            gib(r.measured), "yes" if r.holds else "**no**"]


def failure_row(r):
    if r.wrong is None:
        return [r.failure.name, "not installed: " +
                ", ".join(r.failure.needs), "", "", ""]
    numbers = "; ".join(r.wrong) if r.wrong else "right"
    cured = "" if r.cured is None else "yes" if r.cured else "**no**"
    return [r.failure.name, f"`{r.entry}`" if r.entry else "none", numbers,
            r.failure.advice, cured]


def table(head, rows):
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|")
                                       for cell in row) + " |"
                     for row in [head, ["---"] * len(head), *rows]) + "\n"


def page(where, caches, failures):
    ran = [r for r in failures if r.wrong is not None]
    messages = "\n".join(f"    {r.failure.name}: {r.message}" for r in ran
                         if r.message)
    return f"""# Measured

Written by `make measure` on {where}. Nothing here is edited by hand.

## KV caches of one request, GiB

Allocated in torch layer by layer in 16 bits, with blocks of {BLOCK} tokens and {STEP_TOKENS:,} batched tokens, and held against
`oomkb fit`. Right: within the prediction, and the 512 bytes to which torch rounds a tensor.

{table(["model", "keeps", "tokens", "predicted", "measured", "right"],
       [cache_row(r) for r in caches])}
## Real failures

Each was provoked, its message piped through oomkb, and the advice applied.

{table(["failure", "answered by", "numbers", "advice applied", "then it ran"],
       [failure_row(r) for r in failures])}
The last line that each printed:

{messages}
"""


def is_all_right(caches, failures):
    return all(r.holds is not False for r in caches) and \
        all(not r.wrong and r.cured is not False for r in failures)


def gpu_or_why():
    """torch with a GPU, or the reason why there is none."""
    try:
        import torch
    except ImportError:
        return None, "torch is not installed"
    if not torch.cuda.is_available():
        return None, "torch sees no NVIDIA GPU"
    return torch, ""


def main():
    torch, why = gpu_or_why()
    if torch is None:
        print(f"measure: {why}; nothing was measured, nothing was written")
        return 0
    from tempfile import TemporaryDirectory
    program = os.path.abspath(sys.argv[1])
    caches = measure_caches(torch, program)
    with TemporaryDirectory() as work:
        failures = [measure_failure(program, failure, work)
                    for failure in FAILURES]
    where = f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}"
    text = page(where, caches, failures)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    return 0 if is_all_right(caches, failures) else 1


if __name__ == "__main__":
    sys.exit(main())
