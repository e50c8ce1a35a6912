#!/usr/bin/env python3
"""`oomkb lint` and the files that others name: .env, env_file, extends from
another file, ConfigMaps; and files that cannot be read, in one document.

Llama-3.1-8B: 131,072 tokens are 16 GiB of KV cache beside 15 GiB of weights.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path("tests/lint/beside")
OOMKB = os.environ.get("OOMKB", "build/oomkb")
CARD = ["--gpu", "RTX 4090"]


def run(*args):
    env = dict(os.environ, LC_ALL="C.UTF-8", CONTEXT="131072")
    return subprocess.run([OOMKB, "lint", *map(str, args)], text=True,
                          capture_output=True, check=False, env=env)


def lint(*args):
    done = run("--format", "json", *args)
    return json.loads(done.stdout), done.returncode


def found(page):
    """(file, code, line), the file's name below the folder."""
    return {(os.path.relpath(d["path"], HERE), d["code"], d["line"])
            for d in page["diagnostics"]}


def verdicts(page):
    return {s["service"]: s["verdict"] for s in page["services"]}


class Compose(unittest.TestCase):
    def test_dot_env_fills_variables(self):
        page, _ = lint(*CARD, HERE / "compose.yml")
        self.assertEqual(verdicts(page)["filled"], "does_not_fit")
        self.assertIn(("compose.yml", "does-not-fit", 7), found(page))

    def test_a_script_that_is_sourced_first(self):
        """Its assignments are read, its other lines are not env lines."""
        page, status = lint(*CARD, "--env-file", HERE / "set_env.sh",
                            HERE / "sourced.yml")
        self.assertEqual((verdicts(page), page["diagnostics"], status),
                         ({"chat": "fits"}, [], 0))

    def test_the_option_takes_its_place(self):
        page, _ = lint(*CARD, "--env-file", HERE / "other.env",
                       HERE / "compose.yml")
        self.assertEqual(verdicts(page)["filled"], "fits")

    def test_the_environment_is_not_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "compose.yml"
            work.write_text("services:\n  chat:\n"
                            "    image: vllm/vllm-openai\n    command: "
                            "--model Qwen/Qwen3-8B "
                            "--max-model-len ${CONTEXT:-4096}\n")
            page, _ = lint(*CARD, work)
            self.assertEqual(verdicts(page), {"chat": "fits"})

    def test_a_service_of_another_file(self):
        page, _ = lint(*CARD, HERE / "compose.yml")
        told = verdicts(page)
        self.assertEqual(told["inherited"], "fits")
        self.assertEqual(told["as-it-is"], "does_not_fit")
        self.assertEqual(told["round-and-round"], "fits")
        base = "shared/base.yml"
        self.assertLessEqual({(base, "does-not-fit", 10),
                              (base, "restart-loop", 4),
                              (base, "variable-meant", 5)}, found(page))
        places = [(d["path"], d["line"], d["code"], d["message"])
                  for d in page["diagnostics"]]
        self.assertEqual(len(places), len(set(places)))  # each once

    def test_nothing_is_changed_in_another_file(self):
        diff = run("--fix", *CARD, HERE / "compose.yml").stdout
        self.assertNotIn("+++ b/tests/lint/beside/shared/base.yml", diff)
        self.assertNotIn("131072", diff)

    def test_files_of_variables(self):
        page, status = lint(*CARD, HERE / "compose.yml")
        self.assertIn(("serve.env", "variable-is-no-flag", 2), found(page))
        self.assertNotIn(".env", {f for f, _, _ in found(page)})
        self.assertEqual(status, 1)

    def test_what_is_wrong_with_them(self):
        page, status = lint(*CARD, HERE / "wrong.yml")
        self.assertEqual(found(page), {
            ("wrong.yml", "file-not-there", 4),
            ("wrong.yml", "file-not-there", 6),
            ("wrong.yml", "service-not-there", 9),
            ("broken.env", "env-line", 3), ("broken.env", "env-line", 4),
            ("broken.yml", "not-read", 3),
            ("wrong.yml", "service-not-there", 17),
            ("wrong.yml", "file-not-there", 22)})
        self.assertEqual(set(verdicts(page).values()), {"likely"})
        self.assertEqual(status, 1)

    def test_a_chain_without_an_end(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "compose.yml"
            work.write_text("services:\n" + "".join(
                f"  s{i}: {{extends: s{i + 1}, image: vllm/vllm-openai}}\n"
                for i in range(40)) + "  s40: {command: --model Qwen/Qwen3-8B"
                " --max-model-len 4096}\n")
            page, _ = lint(*CARD, work)
            self.assertEqual(verdicts(page)["s39"], "fits")

    def test_no_folder_and_no_pipe_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "compose.yml"
            os.mkfifo(pathlib.Path(folder) / "pipe")
            work.write_text("services: {a: {image: vllm/vllm-openai, "
                            "env_file: [pipe, /dev/zero, .]}}")
            page, _ = lint(work)
            self.assertEqual([d["code"] for d in page["diagnostics"]
                              if d["code"] == "file-not-there"],
                             ["file-not-there"] * 3)


class Manifests(unittest.TestCase):
    def test_config_maps_of_the_files_given(self):
        page, _ = lint(HERE / "pod.yaml", HERE / "settings.yaml")
        self.assertEqual(verdicts(page), {"vllm": "does_not_fit"})
        self.assertEqual(found(page), {("pod.yaml", "does-not-fit", 10)})

    def test_in_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "all.yaml"
            work.write_text((HERE / "pod.yaml").read_text() + "---\n"
                            + (HERE / "settings.yaml").read_text())
            page, _ = lint(work)
            self.assertEqual(verdicts(page), {"vllm": "does_not_fit"})

    def test_one_that_nobody_gave(self):
        page, status = lint(HERE / "pod.yaml")
        self.assertEqual(found(page), {
            ("pod.yaml", "model-not-known", 10),
            ("pod.yaml", "variable-without-value", 10),
            ("pod.yaml", "config-map-not-there", 12),
            ("pod.yaml", "config-map-not-there", 17)})
        self.assertEqual(status, 2)

    def test_one_of_another_namespace(self):
        with tempfile.TemporaryDirectory() as folder:
            pod = pathlib.Path(folder) / "pod.yaml"
            maps = pathlib.Path(folder) / "maps.yaml"
            pod.write_text((HERE / "pod.yaml").read_text().replace(
                "metadata: {name: chat}",
                "metadata: {name: chat, namespace: mine}"))
            maps.write_text((HERE / "settings.yaml").read_text().replace(
                "metadata: {name: chat-models}",
                "metadata: {name: chat-models, namespace: yours}"))
            page, _ = lint(pod, maps)
            self.assertEqual(verdicts(page), {"vllm": "unknown"})


class Unreadable(unittest.TestCase):
    def test_one_document(self):
        with tempfile.TemporaryDirectory() as folder:
            large = pathlib.Path(folder) / "large.yml"
            large.write_text("# " + "x" * (1 << 20))
            gone = pathlib.Path(folder) / "gone.yml"
            for form in ("json", "sarif"):
                done = run("--format", form, large, gone,
                           HERE / "compose.yml")
                page = json.loads(done.stdout)  # not two of them
                self.assertEqual(done.returncode, 2)
                if form == "json":
                    self.assertEqual(
                        [d["path"] for d in page["diagnostics"]
                         if d["code"] == "unreadable"],
                        [str(large), str(gone)])
                    self.assertEqual(len(page["services"]), 5)

    def test_people_are_told_on_stderr(self):
        with tempfile.TemporaryDirectory() as folder:
            large = pathlib.Path(folder) / "large.yml"
            large.write_text("# " + "x" * (1 << 20))
            done = run(large)
            self.assertIn("1 MiB", done.stderr)
            self.assertEqual((done.stdout, done.returncode), ("", 2))

    def test_variables_that_nobody_can_read(self):
        done = run("--env-file", "nowhere.env", HERE / "compose.yml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere.env", done.stderr)


if __name__ == "__main__":
    unittest.main()
