#!/usr/bin/env python3
"""`oomkb mcp`: both eras of the protocol, five tools, and bad messages. The
real clients are asked by `make check-clients`."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("OOMKB_SAN") or os.environ.get(
    "OOMKB", str(ROOT / "build/oomkb"))
LOG = (ROOT / "entries/vllm/kv-cache-too-small.log").read_text()
COMPOSE = """services:
  vllm:
    image: vllm/vllm-openai:v0.20.0
    command: --model Qwen/Qwen2.5-72B-Instruct
"""
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}


def talk(*messages):
    """The replies to messages: objects, or text as it is."""
    said = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n"
                   for m in messages)
    done = subprocess.run([PROGRAM, "mcp"], input=said, capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(method, params=None, number=1):
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else message | {"params": params}


def call(name, meta=None, **arguments):
    params = {"name": name, "arguments": arguments}
    return request("tools/call", params | ({"_meta": meta} if meta else {}))


class Mcp(unittest.TestCase):
    def test_an_old_client_is_greeted_in_its_version(self):
        for asked, said in (("2024-11-05", "2024-11-05"),
                            ("2025-11-25", "2025-11-25"),
                            ("1999-01-01", "2025-11-25")):
            reply, = talk(request("initialize", {"protocolVersion": asked}),
                          {"jsonrpc": "2.0",
                           "method": "notifications/initialized"})
            self.assertEqual(reply["result"]["protocolVersion"], said)
            self.assertEqual(reply["result"]["serverInfo"]["name"], "oomkb")
            self.assertIn("tools", reply["result"]["capabilities"])

    def test_a_modern_client_discovers_and_every_result_is_stamped(self):
        found, listed, called = talk(
            request("server/discover", {"_meta": MODERN}),
            request("tools/list", {"_meta": MODERN}),
            call("search_entries", MODERN, words="shm"))
        self.assertEqual(found["result"]["supportedVersions"], ["2026-07-28"])
        for reply in (found, listed):
            self.assertEqual(reply["result"]["cacheScope"], "public")
            self.assertGreater(reply["result"]["ttlMs"], 0)
        for reply in (found, listed, called):
            self.assertEqual(reply["result"]["resultType"], "complete")
            self.assertIn("io.modelcontextprotocol/serverInfo",
                          reply["result"]["_meta"])

    def test_a_version_to_come_is_refused_with_those_that_are_known(self):
        reply, = talk(request("tools/list", {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2030-01-01"}}))
        self.assertEqual(reply["error"]["code"], -32022)
        self.assertEqual(reply["error"]["data"]["supported"], ["2026-07-28"])

    def test_an_old_result_has_no_modern_fields(self):
        reply, = talk(request("tools/list"))
        self.assertEqual(set(reply["result"]), {"tools"})

    def test_tools_have_schemas_and_are_read_only(self):
        reply, = talk(request("tools/list"))
        tools = {t["name"]: t for t in reply["result"]["tools"]}
        self.assertEqual(set(tools), {"diagnose_log", "fit_memory",
                                      "search_entries", "explain_entry",
                                      "lint_file"})
        for tool in tools.values():
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertEqual(tool["outputSchema"]["type"], "object")
            self.assertTrue(tool["annotations"]["readOnlyHint"])

    def test_a_log_is_diagnosed_in_both_languages_and_with_facts(self):
        en, zh, more = talk(
            call("diagnose_log", log=LOG), call("diagnose_log", log=LOG, lang="zh"),
            call("diagnose_log", log=LOG, facts=["gpu_name=A10G"]))
        for reply in (en, zh):
            found = reply["result"]["structuredContent"]["findings"][0]
            self.assertEqual(found["entry"], "vllm/kv-cache-too-small")
        self.assertIn("Do this first", en["result"]["content"][0]["text"])
        self.assertIn("优先尝试", zh["result"]["content"][0]["text"])
        self.assertIn("A10G", json.dumps(
            more["result"]["structuredContent"]["context"]))

    def test_the_json_is_the_programs(self):
        reply, = talk(call("diagnose_log", log=LOG))
        program = subprocess.run(
            [PROGRAM, "--format", "json", "-"], input=LOG, text=True,
            capture_output=True, timeout=300, check=False,
            env=os.environ | {"XDG_DATA_HOME": "/nowhere"})
        self.assertEqual(reply["result"]["structuredContent"],
                         json.loads(program.stdout))

    def test_fit_takes_a_command_or_facts(self):
        one, two = talk(
            call("fit_memory", command="vllm serve Qwen/Qwen2.5-7B-Instruct",
                 facts=["gpu_name=A10G"]),
            call("fit_memory", facts=["model=Qwen/Qwen2.5-7B-Instruct",
                                      "engine=vllm", "gpu_name=A10G"]))
        self.assertEqual(one["result"]["structuredContent"]["verdict"],
                         two["result"]["structuredContent"]["verdict"])

    def test_a_file_is_linted_as_the_program_does(self):
        reply, zh = talk(
            call("lint_file", path="compose.yml", text=COMPOSE,
                 facts=["gpu_name=A10G"]),
            call("lint_file", path="compose.yml", text=COMPOSE, lang="zh"))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "compose.yml").write_text(COMPOSE)
            done = subprocess.run(
                [pathlib.Path(PROGRAM).resolve(), "lint", "--format",
                 "json", "--gpu", "A10G", "compose.yml"],
                cwd=folder, capture_output=True, text=True, timeout=300,
                check=False, env=os.environ | {"XDG_DATA_HOME": "/nowhere"})
        said = reply["result"]["structuredContent"]
        self.assertEqual(said, json.loads(done.stdout))
        self.assertIn("does-not-fit",
                      [d["code"] for d in said["diagnostics"]])
        self.assertIn("compose.yml:", reply["result"]["content"][0]["text"])
        self.assertNotEqual(reply["result"]["content"],
                            zh["result"]["content"])

    def test_results_have_what_their_schemas_require(self):
        listed, *replies = talk(
            request("tools/list"), call("diagnose_log", log=LOG),
            call("fit_memory", facts=["model=Qwen/Qwen2.5-7B-Instruct"]),
            call("search_entries", words="shm"),
            call("explain_entry", id="slurm/oom-kill"),
            call("lint_file", path="compose.yml", text=COMPOSE,
                 facts=["gpu_name=A10G"]))
        for tool, reply in zip(listed["result"]["tools"], replies):
            for key in tool["outputSchema"]["required"]:
                self.assertIn(key, reply["result"]["structuredContent"])

    def test_what_a_tool_refuses_is_said_as_its_result(self):
        for message, words in (
                (call("explain_entry", id="vllm/nope"), "vllm/nope"),
                (call("explain_entry"), "`id` is missing"),
                (call("diagnose_log", log="x", facts=["nope=1"]), "nope"),
                (call("diagnose_log", log="x", lang="fr"), "lang should be"),
                (call("lint_file", text="x"), "`path` is missing"),
                (call("lint_file", path="x", text="x", lang="fr"),
                 "lang should be"),
                (call("lint_file", path="x.yml", text="x" * (2 << 20)),
                 "1 MiB"),
                (call("fit_memory"), "missing")):
            reply, = talk(message)
            self.assertTrue(reply["result"]["isError"], message)
            self.assertIn(words, reply["result"]["content"][0]["text"])

    def test_facts_are_refused_that_cannot_be_held(self):
        for facts, words in ((["gpu_name=A10G"] * 65, "65, of at most 64"),
                             (["gpu_name=A10G", 17], "item 1 is none"),
                             ({"gpu_name": "A10G"}, "should be a list")):
            reply, = talk(call("diagnose_log", log=LOG, facts=facts))
            self.assertTrue(reply["result"]["isError"])
            self.assertIn(words, reply["result"]["content"][0]["text"])

    def test_a_message_that_is_too_long_is_refused_and_the_next_answered(self):
        long, next_one = talk(call("diagnose_log", log="x" * (64 << 20)),
                              request("ping"))
        self.assertEqual(long["error"]["code"], -32600)
        self.assertIn("longer than 64 MiB", long["error"]["message"])
        self.assertEqual(next_one["result"], {})

    def test_bad_messages_have_their_codes_and_nothing_stops(self):
        replies = talk("junk", "[]", "17", '{"id": 3}', request("nope"),
                       request("tools/call", {}),
                       request("tools/call", {"name": "nope"}),
                       request("tools/call", []), '{"method": {}, "id": 1}',
                       '{"id": 9, "result": {}}', "", request("ping"))
        codes = [r.get("error", {}).get("code") for r in replies]
        self.assertEqual(codes, [-32700, -32600, -32600, -32600, -32601,
                                 -32602, -32602, -32602, -32600, None])
        self.assertEqual(replies[-1]["result"], {})


if __name__ == "__main__":
    unittest.main()
