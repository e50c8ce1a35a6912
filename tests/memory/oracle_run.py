#!/usr/bin/env python3
"""Printed numbers of real runs against `oomkb fit`.

    oracle_run.py OOMKB DIR

DIR holds vllm_log_oracle.tsv (what vLLM logs said) and kv_published.tsv (what
papers, model cards and other engines said). Each AGREE row is asked of the
program with the row's settings, and its answer has to lie within what was
rounded away in print. A number that was printed rounded (3.81 GiB) is asked at
both ends. Rows whose own input was fitted to the answer are shown apart and
not counted; DISAGREE rows are shown with the reason that the file gives.

A row counts as `exact` when the answers at the ends enclose the printed one
and each is a single number; as `bounded` when the program leaves several
readings open (it says which setting would decide) and they enclose it.
"""
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10


class Miss(Exception):
    """The program's answer is not the printed one."""


class Unknown(Exception):
    """The row's setting is not one that this script reads."""


class Fit:
    def __init__(self, program):
        self.program = program

    def __call__(self, *words):
        done = subprocess.run(
            [self.program, "fit", "--format", "json", *map(str, words)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.stderr:
            raise Miss(done.stderr.decode().strip())
        return json.loads(done.stdout)


def ends(value):
    """[low, high] of an amount of the JSON."""
    if value is None:
        raise Miss("not known")
    if isinstance(value, dict):
        return value["low"], value["high"]
    return value, value


class Row:
    """Checks of one row; remembers whether all of them were single numbers."""

    def __init__(self):
        self.checked = []
        self.bounded = False

    def encloses(self, what, values, low, high=None):
        high = low if high is None else high
        spans = [ends(value) for value in values]
        self.bounded |= any(a != b for a, b in spans)
        least = min(a for a, _ in spans)
        most = max(b for _, b in spans)
        self.checked.append(what)
        if least > high or most < low:
            raise Miss(f"{what}: printed {low:g}" +
                       (f"..{high:g}" if high != low else "") +
                       f", reckoned {least:g}..{most:g}")


def rounding(text):
    """Half a unit of the last printed digit."""
    decimals = len(text.split(".")[1]) if "." in text else 0
    return 0.5 * 10 ** -max(decimals, 1) if decimals < 2 else 0.005


# ---- vllm_log_oracle.tsv ----

def release(text):
    """The first release that the cell names; None: it names none."""
    found = re.search(r"\d+\.\d+(?:\.\d+)?(?:\.?(?:post|dev|rc)\d+)*"
                      r"(?:\.dev\d+)?", text)
    return found.group(0) if found else None


def model_names(text):
    """As it stands, without a remark, and what the remark calls it."""
    bare = re.sub(r"\s*\(.*", "", text).strip()
    yield bare
    yield from re.findall(r"\(([^()]*)\)", text)


def settings_of(fit, row):
    words = ["--dtype", row["dtype"]] if row["dtype"] else []
    for column, option in (("kv_dtype", "--kv-cache-dtype"), ("tp", "--tp"),
                           ("pp", "--pp"), ("block_size", "--block-size"),
                           ("max_seq_len", "--max-model-len")):
        if row[column]:
            words += [option, row[column]]
    version = release(row["vllm_version"])
    if version:
        words += ["--engine-version", version]
    if row["cpu_blocks"] and "V0" in row["vllm_version"]:
        # only V0 prints these, which is how a log of 0.8 to 0.10 tells
        words += ["--set", "cpu_blocks=" + row["cpu_blocks"]]
    for name in model_names(row["model"]):
        try:
            fit("--model", name, *words)
            return ["--model", name, *words]
        except Miss as miss:
            last = miss
    raise last


def at_pool(fit, words, pool, printed):
    half = rounding(printed)
    return [fit(*words, "--kv-available", round((pool + step) * GIB))
            for step in (-half, half)]


def check_shape(check, row, answer):
    """Where the row names layers x kv heads x head size."""
    shape = re.fullmatch(r"(\d+)x(\d+)x(\d+)", row["layers_kvheads_headdim"])
    block = answer["kv"]["bytes_per_block"]
    if shape and row["cpu_blocks"] and isinstance(block, int):
        swap = 4 * GIB // block
        check.encloses("cpu_blocks", [swap], int(row["cpu_blocks"]))
    elif row["cpu_blocks"]:
        raise Miss("bytes_per_block is no single number")


def check_log_row(fit, row):
    check = Row()
    words = settings_of(fit, row)
    answer = fit(*words)
    check_shape(check, row, answer)
    if row["needed_gib"]:
        need, half = float(row["needed_gib"]), rounding(row["needed_gib"])
        check.encloses("need", [answer["kv"]["bytes_per_request"]],
                       (need - half) * GIB, (need + half) * GIB)
    printed = {"est_max_model_len": row["est_max_len"],
               "blocks": row["gpu_blocks"], "tokens": row["kv_tokens"]}
    conc = re.search(r"([\d.]+)x(?:\s|$)", row["raw_line"])
    if row["available_gib"]:
        answers = at_pool(fit, words, float(row["available_gib"]),
                          row["available_gib"])
    elif row["gpu_blocks"]:
        answers = [fit(*words, "--set", "kv_blocks=" + row["gpu_blocks"])]
    else:
        answers = []
    for key, text in printed.items():
        if text and answers and not (key == "blocks" and
                                     not row["available_gib"]):
            # V0's refusal prints an estimate of its own: blocks x block
            if key == "tokens" and row["max_seq_len"] and \
                    "est" in row["computed"] and row["est_max_len"] == "":
                key = "est_max_model_len"
            check.encloses(key, [a["kv"][key] for a in answers], int(text))
    if conc and answers and row["max_seq_len"]:
        check.encloses("concurrency",
                       [a["kv"]["max_concurrency"] for a in answers],
                       float(conc.group(1)) - 0.0101,
                       float(conc.group(1)) + 0.0101)
    if not check.checked:
        raise Unknown("nothing to check")
    return check


# ---- kv_published.tsv ----

def gguf(layers, k, v, path):
    """A header of our own: one kv head of that width in every layer."""
    def text(s):
        return struct.pack("<Q", len(s)) + s.encode()

    pairs = [("general.architecture", "llama"), ("llama.block_count", layers),
             ("llama.embedding_length", 4096),
             ("llama.attention.head_count", 1),
             ("llama.attention.head_count_kv", 1),
             ("llama.attention.key_length", k),
             ("llama.attention.value_length", v),
             ("llama.context_length", 1 << 24)]
    out = b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs))
    for key, value in pairs:
        out += text(key)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + text(value)
        else:
            out += struct.pack("<II", 4, value)
    with open(path, "wb") as file:
        file.write(out)


def config(path, **fields):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(fields, file)


NAMES = {"Llama-3.1-8B": "meta-llama/Llama-3.1-8B",
         "Llama-3.1-70B": "meta-llama/Llama-3.1-70B",
         "OPT-13B": "facebook/opt-13b",
         "Mistral-Large-3 (MLA)": "mistralai/Mistral-Large-3",
         "DeepSeek-V3 / V3.1 (MLA)": "deepseek-ai/DeepSeek-V3",
         "DeepSeek-V3/R1": "deepseek-ai/DeepSeek-V3",
         "DeepSeek-V2 (60 layers)": "deepseek-ai/DeepSeek-V2",
         "Mistral-Small-4-119B (MLA)": "mistralai/Mistral-Small-4-119B-2603",
         "Qwen3-32B tp1": "Qwen/Qwen3-32B",
         "gemma-4-31B": "google/gemma-4-31B-it",
         "gemma-4-12B": "google/gemma-4-12B-it",
         "Llama-3-8B": "meta-llama/Meta-Llama-3-8B",
         "Llama-3-70B": "meta-llama/Meta-Llama-3-70B",
         "Qwen3-0.6B-FP8 (bf16 KV)": "Qwen/Qwen3-0.6B",
         "e5-mistral-7b": "intfloat/e5-mistral-7b-instruct",
         "Gemma-2-9B class (test_oot, model inferred)": "google/gemma-2-9b-it",
         "bge-m3": "BAAI/bge-m3"}


def name_of(row):
    return NAMES.get(row["model"], row["model"])


class Published:
    def __init__(self, fit, work):
        self.fit, self.work = fit, work

    def file(self, name):
        return os.path.join(self.work, name)

    def small_stage(self):
        """61 MLA layers on two stages, as the one with 30 prints it."""
        path = self.file("stage.json")
        config(path, num_hidden_layers=60, hidden_size=7168,
               num_attention_heads=64, kv_lora_rank=512, qk_rope_head_dim=64,
               max_position_embeddings=262144)
        return ["--config", path, "--tp", 8, "--pp", 2]

    def near(self, check, row, values, unit=1):
        value, half = float(row["value"]), rounding(row["value"])
        half = half if "." in row["value"] else 0.5
        check.encloses(row["unit"], values, (value - half) * unit,
                       (value + half) * unit)

    def pool_tokens(self, check, row, key, words):
        pool = re.search(r"(?:avail(?:able KV cache memory)?|same row with|"
                         r"message:)\s*([\d.]+)\s*GiB", row["setting"],
                         re.IGNORECASE)
        answers = at_pool(self.fit, words, float(pool.group(1)),
                          pool.group(1))
        check.encloses(key, [a["kv"][key] for a in answers],
                       float(row["value"]))

    # -- other engines --

    def llama_cells(self, check, row):
        """'... n_layer 32, n_embd_k_gqa 1024, n_embd_v_gqa 1024'"""
        numbers = {key: int(n) for key, n in
                   re.findall(r"(n_\w+) (\d+)", row["setting"])}
        types = re.search(r"K (\w+) V (\w+)", row["setting"]).groups()
        path = self.file("cells.gguf")
        gguf(numbers["n_layer"], numbers["n_embd_k_gqa"],
             numbers["n_embd_v_gqa"], path)
        # cells that are no multiple of 256 were made without flash attention,
        # by a build that pads to 32
        answer = self.fit("--engine", "llama.cpp", "--engine-version", "4000",
                          "--set", "flash_attention=false",
                          "--config", path,
                          "--max-model-len", numbers["n_ctx"],
                          "--kv-cache-dtype", ",".join(types))
        self.near(check, row, [answer["kv"]["bytes_per_request"]], MIB)

    def llama_named(self, check, row):
        setting, words = row["setting"], ["--engine", "llama.cpp"]
        shape = re.search(r"kv(\d+) d(\d+)", setting + " " + row["model"])
        cells = re.search(r"(\d+)(?: cells)?(?: x|$)| (\d+) cells", setting)
        kind = re.search(r"\b(f16|q8_0|q4_0)\b", setting)
        words += ["--kv-cache-dtype", kind.group(1)] if kind else []
        if "recurrent" in setting:
            times = re.search(r"x(\d+) ", setting)
            several = re.search(r"(\d+) seqs(?: x \(1\+(\d+)\))?", setting)
            n = int(times.group(1)) if times else 1
            if several:
                n = int(several.group(1)) * (1 + int(several.group(2) or 0))
            answer = self.fit(*words, "--model", name_of(row),
                              "--max-num-seqs", n, "--max-model-len", 4096)
            value = answer["kv"]["bytes_per_token"]["fixed"]
        elif "SWA" in setting:
            swa = re.search(r"SWA (\d+) cells", setting)
            batch = 2048 if not swa else int(swa.group(1)) - 4 * 1024
            answer = self.fit(*words, "--model", name_of(row),
                              "--max-model-len", 131072, "--max-num-seqs",
                              4 if swa else 1, "--max-num-batched-tokens",
                              batch)
            value = answer["kv"]["bytes_per_token"]["fixed"]
        else:
            n = int(cells.group(1) or cells.group(2))
            if "MLA" not in setting and re.search(r"class|layer|Laguna",
                                                  row["model"]):
                layers = re.search(r"x (\d+)|(\d+)-layer",
                                   setting + " " + row["model"])
                count = int(layers.group(1) or layers.group(2))
                heads, dim = map(int, shape.groups())
                path = self.file("named.gguf")
                gguf(count, heads * dim, heads * dim, path)
                words += ["--config", path]
            else:
                words += ["--model", name_of(row)]
            answer = self.fit(*words, "--max-model-len", n)
            slope = answer["kv"]["bytes_per_token"]["slope"]
            value = slope * n
        self.near(check, row, [value], MIB)

    def sglang(self, check, row):
        tp, tokens = re.search(r"tp(\d+): #tokens (\d+)",
                               row["setting"]).groups()
        answer = self.fit("--engine", "sglang", "--model", name_of(row),
                          "--tp", tp, "--max-model-len", tokens)
        low, high = ends(answer["kv"]["bytes_per_request"])
        parts = 1 if "KV size" in row["setting"] else 2
        self.near(check, row, [{"low": low / parts, "high": high / parts}],
                  GIB)

    # -- pools --

    def profile(self, check, row):
        total, share, rest = re.search(
            r"([\d.]+)(?:GiB)? x ([\d.]+) - (.*)", row["setting"]).groups()
        self.pool(check, row, total, share, rest)

    def pool(self, check, row, total, share, rest):
        part = dict(re.findall(r"(weights|act|non_torch) ([\d.]+)", rest))
        answer = self.fit(
            "--engine-version", "0.8.5", "--gpu-memory", total + "GiB",
            "--gpu-memory-utilization", share, "--set",
            f"weights_bytes={part['weights']}GiB", "--set",
            f"activation_peak={part['act']}GiB", "--set",
            f"non_torch={part['non_torch']}GiB", "--model",
            "facebook/opt-125m")
        pool = ends(answer["pool"])[0] / GIB
        # four numbers were rounded before they were added up
        check.encloses("pool", [pool], float(row["value"]) - 0.021,
                       float(row["value"]) + 0.021)

    # -- KAITO's estimator: its own overheads, our bytes per token --

    def kaito(self, check, row, gpu_gib, gpus, ranks, weights, flat, words):
        model = ["--model", name_of(row)]
        if weights is None:
            weights = self.fit(*model)["weights"]["bytes_per_gpu"] / GIB
        each = weights * 1.02 / gpus
        pool = gpu_gib * 0.84 - each - 2.3 - (0 if flat else 0.05 * each)
        answer = self.fit(*model, *words, "--kv-available",
                          int(pool * GIB), *ranks)
        low, high = ends(answer["inverses"]["max_model_len"])
        check.encloses("tokens", [{"low": low // 256 * 256,
                                   "high": high // 256 * 256}],
                       float(row["value"]))


def check_published(p, row):
    """One row: which question it is, asked and held against what it says."""
    check, fit = Row(), p.fit
    setting, model, unit = row["setting"], row["model"], row["unit"]
    named = ["--model", name_of(row)]
    if "n_embd_k_gqa" in setting:
        p.llama_cells(check, row)
    elif "llama.cpp log" in row["source"]:
        p.llama_named(check, row)
    elif setting.startswith("SGLang"):
        p.sglang(check, row)
    elif "profile line" in setting or setting.startswith("measured pool"):
        p.profile(check, row)
    elif setting.startswith("no room"):
        p.pool(check, row, "79.18", "0.9",
               "weights 67.72 act 4.84 non_torch 0.13")
    elif "all layers global" in setting:
        p.near(check, row, [fit(*named, "--engine-version", "0.6.6")["kv"]
                            ["bytes_per_token"]["slope"]])
    elif "30-layer stage" in setting:
        slope = fit(*p.small_stage())["kv"]["bytes_per_token"]["slope"]
        p.near(check, row, [slope])
    elif setting.startswith("same, fp8 indexer"):
        check_indexer(p, check, row, 1024)
    elif unit == "B/token/GPU":
        check_effective(p, check, row, named)
    elif re.match(r"(?:KB|KiB|B)/token", unit):
        scale = 1000 if "1000" in unit else KIB if "K" in unit else 1
        p.near(check, row,
               [fit(*named)["kv"]["bytes_per_token"]["slope"] / scale])
    elif "tokens" in setting and unit in ("GiB", "bytes", "MiB"):
        check_length(p, check, row, named)
    elif unit == "blocks":
        tp = 2 if "TP2" in setting else 1
        pool = re.search(r"([\d.]+)GiB", setting).group(1)
        answer = fit(*named, "--tp", tp, "--kv-available", pool + "GiB")
        check.encloses("blocks", [answer["kv"]["blocks"]], int(row["value"]))
    elif unit in ("tokens", "GiB"):
        check_tokens(p, check, row, named)
    else:
        raise Unknown("not read by this script")
    return check


def check_effective(p, check, row, named):
    answer = p.fit(*named, "--tp", 2, "--engine-version", "0.22.0",
                   "--max-model-len", 99072, "--max-num-batched-tokens", 8192)
    low, high = ends(answer["kv"]["bytes_per_request"])
    check.encloses("B/token/GPU", [low / 99072, high / 99072],
                   float(row["value"]) - 1, float(row["value"]) + 1)


def check_length(p, check, row, named):
    tokens = re.search(r"(\d[\d,]*) tokens", row["setting"])
    blog = re.search(r"=(\d+) tokens", row["setting"])
    n = int((blog or tokens).group(1).replace(",", ""))
    tp = re.search(r"TP(\d)", row["setting"])
    words = ["--tp", tp.group(1)] if tp else []
    scale = {"GiB": GIB, "MiB": MIB, "bytes": 1}[row["unit"]]
    if "MiniMax-M3" in row["model"]:
        check_indexer(p, check, row, n)
        return
    engine = ["--engine", "transformers"] if "Eco" in row["source"] else []
    answer = p.fit(*named, *engine, *words, "--max-model-len", n)
    p.near(check, row, [answer["kv"]["bytes_per_request"]], scale)


def check_indexer(p, check, row, n):
    """The cache that TP divides, and an indexer's that it does not."""
    heads, index = p.file("heads.json"), p.file("index.json")
    config(heads, num_hidden_layers=60, hidden_size=6144,
           num_attention_heads=48, num_key_value_heads=4, head_dim=128)
    config(index, num_hidden_layers=57, hidden_size=6144,
           num_attention_heads=1, kv_lora_rank=64, qk_rope_head_dim=64)
    kind = "fp8" if "fp8" in row["setting"] else "bfloat16"
    words = ["--engine", "sglang", "--tp", 4, "--max-model-len", n]
    both = p.fit("--config", heads, *words)["kv"]["bytes_per_request"] + \
        p.fit("--config", index, "--kv-cache-dtype", kind,
              *words)["kv"]["bytes_per_request"]
    p.near(check, row, [both], MIB)


def check_tokens(p, check, row, named):
    setting = row["setting"]
    if setting.startswith("2xA10"):
        p.kaito(check, row, 24, 2, ["--tp", 2], None, True, [])
    elif setting.startswith("3 nodes"):
        p.kaito(check, row, 80, 3, ["--pp", 3], 131.42, False, [])
    elif "188Gi" in setting and "w=" in setting:
        weights = float(re.search(r"w=([\d.]+)Gi", setting).group(1))
        wide = "PP2" in setting
        p.kaito(check, row, 94, 4 if wide else 2,
                ["--tp", 2, "--pp", 2 if wide else 1], weights, False, [])
    elif setting == "does not fit":
        answer = p.fit("--model", "facebook/opt-125m", "--kv-available",
                       int((24 * 0.84 - 40 * 1.02 - 2.3) * GIB))
        check.encloses("tokens", [answer["inverses"]["max_model_len"]], 0)
    elif "draft" in row["model"]:
        parts = [p.fit("--model", name, "--tp", 2, "--max-model-len", 131072)
                 ["kv"]["bytes_per_request"] for name in
                 ("meta-llama/Llama-3.3-70B-Instruct",
                  "meta-llama/Llama-3.2-3B-Instruct")]
        p.near(check, row, [sum(parts)], GIB)
    elif setting.startswith("KV needed for max_len"):
        answer = p.fit(*named, "--max-model-len", setting.split()[-1])
        p.near(check, row, [answer["kv"]["bytes_per_request"]], GIB)
    elif "max_len auto" in setting or "max_len 99072" in setting:
        length = re.search(r"max_len (?:auto=)?(\d+)", setting).group(1)
        answers = at_pool(p.fit, [*named, "--tp", 2, "--engine-version",
                                  "0.22.0", "--max-num-batched-tokens", 8192,
                                  "--max-model-len", length], 39.45, "39.45")
        check.encloses("tokens", [a["kv"]["tokens"] for a in answers],
                       int(row["value"]))
    elif "est. max len" in setting:
        answers = at_pool(p.fit, [*named, "--engine-version", "0.9.0",
                                  "--max-model-len", 8192], 1.64, "1.64")
        check.encloses("estimate", [a["kv"]["est_max_model_len"]
                                    for a in answers], int(row["value"]))
    elif "old vLLM message" in setting:
        p.pool_tokens(check, row, "tokens",
                      [*named, "--engine-version", "0.10.1"])
    elif "TP8 PP2 avail" in setting:
        answers = at_pool(p.fit, [*p.small_stage(), "--engine-version",
                                  "0.18.0"], 26.4, "26.4")
        check.encloses("tokens", [a["kv"]["tokens"] for a in answers],
                       int(row["value"]))
    elif re.search(r"GiB", setting):
        words = ["--tp", 2] if "70B" in row["model"] else []
        if "e5-mistral" in row["model"]: # printed by a release of 2025-06
            words += ["--engine-version", "0.9.1"]
        p.pool_tokens(check, row, "tokens", [*named, *words])
    else:
        raise Unknown("not read by this script")


# ---- all of it ----

def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t",
                                   quoting=csv.QUOTE_NONE))


def run(title, rows, ask):
    counts = {"exact": 0, "bounded": 0, "miss": 0, "fitted": 0,
              "disagree": 0, "unverified": 0}
    for i, row in enumerate(rows, 2):
        what = f"{title}:{i} {row['model']}"
        if row["verdict"] == "DISAGREE":
            counts["disagree"] += 1
            reason = row.get("note") or "NO REASON GIVEN"
            print(f"DISAGREE {what}: {reason}")
            continue
        if row["verdict"] not in ("AGREE", "AGREE_FITTED"):
            counts["unverified"] += 1
            print(f"APART    {what}: {row['verdict']} {row.get('note', '')}")
            continue
        is_fitted = row["verdict"] == "AGREE_FITTED"
        try:
            check = ask(row)
            kind = "bounded" if check.bounded else "exact"
            note = ""
        except (Miss, Unknown, KeyError, AttributeError, TypeError,
                ValueError) as miss:
            kind, note = "miss", f"{type(miss).__name__}: {miss}"
        if is_fitted:
            counts["fitted"] += 1
            print(f"FITTED   {what}: {row['note']} [{note or kind}]")
            continue
        counts[kind] += 1
        if kind == "miss":
            print(f"MISS     {what}: {note}")
        elif kind == "bounded":
            print(f"BOUNDED  {what}: {', '.join(check.checked)}")
    print(f"{title}: " + ", ".join(f"{n} {kind}" for kind, n in
                                   counts.items()))
    return counts


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    fit = Fit(program)
    misses = 0
    with tempfile.TemporaryDirectory() as work:
        published = Published(fit, work)
        for name, ask in (
                ("vllm_log_oracle.tsv", lambda row: check_log_row(fit, row)),
                ("kv_published.tsv",
                 lambda row: check_published(published, row))):
            counts = run(name, rows_of(os.path.join(folder, name)), ask)
            misses += counts["miss"]
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
