"""Ask one release of vLLM about its cache, on a CPU.

    vllm_ask.py ROOT < questions.jsonl > answers.jsonl

ROOT holds the release's Python files. A question names the layers of a rank
and the settings; an answer is [blocks, tokens, concurrency, bytes of a
request, estimated length], null where the release says nothing. All of them
come out of the release's own functions: this file makes the layers' specs and
a configuration, calls, and reads what was logged or raised.
"""
import ast
import importlib
import json
import os
import re
import sys
import traceback
from types import SimpleNamespace as Bag

import torch

import stubs

REAL = ["vllm.utils", "vllm.envs", "vllm.version", "vllm.scalar_type",
        "vllm.v1.core.kv_cache_utils", "vllm.v1.core.kv_cache_planning",
        "vllm.v1.core.kv_cache_config_builder", "vllm.v1.kv_cache_interface",
        "vllm.v1.kv_cache_layout", "vllm.v1.kv_cache_spec_registry",
        "vllm.v1.hisparse", "vllm.v1.core.single_type_kv_cache_manager",
        "vllm.worker.cache_engine", "vllm.worker.worker"]
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16,
          "float32": torch.float32, "fp8": torch.uint8}


class Platform:
    """An NVIDIA card: whatever else is asked of it is no."""
    device_name = device_type = "cuda"

    def is_cuda(self):
        return True

    is_cuda_alike = is_cuda

    def get_kv_cache_config_builder_cls(self, _):
        return "vllm.v1.core.kv_cache_planning.DefaultKVCacheConfigBuilder"

    def __getattr__(self, name):
        return lambda *_: False


class Config(Bag):
    """A VllmConfig of as much as the functions ask for."""


def methods_of(root, path, names):
    """Functions of a file by name, without importing it."""
    found = {}
    path = os.path.join(root, path)
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            node.decorator_list = []
            node.returns = None
            module = ast.fix_missing_locations(
                ast.Module(body=[node], type_ignores=[]))
            space = {}
            exec(compile(module, path, "exec"), space)
            found[node.name] = space[node.name]
    return found


class Release:
    def __init__(self, root):
        self.root = root
        stubs.arrange(root, "vllm", REAL)
        self.platform()
        self.v1 = {}
        self.why = {}
        for name in ("vllm.v1.kv_cache_interface",
                     "vllm.v1.core.kv_cache_utils",
                     "vllm.v1.core.kv_cache_planning",
                     "vllm.v1.core.single_type_kv_cache_manager",
                     "vllm.worker.cache_engine", "vllm.worker.worker"):
            self.load(name)
        self.flight = methods_of(root, "vllm/config/vllm.py", {
            "max_concurrent_batches", "max_in_flight_tokens"})

    def platform(self):
        """An NVIDIA card, as far as these files ask."""
        module = importlib.import_module("vllm.platforms")
        module.current_platform = Platform()

    def load(self, name):
        path = os.path.join(self.root, *name.split("."))
        if not os.path.exists(path + ".py"):
            return
        try:
            module = importlib.import_module(name)
            self.v1.update({key: getattr(module, key) for key in dir(module)
                            if not key.startswith("__")})
        except Exception as error:  # the report names what did not load
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.why[name] = f"{type(error).__name__}: {error}"[:200] + \
                f" ({os.path.basename(last.filename)}:{last.lineno})"

    def has(self, name):
        return name in self.v1

    # ---- the second engine ----

    def spec(self, layer, q):
        """The spec that an attention layer of this kind is given."""
        kinds = {"sliding": "SlidingWindowSpec",
                 "chunked": "ChunkedLocalAttentionSpec",
                 "mla": "MLAAttentionSpec"}
        wanted = kinds.get(layer["kind"], "FullAttentionSpec")
        name = wanted if self.has(wanted) else "FullAttentionSpec"
        kind = self.v1[name]
        dtype = DTYPES[q["kv_dtype"] if q["kv_dtype"] != "auto"
                       else q["dtype"]]
        is_mla = layer["kind"] == "mla"
        words = {"block_size": q["block_size"], "dtype": dtype,
                 "num_kv_heads": 1 if is_mla else layer["kv_heads"],
                 "head_size": layer["k_dim"], "use_mla": is_mla,
                 "cache_dtype_str": None}
        if not is_mla:
            words["head_size_v"] = layer["v_dim"]
        if name == "SlidingWindowSpec":
            words["sliding_window"] = layer["window"]
        if name == "ChunkedLocalAttentionSpec":
            words["attention_chunk_size"] = layer["window"]
        known = set(getattr(kind, "__dataclass_fields__", {}))
        return kind(**{key: value for key, value in words.items()
                       if key in known})

    def specs(self, q):
        out = {}
        for i, layer in enumerate(q["layers"]):
            out[f"model.layers.{i}.self_attn.attn"] = self.spec(layer, q)
        return out

    def config(self, q, specs):
        mnbt = q["max_num_batched_tokens"]
        chunks = any(layer["kind"] == "chunked" for layer in q["layers"])
        parallel = Bag(
            tensor_parallel_size=1, pipeline_parallel_size=1,
            decode_context_parallel_size=1, prefill_context_parallel_size=1)
        scheduler = Bag(
            max_num_batched_tokens=mnbt, max_num_seqs=256,
            async_scheduling=True, chunked_prefill_enabled=True,
            disable_hybrid_kv_cache_manager=q.get("hybrid_kv_disabled") or
            (chunks and self.keeps_chunks()))
        cache = Bag(
            block_size=q["block_size"], cache_dtype=q["kv_dtype"],
            num_gpu_blocks_override=None, num_gpu_blocks=None,
            enable_prefix_caching=True, mamba_cache_mode="none",
            prefix_cache_retention_interval=None, hash_block_size=None,
            kv_cache_memory_bytes=None,
            get_resolved_kv_cache_layout=lambda: self.layout(specs))
        model = Bag(
            max_model_len=q["max_model_len"],
            original_max_model_len=q["max_model_len"], use_mla=False,
            supports_kv_cache_grouping=False, architectures=[],
            hf_config=Bag(model_type="", architectures=[]),
            is_encoder_decoder=False, dtype=DTYPES[q["dtype"]])
        config = Config(
            model_config=model, cache_config=cache, parallel_config=parallel,
            scheduler_config=scheduler, speculative_config=None,
            kv_transfer_config=None, kv_events_config=None,
            attention_config=Bag(hisparse_config=None),
            device_config=Bag(device_type="cuda"),
            num_prefill_lookahead_tokens=0, num_speculative_tokens=0,
            use_v2_model_runner=True, max_concurrent_batches=1)
        if "max_in_flight_tokens" in self.flight:
            config.max_concurrent_batches = \
                self.flight["max_concurrent_batches"](config)
            config.max_in_flight_tokens = \
                self.flight["max_in_flight_tokens"](config)
        return config

    def layout(self, specs):
        """The engine's own order of preference; pages that are not alike need
        a block in one piece (resolve_kv_cache_layout)."""
        path = os.path.join(self.root, "vllm/v1/attention/backends/utils.py")
        with open(path, encoding="utf-8") as file:
            named = re.search(r"_DEFAULT_LAYOUT_PREFERENCE\b[^=]*= \(([^)]*)\)",
                              file.read()).group(1)
        layouts = importlib.import_module(
            "vllm.v1.kv_cache_layout").KVCacheLayout
        order = [layouts[name] for name in
                 re.findall(r"KVCacheLayout\.(\w+)", named)]
        shapes = {(one.num_heads, one.num_states, one.page_size_bytes)
                  for one in specs.values()}
        return next(one for one in order
                    if len(shapes) == 1 or one.is_block_compact)

    def keeps_chunks(self):
        """Since #21761 a switch decides, and it is off."""
        path = os.path.join(self.root, "vllm/envs.py")
        with open(path, encoding="utf-8") as file:
            return "VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID" in file.read()

    def configure(self, config, specs, available):
        """The configuration of the cache; raises as the engine does."""
        v1 = self.v1
        if self.has("get_global_kv_cache_groups"):
            groups = v1["get_global_kv_cache_groups"](config, [specs])
            made = v1["get_kv_cache_configs"](config, [specs], [available],
                                              groups)
        elif self.has("get_kv_cache_configs"):
            asked = [available] if self.takes_list() else available
            made = v1["get_kv_cache_configs"](config, [specs], asked)
        else:
            made = [v1["get_kv_cache_config"](config, specs, available)]
        return made[0]

    def takes_list(self):
        marks = self.v1["get_kv_cache_configs"].__annotations__
        return "ist[" in str(marks.get("available_memory", ""))

    def report(self, config, made):
        """Has the engine print what it has room for."""
        scheduled = made
        if self.has("generate_scheduler_kv_cache_config"):
            scheduled = self.v1["generate_scheduler_kv_cache_config"]([made])
        for name in ("update_kv_cache_capacity", "_report_kv_cache_config"):
            if self.has(name):
                self.v1[name](config, scheduled)
                return
        if not self.has("get_kv_cache_capacity"):
            return  # said while it was made
        tokens, often = self.v1["get_kv_cache_capacity"](config, scheduled)
        stubs.said.append(f"KV cache size: {tokens:,} tokens, Maximum "
                          f"concurrency for 1 tokens per request: {often:.2f}x")

    def need(self, config, specs):
        """Bytes that the check at start charges for one request."""
        v1 = self.v1
        if not self.has("_max_memory_usage_bytes_from_groups"):
            if self.has("max_memory_usage_bytes"):
                return v1["max_memory_usage_bytes"](config, specs.values())
            length = config.model_config.max_model_len
            return sum(one.bytes_for_tokens(length)
                       if hasattr(one, "bytes_for_tokens")
                       else one.max_memory_usage_bytes(config)
                       for one in specs.values())
        charge = v1["_max_memory_usage_bytes_from_groups"]
        if self.has("get_global_kv_cache_groups"):
            groups = v1["get_global_kv_cache_groups"](config, [specs])
            module = importlib.import_module(
                "vllm.v1.core.kv_cache_config_builder")
            return charge(module.get_kv_cache_config_builder(config), config,
                          groups)
        groups = v1["get_kv_cache_groups"](config, specs)
        words = charge.__code__.co_varnames[:charge.__code__.co_argcount]
        return charge(config, groups) if len(words) == 2 else \
            charge(config, groups, specs)

    def ask_v1(self, q):
        stubs.said.clear()
        specs = self.specs(q)
        config = self.config(q, specs)
        need = self.need(config, dict(specs))
        try:
            made = self.configure(config, dict(specs), q["available"])
            self.report(config, made)
        except ValueError as error:
            return refusal(error, need)
        said = "\n".join(stubs.said)
        tokens = re.search(r"KV cache size: ([\d,]+) tokens", said)
        often = re.search(r"tokens per request: ([\d.]+)x", said)
        return [made.num_blocks, int(tokens.group(1).replace(",", "")),
                float(often.group(1)), int(need), None]

    # ---- the first engine ----

    def ask_v0(self, q):
        first = q["layers"][0]
        is_mla = first["kind"] == "mla" and self.caches_latents()
        count = len(q["layers"])
        head = self.head_size(first, is_mla)
        heads = 1 if is_mla else first["kv_heads"]
        model = Bag(
            dtype=DTYPES[q["dtype"]], use_mla=is_mla,
            get_head_size=lambda: head, get_num_kv_heads=lambda _: heads,
            get_num_attention_layers=lambda _: count,
            get_num_layers_by_block_type=lambda *_: count)
        cache = Bag(block_size=q["block_size"], cache_dtype=q["kv_dtype"])
        block = self.v1["CacheEngine"].get_cache_block_size(cache, model, Bag())
        blocks = q["available"] // block
        length = q["max_model_len"]
        size = q["block_size"]
        try:
            self.refuse_v0(blocks, size, length)
        except ValueError as error:
            return [blocks, None, None, None,
                    int(re.findall(r"\((\d+)\)", str(error))[-1])]
        return [blocks, None, round(blocks * size / length, 2), None, None]

    def caches_latents(self):
        """Does this release's first engine know MLA?"""
        path = os.path.join(self.root, "vllm/worker/cache_engine.py")
        with open(path, encoding="utf-8") as file:
            return "use_mla" in file.read()

    def head_size(self, layer, is_mla):
        if layer["kind"] != "mla":
            return layer["k_dim"]
        rope = layer["rope_dim"]
        text = Bag(model_type="deepseek_v2", qk_rope_head_dim=rope,
                   qk_nope_head_dim=layer["k_full"] - rope,
                   kv_lora_rank=layer["k_dim"] - rope)
        asked = methods_of(self.root, "vllm/config.py", {"get_head_size"})
        return asked["get_head_size"](Bag(
            hf_text_config=text, use_mla=is_mla, is_deepseek_mla=True,
            is_attention_free=False))

    def refuse_v0(self, blocks, size, length):
        check = self.v1["raise_if_cache_size_invalid"]
        words = check.__code__.co_argcount
        if words == 3:
            check(blocks, size, length)
        elif words == 4:
            check(blocks, size, False, length)
        else:
            check(blocks, size, False, length, 1)

    def ask(self, q):
        return self.ask_v0(q) if q["engine"] == "v0" else self.ask_v1(q)


def refusal(error, need):
    found = re.search(r"estimated maximum model length is (\d+)", str(error))
    if "KV cache is needed" not in re.sub(r"\s+", " ", str(error)):
        raise error
    return [None, None, None, int(need), int(found.group(1)) if found else None]


def main():
    release = Release(sys.argv[1])
    print(json.dumps({"loaded": sorted(set(release.v1) & {
        "get_kv_cache_configs", "get_kv_cache_config", "CacheEngine",
        "get_global_kv_cache_groups"}), "why": release.why}))
    for line in sys.stdin:
        q = json.loads(line)
        try:
            answer = release.ask(q)
        except Exception as error:
            answer = type(error).__name__
            print(answer, error, file=sys.stderr)
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
