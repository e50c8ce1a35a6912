#!/usr/bin/env python3
"""A change to how records are laid out makes another index, by itself.

The sum of the files that lay out records goes into each index. Two fields of
the table that they are derived from are swapped in a copy: the sum has to be another. And an index whose sum
is another is refused with words that say what to do. Run from the top of the
repository; OOMKB names the program, the index stands beside it.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
INDEX = pathlib.Path(OOMKB).parent / "oomkb.db"
FIELDS = "src/corpus/entry_fields.c"
LANGUAGE = 2  # of enum pack_word


def layout(folder):
    return subprocess.run(["make", "-s", "layout"], cwd=folder, check=True,
                          stdout=subprocess.PIPE).stdout


class Layout(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_two_fields_swapped_are_another_layout(self):
        shutil.copy("Makefile", self.folder)
        for house in ("index", "corpus"):
            shutil.copytree(f"src/{house}", self.folder / "src" / house)
        self.assertEqual(layout(self.folder), layout("."))
        fields = self.folder / FIELDS
        text = fields.read_text()
        first, second = "KEY(workaround, action,", "KEY(workaround, how,"
        self.assertEqual((text.count(first), text.count(second)), (1, 1))
        self.assertLess(text.index(first), text.index(second))
        fields.write_text(text.replace(second, "KEY(workaround, else,")
                          .replace(first, second)
                          .replace("KEY(workaround, else,", first))
        self.assertNotEqual(layout(self.folder), layout("."))

    def test_an_index_of_another_layout_is_refused(self):
        data = bytearray(INDEX.read_bytes())
        at = data.rfind(b"OMPK")
        self.assertGreater(at, 0)
        place = at + 4 * LANGUAGE
        word, = struct.unpack_from("<I", data, place)
        struct.pack_into("<I", data, place, word ^ 1)
        other = self.folder / "other.db"
        other.write_bytes(data)
        done = subprocess.run([OOMKB, "version", "--kb", other], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"another version of oomkb: build", done.stderr)


if __name__ == "__main__":
    unittest.main()
