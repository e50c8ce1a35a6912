"""Logs of a size for the bench: the same bytes for the same size and seed.

    normal    a healthy server: requests, throughput, steps, progress, syslog
    hostile   the same, and in every line a near miss of a known message
    hits      the same, and in every eighth line words that patterns look for
              (both may be given: those of a generated corpus)
    failing   the same, and every eighth line is a failure that the shipped
              entries know, each time with other numbers
    cluster   healthy servers, trainers and nodes together: access lines,
              throughput, NCCL, JSON records, kubelet, progress bars, and
              memory named in lines that say nothing is wrong
    framed    the lines of cluster as they are kept: by Docker and by CRI, in
              records of JSON, with colours, with bars beyond ASCII
    long      lines of 1 MiB, as a dumped array or a base64 body makes them
"""
import json
import random

LINES = 20000  # made once, drawn from until the size is reached

NEAR = ["CUDA out of memorx", "Out of memori: Killed proces", "KV cache is neede",
        "OutOfMemoryErro", "No available memory for the cache block",
        "Failed to allocate bufer", "cudaErrorMemoryAllocatio",
        "exceeds the available memor", "failed to alocate", "oom-kil"]
HITS = ["Avg prompt throughput: 1.0 tokens/s, Running: 3 reqs",
        "Application startup complete.", "Uvicorn running on http://0.0.0.0:8000",
        "Loading model weights took 14.99 GB", "vllm serve some/model --port 8000",
        "Graph capturing finished in 21 secs, took 0.45 GiB",
        "GPU KV cache size: 80,000 tokens", "llama_model_loader: loaded meta data"]


def failure(r):
    """What a job that is tried again and again leaves behind."""
    tried, total = r.randrange(20, 9000) / 100, r.choice([23.69, 79.11, 39.39])
    return r.choice([
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
        f"{tried:.2f} GiB. GPU {r.randrange(8)} has a total capacity of "
        f"{total} GiB of which {r.random() * tried:.2f} GiB is free.",
        f"ValueError: The model's max seq len ({r.randrange(9000, 40000)}) is "
        f"larger than the maximum number of tokens that can be stored in KV "
        f"cache ({r.randrange(900, 8999)}).",
        f"Out of memory: Killed process {r.randrange(900, 99999)} (python3) "
        f"total-vm:{r.randrange(10 ** 7, 10 ** 8)}kB, "
        f"anon-rss:{r.randrange(10 ** 6, 10 ** 7)}kB",
        f"ggml_backend_cuda_buffer_type_alloc_buffer: allocating "
        f"{r.randrange(90, 9000)}.00 MiB on device 0: cudaMalloc failed: out "
        f"of memory"])


def clock(r, t):
    return "%02d:%02d:%02d" % (t // 3600 % 24, t // 60 % 60, t % 60)


def plain(r, t):
    at = clock(r, t)
    kind = r.randrange(7)
    if kind == 0:
        return (f"INFO 05-20 {at} [metrics.py:116] Engine 000: generation "
                f"throughput {r.random() * 900:.1f} tokens/s, running "
                f"{r.randrange(99)}, waiting {r.randrange(9)}")
    if kind == 1:
        return (f"INFO:     10.0.{r.randrange(255)}.{r.randrange(255)}:"
                f"{r.randrange(9999, 60000)} - \"POST /v1/chat/completions "
                f"HTTP/1.1\" 200 OK")
    if kind == 2:
        return (f"2024-05-20 {at},{r.randrange(1000):03} - server.worker - INFO"
                f" - request {r.getrandbits(48):012x} done in "
                f"{r.random() * 9:.3f} s, {r.randrange(4000)} tokens")
    if kind == 3:
        return (f"May 20 {at} node{r.randrange(9)} kubelet[{r.randrange(9999)}]"
                f": operation for volume \"api-access-{r.getrandbits(24):06x}\""
                f" started, generation {r.randrange(99999)}")
    if kind == 4:
        return (f"Epoch {r.randrange(9)}: {r.randrange(100)}%|####      | "
                f"{r.randrange(999)}/1000 [00:{r.randrange(60):02}, "
                f"{r.random() * 9:.2f}it/s, loss={r.random():.4f}]")
    if kind == 5:
        return (f"2024-05-20T{at}.{r.randrange(10 ** 6):06}Z  INFO router: "
                f"src/server.rs:{r.randrange(900)}: batch {r.randrange(99)} of "
                f"{r.randrange(4000)} sent to shard {r.randrange(8)}")
    return (f"step {r.randrange(99999)} | lr {r.random() / 1000:.6f} | grad "
            f"norm {r.random() * 9:.3f} | {r.randrange(60000)} samples seen")


def served(r, at):
    """What vLLM's server and its engine print while all is well."""
    return r.choice([
        f"(APIServer pid={r.randrange(90, 9000)}) INFO:     10.2."
        f"{r.randrange(255)}.{r.randrange(255)}:{r.randrange(9999, 60000)} - "
        f"\"POST /v1/{r.choice(['chat/completions', 'completions'])} "
        f"HTTP/1.1\" 200 OK",
        f"(EngineCore_DP0 pid=311) INFO 08-07 {at} [loggers.py:122] Engine "
        f"000: Avg prompt throughput: {r.random() * 4000:.1f} tokens/s, Avg "
        f"generation throughput: {r.random() * 900:.1f} tokens/s, Running: "
        f"{r.randrange(99)} reqs, Waiting: {r.randrange(9)} reqs, GPU KV cache"
        f" usage: {r.random() * 90:.1f}%, Prefix cache hit rate: "
        f"{r.random() * 90:.1f}%",
        f"INFO 08-07 {at} [async_llm.py:269] Added request "
        f"chatcmpl-{r.getrandbits(96):024x}.",
        f"10.2.{r.randrange(255)}.7 - - [07/Aug/2026:{at} +0000] \"GET "
        f"/metrics HTTP/1.1\" 200 {r.randrange(9000, 40000)} \"-\" "
        f"\"Prometheus/2.53.0\""])


def trained(r, at):
    """What a training run and NCCL below it print."""
    rank = r.randrange(8)
    step = r.randrange(10 ** 5)
    return r.choice([
        f"node{rank}:{r.randrange(900, 9999)}:{r.randrange(900, 9999)} "
        f"[{rank}] NCCL INFO Channel {r.randrange(24):02}/0 : {rank}["
        f"{r.randrange(8)}] -> {r.randrange(8)}[{r.randrange(8)}] via P2P/CUMEM"
        f"/read",
        f"[rank{rank}]: step {step}/100000 loss {r.random() * 4:.4f} grad_norm "
        f"{r.random():.3f} lr 3.0e-04 mem {r.random() * 60:.1f}GiB tok/s "
        f"{r.randrange(9000, 20000)}",
        f"Training:  {step % 100:2}%|{'#' * (step % 10):10}| {step}/100000 "
        f"[{at}<{at}, {r.random() * 4:.2f}s/it]",
        f"Loading safetensors checkpoint shards: {step % 100}% Completed | "
        f"{step % 17}/17 [00:{step % 60:02}<00:09,  1.{step % 10}it/s]",
        f"{{'loss': {r.random() * 4:.4f}, 'grad_norm': {r.random():.3f}, "
        f"'learning_rate': 2e-05, 'epoch': {r.random() * 3:.2f}}}",
        f"2026-08-07 {at},{step % 1000:03} - trainer - INFO - checkpoint "
        f"global_step{step} saved in {r.random() * 90:.1f} s"])


def kept(r, at):
    """What nodes, records and watchers print, memory among it."""
    pod = f"{r.choice(['api', 'train', 'embed'])}-{r.getrandbits(20):05x}"
    return r.choice([
        f"Aug 07 {at} node{r.randrange(9)} kubelet[1731]: I0807 {at}."
        f"{r.getrandbits(18):06} 1731 reconciler_common.go:251] "
        f"\"operationExecutor.MountVolume started\" pod=\"ml/{pod}\"",
        f"{{\"ts\":\"2026-08-07T{at}.{r.randrange(1000):03}Z\",\"level\":"
        f"\"info\",\"logger\":\"router\",\"msg\":\"request done\",\"pod\":"
        f"\"{pod}\",\"ms\":{r.randrange(9000)},\"tokens\":{r.randrange(4000)}}}",
        f"2026-08-07T{at}Z INFO memory watcher: {pod} uses "
        f"{r.random() * 60:.1f} GiB of 64.0 GiB host memory",
        f"Aug 07 {at} node{r.randrange(9)} systemd[1]: Started session "
        f"{r.randrange(9999)} of user ada.",
        f"2026-08-07 {at} DEBUG cache: evicted {r.randrange(99)} blocks, "
        f"{r.randrange(9999)} free in GPU memory",
        f"level=info ts=2026-08-07T{at}Z caller=node_exporter.go:199 "
        f"msg=\"scrape done\" collector=meminfo duration={r.random():.6f}"])


def clustered(r, t):
    return r.choice([served, trained, kept])(r, clock(r, t))


def framed(r, t):
    text, at = clustered(r, t), f"2026-08-07T{clock(r, t)}.123456789Z"
    bar = "\u2588" * r.randrange(20)
    return r.choice([
        json.dumps({"log": text + "\n", "stream": "stderr", "time": at}),
        f"{at} stderr F {text}",
        json.dumps({"ts": at, "level": "info", "msg": text,
                    "rank": r.randrange(8)}),
        f"\x1b[32m{text[:12]}\x1b[0m{text[12:]}",
        f"{text} |{bar:20}| {r.randrange(1000)}/1000"])


def line(kind, r, i, words):
    if kind == "cluster":
        return clustered(r, i // 40)
    if kind == "framed":
        return framed(r, i // 40)
    text = plain(r, i // 40)
    if kind == "failing" and i % 8 == 0:
        return failure(r)
    if kind == "hostile":
        text += ", " + r.choice(words or NEAR)
    elif kind == "hits" and i % 8 == 0:
        text += ", " + r.choice(words or HITS)
    return text


def near(literal):
    """All of it but for one letter near its end."""
    at = len(literal) - 2
    other = "x" if literal[at] != "x" else "y"
    return literal[:at] + other + literal[at + 1:]


def blob(r, size):
    words = [f"{r.getrandbits(64):016x}" for _ in range(4096)]
    row = "".join(r.choice(words) for _ in range(1 << 16))
    out, n = [], 0
    while n < size:
        at = r.randrange(len(row) // 2)
        part = row[at:at + (1 << 19)] + row[:1 << 19]
        out.append(part[:1 << 20] + "\n")
        n += len(out[-1])
    return "".join(out)[:size]


def write(path, kind, size, seed=1, words=None):
    r = random.Random(f"{kind} {seed}")
    with open(path, "wb") as f:
        if kind == "long":
            f.write(blob(r, size).encode())
            return
        pool = [line(kind, r, i, words) + "\n" for i in range(LINES)]
        n = 0
        while n < size:
            block = "".join(r.choices(pool, k=1000)).encode()
            f.write(block[:size - n])
            n += len(block)


TRACEBACK = """Traceback (most recent call last):
""" + "".join(f"""  File "/srv/app/layer_{i}.py", line {i * 7 + 3}, in forward
    hidden = self.block_{i}(hidden, mask=mask, cache=cache)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""" for i in range(60)) + """torch.OutOfMemoryError: CUDA out of memory. Tried \
to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.00 \
GiB is free.
"""
