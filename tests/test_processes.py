"""Fits in several processes."""

import subprocess
import sys

# joblib replaces a worker that has grown by 300 MB, and warns. It looks a second after the worker began, not before.
GROWING = """
import builtins, time, warnings
import numpy as np
from learnable.processes import in_processes

def grow(task):
    vars(builtins).setdefault("kept", []).append(np.ones(45_000_000))
    time.sleep(1.1)
    return task

if __name__ == "__main__":
    warnings.simplefilter("error")
    print(list(in_processes(grow, [(task,) for task in range(4)], n_jobs=2)))
"""


def test_a_worker_that_is_replaced_leaves_nobody_waiting_where_warnings_are_errors(tmp_path):
    script = tmp_path / "growing.py"
    script.write_text(GROWING)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "[0, 1, 2, 3]", done.stderr
