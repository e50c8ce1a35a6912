#!/usr/bin/env python3
"""What the whole corpus owes its readers, and no single entry can show.

    again     no entry is another one again: the words of title and cause, the
              words of the cause or of the steps (unless the two are related),
              or its component, mechanism and fixes with half of the cause
    near      a near miss shares a word with its failure
    typed     a fix does not type a number where the value in force is a fact
    counted   a model's parameters are those of its shape, within 2 %
    spaced    Chinese has no blank beside its punctuation or between its
              characters: a line that was wrapped there would leave one

Each rule is shown something wrong first. Run from the top of the repository.
"""
import itertools
import pathlib
import re
import sys

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path):
    return yaml.load(pathlib.Path(path).read_text(encoding="utf-8"), LOADER)


def entries():
    for path in sorted(pathlib.Path("entries").glob("*/*.yaml")):
        entry = read(path)
        entry["id"] = f"{path.parent.name}/{path.stem}"
        entry["path"] = path
        yield entry


# ---- again ----

def english(text):
    return text.get("en", "") if isinstance(text, dict) else ""


def runs(text, length):
    words = text.split()
    return {tuple(words[i:i + length])
            for i in range(len(words) - length + 1)}


def share(x, y, tenths):
    return bool(x and y) and len(x & y) * 10 >= len(x | y) * tenths


def related(x, y):
    ties = [str(relation.get("entry")) for e in (x, y)
            for relation in e.get("relations", [])]
    heads = [e.get("same_words_as", e["id"]) for e in (x, y)]
    return heads[0] == heads[1] or x["id"] in ties or y["id"] in ties


def prepare(entry):
    cause = english(entry.get("root_cause"))
    fixes = entry.get("workarounds", [])
    entry["runs"] = {
        "whole": runs(english(entry.get("title")) + " " + cause, 3),
        "cause": runs(cause, 3), "words": runs(cause, 1),
        "steps": runs("\n".join(english(f.get("how")) for f in fixes), 3)}
    entry["selects"] = yaml.dump(
        [[s["pattern"] for s in entry.get("signatures", [])]] +
        [entry.get(k) for k in ("same_words_as", "all_of", "none_of", "when")])
    entry["answers"] = yaml.dump(
        [entry.get(k) for k in ("component", "mechanism", "role", "severity")]
        + [entry["id"].split("/")[0]] +
        sorted(str(f.get("use") or f.get("acts_on")) for f in fixes))
    return entry


def again(x, y):
    """What makes y the entry x again; None: nothing does."""
    def alike(part, tenths):
        return share(x["runs"][part], y["runs"][part], tenths)
    has_signatures = x.get("signatures") or x.get("same_words_as")
    if has_signatures and x["selects"] == y["selects"]:
        return "has the signatures and conditions of"
    if alike("whole", 9):
        return "says the words of"
    if not related(x, y) and alike("cause", 5):
        return "gives the cause in the words of"
    if not related(x, y) and alike("steps", 6):
        return "gives the steps in the words of"
    if x.get("workarounds") and x["answers"] == y["answers"] and \
            alike("words", 5):
        return "has the cause and the fixes of"
    return None


def check_again(all_entries):
    for x, y in itertools.combinations(all_entries, 2):
        how = again(x, y)
        if how:
            yield f"{y['path']}: {how} {x['id']}"


# ---- near ----

def words(text):
    return {word.lower() for word in re.findall(r"[A-Za-z]{4,}", text)}


def near(miss, logs):
    return any(words(miss) & words(log) for log in logs)


def check_near(all_entries):
    for entry in all_entries:
        miss = entry["path"].with_suffix(".ok.log")
        log = entry["path"].with_suffix(".log")
        logs = [s["sample"] for s in entry.get("signatures", [])] + \
               [path.read_text(errors="replace")
                for path in [log] if path.exists()]
        if miss.exists() and not near(miss.read_text(errors="replace"), logs):
            yield f"{miss}: has no word in common with the failure"


# ---- typed ----

def typed(fix, flags):
    acts = fix.get("acts_on") or {}
    flag = acts.get("flag", "")
    return acts.get("change") in ("up", "down") and flag in flags and \
        re.search(re.escape(flag) + r"[ =][\d.]+( |$)", fix.get("command", ""))


def flags_read():
    """Flags that are read as a fact: by engine, and under '' everywhere."""
    read_by = {}
    for path in pathlib.Path("kb/engines").glob("*.yaml"):
        engine = read(path)
        is_common = engine.get("everywhere") or path.stem == "pytorch"
        for flag in engine.get("flags", []):
            read_by.setdefault("" if is_common else path.stem, set()).update(
                [flag["flag"], *flag.get("aliases", [])])
    return read_by


def check_typed(all_entries):
    read_by = flags_read()
    for entry in all_entries:
        component = entry.get("component") or entry["path"].parent.name
        flags = read_by[""] | read_by.get(component, set())
        for fix in entry.get("workarounds", []):
            if typed(fix, flags):
                yield (f"{entry['path']}: {fix.get('id')}: a number is typed "
                       "where the value is a fact: write {fact|16}")


# ---- counted ----

class Missing(Exception):
    pass


def of(row, *keys):
    for key in keys:
        if not row.get(key):
            raise Missing(key)
    return [row[key] for key in keys]


def attention(model, group):
    """Parameters of one layer's attention or state."""
    kind = group["kind"]
    if kind == "state":
        return of(group, "params")[0]
    if kind == "indexer":
        return 0
    hidden, heads = of(model, "hidden_size", "heads")
    if kind == "mla":
        k, v, rope, latent = of(group, "k_dim", "v_dim", "rope_dim",
                                "latent_dim")
        rank = group.get("q_rank", 0)
        queries = rank * (hidden + heads * k) if rank else hidden * heads * k
        return queries + hidden * heads * v + hidden * latent + \
            (latent - rope) * heads * (k - rope + v)
    k, v = group.get("k_dim", 0), group.get("v_dim", 0)
    queries = heads * k * (2 if group.get("gated") else 1)
    return hidden * (queries + group.get("kv_heads", 0) * (k + v) + heads * v)


def counted(model):
    """Parameters by the shape; raises Missing."""
    hidden, = of(model, "hidden_size")
    experts = model.get("experts", 0)
    layers = model.get("mlp_layers") or model["layers"]
    dense = model.get("dense_layers", 0) if experts else layers
    attends = [g for g in model.get("groups", [])
               if g["kind"] not in ("state", "indexer")]

    def mlp(width):
        return (2 if model.get("plain_mlp") else 3) * hidden * width
    if model.get("moe"):
        of(model, "experts", "expert_size")
    moe = mlp(experts * model.get("expert_size", 0) +
              model.get("shared_size", 0)) + experts * hidden
    if attends and dense:
        of(model, "intermediate_size")
    wide = mlp(model.get("intermediate_size", 0))
    draft = (moe if experts else wide) + 2 * hidden * hidden + \
        sum(attention(model, g) for g in attends[:1])
    return of(model, "embedding_params")[0] + model.get("other_params", 0) + \
        sum(g["layers"] * attention(model, g)
            for g in model.get("groups", [])) + \
        dense * wide + (layers - dense) * moe + \
        model.get("draft_layers", 0) * draft


def miscounted(model):
    said = model.get("params")
    if not said or model.get("uncounted"):
        return None
    try:
        number = counted(model)
    except Missing as key:
        return None if model.get("verified") == "recalled" else \
            f"cannot be counted without {key}"
    return None if abs(number - said) * 50 <= said else \
        f"the shape makes {number:,}, more than 2 % away"


def check_counted():
    for path in sorted(pathlib.Path("kb/models").glob("*.yaml")):
        for model in read(path)["models"]:
            fault = miscounted(model)
            if fault:
                yield f"{path}: {model['id']}: {fault}"


# ---- spaced ----

SPACED = re.compile(r"[，。；：、！？）】」』] +\S|\S +[，。；：、！？）】」』]")
WRAPPED = re.compile(r"[\u3400-\u9fff] +[\u3400-\u9fff]")


def chinese(node):
    if isinstance(node, list):
        for one in node:
            yield from chinese(one)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "zh" and isinstance(value, str):
                yield value
            else:
                yield from chinese(value)


def check_spaced(all_entries):
    for entry in all_entries:
        for text in chinese({k: v for k, v in entry.items() if k != "path"}):
            found = SPACED.search(text.strip()) or WRAPPED.search(text)
            if found:
                yield f"{entry['path']}: a blank beside `{found.group()}`"
    for group, texts in read("i18n/zh.yaml").items():
        for key, text in texts.items():
            if SPACED.search(str(text).strip()):
                yield f"i18n/zh.yaml: {group}.{key}: a blank beside punctuation"


# ---- can each rule fail? ----

def expect_rules_to_see(entry, model):
    copy = {**entry, "id": "toy/again"}
    assert again(entry, copy), "an entry twice"
    other = prepare({**copy, "signatures": [], "title": {"en": "Other"},
                     "relations": [], "same_words_as": "toy/none"})
    assert again(entry, other) == "gives the cause in the words of", "a cause"
    assert not near("nothing here", ["Killed process 4711"]), "a far miss"
    fix = {"command": "--max-num-seqs 16",
           "acts_on": {"flag": "--max-num-seqs", "change": "down"}}
    assert typed(fix, flags_read()["vllm"]), "a number that is typed"
    assert not typed({**fix, "command": "--max-num-seqs {max_num_seqs|16}"},
                     flags_read()["vllm"]), "a number that is filled in"
    assert not miscounted(model), "a model as it is"
    assert miscounted({**model, "layers": model["layers"] * 2,
                       "groups": model["groups"] * 2}), "twice the layers"
    assert miscounted({**model, "embedding_params": 0}), "no embeddings"
    assert list(check_spaced([{"path": "x", "title": {"zh": "显存， 内存"}}]))
    assert list(check_spaced([{"path": "x", "title": {"zh": "主 机内存"}}]))


def main():
    all_entries = [prepare(entry) for entry in entries()]
    model = next(m for m in read("kb/models/gemma-3.yaml")["models"]
                 if m["id"] == "google/gemma-3-1b-it")
    expect_rules_to_see(next(e for e in all_entries
                             if e["id"] == "vllm/kv-cache-too-small"), model)
    faults = [*check_again(all_entries), *check_near(all_entries),
              *check_typed(all_entries), *check_counted(),
              *check_spaced(all_entries)]
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
