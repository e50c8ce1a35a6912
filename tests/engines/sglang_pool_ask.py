"""Ask one release of SGLang what its pool holds, on a CPU.

    sglang_pool_ask.py ROOT < questions.jsonl > answers.jsonl

A question: {"before": bytes free before the weights, "weights": bytes of them,
"fraction": of --mem-fraction-static in thousandths, "page": tokens of a page,
"tp":, "element": bytes of a number in the cache, "layers":, and of a layer
"kv_heads", "k_dim", "v_dim", or "lora" and "rope" where it keeps latents}. An
answer: tokens of the pool; null where it is a question of pages and the
function counts tokens alone. The release's own functions run as they stand in
its files (sglang_ask.py says how).
"""
import ast
import builtins
import json
import os
import sys

from sglang_ask import Bag, Nobody, Words, strip

GIB = 1 << 30
FILES = ["sglang/srt/mem_cache/kv_cache_configurator.py",
         "sglang/srt/model_executor/pool_configurator.py",
         "sglang/srt/model_executor/model_runner_kv_cache_mixin.py",
         "sglang/srt/model_executor/model_runner.py"]
WANTED = {"profile_max_num_token", "get_cell_size_per_token",
          "_profile_available_bytes", "calculate_mla_kv_cache_dim",
          ("DefaultPoolConfigurator", "_compute_cell_size"),
          ("DefaultPoolConfigurator", "calculate_pool_sizes")}


def no(*_, **__):
    return False


def functions_of(root):
    """({name: function}, their globals) of those in WANTED."""
    space = {"torch": Bag(_utils=Bag(_element_size=lambda size: size)),
             "AttentionArch": Words(), "envs": Words(), "logger": Nobody(),
             "gc": Nobody(), "MemoryPoolConfig": Bag,
             "get_glm_dsa_layer_split_effective_num_layers":
                 lambda _, layers: layers,
             "mm_runtime_reservation_gb": lambda **_: 0}
    found = {}
    for path in FILES:
        path = os.path.join(root, path)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for owner in [tree] + [one for one in tree.body
                               if isinstance(one, ast.ClassDef)]:
            for node in owner.body:
                names = {getattr(node, "name", ""),
                         (getattr(owner, "name", ""),
                          getattr(node, "name", ""))}
                if isinstance(node, ast.FunctionDef) and names & WANTED:
                    strip(node)
                    module = ast.fix_missing_locations(
                        ast.Module(body=[node], type_ignores=[]))
                    exec(compile(module, path, "exec"), space)
                    found.setdefault(node.name, space[node.name])
    return found, space


def settings(question):
    """What the newer releases ask of their context, by what they call."""
    schedule = Bag(mem_fraction_static=question["fraction"] / 1000)
    parallel = Bag(attn_tp_size=question["tp"], attn_dcp_size=1,
                   launch_world_size=1, world_group=Bag())
    graphs = Bag(cuda_graph_config=Bag(prefill=Bag()))
    return {"get_schedule": lambda: schedule, "get_parallel": lambda: parallel,
            "get_exec": lambda: Bag(graph=graphs, kernel=Bag()),
            "get_disagg": Bag, "get_memory": Bag, "get_mm": Bag,
            "get_model": Bag, "get_world_group": lambda: Bag(world_size=1),
            "get_attention_tp_size": lambda: question["tp"],
            "get_available_gpu_memory": lambda *_, **__:
                (question["before"] - question["weights"]) / GIB}


def runner_of(question, found):
    heads = max(1, question.get("kv_heads", 1) // question["tp"])
    is_mla = "lora" in question
    model = Bag(
        get_num_kv_heads=lambda *_: heads, head_dim=question.get("k_dim"),
        v_head_dim=question.get("v_dim"), kv_lora_rank=question.get("lora"),
        qk_rope_head_dim=question.get("rope"),
        num_hidden_layers=question["layers"], hf_config=Bag(),
        attention_arch="MLA" if is_mla else "MHA")
    layers = Bag(num_effective_layers=question["layers"], start_layer=0,
                 end_layer=question["layers"])
    runner = Bag(
        model_config=model, kv_cache_dtype=question["element"],
        kv_cache_dtype_str="auto", use_mla_backend=is_mla,
        num_effective_layers=question["layers"], layer_info=layers,
        start_layer=0, end_layer=question["layers"], tp_size=question["tp"],
        pp_size=1, mem_fraction_static=question["fraction"] / 1000,
        server_args=Bag(mem_fraction_static=question["fraction"] / 1000),
        spec_algorithm=Bag(is_none=lambda: True),
        _compute_qsa_cell_size=lambda **_: 0)
    for name in ("get_cell_size_per_token", "_compute_cell_size"):
        if name in found:
            runner.__dict__[name] = bound(found[name], runner)
    return runner


def bound(function, one):
    return lambda *words, **named: function(one, *words, **named)


def ask(found, space, question):
    space.update(settings(question))
    for function in found.values():
        for name in function.__code__.co_names:
            if name not in space and not hasattr(builtins, name):
                space[name] = no
    runner = runner_of(question, found)
    before, page = question["before"] / GIB, question["page"]
    if "profile_max_num_token" in found:
        return None if page > 1 else \
            found["profile_max_num_token"](runner, before)
    cell = runner.__dict__["_compute_cell_size"](runner, question["layers"])
    free = found["_profile_available_bytes"](runner, before)
    made = found["calculate_pool_sizes"](
        Bag(_cell_size=cell, _fixed_overhead_bytes=0), free, page)
    return made.max_total_num_tokens


def main(words):
    found, space = functions_of(words[0])
    for line in sys.stdin:
        print(json.dumps(ask(found, space, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
