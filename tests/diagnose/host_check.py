#!/usr/bin/env python3
"""What is said where host memory ran out: what is known of the peak and what
is not, who can be asked for it there, and how often it happened."""
import json
import os
import subprocess
import sys
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}


def run(lines, *words):
    done = subprocess.run([OOMKB, *words], input="\n".join(lines).encode() +
                          b"\n", env=ENV, stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


def report(*lines):
    return json.loads(run(lines, "--format", "json"))


def asked_for_peak(*lines):
    """None: it is not asked for; "": without a command."""
    asked = {q["fact"]: q["how"] or "" for q in report(*lines)["questions"]}
    return asked.get("host_rss")


def flat(said):
    return " ".join(said.split())


class Peak(unittest.TestCase):
    PBS = ("=>> PBS: job killed: mem 38427376kb exceeded limit 33554432kb",)
    KERNEL = ("[77120.100000] Out of memory: Killed process 9917 (python3) "
              "total-vm:21474836kB, anon-rss:16777216kB, file-rss:0kB, "
              "shmem-rss:0kB",)

    def test_known_and_unknown_are_told_in_words(self):
        for words in ((), ("--format", "markdown")):
            said = flat(run(self.PBS, *words))
            self.assertIn("Host memory in use: 36.6 GiB; the limit is 32.0 GiB "
                          "(line 1): short by 4.65 GiB.", said)
            self.assertIn("44 GiB is a first try: the process was killed before its",
                          said)
            self.assertNotIn("<=?", said)
            self.assertNotIn("36.6 GiB -> ", said)

    def test_the_same_in_chinese(self):
        said = "".join(run(self.PBS, "--lang", "zh").split())
        self.assertIn("主机内存已用36.6GiB，上限32.0GiB（第1行），还差4.65GiB。",
                      said)
        self.assertIn("先试44GiB", said)

    def test_where_no_limit_is_known_none_is_named(self):
        cgroup = (self.KERNEL[0].replace("Out of", "Memory cgroup out of"),)
        said = flat(run(cgroup))
        self.assertIn("python3 was killed at 16 GiB of host memory (line 1).",
                      said)
        self.assertNotIn("the limit is", said)
        self.assertIn("20 GiB is the least: what other processes hold", said)


class Asked(unittest.TestCase):
    """Only what the place can tell, and only where it is of use."""

    def test_a_function_has_no_kernel_to_ask(self):
        self.assertNotIn("dmesg", asked_for_peak(
            "RequestId: 7102cad9 Error: Runtime exited with error: signal: "
            "killed", "Runtime.ExitError") or "")

    def test_a_hosted_container_has_none_either(self):
        for line in ("OutOfMemoryError: Container killed due to memory usage",
                     "The replica workerpool0-0 ran out-of-memory and exited "
                     "with a non-zero status of 137(SIGKILL).",
                     "Reason: Memory limit exceeded (16Gi)"):
            with self.subTest(line=line):
                self.assertNotIn("dmesg", asked_for_peak(line) or "")

    def test_a_notebook_that_was_restarted(self):
        self.assertIsNone(asked_for_peak(
            "Your notebook tried to allocate more memory than is available. "
            "It has restarted."))

    def test_who_was_refused_was_not_killed(self):
        for line in ("MemoryError",
                     "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. "
                     "DefaultCPUAllocator: can't allocate memory: you tried "
                     "to allocate 42949672960 bytes. Error code 12 (Cannot "
                     "allocate memory)",
                     "FATAL ERROR: Reached heap limit Allocation failed - "
                     "JavaScript heap out of memory",
                     "java.lang.OutOfMemoryError: Java heap space",
                     "OSError: [WinError 1455] The paging file is too small "
                     "for this operation to complete"):
            with self.subTest(line=line):
                self.assertNotIn("dmesg", asked_for_peak(line) or "")

    def test_who_was_killed_is_asked_about_the_kernel(self):
        self.assertIn("dmesg", asked_for_peak(
            "Loading checkpoint shards:  12%|#2        | 4/33",
            "/bin/start.sh: line 3: 4711 Killed    python serve.py"))

    def test_other_makers_have_other_tools(self):
        npu = ("RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB "
               "(NPU 0; 60.97 GiB total capacity; 58.00 GiB already "
               "allocated; 58.10 GiB current active; 1.00 GiB free; 59.00 GiB "
               "reserved in total by PyTorch)")
        for q in report(npu)["questions"]:
            self.assertNotIn("nvidia-smi", q["how"] or "")


class NoMemory(unittest.TestCase):
    def test_an_unguarded_script_breaks_its_pool_without_memory(self):
        broken = ("concurrent.futures.process.BrokenProcessPool: A process in "
                  "the process pool was terminated abruptly while the future "
                  "was running or pending.")
        why = ("RuntimeError:", "        An attempt has been made to start a "
               "new process before the", "        current process has "
               "finished its bootstrapping phase.", "")
        got = report(*why, broken)
        self.assertEqual([f["entry"] for f in got["findings"]],
                         ["python/pool-unguarded-main"])
        self.assertEqual(got["questions"], [])
        self.assertIn("no memory failure", run((*why, broken)))
        self.assertEqual([f["entry"] for f in report(broken)["findings"]],
                         ["python/broken-process-pool"])


class Events(unittest.TestCase):
    KILL = ("[  100.100000] python invoked oom-killer: "
            "gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=968",
            "[  100.200000] oom-kill:constraint=CONSTRAINT_MEMCG,"
            "nodemask=(null),cpuset=abc,mems_allowed=0,oom_memcg=/kubepods/pod1,"
            "task_memcg=/kubepods/pod1/c1,task=python,pid={0},uid=0",
            "[  100.300000] Memory cgroup out of memory: Killed process {0} "
            "(python) total-vm:41943040kB, anon-rss:16252928kB, file-rss:102400kB, "
            "shmem-rss:0kB, UID:1000 pgtables:33000kB oom_score_adj:968",
            "[  100.400000] oom_reaper: reaped process {0} (python), now "
            "anon-rss:0kB, file-rss:0kB, shmem-rss:0kB")

    def count(self, *pids):
        lines = [line.format(pid) for pid in pids for line in self.KILL]
        return {f["entry"]: f["count"] for f in report(*lines)["findings"]}[
            "linux-kernel/oom-killer"]

    def test_the_lines_of_one_kill_are_one(self):
        self.assertEqual(self.count(4321), 1)
        self.assertNotIn("Seen 2 times", run([line.format(4321)
                                              for line in self.KILL]))

    def test_two_kills_are_two(self):
        self.assertEqual(self.count(4321, 5555), 2)


class Heap(unittest.TestCase):
    """A JVM needs more than its heap."""
    STEP = "slurmstepd: Step 717680.0 exceeded memory limit (8414616 > 8388608), being killed"

    def fixes(self, *lines):
        return [f["id"] for f in report(self.STEP, *lines)["findings"][0]["fixes"]
                if f["applies"] == "yes"]

    def test_a_heap_that_may_fill_the_limit_is_named(self):
        self.assertIn("heap-below-limit", self.fixes("java -Xmx8g -jar index.jar"))

    def test_a_small_heap_and_none_are_not(self):
        self.assertNotIn("heap-below-limit", self.fixes("java -Xmx4g -jar index.jar"))
        self.assertNotIn("heap-below-limit", self.fixes())


class NoProcess(unittest.TestCase):
    """The kernel ends the largest process it may."""
    FULL = ("[  102.330337] Out of memory: Killed process 265 ({}) "
            "total-vm:115232kB, anon-rss:{}kB, file-rss:11700kB, shmem-rss:0kB")

    def first(self, *words):
        return report(self.FULL.format(*words))["findings"][0]["fixes"][0]["id"]

    def test_a_tiny_one_is_not_what_filled_the_machine(self):
        self.assertEqual(self.first("splashd", 520), "no-process-holds-it")

    def test_a_large_one_may_be(self):
        self.assertNotEqual(self.first("indexer", 9437184), "no-process-holds-it")


class Table(unittest.TestCase):
    """The kernel's table of processes: who held the memory."""
    HEAD = ("[  5.1] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes "
            "swapents oom_score_adj name")

    def row(self, pid, pages, name):
        return (f"[  5.1] [{pid:7}]  1000 {pid:5} {pages * 3:8} {pages:8} "
                f"  901120        0             0 {name}")

    def victim(self, name, kib):
        return (f"[  5.2] Out of memory: Killed process 265 ({name}) total-vm:"
                f"{kib * 4}kB, anon-rss:{kib}kB, file-rss:0kB, shmem-rss:0kB")

    def table(self, *rows):
        return (self.HEAD, *(self.row(*row) for row in rows))

    SEVERAL = ((31, 524288, "feedd"), (32, 524288, "feedd"),
               (33, 700000, "npm run watch"), (34, 9, "cron"))

    def facts(self, *lines):
        first = report(*lines)["findings"][0]
        return {f["name"]: f["value"] for f in first["facts"]}

    def first(self, *lines):
        return report(*lines)["findings"][0]["fixes"][0]["id"]

    def test_processes_of_one_name_count_together(self):
        facts = self.facts(*self.table(*self.SEVERAL))
        self.assertEqual(facts["largest_process"], "feedd")
        self.assertEqual(facts["largest_rss"], 4 << 30)

    def test_a_name_may_have_blanks(self):
        facts = self.facts(*self.table(*self.SEVERAL[2:]))
        self.assertEqual(facts["largest_process"], "npm run watch")

    def test_without_the_victim_the_largest_is_said_and_made_smaller(self):
        lines = self.table(*self.SEVERAL)
        self.assertEqual(self.first(*lines), "largest-process")
        self.assertIn("feedd holds most: 4 GiB in all (line 2).",
                      flat(run(lines)))

    def test_a_small_largest_is_no_advice(self):
        self.assertEqual(self.first(*self.table((34, 20000, "cron"))),
                         "add-or-free-ram")

    def test_a_victim_that_is_the_largest_needs_no_second_name(self):
        lines = (*self.table((31, 2097152, "feedd")),
                 self.victim("feedd", 8388608))
        self.assertNotIn("holds most", flat(run(lines)))

    def test_a_tiny_victim_beside_a_large_process(self):
        lines = (*self.table(*self.SEVERAL), self.victim("splashd", 520))
        self.assertIn("feedd holds most: 4 GiB", flat(run(lines)))
        self.assertEqual(self.first(*lines), "largest-process")

    def test_each_report_has_its_own_table(self):
        lines = (*self.table((31, 2097152, "feedd")), self.victim("a", 520),
                 *self.table((31, 300000, "feedd"), (40, 900000, "mailer")),
                 self.victim("b", 520))
        facts = self.facts(*lines)
        self.assertEqual(facts["largest_process"], "mailer")
        self.assertEqual(facts["largest_rss"], 900000 * 4096)


class Told(unittest.TestCase):
    def limit(self, line):
        first = report(line)["findings"][0]
        self.assertEqual(first["entry"], "kubernetes/oomkilled")
        return {f["name"]: f["value"] for f in first["facts"]}.get("memory_limit")

    def test_a_pods_end_in_words(self):
        self.assertEqual(self.limit("indexer was terminated for exceeding its "
                                    "memory limit of 6Gi (OOMKilled)"), 6 << 30)
        self.assertIsNone(self.limit("It fails due to OOM: exit code 137 "
                                     "(OOMKilled)"))

    def test_swap_is_nothing_for_a_pod(self):
        kill = ("Memory cgroup out of memory: Killed process 9 (api) total-vm:"
                "9kB, anon-rss:900000kB, file-rss:0kB, shmem-rss:0kB")
        pod = "oom_memcg=/kubepods.slice/pod1.slice,task_memcg=/a,task=api,"
        def offers(*lines):
            return [f["id"] for f in report(*lines)["findings"][0]["fixes"]
                    if f["applies"] == "yes"]
        self.assertIn("add-swap", offers(kill))
        self.assertNotIn("add-swap", offers("kubepods " + pod, kill))

    def test_an_evicted_pod_is_told_how_much_to_request(self):
        said = flat(run(("The node was low on resource: memory. Container api "
                         "was using 166088Ki, which exceeds its request of "
                         "10Mi.",)))
        self.assertIn("195 MiB", said)

    def test_a_frame_is_not_what_is_quoted(self):
        said = flat(run(("[ 1.0] app invoked oom-killer: gfp_mask=0x14000c0"
                         "(GFP_KERNEL), order=0, oom_score_adj=0",
                         "[ 1.1]  pagefault_out_of_memory+0x36/0x7c")))
        self.assertIn("Line 1: ", said)

    def test_a_context_above_the_model_is_what_is_lowered(self):
        refused = ("model requires more system memory (91.5 GiB) than is "
                   "available (59.8 GiB), of {}")
        def first(model):
            return report(refused.format(model))["findings"][0]["fixes"][0]["id"]
        self.assertEqual(first("qwen2.5:32b-instruct-q6_K"),
                         "context-above-model")
        self.assertNotEqual(first("llama3.1:405b-instruct-q4_K_M"),
                            "context-above-model")

    def test_a_client_of_elasticsearch_has_a_heap_of_its_own(self):
        full = "java.lang.OutOfMemoryError: Java heap space"
        def first(line):
            return report(line, full)["findings"][0]["fixes"][0]["id"]
        self.assertEqual(first("at org.elasticsearch.index.engine.Engine.get"),
                         "elasticsearch-heap")
        self.assertNotEqual(first("at org.elasticsearch.plugins.PluginsService"),
                            "elasticsearch-heap")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
