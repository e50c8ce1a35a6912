#!/usr/bin/env python3
"""The line that says how far reading is: on a terminal only, after a second,
within its width, and gone when the answer comes."""
import concurrent.futures
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C", "TERM": "xterm"}
FILE_BYTES = 2 << 30  # sparse: takes no room, and long enough to be stopped in
LONGER_THAN_A_SECOND = 1.3
NARROW = (60, 40, 24, 12, 7)  # columns


class Terminal:
    """A program whose stderr is a terminal; what that showed is in .shown."""

    def __init__(self, *words, columns=80, stdin=subprocess.DEVNULL, **env):
        self.master, slave = pty.openpty()
        size = struct.pack("HHHH", 24, columns, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.child = subprocess.Popen(
            [OOMKB, *words], stdin=stdin, stdout=subprocess.PIPE,
            stderr=slave, env={**ENV, **env})
        os.close(slave)
        self.bytes = bytearray()
        self.thread = threading.Thread(target=self.gather, daemon=True)
        self.thread.start()

    def gather(self):
        try:
            while piece := os.read(self.master, 65536):
                self.bytes += piece
        except OSError:
            pass  # the terminal is gone

    def end(self):
        out = self.child.stdout.read()
        self.child.wait()
        self.child.stdout.close()
        self.thread.join()
        os.close(self.master)
        return out

    def drawn(self):
        """Each drawing of the line, and what is left at the end."""
        return self.bytes.decode().split("\r")


def stop_for_a_while(child):
    time.sleep(0.05)
    child.send_signal(signal.SIGSTOP)
    time.sleep(LONGER_THAN_A_SECOND)
    child.send_signal(signal.SIGCONT)
    time.sleep(0.5)


def of_a_file(options):
    """Long enough to be seen; then the file ends early."""
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        file.truncate(FILE_BYTES)
        terminal = Terminal(file.name, **options)
        stop_for_a_while(terminal.child)
        file.truncate(0)
        terminal.end()
    return terminal


class Progress(unittest.TestCase):
    cases = {"wide": {"columns": 100}, "zh": {"LANG": "zh_CN.UTF-8"},
             "no colour": {"NO_COLOR": "1"}, "dumb": {"TERM": "dumb"},
             **{columns: {"columns": columns} for columns in NARROW}}

    @classmethod
    def setUpClass(cls):
        """All at once: they wait more than they work."""
        with concurrent.futures.ThreadPoolExecutor(len(cls.cases)) as pool:
            cls.terminals = dict(zip(cls.cases, pool.map(
                of_a_file, cls.cases.values())))

    def test_a_file_has_a_bar_a_rate_and_an_end(self):
        shown = self.terminals["wide"].drawn()
        self.assertRegex(
            shown[1], r"^\[#*\.+\]  \d+ %  [\d.]+ [KMG]iB of 2\.0 GiB  "
                      r"[\d.]+ [KMG]iB/s  [\d:]+ (s|min) left *$")
        self.assertEqual(shown[-1], "")
        self.assertRegex(shown[-2], r"^ +$")
        widest = max(len(row.rstrip()) for row in shown)
        self.assertGreaterEqual(len(shown[-2]), widest)

    def test_narrow_terminals_get_less(self):
        for columns in NARROW:
            shown = self.terminals[columns].drawn()
            self.assertGreater(len(shown), 2)
            for row in shown:
                self.assertLess(len(row), columns, shown)
            self.assertIn("%", shown[1])

    def test_in_chinese(self):
        shown = self.terminals["zh"].drawn()
        self.assertIn("剩余", shown[1])
        self.assertNotIn("cli.", shown[1])

    def test_a_pipe_has_bytes_and_a_rate(self):
        terminal = Terminal(stdin=subprocess.PIPE)
        terminal.child.stdin.write(b"INFO one\n" * 1000)
        terminal.child.stdin.flush()
        time.sleep(LONGER_THAN_A_SECOND)
        terminal.child.stdin.write(b"INFO two\n" * 1000)
        terminal.child.stdin.close()
        terminal.end()
        self.assertRegex(terminal.drawn()[1],
                         r"^[\d.]+ KiB  [\d.]+ KiB/s *$")

    def test_nothing_within_a_second(self):
        with tempfile.NamedTemporaryFile() as small:
            small.write(b"INFO\n")
            small.flush()
            terminal = Terminal(small.name)
            terminal.end()
        self.assertEqual(terminal.bytes, b"")

    def test_no_colour_and_nothing_to_obey(self):
        self.assertNotIn(b"\x1b", self.terminals["no colour"].bytes)

    def test_a_dumb_terminal_is_spared(self):
        self.assertEqual(self.terminals["dumb"].bytes, b"")

    def test_not_where_stderr_is_no_terminal(self):
        with tempfile.NamedTemporaryFile(suffix=".log") as file:
            file.truncate(FILE_BYTES)
            child = subprocess.Popen([OOMKB, file.name], env=ENV,
                                     stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
            stop_for_a_while(child)
            file.truncate(0)
            _, said = child.communicate()
        self.assertEqual(said, b"")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
