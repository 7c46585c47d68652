"""A kernel that several processes need at the same time is compiled by one of them, and nobody waits in vain."""

import json

SEVERAL = """
import json, os, time
from pathlib import Path
import numpy as np
from learnable._jit.core.column_squares import column_squares
place = Path(os.environ["LEARNABLE_CACHE_DIR"])
place.mkdir(exist_ok=True)
(place / f"{os.getpid()}.here").touch()
while len(list(place.glob("*.here"))) < 3:
    time.sleep(0.001)
out = np.zeros(2)
column_squares(np.ones((3, 2)), out)
print(json.dumps([out.tolist(), sum(column_squares.stats.cache_misses.values())]))
"""

OTHERS = """
import json, os, signal, sys, threading, time
from pathlib import Path
from learnable._jit.core import one_process
from learnable._jit.core.hold_interrupt import interrupts_wait
name, said = Path(os.environ["LEARNABLE_CACHE_DIR"]) / "folder" / "kernel.lock", []

def another():
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        with one_process.one_process():
            one_process.hold(name)
            os.write(told, b"1")
            time.sleep(3600)
    os.read(ready, 1)
    return child

def held():
    with one_process.one_process():
        return one_process.hold(name), len(one_process._held)

said.append(held())  # nobody else
one_process.PATIENCE = 3600
child = another()
threading.Timer(0.2, os.kill, (child, signal.SIGKILL)).start()
said.append(held())  # somebody who is killed
os.waitpid(child, 0)
child = another()
try:
    with interrupts_wait():
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        said.append(held())
except KeyboardInterrupt:
    said.append("interrupted")
one_process.PATIENCE = 0.1
said.append(held())  # somebody who goes on and on
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
said.append([one_process.hold(name), len(one_process._held)])  # outside
said.append(held())  # nobody, beside the file of somebody who was killed
said.append(sorted(str(path) for path in name.parent.iterdir()))
name.parent.rmdir()
name.parent.touch()
said.append(held())  # no folder
print(json.dumps(said))
"""


def test_one_of_three_processes_compiles(at_once, tmp_path):
    program = SEVERAL, [], {"LEARNABLE_CACHE_DIR": str(tmp_path / "cache")}
    answers = []
    for out, err in at_once(program, program, program):
        assert not err
        answers.append(json.loads(out))
    assert [out for out, _ in answers] == [[3.0, 3.0]] * 3
    assert sum(misses for _, misses in answers) == 1
    assert not list((tmp_path / "cache").rglob("*.lock"))


def test_whoever_waits_is_let_go(at_once, tmp_path):
    """By a holder that ends or is killed, by Ctrl-C, and when patience ends."""
    ((out, err),) = at_once((OTHERS, [], {"LEARNABLE_CACHE_DIR": str(tmp_path)}))
    assert not err
    assert json.loads(out) == [
        [False, 1], [True, 1], [True, 0], "interrupted", [True, 0], [False, 0], [False, 1], [], [False, 0],
    ]  # fmt: skip
