"""Ask one release of SGLang for its default of mem_fraction_static, on a CPU.

    sglang_ask.py ROOT < questions.jsonl > answers.jsonl

A question: {"mib": of the card, "tp":, "pp":, "mla": a model with latents,
"prefill_graphs": are graphs of the prefill captured}. An answer: [fraction
in thousandths, tokens of a chunk, largest graph]. The release's own function is run as it
stands in its file, with what else it asks for as a plain object: nothing of
the package is imported.
"""
import ast
import contextlib
import copy
import json
import math
import os
import sys

OLD = "_handle_gpu_memory_settings"
MOST_TOKENS = "piecewise_cuda_graph_max_tokens"
NEW = "handle_gpu_memory_settings"
FILES = ["sglang/srt/server_args.py",
         "sglang/srt/arg_groups/memory_hook.py",
         "sglang/srt/arg_groups/cuda_graph_hook.py"]


class Bag:
    """What is not set is None; what is called says no."""

    def __init__(self, **named):
        self.__dict__.update(named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __deepcopy__(self, memo):
        return Bag(**self.__dict__)


class Words:
    """Members of an enum, and variables of the environment that are unset."""

    def __getattr__(self, name):
        return Variable(name)


class Variable(str):
    def get(self):
        return False

    def is_set(self):
        return False

    def set(self, _):
        pass


class Nobody:
    def __getattr__(self, name):
        return lambda *_, **__: None


def functions_of(root):
    """{name: function} of every function of the files, without imports."""
    space = {"envs": Words(), "logger": Nobody(), "Backend": Words(),
             "Phase": Words(), "math": math, "copy": copy, "os": os, "Any": None,
             "get_platform": lambda: Bag(is_xpu=False), "List": list,
             "Optional": {}, "resolving_view": lambda args: args,
             "resolved_view": lambda args: args,
             "model_config_of": lambda args: args.get_model_config(),
             "use_mla_backend": lambda args: args.use_mla_backend(),
             "post_capture_kv_sizing_planned": lambda args: False,
             "attn_dp_enabled_of": lambda args: False,
             "is_npu": lambda: False, "is_cuda": lambda: True,
             "is_hip": lambda: False,
             "_DEFAULT_PP_PREFILL_CUDA_GRAPH_MAX_TOKENS": 2048,
             "expand_multimodal_decode_graph_to_running_limit":
                 lambda *_: None,
             "ModelConfig": Bag(from_server_args=lambda args:
                               args.get_model_config()),
            "declare_resolution": lambda args, _, **named:
                 args.__dict__.update(named)}
    for path in FILES:
        path = os.path.join(root, path)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign) and \
                    getattr(node.target, "id", "") == MOST_TOKENS:
                with contextlib.suppress(Exception):
                    space[MOST_TOKENS] = ast.literal_eval(node.value)
            if isinstance(node, ast.FunctionDef) and \
                    node.name not in space:
                strip(node)
                module = ast.fix_missing_locations(
                    ast.Module(body=[node], type_ignores=[]))
                with contextlib.suppress(Exception):
                    exec(compile(module, path, "exec"), space)
    return space


class NoImports(ast.NodeTransformer):
    def visit_ImportFrom(self, node):
        return ast.Pass()

    visit_Import = visit_ImportFrom


def strip(node):
    """Without decorators, types and imports: those names are given."""
    node.decorator_list, node.returns = [], None
    for argument in node.args.args + node.args.kwonlyargs:
        argument.annotation = None
    NoImports().visit(node)


def methods(space, args):
    """An old release's methods, where its function asks for them."""
    class Args(Bag):
        def __getattr__(self, name):
            found = space.get(name)
            if callable(found) and name not in ("envs", "logger"):
                return lambda *more: found(self, *more)
            return super().__getattr__(name)
    return Args(**args)


def ask(space, question):
    model = Bag(is_multimodal=False, hf_config=Bag())
    graphs = "full" if question["prefill_graphs"] else "DISABLED"
    args = {"tp_size": question["tp"], "pp_size": question["pp"],
            "dp_size": 1, "device": "cuda", "model_path": "m",
            "disaggregation_mode": "null", "attn_dp_size": 1,
            "enable_dp_attention": False, "max_prefill_tokens": 16384,
            "disable_piecewise_cuda_graph": not question["prefill_graphs"],
            "enable_piecewise_cuda_graph": question["prefill_graphs"],
            "get_model_config": lambda: model,
            "use_mla_backend": lambda: question["mla"],
            "post_capture_kv_sizing_planned": lambda: False,
            "_resolved": lambda: Bag(enable_dp_attention=False),
            "cuda_graph_config": Bag(decode=Bag(backend="full"),
                                     prefill=Bag(backend=graphs)),
            "_cuda_graph_config_locked": (),
            MOST_TOKENS: space.get(MOST_TOKENS)}
    if NEW in space and OLD not in space:
        found = Bag(**args)
        space["get_device_memory_capacity"] = lambda *_: question["mib"]
        space[NEW](*arguments(space[NEW], found, question["mib"]))
    else:
        found = methods(space, args)
        space[OLD](*arguments(space[OLD], found, question["mib"]))
    graphs = found.cuda_graph_max_bs or found.cuda_graph_config.decode.max_bs
    return [round(found.mem_fraction_static * 1000),
            found.chunked_prefill_size, graphs]


def arguments(function, found, mib):
    return [found, mib][:function.__code__.co_argcount]


def main(words):
    space = functions_of(words[0])
    for line in sys.stdin:
        print(json.dumps(ask(space, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
