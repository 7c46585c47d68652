"""Fits in several processes."""

import subprocess
import sys

# joblib replaces a worker that has grown by 300 MB, and warns where there is work left. It looks a second after the
# worker began, not before: here one that has grown by 10 MB is replaced after every task but its first.
GROWING = """
import builtins, warnings
import numpy as np
from joblib.externals.loky import process_executor
from learnable.processes import in_processes

def grow(task):
    assert process_executor._MAX_MEMORY_LEAK_SIZE and process_executor._MEMORY_LEAK_CHECK_DELAY  # still so called
    process_executor._MAX_MEMORY_LEAK_SIZE, process_executor._MEMORY_LEAK_CHECK_DELAY = 10_000_000, -1.0
    vars(builtins).setdefault("kept", []).append(np.ones(2_500_000))
    return task

if __name__ == "__main__":
    warnings.simplefilter("error")
    print(list(in_processes(grow, [(task,) for task in range(4)], n_jobs=2)))
"""


def test_a_worker_that_is_replaced_leaves_nobody_waiting_where_warnings_are_errors(tmp_path):
    script = tmp_path / "growing.py"
    script.write_text(GROWING)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == str(list(range(4))), done.stderr
