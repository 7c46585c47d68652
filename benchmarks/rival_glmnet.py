"""glmnet, in an R of its own: the data go over in files, and the seconds are those of `glmnet()` by R's clock."""

import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.problems import L1_RATIO, Answer, Problem

SCRIPT = Path(__file__).with_suffix(".R")


def lasso_path(problem: Problem, tol: float) -> Answer:
    return _path(problem, tol, 1.0)


def elastic_net_path(problem: Problem, tol: float) -> Answer:
    return _path(problem, tol, L1_RATIO)


class GlmnetProcess:
    """R with one problem in memory.

    glmnet divides y by its standard deviation s, which leaves s times too small a weight to the squares of the
    coefficients: it minimises ‖y − Xβ − b‖²/(2n) + λ (ρ‖β‖₁ + (1 − ρ)‖β‖²/(2s)). So it is given a larger share of
    squares, and λ to match.
    """

    def __init__(self, problem: Problem, l1_ratio: float):
        command = shutil.which("Rscript")
        if command is None:
            raise ModuleNotFoundError("Rscript is not on the path", name="R")
        n, p = problem.X.shape
        squares = (1.0 - l1_ratio) * float(problem.y.std())
        self.shape = len(problem.alphas), p
        self.folder = tempfile.TemporaryDirectory()
        numbers = {"X": problem.X.ravel(order="F"), "y": problem.y, "lambda": problem.alphas * (l1_ratio + squares)}
        for name, values in numbers.items():
            np.asarray(values, dtype=float).tofile(Path(self.folder.name) / name)
        sizes = (n, p, len(problem.alphas), repr(l1_ratio / (l1_ratio + squares)))
        self.process = subprocess.Popen(
            [command, "--vanilla", str(SCRIPT), self.folder.name, *map(str, sizes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )
        if self._answer() != "ready":
            raise ModuleNotFoundError("R has no package glmnet", name="glmnet (of R)")

    def path(self, thresh: float) -> Answer:
        """The path at this threshold of convergence."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{thresh!r}\n")
        self.process.stdin.flush()
        answer = self._answer()
        try:
            seconds = float(answer)
        except ValueError:
            raise ArithmeticError(answer or "R ended") from None
        k, p = self.shape
        file = Path(self.folder.name) / "coef"
        found = np.fromfile(file).reshape(k, p + 1)
        file.unlink()
        return Answer(found[:, 1:], found[:, 0], seconds)

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


_running: dict[str, tuple[Problem, GlmnetProcess]] = {}


def _path(problem: Problem, tol: float, l1_ratio: float) -> Answer:
    known, process = _running.get("R", (None, None))
    if process is None or known is not problem:
        if process is not None:
            process.close()
            _running.clear()
        process = GlmnetProcess(problem, l1_ratio)
        _running["R"] = problem, process
    return process.path(tol)


def _end_with_parent() -> None:
    """A fit that is too slow is ended by ending the process that asked for it; its R must not go on alone."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
