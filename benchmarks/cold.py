"""The first fit of a process: with nothing compiled and with the kernels of a wheel; what each kernel takes to compile.

The kernels of a wheel are those that the fit with nothing compiled has left, compiled for any processor of this kind.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite.binding import get_process_triple
from rich.table import Table

from learnable._jit.core.ready import shared_settings

# Seconds that a first fit may take beyond a warm one, with kernels on disk; and altogether, the first ever.
BAR, FIRST_EVER_BAR = 0.10, 3.0
SLOWEST = 10
# In a new process: the model is there, then one fit, two that do not count, and a warm one. A kernel that another one
# calls has a row of its own; what the compiler's own library adds to a kernel counts as that kernel's.
FITS = """
import json, pickle, sys, time, warnings
warnings.simplefilter("ignore")
with open(sys.argv[1], "rb") as file: model, data = pickle.load(file)
def clocked():
    begin = time.process_time()
    model.fit(*data)
    return time.process_time() - begin
kernels, running = {}, []
def compiling(event):
    if event.is_start:
        running.append([time.process_time(), 0.0])
        return
    begin, within = running.pop()
    spent, code = time.process_time() - begin, event.data["dispatcher"].py_func
    if not code.__module__.startswith("learnable."): return
    kernel = f"{code.__module__.removeprefix('learnable.')}.{code.__qualname__}"
    kernels[kernel] = kernels.get(kernel, 0.0) + spent - within
    if running: running[-1][1] += spent
if type(model).__module__.startswith("learnable."):
    from numba.core import event
    class Clock(event.Listener):
        on_start = on_end = staticmethod(compiling)
    event.register("numba:compile", Clock())
first = clocked(); clocked(); clocked()
print(json.dumps([first, clocked(), kernels]))
"""


class ColdFigure(NamedTuple):
    """Seconds of processor time of the first fit of a process and of a warm one, the least of several processes.

    Attributes
    ----------
    compiled : the first fit with no kernel on disk, nor in the package.
    kernels : what was compiled then, and for how long.
    first_ever : the first fit with an empty cache and the kernels of a wheel.
    rival_first, rival_warm : scikit-learn's class of the same name; NaN where it has none.
    """

    estimator: str
    compiled: float
    kernels: dict[str, float]
    first_ever: float
    first: float
    warm: float
    rival_first: float
    rival_warm: float

    @property
    def beyond(self) -> float:
        """What the first fit takes beyond a warm one."""
        return self.first - self.warm


def cold_figures(processes: int, only: str = "") -> Iterator[ColdFigure]:
    """Every estimator whose name contains `only`, on the small data of its checks."""
    import sklearn.utils

    from learnable.checks import all_estimators, by_default, well_posed

    theirs = dict(sklearn.utils.all_estimators())
    for name, ours in all_estimators():
        if only.lower() not in name.lower():
            continue
        with tempfile.TemporaryDirectory() as folder:
            place, ready = Path(folder), Path(folder) / "ready"
            model = by_default(ours)
            data = tuple(part for part in well_posed(model)[:2] if part is not None)
            compiled, _, kernels = _fits(model, data, place, shared_settings(get_process_triple()), ready)
            wheel = {"LEARNABLE_READY_DIR": str(ready)}
            first_ever, _, missing = _fits(model, data, place, wheel, place / "empty")
            if missing:
                raise RuntimeError(f"{name} compiled again what was compiled: {', '.join(missing)}")
            mine = [_fits(model, data, place, wheel, place / "empty")[:2] for _ in range(processes)]
            rival = [(float("nan"),) * 2]
            if name in theirs:
                rival = [_fits(theirs[name](), data, place, {}, ready)[:2] for _ in mine]
        yield ColdFigure(name, compiled, kernels, first_ever, *map(min, zip(*mine)), *map(min, zip(*rival)))


def cold_table(rows: Iterable[ColdFigure]) -> Table:
    """One row an estimator."""
    table = Table(title="The first fit of a process, small data (processor time)", title_justify="left")
    table.add_column("estimator")
    ever, later = f"bar {FIRST_EVER_BAR:.0f} s", f"bar {BAR:.2f} s"
    ours = ("kernels", "compiled here s", ever, "first ever, wheel s", ever, "first s", "warm s", "beyond s", later)
    for heading in (*ours, "scikit-learn's first s", "its warm s"):
        table.add_column(heading, justify="right")
    rows = list(rows)
    for row in rows:
        compiled = f"{len(row.kernels)}", f"{row.compiled:.2f}", _kept(row.compiled <= FIRST_EVER_BAR)
        ever = f"{row.first_ever:.3f}", _kept(row.first_ever <= FIRST_EVER_BAR)
        loaded = f"{row.first:.3f}", f"{row.warm:.4f}", f"{row.beyond:.3f}", _kept(row.beyond <= BAR)
        table.add_row(row.estimator, *compiled, *ever, *loaded, f"{row.rival_first:.3f}", f"{row.rival_warm:.4f}")
    compiled = sum(row.compiled <= FIRST_EVER_BAR for row in rows)
    kept = sum(row.first_ever <= FIRST_EVER_BAR for row in rows), sum(row.beyond <= BAR for row in rows)
    table.caption = (
        f"Of {len(rows)} estimators {kept[0]} keep the bar of the first fit ever with the kernels of a wheel, "
        f"{compiled} where all is compiled, {kept[1]} the bar of later ones."
    )
    return table


def kernels_table(rows: Iterable[ColdFigure]) -> Table:
    """The kernels that took longest to compile, without those that they call."""
    rows = list(rows)
    slowest: dict[str, float] = {}
    for row in rows:
        for kernel, seconds in row.kernels.items():
            slowest[kernel] = max(seconds, slowest.get(kernel, 0.0))
    table = Table(title=f"The {SLOWEST} kernels slowest to compile (processor time)", title_justify="left")
    table.add_column("kernel")
    table.add_column("s", justify="right")
    table.add_column("compiled for")
    for kernel in sorted(slowest, key=slowest.__getitem__, reverse=True)[:SLOWEST]:
        users = [row.estimator for row in rows if kernel in row.kernels]
        table.add_row(kernel, f"{slowest[kernel]:.2f}", ", ".join(users[:3]) + (", …" if len(users) > 3 else ""))
    return table


def _kept(kept: bool) -> str:
    return "kept" if kept else "MISSED"


def _fits(model: Any, data: tuple, place: Path, settings: dict[str, str], cache: Path) -> Any:
    """(first, warm, compiled kernels) in a process of its own, with these settings and this cache of kernels."""
    (place / "fit").write_bytes(pickle.dumps((model, data)))
    settings = os.environ | {"LEARNABLE_READY_DIR": "", "LEARNABLE_CACHE_DIR": str(cache)} | settings
    command = (sys.executable, "-c", FITS, str(place / "fit"))
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the first fit of {type(model).__name__} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
