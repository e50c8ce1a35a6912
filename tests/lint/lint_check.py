#!/usr/bin/env python3
"""`oomkb lint` on the files beside this one: what is said, and where.

Each expectation is by hand: 131,072 tokens x 128 KiB of Llama-3.1-8B are 16
GiB, beside 15 GiB of weights on a card of 24; Qwen3-32B in 16 bits is 61 GiB.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path("tests/lint")
OOMKB = os.environ.get("OOMKB", "build/oomkb")


def run(*args):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    return subprocess.run([OOMKB, "lint", *map(str, args)], text=True,
                          capture_output=True, check=False, env=env)


def lint(name, *args):
    done = run(*args, "--format", "json", HERE / name)
    return json.loads(done.stdout), done.returncode


def codes(page):
    return {(d["code"], d["line"]) for d in page["diagnostics"]}


def verdicts(page):
    return {s["service"]: s["verdict"] for s in page["services"]}


class Verdicts(unittest.TestCase):
    def test_what_fits_is_clean(self):
        page, status = lint("fits.yml", "--gpu", "H100")
        self.assertEqual(verdicts(page), {"chat": "fits"})
        self.assertEqual((page["diagnostics"], status), ([], 0))

    def test_what_does_not_fit_is_told_at_its_flag(self):
        page, status = lint("too-long.yml", "--gpu", "RTX 4090")
        self.assertEqual(status, 1)
        self.assertEqual(codes(page), {("does-not-fit", 13),
                                       ("restart-loop", 3)})
        text = page["diagnostics"][1]["message"]
        self.assertIn("16.00 GiB", text)

    def test_the_card_decides(self):
        page, status = lint("too-long.yml", "--gpu", "H100")
        self.assertEqual((verdicts(page), status), ({"chat": "fits"}, 0))

    def test_without_a_card_nobody_can_tell(self):
        page, status = lint("too-long.yml")
        self.assertEqual((verdicts(page), status), ({"chat": "unknown"}, 2))
        self.assertEqual(codes(page), {("not-decided", 7)})

    def test_a_pod_says_its_card_itself(self):
        page, status = lint("pod.yaml")
        self.assertEqual(verdicts(page), {"vllm": "fits"})
        self.assertEqual(codes(page), {
            ("small-shm-with-tensor-parallel", 16),
            ("host-limit-below-weights", 29)})
        self.assertEqual(status, 1)

    def test_a_batch_script(self):
        page, _ = lint("train-then-serve.sbatch")  # 61 of 80 GB, and 8
        self.assertEqual(verdicts(page), {"vllm": "likely"})

    def test_a_script_in_a_service(self):
        page, status = lint("wrapped.yml", "--gpu", "RTX 4090")
        self.assertEqual((verdicts(page), status), ({"chat": "fits"}, 0))
        self.assertIn("Qwen3-8B (fp8)", page["services"][0]["text"])

    def test_files_of_settings(self):
        page, _ = lint("serve.yaml", "--gpu", "A100 80GB")
        self.assertEqual(set(verdicts(page).values()), {"fits"})
        page, _ = lint("ray.yaml")
        self.assertEqual(verdicts(page), {"chat": "does_not_fit"})


class Variables(unittest.TestCase):
    def test_names_that_nobody_gives_a_value(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "compose.yml"
            work.write_text("""services:
  chat:
    image: vllm/vllm-openai:v0.21.0
    command: --model ${LLM_MODEL} --max-model-len $LENGTH --host ${HOST:-x}
  known:
    image: vllm/vllm-openai:v0.21.0
    command: --model Qwen/Qwen3-8B --max-model-len 4096 --port $PORT
""")
            args = ["--format", "json", "--gpu", "H100", work]
            page = json.loads(run(*args).stdout)
            open_ = [d for d in page["diagnostics"]
                     if d["code"] == "variable-without-value"]
            self.assertEqual([d["line"] for d in open_], [4, 4])
            self.assertIn("LLM_MODEL", open_[0]["message"])
            self.assertIn("LENGTH", open_[1]["message"])
            (work.parent / "x.env").write_text(
                "LLM_MODEL=Qwen/Qwen3-8B\nLENGTH=4096\n")
            page = json.loads(run("--env-file", work.parent / "x.env",
                                  *args).stdout)
            self.assertEqual(page["diagnostics"], [])


class ModelsNotNamed(unittest.TestCase):
    """By hand: 0.9 of a card of 79.44 GiB is 71.5 GiB, 38.4 x 10^9 parameters
    of 16 bits; 8 x 1.3 x 10^9 take 19.4 GiB and 8,192 tokens 5.5 at most."""

    def said(self, text, name="run.sh", *args):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / name
            work.write_text(text)
            for path, more in args:
                (work.parent / path).write_text(more)
            done = run("--format", "json", "--gpu", "H100", work)
        page = json.loads(done.stdout)
        return page["services"], {d["code"] for d in page["diagnostics"]}

    def test_none_with_more_weights_fits(self):
        services, found = self.said("#!/bin/sh\nvllm serve $1 "
                                    "--gpu-memory-utilization 0.9\n")
        self.assertEqual([s["verdict"] for s in services], ["unknown"])
        self.assertIn("model-not-known", found)
        self.assertAlmostEqual(services[0]["weights_most"] / 2**30, 71.5,
                               delta=0.1)
        services, _ = self.said("#!/bin/sh\nvllm serve $1 -tp 2 "
                                "--gpu-memory-utilization 0.5\n")
        self.assertAlmostEqual(services[0]["weights_most"] / 2**30, 79.4,
                               delta=0.1)

    def test_what_may_lie_on_the_host_has_no_bound(self):
        services, found = self.said(
            "#!/bin/sh\nvllm serve $1 --cpu-offload-gb 20\n")
        self.assertNotIn("weights_most", services[0])
        self.assertIn("not-decided", found)

    def test_by_the_size_in_its_name(self):
        line = "#!/bin/sh\nvllm serve ./models/3.1-8b-instruct "
        services, found = self.said(line + "--max-model-len 8192\n")
        self.assertEqual([s["verdict"] for s in services], ["likely"])
        self.assertEqual(found, set())
        for more in ("", "--max-model-len 131072", "--dtype float32"):
            services, _ = self.said(line + more + "\n")
            self.assertEqual(services[0]["verdict"], "unknown", more)

    def test_by_the_name_that_it_is_served_as(self):
        """Nothing is said not to fit by it."""
        line = ("#!/bin/sh\nvllm serve /model --max-model-len 4096 "
                "--served-model-name ")
        services, found = self.said(line + "Qwen3-8B\n")
        self.assertEqual([s["verdict"] for s in services], ["likely"])
        self.assertIn("Qwen3-8B", services[0]["text"])
        self.assertEqual(found, set())
        for name in ("gpt-4", "DeepSeek-R1", "$NAME"):
            services, found = self.said(line + name + "\n")
            self.assertEqual(services[0]["verdict"], "unknown", name)
            self.assertIn("model-not-known", found)

    def test_what_was_fetched_into_a_folder(self):
        for fetch in ("hf download Qwen/Qwen3-8B --local-dir ./model",
                      "huggingface-cli download --local-dir=model/ "
                      "--repo-id Qwen/Qwen3-8B",
                      "git clone https://huggingface.co/Qwen/Qwen3-8B model"):
            services, _ = self.said(
                f"#!/bin/sh\n{fetch}\nvllm serve ./model "
                "--max-model-len 4096\n")
            self.assertEqual(services[0]["verdict"], "fits", fetch)

    def test_defaults_of_a_script(self):
        for model in ('"${1:-Qwen/Qwen3-8B}"', '"${M:=Qwen/Qwen3-8B}"'):
            services, _ = self.said(f"#!/bin/sh\nvllm serve {model} "
                                    "--max-model-len 4096\n")
            self.assertEqual(services[0]["verdict"], "fits", model)
        services, _ = self.said('#!/bin/sh\n: "${M:=Qwen/Qwen3-8B}"\n'
                                'vllm serve "$M" --max-model-len 4096\n')
        self.assertEqual(services[0]["verdict"], "fits")

    def test_an_image_alone_starts_nothing(self):
        services, found = self.said(
            "#!/bin/bash\ndeclare -A IMAGE\n"
            'IMAGE[a]="vllm/vllm-openai:v0.21.0"\n'
            "pin_image vllm/vllm-openai:latest vllm_standalone\n"
            "vllm serve Qwen/Qwen3-8B --max-model-len 4096\n")
        self.assertEqual([s["verdict"] for s in services], ["fits"])
        self.assertEqual(found, set())

    def test_a_flag_that_is_not_known_is_no_other(self):
        """A word more is a flag of its own; a slip is a letter or two."""
        line = "#!/bin/sh\nvllm serve Qwen/Qwen3-8B --max-model-len 4096 "
        for flag in ("--new-block-size 1", "--quantization-config x",
                     "--max-queued-batched-tokens 1"):
            _, found = self.said(line + flag + "\n")
            self.assertEqual(found, set(), flag)
        for flag in ("--gpu-memory-utilisation 0.9", "--max-num-sesq 8",
                     "--block-sizes 16"):
            _, found = self.said(line + flag + "\n")
            self.assertEqual(found, {"flag-meant"}, flag)

    def test_what_is_mounted(self):
        services, _ = self.said(
            "#!/bin/sh\ndocker run --gpus all --ipc=host "
            "-v /srv/Qwen3-8B:/model vllm/vllm-openai:v0.21.0 "
            "--model /model --max-model-len 4096\n")
        self.assertEqual(services[0]["verdict"], "fits")

    def test_the_example_of_an_env_file(self):
        compose = """services:
  chat:
    image: vllm/vllm-openai:v0.21.0
    ipc: host
    command: --model ${MODEL} --max-model-len 4096
"""
        example = (".env.example", "MODEL=Qwen/Qwen3-8B\n")
        services, found = self.said(compose, "compose.yml", example)
        self.assertEqual(services[0]["verdict"], "fits")
        self.assertEqual(found, {"values-of-an-example"})
        services, found = self.said(compose, "compose.yml", example,
                                    (".env", "MODEL=Qwen/Qwen3-4B\n"))
        self.assertIn("Qwen3-4B", services[0]["text"])
        self.assertEqual(found, set())

    def test_what_names_an_engine_and_starts_none(self):
        for line in ("python -m sglang.bench_serving --backend vllm "
                     "--model meta-llama/Llama-3.1-405B",
                     "vllm bench serve --model meta-llama/Llama-3.1-405B",
                     "llama-server --version",
                     "docker exec ollama ollama list",
                     "docker exec ollama du -sh /root/.ollama/models",
                     "docker exec vllm-chat curl -s http://localhost:8000",
                     "docker compose -p vllm-8000 up -d",
                     "docker logs -f vllm-chat",
                     "--gpus all --entrypoint vllm vllm/vllm-openai serve x",
                     "docker run --rm vllm/vllm-openai:v0.21.0 sleep 9",
                     "docker run --rm --entrypoint python3 "
                     "vllm/vllm-openai:v0.21.0 /tmp/probe.py"):
            services, found = self.said(f"#!/bin/sh\n{line}\n")
            self.assertEqual((services, found), ([], set()), line)

    def test_programs_of_an_image(self):
        """Its own takes a verb or a model; another is given by the option."""
        for line in ("vllm/vllm-openai:v0.21.0 Qwen/Qwen3-8B",
                     "vllm/vllm-openai:v0.21.0 serve Qwen/Qwen3-8B",
                     "vllm/vllm-openai:v0.21.0 --model Qwen/Qwen3-8B",
                     "--entrypoint vllm me/chat-vllm serve Qwen/Qwen3-8B"):
            services, _ = self.said("#!/bin/sh\ndocker run --ipc=host "
                                    f"{line} --max-model-len 4096\n")
            self.assertEqual([s["verdict"] for s in services], ["fits"], line)

    def test_a_router_beside_its_image(self):
        services, _ = self.said("""apiVersion: v1
kind: Pod
metadata: {name: route}
spec:
  containers:
    - name: router
      image: lmsysorg/sglang:v0.4.7
      command: [sh, -c, "python3 -m sglang_router.launch_router --port 1"]
""", "pod.yaml")
        self.assertEqual(services, [])

    def test_weights_in_a_format_of_their_own(self):
        """Half of them in 4 bits is no model in 16."""
        services, found = self.said(
            "#!/bin/sh\nvllm serve /m/Qwen3-32B-mixed-int4fp8 "
            "--max-model-len 131072\n")
        self.assertEqual(services[0]["verdict"], "unknown")
        self.assertNotIn("does-not-fit", found)


class Shells(unittest.TestCase):
    """What a shell reads at another place than it stands. By hand: 15.3 GiB of
    Qwen3-8B and 4,096 tokens of it fit into 24 GB; 61 GiB of Qwen3-32B do not,
    whatever the request."""

    def said(self, text, *others, name="run.sh", card="RTX 3090"):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / name
            work.write_text(text)
            for path, more in others:
                (work.parent / path).write_text(more)
            done = run("--format", "json", "--gpu", card, work)
        page = json.loads(done.stdout)
        return ([(s["text"].split(" on ")[0], s["verdict"])
                 for s in page["services"]],
                {d["code"] for d in page["diagnostics"]})

    START = "vllm serve Qwen/Qwen3-8B --max-model-len 4096"
    ONE = [("Qwen/Qwen3-8B", "fits")]

    def test_what_runs_another_program(self):
        for front in ("srun --gres=gpu:1 apptainer exec --nv vllm.sif ",
                      "docker compose run --rm -e A=b app ",
                      "conda run -n vllm ", "uv run ", "env A=b ",
                      "GGML=1 numactl -N 0 "):
            self.assertEqual(self.said(front + self.START)[0], self.ONE, front)

    def test_the_service_of_a_compose_file_is_its_engine(self):
        line = "docker compose run --rm vllm serve Qwen/Qwen3-8B -tp 1\n"
        self.assertEqual(self.said(line)[0][0][0], "Qwen/Qwen3-8B")
        self.assertEqual(self.said("docker compose up -d vllm\n")[0], [])
        self.assertEqual(self.said("docker compose run --entrypoint python "
                                   "vllm -c 'import vllm'\n")[0], [])

    def test_quoted_commands(self):
        for line in ('ssh node "%s"', 'tmux new -d -s x "%s"',
                     'nohup bash -c "%s" &', 'CMD="%s"; eval "$CMD"',
                     'CMD=(%s); ID="$("${CMD[@]}" 2>/dev/null)"'):
            self.assertEqual(self.said(line % self.START)[0], self.ONE, line)
        for line in ('pgrep -f "%s"', 'echo "%s"',
                     'docker exec x python3 -c "import vllm; %s"'):
            self.assertEqual(self.said(line % self.START)[0], [], line)

    def test_functions_are_read_where_they_are_called(self):
        found, _ = self.said("#!/bin/bash\nserve() {\n"
                             "    local model=\"$1\"\n    shift\n"
                             "    vllm serve \"$model\" \"$@\"\n}\n"
                             "serve Qwen/Qwen3-8B --max-model-len 4096\n"
                             "serve Qwen/Qwen3-32B --max-model-len 4096\n"
                             "serve Qwen/Qwen3-8B --max-model-len 4096\n")
        self.assertEqual(found, self.ONE + [("Qwen/Qwen3-32B",
                                             "does_not_fit")])
        found, _ = self.said("#!/bin/bash\nserve() {\n    %s\n}\n"
                             "\"$@\"\n" % self.START)
        self.assertEqual(found, self.ONE)
        self.said("f() { f; g; }\ng() { f; }\nf\n")  # and it ends

    def test_what_is_sourced(self):
        library = ("common.sh", "start() { vllm serve $MODEL \"$@\"; }\n"
                                "other() { vllm serve Qwen/Qwen3-32B; }\n")
        for path in ('"$(dirname "$0")/common.sh"', "./common.sh",
                     '"$HERE/common.sh"'):
            found, _ = self.said("#!/bin/bash\nsource %s\n"
                                 "MODEL=Qwen/Qwen3-8B\n"
                                 "start --max-model-len 4096\n" % path,
                                 library)
            self.assertEqual(found, self.ONE, path)
        self.said("source run.sh\nvllm serve X\n")  # itself: and it ends

    def test_the_branch_of_a_word_that_is_known(self):
        text = ("case \"%s\" in\n  small) MODEL=Qwen/Qwen3-8B ;;\n"
                "  big|large)\n    MODEL=Qwen/Qwen3-32B ;;\nesac\n"
                "vllm serve $MODEL --max-model-len 4096\n")
        self.assertEqual(self.said(text % "small")[0], self.ONE)
        self.assertEqual(self.said(text % "large")[0],
                         [("Qwen/Qwen3-32B", "does_not_fit")])
        found, _ = self.said(text % "$1")
        self.assertEqual([v for _, v in found], ["unknown"])

    def test_no_verdict_by_a_value_that_nobody_knows(self):
        """One card by default, the model's longest request by default."""
        for line, verdict in (
                ("vllm serve Qwen/Qwen3-32B -tp $TP", "unknown"),
                ("vllm serve Qwen/Qwen3-32B $MORE", "unknown"),
                ("vllm serve Qwen/Qwen3-32B --port $PORT", "does_not_fit"),
                ("vllm serve Qwen/Qwen3-32B --max-model-len $LEN",
                 "does_not_fit"),
                ("llama-server -m Qwen3-32B-Q4_K_M.gguf -ngl 99 -c $LEN",
                 "unknown"),
                ("llama-server -m Qwen3-32B-Q4_K_M.gguf -ngl 99",
                 "does_not_fit"),
                ("llama-server -m Qwen3-32B-Q4_K_M.gguf -ngl 99 "
                 "-c $((8 * 1024))", "fits")):
            self.assertEqual([v for _, v in self.said(line)[0]], [verdict],
                             line)

    def test_a_tokenizer_or_a_draft_is_no_model(self):
        other = "meta-llama/Llama-3.1-70B-Instruct"
        for line in (
                "python3 -m sglang.launch_server --model-path $MODEL "
                "--tokenizer-path " + other,
                "vllm serve $MODEL --tokenizer " + other,
                "vllm serve --model=$MODEL --tokenizer=" + other,
                "python3 -m sglang.launch_server --model-path $MODEL "
                "--speculative-draft-model-path " + other):
            found, told = self.said(line)
            self.assertEqual([v for _, v in found], ["unknown"], line)
            self.assertNotIn("does-not-fit", told, line)
        for line in ("vllm serve Qwen/Qwen3-32B --tokenizer " + other,
                     "vllm serve --trust-remote-code Qwen/Qwen3-32B",
                     "vllm serve Qwen/Qwen3-32B --tokenizer Qwen/Qwen3-32B"):
            self.assertEqual(self.said(line)[0],
                             [("Qwen/Qwen3-32B", "does_not_fit")], line)

    def test_what_the_engine_places_by_itself_is_no_error(self):
        for line in ("llama-server -m Qwen3-32B-Q8_0.gguf -c 8192",
                     "ollama run llama3.1:70b"):
            found, told = self.said(line)
            self.assertEqual([v for _, v in found], ["unknown"], line)
            self.assertEqual(told, {"part-on-the-host"}, line)

    def test_what_starts_nothing(self):
        for line in ("llama-bench -m Qwen3-8B-Q4_K_M.gguf",
                     "docker run vllm/vllm-openai:v0.21.0 --help=all",
                     "conda activate vllm", "llama-swap --config x.yaml",
                     "cat <<EOF\n%s\nEOF" % self.START):
            self.assertEqual(self.said(line)[0], [], line)
        launcher = "cat > run.sh <<EOF\n%s\nEOF" % self.START
        self.assertEqual(self.said(launcher)[0], self.ONE)

    def test_the_script_that_a_service_runs(self):
        compose = ("services:\n  chat:\n    image: vllm/vllm-openai\n"
                   "    entrypoint: [/bin/bash, -c]\n"
                   "    command: [/serve.sh]\n"
                   "    environment: [MODEL=Qwen/Qwen3-8B]\n"
                   "    volumes: ['./serve.sh:/serve.sh']\n")
        script = "vllm serve ${MODEL} --max-model-len 4096\n"
        found, _ = self.said(compose, ("serve.sh", script), name="c.yml")
        self.assertEqual(found, self.ONE)

    def test_a_folder_that_nobody_knows(self):
        compose = ("services:\n  chat:\n    image: vllm/vllm-openai\n"
                   "    command: /models/Qwen3-8B --max-model-len 4096\n"
                   "    volumes: ['$HOME/models:/models']\n")
        self.assertEqual(self.said(compose, name="c.yml")[0], self.ONE)

    def test_a_format_that_a_flag_leaves_open(self):
        line = ("vllm serve nvidia/Qwen3-32B-%s --quantization modelopt "
                "--max-model-len 4096 --gpu-memory-utilization 0.95")
        self.assertNotEqual(self.said(line % "NVFP4")[0][0][1],
                            "does_not_fit")
        self.assertEqual(self.said(line % "FP8")[0][0][1], "does_not_fit")


class Swapped(unittest.TestCase):
    """llama-swap: one command over several lines, of one model at a time."""

    def test_commands_and_macros(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "config.yaml"
            work.write_text(
                "macros:\n  server: llama-server --port ${PORT} -ngl 99\n"
                "models:\n  small:\n    cmd: |\n      ${server}\n"
                "      # a comment\n"
                "      -m /models/Qwen3-8B-Q4_K_M.gguf\n      -c 8192\n"
                "  large:\n    cmd: vllm serve Qwen/Qwen3-32B\n")
            done = run("--format", "json", "--gpu", "RTX 3090", work)
        page = json.loads(done.stdout)
        self.assertEqual(verdicts(page), {"small": "fits",
                                          "large": "does_not_fit"})


class RayServe(unittest.TestCase):
    CONFIG = ("applications:\n- name: llm\n  args:\n"
              "    prefill_config: &one\n"
              "      model_loading_config: {model_id: Qwen/Qwen3-8B}\n"
              "      engine_kwargs: {max_model_len: 4096}\n"
              "    decode_config: *one\n")

    def verdicts_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "serve.yaml"
            work.write_text(text)
            done = run("--format", "json", "--gpu", "RTX 3090", work)
        return [(s["line"], s["verdict"])
                for s in json.loads(done.stdout)["services"]]

    def test_a_config_by_any_name(self):
        found = self.verdicts_of(self.CONFIG)
        self.assertEqual([v for _, v in found], ["fits", "fits"])

    def test_within_a_ray_service(self):
        inner = "".join("    " + line + "\n"
                        for line in self.CONFIG.splitlines())
        found = self.verdicts_of("apiVersion: ray.io/v1\nkind: RayService\n"
                                 "spec:\n  serveConfigV2: |\n" + inner)
        self.assertEqual(found, [(9, "fits"), (9, "fits")])


class Clusters(unittest.TestCase):
    """Files that hand a model or a script to a cluster."""

    def test_a_script_with_its_gpus(self):
        page, _ = lint("dstack.yml")
        self.assertEqual(set(verdicts(page).values()), {"does_not_fit"})
        self.assertEqual(codes(page), {("does-not-fit", 12)})
        page, status = lint("sky.yaml")
        self.assertEqual(set(verdicts(page).values()), {"fits"})
        self.assertEqual((page["diagnostics"], status), ([], 0))

    def test_values_of_a_chart(self):
        page, _ = lint("stack.yaml", "--gpu", "A100 80GB")
        self.assertEqual(verdicts(page), {
            "fits": "fits", "one-gpu-for-two": "does_not_fit",
            "over-pods": "fits", "runtime": "fits"})
        self.assertEqual(codes(page), {("does-not-fit", 17)})
        page, _ = lint("stack.yaml", "--gpu", "A10")
        self.assertEqual(verdicts(page)["runtime"], "does_not_fit")

    def test_resources_of_operators(self):
        """The model stands outside of the pod; 32 ranks are not judged."""
        page, status = lint("operators.yaml", "--gpu", "H100")
        said = [(s["service"], s["verdict"]) for s in page["services"]]
        self.assertEqual(said, [("main", "fits"), ("main", "fits"),
                                ("kubeai", "does_not_fit")])
        self.assertIn("2 x H100", page["services"][0]["text"])
        self.assertIn("on L4", page["services"][2]["text"])
        self.assertEqual((codes(page), status), ({("does-not-fit", 48)}, 1))

    def test_what_looks_like_a_fault(self):
        """GPU 0 of two containers, flags by variables, a script of its own, a
        program that is no engine."""
        page, _ = lint("alike.yaml", "--gpu", "H100")
        self.assertEqual(verdicts(page), {
            "prefill": "fits", "decode": "fits", "tgi": "fits",
            "llama": "fits", "own-script": "unknown"})
        self.assertEqual({d["code"] for d in page["diagnostics"]},
                         {"not-decided"})
        self.assertIn("Llama-3.1-8B", page["services"][2]["text"])

    def test_gpus_of_all_pods_of_a_group(self):
        page, _ = lint("group.yaml")
        self.assertEqual(verdicts(page), {"leader": "fits",
                                          "over-nodes": "fits"})
        self.assertNotIn("does-not-fit", {c for c, _ in codes(page)})
        self.assertIn("16 x H100", page["services"][0]["text"])
        self.assertIn("2 x A100 40GB", page["services"][1]["text"])

    def test_a_template_is_no_error(self):
        page, status = lint("template.yaml")
        self.assertEqual({(d["code"], d["level"])
                          for d in page["diagnostics"]},
                         {("template", "note")})
        self.assertEqual(status, 2)


class Rules(unittest.TestCase):
    def test_settings_that_never_arrive(self):
        page, status = lint("never-arrives.yml", "--gpu", "H100")
        self.assertEqual(codes(page), {
            ("small-shm-with-tensor-parallel", 3),
            ("variable-is-no-flag", 6),
            ("allocator-config-quoted", 7),
            ("flag-of-other-engine", 10),
            ("flag-meant", 11),
            ("variable-meant", 16),
            ("variable-on-other-service", 17),
            ("layers-without-gpu-build", 21)})
        self.assertEqual(status, 1)

    def test_shares_of_one_card(self):
        page, _ = lint("shared.yml", "--gpu", "H100")
        self.assertEqual(codes(page), {("shares-above-one", 14)})
        self.assertIn("1.1", page["diagnostics"][0]["message"])

    def test_launches_that_people_reported(self):
        """Free memory below the share of a desktop's GPU; a checkpoint and
        experts larger than the host: 28,991,029,248 x 8 bits are 27 GiB."""
        card = ["--gpu", "RTX 3090"]
        page, _ = lint("reported.yml", *card)
        self.assertEqual({c for c, _ in codes(page)}, {
            "not-decided", "host-limit-below-weights",
            "host-memory-below-experts"})
        page, status = lint("reported.yml", *card, "--set",
                            "gpu_free=22.06GiB", "--set", "host_total=15GiB")
        self.assertEqual({c for c in codes(page) if c[0] != "not-decided"}, {
            ("restart-loop", 6), ("does-not-fit", 9),
            ("host-memory-below-weights", 10),
            ("host-memory-below-experts", 14),
            ("host-limit-below-weights", 22),
            ("host-memory-below-experts", 22)})
        self.assertIn("--gpu-memory-utilization 0.91", "".join(
            d["message"] for d in page["diagnostics"]))
        self.assertEqual(status, 1)
        page, _ = lint("reported.yml", *card, "--set", "gpu_free=23.4GiB",
                       "--set", "host_total=64GiB")
        self.assertEqual({c for c in codes(page) if c[0] != "not-decided"}, {
            ("host-limit-below-weights", 22),
            ("host-memory-below-experts", 22)})

    def test_what_is_no_yaml(self):
        page, status = lint("broken.yml")
        self.assertEqual(codes(page), {("not-read", 5)})
        self.assertEqual(status, 2)


def patched(text, diff):
    """What patch(1) would make of it, which a bare machine does not have."""
    lines, out, at = text.splitlines(True), [], 0
    for line in diff.splitlines(True):
        head = re.match(r"@@ -(\d+)", line)
        if head:
            start = int(head.group(1)) - 1
            out += lines[at:start]
            at = start
        elif line.startswith("+") and not line.startswith("+++"):
            out.append(line[1:])
        elif line[0] in " -" and not line.startswith("---"):
            assert lines[at] == line[1:], (lines[at], line)
            out += [line[1:]] if line[0] == " " else []
            at += 1
    return "".join(out + lines[at:])


class Formats(unittest.TestCase):
    def test_a_service_that_extends_another(self):
        page, _ = lint("extended.yml", "--gpu", "RTX 4090")
        self.assertEqual(verdicts(page), {
            "base": "fits", "long": "does_not_fit", "asleep": "fits"})
        self.assertEqual(codes(page), {
            ("sleep-mode-with-expandable-segments", 7), ("does-not-fit", 11),
            ("file-not-there", 16)})

    def test_a_cluster_of_ray_has_more_gpus_than_its_head(self):
        page, status = lint("over-ray.yaml", "--gpu", "MI300X")
        self.assertEqual(verdicts(page), {"ray-head": "fits"})
        self.assertEqual((codes(page), status), (set(), 0))

    def test_a_gpu_that_nobody_knows_is_refused(self):
        done = subprocess.run([OOMKB, "lint", "--gpu", "L44",
                               "tests/lint/fits.yml"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"unknown GPU 'L44': did you mean L4", done.stderr)

    def test_an_image_that_a_script_runs(self):
        page, status = lint("docker-run.sh", "--gpu", "L4")
        self.assertEqual(verdicts(page), {
            "vllm/vllm-openai:v0.21.0": "does_not_fit",
            "lmsysorg/sglang:v0.5.8": "fits"})
        self.assertEqual([(d["line"], d["code"]) for d in page["diagnostics"]],
                         [(5, "does-not-fit")])
        self.assertEqual(status, 1)

    def test_a_model_by_its_name_alone(self):
        """70 x 10^9 x 4 bits, a tenth less: 29.3 GiB on a GPU of 24."""
        page, status = lint("by-name.yml", "--gpu", "RTX 4090")
        self.assertEqual(verdicts(page), {
            "tune": "does_not_fit", "nameless": "unknown",
            "active": "unknown", "on-the-host": "unknown",
            "all-layers": "does_not_fit", "split-in-four": "unknown"})
        self.assertEqual(status, 1)
        said = [d["message"] for d in page["diagnostics"]
                if d["code"] == "weights-exceed-memory"]
        self.assertEqual(len(said), 2)
        self.assertIn("29.34 GiB", said[0])
        big = verdicts(lint("by-name.yml", "--gpu", "H100")[0])
        self.assertEqual(set(big.values()), {"unknown"})

    def test_experts_in_host_memory(self):
        """(30,532,122,624 - 28,991,029,248 - 622,329,856) x 8 bits."""
        page, status = lint("experts-aside.yml", "--gpu-memory", "512MiB")
        self.assertEqual(verdicts(page), {
            "by-rule": "does_not_fit", "by-switch": "does_not_fit",
            "some-on-a-gpu": "does_not_fit", "more-than-experts": "unknown",
            "fitted": "unknown", "not-all-layers": "unknown",
            "no-gpu": "unknown", "nameless": "does_not_fit"})
        self.assertIn("876.20 MiB", page["diagnostics"][0]["message"])
        self.assertEqual(status, 1)
        told = verdicts(lint("experts-aside.yml", "--gpu-memory", "1GiB")[0])
        self.assertEqual({n for n, v in told.items() if v != "unknown"},
                         {"nameless"})
        text = run("--gpu-memory", "512MiB", HERE / "experts-aside.yml")
        self.assertEqual(text.stdout.count("by-rule"), 1)

    def test_text_in_both_languages(self):
        done = run("--gpu", "RTX 4090", HERE / "too-long.yml")
        self.assertIn("tests/lint/too-long.yml:13:9: error: chat: ",
                      done.stdout)
        self.assertLessEqual(max(len(line) for line in
                                 done.stdout.splitlines()
                                 if line.startswith("  ")), 80)
        done = run("--lang", "zh", "--gpu", "RTX 4090", HERE / "too-long.yml")
        self.assertIn("放不下", done.stdout)

    def test_sarif(self):
        done = run("--format", "sarif", "--gpu", "RTX 4090",
                   HERE / "too-long.yml")
        page = json.loads(done.stdout)
        self.assertEqual(page["version"], "2.1.0")
        results = page["runs"][0]["results"]
        rules = {r["id"] for r in page["runs"][0]["tool"]["driver"]["rules"]}
        self.assertEqual({r["ruleId"] for r in results} - rules, set())
        self.assertEqual(len(results), 2)
        for result in results:  # what SARIF 2.1.0 requires of each
            self.assertIn(result["level"], {"error", "warning", "note"})
            place = result["locations"][0]["physicalLocation"]
            self.assertTrue(result["message"]["text"])
            self.assertGreaterEqual(place["region"]["startLine"], 1)
            self.assertGreaterEqual(place["region"]["startColumn"], 1)
            self.assertIn("uri", place["artifactLocation"])

    def test_github(self):
        done = run("--format", "github", "--gpu", "RTX 4090",
                   HERE / "too-long.yml")
        first, second = done.stdout.splitlines()
        self.assertTrue(first.startswith(
            "::warning file=tests/lint/too-long.yml,line=3,col=12,"))
        self.assertIn("%0A", second)

    def test_the_patched_file_lints_clean(self):
        for name in ("too-long.yml", "serve.yaml", "ray.yaml"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.patched(name, pathlib.Path(folder))

    def patched(self, name, folder):
        card = ["--gpu", "RTX 4090" if name == "too-long.yml" else "A10"]
        work = folder / name
        text = (HERE / name).read_text()
        if name == "serve.yaml":
            text = text.replace("Qwen3-14B", "Qwen3-8B")
        if name == "ray.yaml":
            text = text.replace("Qwen3-32B", "Qwen3-8B")
            text = text.replace("L40S", "A10").replace("32768", "40960")
        work.write_text(text)
        self.assertEqual(run(*card, work).returncode, 1)
        diff = run("--fix", *card, work)
        work.write_text(patched(text, diff.stdout))
        again = run(*card, work)
        self.assertEqual(again.returncode, 0, again.stdout)


class Usage(unittest.TestCase):
    def test_what_cannot_be_asked(self):
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("nowhere.yml").returncode, 2)
        self.assertEqual(run("--format", "csv",
                             HERE / "fits.yml").returncode, 2)
        self.assertEqual(run("--model", "x", HERE / "fits.yml").returncode, 2)


if __name__ == "__main__":
    unittest.main()
