#!/usr/bin/env python3
"""A knowledge base of any size: corpus_gen.py COUNT FOLDER [--seed N].

Writes FOLDER/entries with COUNT entries in the project's own language, beside
copies of kb/ and i18n/, so that `oomkb build FOLDER/entries` takes it. The
failures are invented and so are their words; their shape is that of real
entries: one to three messages with facts in them, a sample of each, a near
miss, fixes, dead ends, links, both languages, and one entry in six in a group
that shares its head's message. Messages share their stock phrases ("out of
memory while"), as real ones do. The same COUNT and seed give the same files.
"""
import argparse
import json
import pathlib
import random
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]

NOUNS = """buffer:缓冲区 arena:内存区 block:内存块 page:页 slab:板块 segment:段
queue:队列 table:表 window:窗口 bucket:桶 shard:分片 stripe:条带 mirror:镜像
cursor:游标 ledger:账本 basket:篮子 tunnel:通道 bridge:桥 funnel:漏斗 lattice:格子
anchor:锚点 beacon:信标 canvas:画布 carrier:载体 chamber:舱 channel:信道
cluster:簇 column:列 corridor:走廊 counter:计数器 cradle:托架 crate:箱子
digest:摘要 drawer:抽屉 envelope:信封 fabric:织物 feeder:进料器 filter:过滤器
fragment:碎块 frame:帧 gallery:画廊 garden:花园 gateway:网关 grid:网格 handle:句柄
harbor:港口 header:头部 hinge:铰链 index:索引 island:孤岛 journal:日志 kernel:核函数
ladder:梯子 lane:车道 layer:层 lease:租约 lever:杠杆 locker:储物柜 margin:余量
matrix:矩阵 meadow:草地 mosaic:拼图 needle:指针 orchard:果园 packet:数据包
palette:调色板 parcel:包裹 pebble:碎石 pillar:支柱 pipeline:流水线 planner:规划器
pocket:口袋 quarry:采石场 quota:配额 ravine:沟壑 registry:登记表 reservoir:水库
ribbon:丝带 router:路由器 sampler:采样器 scheduler:调度器 seam:接缝 shelf:架子
signal:信号 sketch:草图 socket:套接字 spindle:主轴 spool:线轴 stack:栈
staging area:暂存区 stream:流 swarm:蜂群 switch:开关 tensor:张量 thicket:灌木丛
thread:线程 tile:瓦片 timber:木料 token:令牌 tower:塔 tray:托盘 trunk:主干
vault:金库 vector:向量 vessel:容器 voucher:凭证 wagon:货车 warehouse:仓库
weave:编织层 widget:部件 workspace:工作区""".replace("\n", " ")
ADJECTIVES = """pinned:锁页的 shared:共享的 stale:陈旧的 sparse:稀疏的 dense:稠密的
paged:分页的 nested:嵌套的 remote:远端的 local:本地的 frozen:冻结的 sliding:滑动的
chunked:分块的 packed:打包的 padded:填充的 ragged:参差的 rounded:取整的
mirrored:镜像的 striped:条带的 lazy:惰性的 eager:急切的 warm:预热的 cold:冷的
hidden:隐藏的 outer:外层的 inner:内层的 spare:备用的 rolling:滚动的 split:拆分的
fused:融合的 batched:成批的 cached:缓存的 retired:退役的 borrowed:借来的
doubled:翻倍的 halved:减半的 orphaned:无主的 deferred:延后的 urgent:紧急的
silent:静默的 narrow:窄的 wide:宽的 shallow:浅的 crowded:拥挤的 idle:空闲的
busy:繁忙的 leftover:遗留的 temporary:临时的 permanent:常驻的""".replace(
    "\n", " ")
VERBS = """fills:填满 outgrows:超出 keeps:保留 copies:复制 drops:丢弃 holds:占住
widens:加宽 splits:拆开 merges:合并 rebuilds:重建 pads:补齐 gathers:收集
scatters:分散 repeats:重复 delays:推迟 blocks:阻塞 swallows:吞掉 doubles:翻倍
trims:裁剪 pins:锁住 maps:映射 unmaps:解除映射 loads:加载 stores:存储 sorts:排序
counts:计数 shifts:移动 rotates:轮换 folds:折叠 unrolls:展开 hoards:囤积 leaks:漏掉
borrows:借用 returns:归还 locks:锁定 frees:释放 touches:触碰 stretches:拉伸
reserves:预留 orders:排定 mirrors:镜像 spills:溢出 drains:排空 shares:共享
registers:登记 resizes:调整 tracks:跟踪 wraps:包裹""".replace("\n", " ")
WHEN = """at start:启动时 on resume:恢复时 under load:负载高时 per request:每个请求
between steps:步与步之间 after warm-up:预热之后 during capture:捕获期间
before compiling:编译之前 while decoding:解码时 while saving:保存时
on shutdown:关闭时 in backward:反向传播中 in prefill:预填充中 across ranks:跨进程
per layer:每一层 on retry:重试时""".replace("\n", " ")
NAMES = """Amber Aspen Basalt Birch Boreal Brook Cedar Cinder Cobalt Comet Copper
Coral Crane Cyan Delta Dune Ember Falcon Fern Flint Frost Garnet Glacier Granite
Harbor Hazel Heron Indigo Iris Jade Juniper Kestrel Lagoon Larch Lichen Linden
Lotus Maple Marble Marsh Meadow Merlin Mica Mistral Moss Nimbus Oak Ochre Onyx
Opal Orchid Osprey Otter Pebble Pine Plover Quartz Raven Reed Ridge River Robin
Rowan Sable Saffron Sage Sequoia Shale Sienna Slate Sorrel Sparrow Spruce Summit
Swift Tamarack Teal Tern Thistle Topaz Tundra Umber Vesper Violet Walnut Willow
Wren Yarrow Zephyr Zinc""".split()
PARTS = """Pager Planner Mapper Binder Keeper Feeder Loader Broker Sampler Runner
Packer Tiler Folder Slicer Gather Router Stager Tracker Weaver Caster Mixer
Holder Spooler Walker""".split()
MECHANISMS = """weights kv_cache_startup kv_cache_runtime activation
fragmentation cuda_graph other_process gpu_imbalance training_state host_ram
shared_memory pinned sm_shared_memory allocation_limit swap_or_disk""".split()
COMPONENTS = """vllm sglang tgi lmdeploy llama.cpp ollama mlx onnxruntime
openvino ctranslate2 pytorch transformers accelerate deepspeed megatron jax
tensorflow paddle cupy numba nccl rocm xpu mps ascend diffusers comfyui ray
kubernetes docker slurm systemd numpy""".split()

# A message; {fact:form} is a group of that fact, {#} a number nobody keeps.
MESSAGES = [
    "{Cls}Error: {noun} of {tried_alloc:amount} does not fit, "
    "{gpu_free:amount} of {gpu_total:amount} free",
    "{snake}: cannot map {tried_alloc:amount} for {adj} {noun} (errno {#})",
    "{Cls} {noun} is {adj}: asked {tried_alloc:amount}, limit "
    "{alloc_limit:amount}",
    "RuntimeError: {Cls} out of memory while a {adj} {noun} {verb} "
    "{tried_alloc:amount}",
    "{Cls} failed to allocate {adj} {noun} ({tried_alloc:amount} requested, "
    "{pytorch_reserved:amount} reserved)",
    "{Cls} pool exhausted: {adj} {noun} wants {tried_tokens:int} tokens, "
    "{available_tokens:int} are left",
    "ValueError: {adj} {noun} needs {kv_needed__GiB:dec} GiB but {Cls} has "
    "{kv_available__GiB:dec} GiB",
    "{Cls}::{snake}() gave up: the {adj} {noun} {verb} layer {#}",
    "terminate called by {snake}::{Cls}Exhausted: {noun} {verb} {#} times",
    "fatal: {adj} {noun} overflow in {snake}.cc:{#} of {Cls}",
    "{Cls} was stopped: its {adj} {noun} is above {memory_limit:amount}",
    "Unable to reserve a {adj} {noun} for {Cls}, only "
    "{pool_available:amount} of {pool_needed:amount} left",
]
FORMS = {"amount": r"(?&amount)", "int": r"(?&int)", "dec": r"(?&dec)"}
NEAR_MISS = [
    "INFO {Cls} trimmed its {adj} {noun} to {amount} and went on",
    "{Cls} ready, {adj} {noun} of {amount} {verb} as planned",
    "DEBUG {snake} returned {amount} to the {adj} {noun}",
]
# English and Chinese with the same slots.
TITLES = [
    ("{Cls}: the {a1} {n1} {v1} the {a2} {n2} {w1}",
     "{Cls}：{w1}{a1}{n1}{v1}{a2}{n2}"),
    ("{a1} {n1} of {Cls} {v1} a {n2} {w1}",
     "{Cls} 的{a1}{n1}{w1}{v1}{n2}"),
    ("{Cls} {v1} its {n1} {w1} and the {n2} {v2}",
     "{Cls} {w1}{v1}{n1}，{n2}随之{v2}"),
]
CAUSES = [
    ("The {a1} {n1} {v1} every {a2} {n2} {w1}.", "{w1}{a1}{n1}{v1}每个{a2}{n2}。"),
    ("{Cls} {v1} {x} {n1}s, so a {a1} {n2} {v2}.",
     "{Cls} {v1} {x} 个{n1}，于是{a1}{n2}{v2}。"),
    ("Nothing {v1} the {a1} {n1} until some {n2} {v2} {a2} {n3}.",
     "直到{n2}{v2}{a2}{n3}，才有东西{v1}{a1}{n1}。"),
    ("Its {n1} {v1} {y} MiB {w1}, which {a1} {n2} {v2} again.",
     "它的{n1}{w1}{v1} {y} MiB，{a1}{n2}又{v2}一次。"),
    ("{w1} {a1} {n1}s and {a2} {n2}s meet, and {n3} {v1}.",
     "{w1}{a1}{n1}与{a2}{n2}相遇，{n3}就{v1}。"),
    ("A {n1} that {v1} {n2} never {v2} its {a1} {n3}.",
     "{v1}{n2}的{n1}从不{v2}{a1}{n3}。"),
]
STEPS = [
    ("Set `{flag}` to {x} so the {a1} {n1} {v1} less {w1}.",
     "把 `{flag}` 设为 {x}，{a1}{n1}{w1}就少{v1}一些。"),
    ("Pass `{flag}`: each {n1} {v1} {y} MiB and a {a1} {n2} {v2}.",
     "加上 `{flag}`：每个{n1}{v1} {y} MiB，{a1}{n2}{v2}。"),
    ("With `{flag}` below {y} the {n1} {v1} its {a1} {n2} {w1}.",
     "`{flag}` 低于 {y} 时，{n1}{w1}{v1}{a1}{n2}。"),
]
ACTIONS = [
    ("Shrink the {a1} {n1}", "缩小{a1}{n1}"),
    ("Let one {n1} {v1} per {n2}", "让每个{n2}只有一个{n1}{v1}"),
    ("Move the {a1} {n1} off the {n2}", "把{a1}{n1}移出{n2}"),
    ("Keep fewer {a1} {n1}s", "少留{a1}{n1}"),
]
WHYS = [
    ("The {n1} {v1} before {n2} {v2}, whatever its {a1} {n3} does.",
     "不管{a1}{n3}如何，{n1}总在{n2}{v2}之前{v1}。"),
    ("That {v1} only {a1} {n1}s; {a2} {n2}s stay {w1}.",
     "那只{v1}{a1}{n1}，{a2}{n2}{w1}仍在。"),
]
PRICES = [("A {a1} {n1} {v1} more slowly.", "{a1}{n1}{v1}会变慢。"),
          ("Fewer {n1}s {v1} {w1}.", "{w1}{v1}的{n1}变少。")]


def pairs(words):
    out = []
    for item in re.findall(r"[^:]+:\S+", words):
        en, zh = item.strip().split(":")
        out.append((en, zh))
    return out


WORDS = {"n": pairs(NOUNS), "a": pairs(ADJECTIVES), "v": pairs(VERBS),
         "w": pairs(WHEN)}


class Entry:
    """One invented failure: random words round a name of its own."""

    def __init__(self, rng, name, head=None):
        self.rng = rng
        self.cls = name
        self.snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        self.head = head
        self.component = head.component if head else rng.choice(COMPONENTS)
        self.id = f"{self.component}/{self.snake.replace('_', '-')}"
        self.signatures = []
        self.step = f"{self.snake}_{rng.choice(PARTS).lower()}"

    def both(self, forms):
        """A text in both languages, with the same words in its slots."""
        en, zh = self.rng.choice(forms)
        slots = {"Cls": (self.cls,) * 2,
                 "x": (str(self.rng.randrange(13, 400)),) * 2,
                 "y": (str(self.rng.randrange(400, 9000)),) * 2,
                 "flag": ("--" + self.flag(),) * 2}
        for slot in set(re.findall(r"\{([navw]\d)\}", en)):
            slots[slot] = self.rng.choice(WORDS[slot[0]])
        text_en = en.format(**{k: v[0] for k, v in slots.items()})
        text_zh = zh.format(**{k: v[1] for k, v in slots.items()})
        return {"en": text_en[0].upper() + text_en[1:], "zh": text_zh}

    def several(self, forms, count):
        parts = [self.both(forms) for _ in range(count)]
        return {"en": " ".join(p["en"] for p in parts),
                "zh": "".join(p["zh"] for p in parts)}

    def flag(self):
        word = self.rng.choice(NAMES).lower()
        noun = self.rng.choice(WORDS["n"])[0].replace(" ", "-")
        return f"{word}-{noun}"

    def printed(self, form):
        if form == "int":
            return str(self.rng.randrange(100, 90000))
        number = f"{self.rng.uniform(0.1, 90):.2f}"
        return number if form == "dec" else number + " GiB"

    def message(self, template):
        """Pattern and sample of one message."""
        fill = {"Cls": self.cls, "snake": self.snake,
                "noun": self.rng.choice(WORDS["n"])[0],
                "adj": self.rng.choice(WORDS["a"])[0],
                "verb": self.rng.choice(WORDS["v"])[0]}
        pattern, sample = "", ""
        for part in re.split(r"(\{[^}]*\})", template):
            slot = part[1:-1] if part.startswith("{") else None
            if slot is None:
                pattern += re.sub(r"([.()\[\]+*?|^$\\])", r"\\\1", part)
                sample += part
            elif slot == "#":
                pattern += r"\d+"
                sample += str(self.rng.randrange(2, 900))
            elif ":" in slot:
                fact, form = slot.split(":")
                pattern += f"(?<{fact}>{FORMS[form]})"
                sample += self.printed(form)
            else:
                pattern += fill[slot].replace(".", r"\.")
                sample += fill[slot]
        return pattern, sample

    def add_signatures(self):
        count = self.rng.choice([1, 1, 2, 2, 3])
        for i, template in enumerate(self.rng.sample(MESSAGES, count)):
            pattern, sample = self.message(template)
            self.signatures.append({"id": f"v{i}", "pattern": pattern,
                                    "sample": sample + "\n"})

    def near_miss(self):
        lines = []
        for template in NEAR_MISS:
            fill = {"Cls": self.cls, "snake": self.snake,
                    "noun": self.rng.choice(WORDS["n"])[0],
                    "adj": self.rng.choice(WORDS["a"])[0],
                    "verb": self.rng.choice(WORDS["v"])[0],
                    "amount": self.printed("amount")}
            lines.append(template.format(**fill))
        words = re.findall(r"[A-Za-z]{4,}",
                           (self.head or self).signatures[0]["sample"])
        lines.append(f"INFO {max(words, key=len)}: nothing to report")
        return "\n".join(lines) + "\n"

    def log(self):
        sample = self.head.signatures[0]["sample"]
        return ("Traceback (most recent call last):\n"
                f'  File "/srv/{self.snake}/run.py", line 41, in {self.step}\n'
                "    self.advance()\n" + sample)

    def link(self, kind):
        return (f"https://example.org/{self.snake}/{kind}/"
                f"{self.rng.randrange(1, 99999)}")

    def fix(self, i):
        worked = self.rng.randrange(2, 9)
        out = {"id": f"fix-{i}", "action": self.both(ACTIONS),
               "how": self.several(STEPS, self.rng.choice([1, 2, 2, 3])),
               "acts_on": {"flag": "--" + self.flag(),
                           "change": self.rng.choice(["up", "down", "set"])},
               "effort": self.rng.choice(["flag", "restart", "code"]),
               "loses": self.rng.choice(["nothing", "speed", "quality"]),
               "frees": self.rng.choice(["activation", "weights", "host"]),
               "cures": {"one_step": self.rng.choice(["most", "some"])},
               "trade_off": self.both(PRICES)}
        if self.rng.random() < 0.5:
            out["when"] = [self.rng.choice([
                "gpu_free > 0", "coalesce(tensor_parallel, 1) < 8",
                "coalesce(engine, 'other') <> 'vllm'",
                "tried_alloc < 0.5 * gpu_total"])]
        if self.rng.random() < 0.7:
            tried = worked + self.rng.randrange(4)
            out["success"] = {"basis": "reports", "worked": worked,
                              "tried": tried, "people": tried,
                              "because": {
                                  "en": f"{tried} people report there.",
                                  "zh": f"有 {tried} 人反馈。"},
                              "links": [self.link("issues")]}
        return out

    def body(self):
        rng = self.rng
        out = {"title": self.both(TITLES),
               "mechanism": rng.choice(MECHANISMS), "severity": "failure",
               "root_cause": self.several(CAUSES, rng.randrange(4, 7))}
        out["causes"] = {"one_step": 0.75, "weights": 0.25}
        if self.head:
            out["same_words_as"] = self.head.id
            out["all_of"] = [{"pattern": f"in {self.step}\\b",
                              "scope": "traceback"}]
        else:
            out["signatures"] = self.signatures
        out["workarounds"] = [self.fix(i) for i in range(rng.randrange(2, 5))]
        out["dead_ends"] = [
            {"action": self.both(ACTIONS), "why": self.both(WHYS),
             "fail": {"basis": "estimate", "rate": 1,
                      "because": self.both(WHYS)}}
            for _ in range(rng.randrange(1, 4))]
        out["versions"] = [{"product": self.component, "status": "affected",
                            "events": [{"introduced": f"0.{rng.randrange(9)}.0"}
                                       ]}]
        out["docs"] = [{"url": self.link("docs"), "seen": "2026-05-04",
                        "claim": self.both(WHYS)}]
        out["evidence"] = [
            {"url": self.link("issues"), "seen": "2026-05-05",
             "claim": self.both(WHYS)} for _ in range(rng.randrange(1, 3))]
        out["first_seen"], out["last_verified"] = "2024-03-02", "2026-05-06"
        return out

    def write(self, entries, is_head):
        path = entries / (self.id + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        body = self.body()
        if is_head:
            body["mechanism"] = "unspecified"
        path.write_text(yaml_of(body), encoding="utf-8")
        beside = str(path.with_suffix(""))
        pathlib.Path(beside + ".ok.log").write_text(self.near_miss(),
                                                    encoding="utf-8")
        if self.head:
            pathlib.Path(beside + ".log").write_text(self.log(),
                                                     encoding="utf-8")


def scalar(value):
    return json.dumps(value, ensure_ascii=False)


def yaml_of(value, indent=0):
    """Block style, strings quoted as JSON has them."""
    pad = "  " * indent
    if isinstance(value, dict):
        return "".join(
            f"{pad}{k}: {scalar(v)}\n" if not isinstance(v, (dict, list))
            else f"{pad}{k}:\n{yaml_of(v, indent + 1)}"
            for k, v in value.items())
    out = ""
    for item in value:
        if isinstance(item, dict):
            out += pad + "- " + yaml_of(item, indent + 1).lstrip(" ")
        else:
            out += f"{pad}- {scalar(item)}\n"
    return out


def names(rng, count):
    """Names of two words and a part, each once."""
    every = len(NAMES) * len(NAMES) * len(PARTS)
    for n in rng.sample(range(every), count):
        first, rest = divmod(n, len(NAMES) * len(PARTS))
        second, part = divmod(rest, len(PARTS))
        yield NAMES[first] + NAMES[second] + PARTS[part]


def entries_of(count, seed):
    """(entry, is it a head); members follow their head."""
    rng = random.Random(f"{seed} {count}")
    head, members = None, 0
    for name in names(rng, count):
        if members > 0:
            members -= 1
            yield Entry(rng, name, head), False
            continue
        entry = Entry(rng, name)
        entry.add_signatures()
        is_head = rng.random() < 0.06
        members = rng.randrange(2, 6) if is_head else 0
        head = entry
        yield entry, is_head


def allow_flags(programs):
    """Some program has to take the flags that fixes name."""
    flags = [f"--{name.lower()}-{noun.replace(' ', '-')}"
             for name in NAMES for noun, *_ in WORDS["n"]]
    with open(programs, "a", encoding="utf-8") as out:
        out.write(f"  - name: invented\n    takes: [{', '.join(flags)}]\n"
                  "    source: \"https://example.org/flags\"\n")


def generate(count, folder, seed=1):
    folder = pathlib.Path(folder)
    for name in ("kb", "i18n"):
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
    allow_flags(folder / "kb/programs.yaml")
    for entry, is_head in entries_of(count, seed):
        entry.write(folder / "entries", is_head)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generate(options.count, options.folder, options.seed)


if __name__ == "__main__":
    main()
