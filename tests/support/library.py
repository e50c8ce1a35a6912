"""library.py: the library of the build that is tested, in this process. Where a
test asks thousands of questions, a call costs a tenth of a run of the program;
tests/python/binding_check.py proves that both say the same."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("OOMKB", ROOT / "build/oomkb")).resolve()
os.environ["OOMKB_LIBRARY"] = str(PROGRAM.with_name("liboomkb.so"))
sys.path.insert(0, str(ROOT / "python/src"))
import oomkb  # noqa: E402, F401
