"""R's pcalg (its compiled skeleton) and glasso, each in an R of its own that reads a matrix from a file."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).with_suffix(".R")


def of_pcalg(X: np.ndarray, alpha: float) -> tuple[np.ndarray, float, float]:
    """(which columns are joined, seconds of the clock, of the processor)."""
    found, wall, spent = _run("pcalg", np.corrcoef(X.T), len(X), alpha)
    return found != 0.0, wall, spent


def of_glasso(S: np.ndarray, alpha: float, threshold: float) -> tuple[np.ndarray, float, float]:
    """(precision, seconds of the clock, of the processor)."""
    return _run("glasso", S, alpha, threshold)


def _run(package: str, matrix: np.ndarray, *numbers: float) -> tuple[np.ndarray, float, float]:
    command, p = shutil.which("Rscript"), len(matrix)
    if command is None:
        raise ModuleNotFoundError("Rscript is not on the path", name="R")
    with tempfile.TemporaryDirectory() as folder:
        np.asarray(matrix, dtype=float).tofile(Path(folder) / "matrix")
        arguments = [package, folder, str(p), *map(repr, map(float, numbers))]
        done = subprocess.run([command, str(SCRIPT), *arguments], capture_output=True, text=True)
        if done.returncode:
            raise ModuleNotFoundError(f"R has no package {package}", name=f"{package} (of R)")
        answer = np.fromfile(Path(folder) / "answer").reshape(p, p)
    wall, spent = map(float, done.stdout.split())
    return answer, wall, spent
