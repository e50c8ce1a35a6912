"""One step under Slurm, whose daemons are started here and ended again.

    slurm_step.py OPTION... -- COMMAND...

OPTIONs are srun's. The cluster is that of tests/recipes/slurm_run.py, without
its prolog and epilog. Ends with the status of the step.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "recipes"))
sys.dont_write_bytecode = True
import slurm_run  # noqa: E402


def main(words):
    slurm_run.CONF = re.sub(r"(?m)^(?:Prolog|Epilog)=.*\n", "", slurm_run.CONF)
    at = words.index("--")
    with tempfile.TemporaryDirectory(prefix="oomkb-slurm-") as name:
        folder = pathlib.Path(name)
        daemons = slurm_run.start(folder)
        try:
            return subprocess.run(
                ["srun", *words[:at], *words[at + 1:]], check=False,
                env={**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"},
                timeout=120).returncode
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
                daemon.wait(timeout=20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
