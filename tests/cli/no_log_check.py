#!/usr/bin/env python3
"""What is no log is said to be that: one line, exit status 2, in both
languages, as text and as JSON; never "no known failure". What was compressed
twice is read. Run from anywhere; OOMKB names the program."""
import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
LOG = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
      b"2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which " \
      b"1.13 GiB is free.\n"


def oomkb(*words, stdin=b""):
    return subprocess.run([OOMKB, *words], input=stdin, env=ENV, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("train.log", LOG)
    return out.getvalue()


def database():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "runs.db")
        base = sqlite3.connect(path)
        base.execute("create table oom (what text)")
        base.commit()
        base.close()
        return pathlib.Path(path).read_bytes()


def picture():
    def chunk(name, data):
        body = name + data
        return struct.pack(">I", len(data)) + body \
            + struct.pack(">I", zlib.crc32(body))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) \
        + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


NO_LOGS = {  # what it is, a word of what is said
    "zip": (zipped(), "zip archive: unzip it"),
    "zip in gzip": (gzip.compress(zipped()), "zip archive: unzip it"),
    "bzip2": (bz2.compress(LOG), "bzip2"),
    "lzma": (lzma.compress(LOG, format=lzma.FORMAT_ALONE), "lzma"),
    "three times": (gzip.compress(gzip.compress(gzip.compress(LOG))), "gzip"),
    "PNG": (picture(), "PNG image"),
    "JPEG": (b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", "JPEG"),
    "GIF": (b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0;", "GIF"),
    "ELF": (pathlib.Path(sys.executable).read_bytes()[:4096], "ELF"),
    "PE": (b"MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff\0\0" + bytes(48), "Windows"),
    "SQLite": (database(), "SQLite database"),
    "PDF": (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "PDF"),
    "model": (b"GGUF\3\0\0\0\x24\1\0\0\0\0\0\0\x1a\0\0\0\0\0\0\0", "GGUF"),
    "noise": (random.Random(1).randbytes(4096), "binary data"),
    "nothing": (b"", "empty"),
    "nothing in gzip": (gzip.compress(b""), "empty"),
}


class NoLog(unittest.TestCase):
    def check(self, data, word):
        done = oomkb(stdin=data)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 2, said)
        self.assertEqual(done.stdout, b"")
        self.assertIn(word, said)
        self.assertEqual(said.count("\n"), 1, said)

    def test_text_says_what_it_is(self):
        for name, (data, word) in NO_LOGS.items():
            with self.subTest(name):
                self.check(data, word)

    def test_json_is_an_error_object(self):
        for name, (data, word) in NO_LOGS.items():
            with self.subTest(name):
                done = oomkb("--format", "json", stdin=data)
                error = json.loads(done.stdout)["error"]
                self.assertEqual(done.returncode, 2)
                self.assertEqual(error["code"], "input")
                self.assertIn(word, error["text"])

    def test_chinese_has_its_own_words(self):
        for name, (data, _) in NO_LOGS.items():
            with self.subTest(name):
                done = oomkb("--lang", "zh", stdin=data)
                said = done.stderr.decode()
                self.assertEqual(done.returncode, 2)
                self.assertTrue(any(c >= "\u4e00" for c in said), said)
                self.assertNotIn("not_a_log", said)

    def test_other_files_are_answered(self):
        with tempfile.TemporaryDirectory() as folder:
            good, bad = (os.path.join(folder, name)
                         for name in ("good.log", "bad.zip"))
            pathlib.Path(good).write_bytes(LOG)
            pathlib.Path(bad).write_bytes(zipped())
            done = oomkb("--format", "json", bad, good)
            answers = json.loads(done.stdout)
            self.assertEqual([list(a)[1] for a in answers],
                             ["error", "oomkb"])
            self.assertEqual(done.returncode, 2)

    def test_what_is_compressed_twice_is_read(self):
        for pack in (gzip.compress, lzma.compress):
            for inner in (gzip.compress, lzma.compress):
                done = oomkb(stdin=pack(inner(LOG)))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"2.00 GiB", done.stdout)

    def test_logs_that_look_odd_are_logs(self):
        for data in (b"MZ was never loaded\n" + LOG, b"BZh: " + LOG,
                     b"\0" * 300 + LOG, LOG.decode().encode("utf-16-le"),
                     b"\xff\xfe" + LOG.decode().encode("utf-16-le"),
                     "内存不足，进程退出\n".encode("gb18030") * 9 + LOG,
                     b"\x1b[31m50%\x08\x08\x08\x1b[0m\r" * 20 + b"\n" + LOG,
                     b"%PDF is what it should have read\n" + LOG):
            done = oomkb(stdin=data)
            self.assertEqual(done.returncode, 0, data[:40])


if __name__ == "__main__":
    unittest.main()
