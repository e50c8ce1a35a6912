#!/usr/bin/env python3
"""The line that says how far reading is: on a terminal only, after a second,
within its width, and gone when the answer comes."""
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
    time.sleep(0.3)


class Progress(unittest.TestCase):
    def setUp(self):
        self.file = tempfile.NamedTemporaryFile(suffix=".log")
        self.addCleanup(self.file.close)
        self.file.truncate(FILE_BYTES)

    def of_a_file(self, **options):
        """Long enough to be seen; then the file ends early."""
        self.file.truncate(FILE_BYTES)
        terminal = Terminal(self.file.name, **options)
        stop_for_a_while(terminal.child)
        self.file.truncate(0)
        terminal.end()
        return terminal

    def test_a_file_has_a_bar_a_rate_and_an_end(self):
        shown = self.of_a_file(columns=100).drawn()
        self.assertRegex(
            shown[1], r"^\[#*\.+\]  \d+ %  [\d.]+ [KMG]iB of 2\.0 GiB  "
                      r"[\d.]+ [KMG]iB/s  [\d:]+ (s|min) left *$")
        self.assertEqual(shown[-1], "")
        self.assertRegex(shown[-2], r"^ +$")
        widest = max(len(row.rstrip()) for row in shown)
        self.assertGreaterEqual(len(shown[-2]), widest)

    def test_narrow_terminals_get_less(self):
        for columns in (60, 40, 24, 12, 7):
            shown = self.of_a_file(columns=columns).drawn()
            self.assertGreater(len(shown), 2)
            for row in shown:
                self.assertLess(len(row), columns, shown)
            self.assertIn("%", shown[1])

    def test_in_chinese(self):
        shown = self.of_a_file(LANG="zh_CN.UTF-8").drawn()
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
        shown = self.of_a_file(NO_COLOR="1")
        self.assertNotIn(b"\x1b", shown.bytes)

    def test_a_dumb_terminal_is_spared(self):
        self.assertEqual(self.of_a_file(TERM="dumb").bytes, b"")

    def test_not_where_stderr_is_no_terminal(self):
        child = subprocess.Popen([OOMKB, self.file.name], env=ENV,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        stop_for_a_while(child)
        self.file.truncate(0)
        _, said = child.communicate()
        self.assertEqual(said, b"")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
