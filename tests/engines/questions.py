"""What is asked of every release: models of the catalogue x settings.

A question is a dictionary of plain values: `model` (its id), the settings, and
`layers`, one for each layer of a rank that keeps a cache, from kb/models.
"""
import glob
import os

import yaml

HOME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# With the first release to ask about a model, where the catalogue does not say.
MODELS = {
    "meta-llama/Llama-3.1-8B-Instruct": None,
    "meta-llama/Llama-3.1-70B-Instruct": None,
    "meta-llama/Llama-3.1-405B-Instruct": None,
    "meta-llama/Llama-3.2-1B-Instruct": None,
    "meta-llama/Llama-2-7b-hf": None,
    "Qwen/Qwen2.5-0.5B-Instruct": None,
    "Qwen/Qwen2.5-7B-Instruct": None,
    "Qwen/Qwen2.5-72B-Instruct": None,
    "Qwen/Qwen2.5-VL-7B-Instruct": None,
    "Qwen/Qwen3-0.6B": None,
    "Qwen/Qwen3-32B": None,
    "Qwen/Qwen3-30B-A3B": None,
    "Qwen/Qwen3-235B-A22B": None,
    "mistralai/Mixtral-8x7B-Instruct-v0.1": None,
    "mistralai/Mistral-Small-24B-Instruct-2501": None,
    "microsoft/phi-4": None,
    "google/gemma-7b-it": None,
    "facebook/opt-13b": None,
    "01-ai/Yi-34B-Chat": None,
    "zai-org/GLM-4.5-Air": None,
    "MiniMaxAI/MiniMax-M2": None,
    "HuggingFaceH4/zephyr-7b-beta": None,
    "microsoft/Phi-3-mini-4k-instruct": None,
    "bigcode/starcoder2-15b": None,
    "google/gemma-2-9b-it": None,
    "google/gemma-2-27b-it": None,
    "google/gemma-3-4b-it": None,
    "google/gemma-3-12b-it": None,
    "google/gemma-3-27b-it": None,
    "google/gemma-3n-E4B-it": "0.10.0",
    "google/gemma-4-31B-it": "0.19.0",
    "google/gemma-4-E4B-it": "0.19.0",
    "openai/gpt-oss-20b": None,
    "openai/gpt-oss-120b": None,
    "CohereLabs/c4ai-command-a-03-2025": "0.8.0",
    "LGAI-EXAONE/EXAONE-4.0-32B": "0.10.0",
    "allenai/Olmo-3-7B-Instruct": "0.11.0",
    "poolside/Laguna-XS.2": "0.20.0",
    # until 0.20.0 its values were padded to the width of its keys
    "XiaomiMiMo/MiMo-V2-Flash": "0.20.0",
    "stepfun-ai/Step-3.7-Flash": "0.22.0",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": None,
    "meta-llama/Llama-4-Maverick-17B-128E-Instruct": None,
    "deepseek-ai/DeepSeek-R1": None,
    "deepseek-ai/DeepSeek-V2-Lite-Chat": None,
    "zai-org/GLM-4.7-Flash": "0.14.0",
    "moonshotai/Kimi-K2-Instruct": "0.10.0",
}

# Asked with --disable-hybrid-kv-cache-manager as well.
WHOLE = ["google/gemma-3-27b-it", "openai/gpt-oss-20b"]

GIB = 1 << 30
# block, type of the cache, ranks, length (None: the model's), tokens of a step,
# bytes of the pool
SETTINGS = [
    (16, "auto", 1, 8192, 2048, 24 * GIB + 123456789),
    (16, "auto", 1, None, 8192, 3 * GIB + 7),
    (16, "fp8", 2, 10000, 8192, 11111111111),
    (32, "auto", 4, None, 2048, 40 * GIB),
    (16, "auto", 8, 33333, 16384, 5000000001),
    (64, "fp8", 1, None, 4096, GIB),
]


def catalogue():
    """The models of kb/models by id."""
    found = {}
    for path in sorted(glob.glob(os.path.join(HOME, "kb/models/*.yaml"))):
        with open(path, encoding="utf-8") as file:
            for model in yaml.load(file, yaml.CSafeLoader)["models"]:
                found[model["id"]] = model
    return found


def first_release(model, named):
    """What is named above; else what the catalogue says by `since`."""
    if named:
        return named
    for since in model.get("since", []):
        engine, _, release = since.partition(" ")
        if engine == "vllm":
            return release
    return "0"


def ranks_of(model, wanted):
    """The most ranks, `wanted` at most, that the engine takes: what divides
    the heads, the heads of K and V, and blocks of quantized experts."""
    heads = [group["kv_heads"] for group in model["groups"]
             if "kv_heads" in group]
    tile = model.get("scale_block", 1)
    size = model.get("expert_size", tile)
    while wanted > 1 and (model["heads"] % wanted or size // wanted % tile or
                          any(n % wanted and wanted % n for n in heads)):
        wanted //= 2
    return wanted


def layers_of(model, ranks):
    """The layers of one rank, kinds in the catalogue's order: its first is
    that of layer 0."""
    layers = []
    for group in model["groups"]:
        heads = group.get("kv_heads") or model["heads"]
        one = {"kind": group["kind"], "kv_heads": max(1, heads // ranks),
               "k_dim": group.get("latent_dim") or group["k_dim"],
               "v_dim": group.get("v_dim") or group.get("latent_dim")}
        if group["kind"] == "mla":
            one.update(rope_dim=group.get("rope_dim", 0), k_full=group["k_dim"])
        if "window" in group:
            one["window"] = group["window"]
        layers += [one] * group["layers"]
    return layers


def questions():
    """All of them: (key for the data, question for the engine)."""
    models = catalogue()
    for name, since in MODELS.items():
        model = models[name]
        for block, kv, tp, length, step, pool in SETTINGS:
            tp = ranks_of(model, tp)
            most = min(model["max_position"], 131072)
            key = {"model": name, "block_size": block, "kv_dtype": kv,
                   "tp": tp, "max_model_len": min(length or most, most),
                   "max_num_batched_tokens": step, "available": pool}
            yield key, first_release(model, since), {
                **key, "dtype": model["dtype"],
                "layers": layers_of(model, tp)}
            if name in WHOLE:
                key = {**key, "hybrid_kv_disabled": True}
                yield key, "0.9.1", {**key, "dtype": model["dtype"],
                                     "layers": layers_of(model, tp)}
