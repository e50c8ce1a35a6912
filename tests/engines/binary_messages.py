"""Messages about memory in the shared libraries of a wheel, for messages.py.

A compiled message stands in the library's read-only data, cut where an amount
is filled in. Each piece with a word of memory is kept as a line of a text file
beside the Python files of its release (release.py calls pieces_of).
"""
import re
import struct

LIBRARIES = {"torch": re.compile(
    r"torch/(?:lib/(?:libc10|libtorch)[^/]*|_C[^/]*)\.so$")}
SUFFIX = ".pieces.txt"
PRINTED = re.compile(rb"[\x20-\x7e\t\n]{20,}")
MOST = 400  # characters; longer ones are generated sources and help texts
HOLE = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t)?[sdifgxXuc]|%p")


def read_only(library):
    """The bytes of the sections that hold constants; of no ELF: none."""
    if library[:4] != b"\x7fELF":
        return b""
    table, = struct.unpack_from("<Q", library, 0x28)
    size, count, names = struct.unpack_from("<HHH", library, 0x3a)
    rows = [struct.unpack_from("<IIQQQQ", library, table + i * size)
            for i in range(count)]
    start = rows[names][4]
    return b"\0".join(
        library[offset:offset + length]
        for name, _, _, _, offset, length in rows
        if library[start + name:start + name + 7] == b".rodata")


def pieces_of(library, words):
    """Its pieces with one of the words, a line each."""
    texts = {re.sub(rb"\s+", b" ", one).strip().decode("ascii")
             for one in PRINTED.findall(read_only(library))}
    return sorted(one for one in texts if len(one) <= MOST and
                  " " in one and words.search(one))


def plain(piece):
    return HOLE.sub("{}", piece)


def parts_of(piece):
    """What of it stands in a printed message as it is."""
    parts = [one.strip(" .:(),<>[]'\"") for one in plain(piece).split("{}")]
    return [one for one in parts if len(one) > 11]
