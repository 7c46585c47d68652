"""The first fit of a process: what it takes beyond a warm one, ours and scikit-learn's, with kernels on disk."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.table import Table

from benchmarks.problems import SEED

# Seconds that a first fit may take beyond a warm one.
BAR = 0.10
ESTIMATORS = {
    "linear": ("LinearRegression", "Ridge", "LogisticRegression", "LinearDiscriminantAnalysis", "PoissonRegressor"),
    "sparse": ("Lasso", "ElasticNet", "LassoCV", "Lars"),
    "kernels": ("SVC", "KernelRidge", "LinearSVC"),
    "trees": ("DecisionTreeClassifier",),
    "bayes": ("GaussianNB", "MultinomialNB"),
    "ensembles": ("RandomForestClassifier", "HistGradientBoostingRegressor"),
    "unsupervised": ("PCA", "KMeans", "GaussianMixture"),
    "neural": ("MLPClassifier",),
}
# In a new process: the class is there, then one fit, two that do not count, and a warm one.
FITS = f"""
import importlib, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
rng = np.random.default_rng({SEED})
X = rng.standard_normal((150, 8))
if sys.argv[2] == "MultinomialNB": X = np.floor(np.abs(X) * 5.0)
y = np.exp(X @ np.linspace(-0.3, 0.3, 8)) + rng.exponential(size=150)
from sklearn.base import is_classifier
model = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])()
target = (y > np.median(y)).astype(int) if is_classifier(model) else y
def clocked():
    begin = time.process_time()
    model.fit(X, target)
    return time.process_time() - begin
first = clocked(); clocked(); clocked()
print(first, clocked())
"""


class ColdFigure(NamedTuple):
    """Seconds of processor time of the first fit of a process and of a warm one, the least of several processes."""

    estimator: str
    first: float
    warm: float
    rival_first: float
    rival_warm: float

    @property
    def beyond(self) -> float:
        """What the first fit takes beyond a warm one."""
        return self.first - self.warm


def cold_figures(processes: int, only: str = "") -> Iterator[ColdFigure]:
    """Every estimator whose name contains `only`; one process more of ours puts the kernels on disk."""
    import sklearn.utils

    theirs = dict(sklearn.utils.all_estimators())
    for room, names in ESTIMATORS.items():
        for name in names:
            if only.lower() not in name.lower():
                continue
            _fits(f"learnable.{room}", name)
            ours = [_fits(f"learnable.{room}", name) for _ in range(processes)]
            rival = [_fits(theirs[name].__module__, name) for _ in range(processes)]
            yield ColdFigure(name, *map(min, zip(*ours)), *map(min, zip(*rival)))


def cold_table(rows: Iterable[ColdFigure]) -> Table:
    """One row an estimator."""
    table = Table(title="The first fit of a process, 150 x 8, kernels on disk (processor time)", title_justify="left")
    table.add_column("estimator")
    for heading in ("first s", "warm s", "beyond s", f"bar {BAR:.2f} s", "scikit-learn's first s", "its warm s"):
        table.add_column(heading, justify="right")
    for row in rows:
        kept = "kept" if row.beyond <= BAR else "MISSED"
        ours = (f"{row.first:.3f}", f"{row.warm:.4f}", f"{row.beyond:.3f}", kept)
        table.add_row(row.estimator, *ours, f"{row.rival_first:.3f}", f"{row.rival_warm:.4f}")
    return table


def _fits(module: str, name: str) -> tuple[float, ...]:
    command = (sys.executable, "-c", FITS, module, name)
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the first fit of {name} of {module} failed:\n{done.stderr}")
    return tuple(map(float, done.stdout.split()))
