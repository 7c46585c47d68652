"""Support vector machines against LIBSVM and liblinear (through scikit-learn), at equal violation of the conditions.

    python -m benchmarks kernels [--quick] [--turns N] [--only TEXT]

Rivals and ours, with its certificate, alternate in one process; of each the fastest fit counts, none of them compiles.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from scipy import sparse
from scipy.linalg import eigh
from sklearn import kernel_ridge, svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.clock import clocked
from learnable import certify, kernels


class MachineFigure(NamedTuple):
    """Least seconds of ours and of the rival by the clock, then of the processor.

    gap, rival_gap : relative duality gaps that the certificate finds; NaN of what has none.
    """

    case: str
    seconds: float
    rival_seconds: float
    processor: float
    rival_processor: float
    gap: float = np.nan
    rival_gap: float = np.nan


def machine_figures(quick: bool, turns: int, only: str = "") -> Iterator[MachineFigure]:
    """Every case whose name contains `only`: fits, predictions, and the path of a kernel ridge beside one `eigh`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, ours, rival, X, y in cases(quick):
            if only in name:
                ours.fit(X[:300], y[:300])
                spent = race(partial(ours.fit, X, y), partial(rival.fit, X, y), turns)
                yield MachineFigure(name, *spent, gap(ours, X, y), gap(rival, X, y))
        for what, (X, y) in {"digits": load_digits(return_X_y=True), "3000x50": radial(3000, 50)}.items():
            if only in (name := f"predict {what}"):
                ours, rival = kernels.SVC().fit(X, y), svm.SVC().fit(X, y)
                ours.predict(X)
                yield MachineFigure(name, *race(partial(ours.predict, X), partial(rival.predict, X), turns))
        if only in (name := "KernelRidge path of 50 against one eigh"):
            X, _ = radial(2000, 50)
            K, target, alphas = kernels.RBF(0.02)(X), X[:, 0] * X[:, 1], np.geomspace(1e-6, 1e3, 50)
            spent = race(lambda: kernels.kernel_ridge_path(K, target, alphas), lambda: eigh(K), turns)
            yield MachineFigure(name, *spent)


def machine_table(rows: Iterable[MachineFigure]) -> Table:
    """One row a case."""
    table = Table(title="Kernel machines beside LIBSVM and liblinear (least of all turns)", title_justify="left")
    table.add_column("case")
    for heading in ("ours s", "theirs s", "ratio", "ours cpu s", "theirs cpu s", "ratio", "gap", "their gap"):
        table.add_column(heading, justify="right")
    table.caption = "ratio: theirs / ours; gap: relative duality gap, computed by the certificate."
    for row in rows:
        clock = (f"{row.seconds:.3f}", f"{row.rival_seconds:.3f}", f"{row.rival_seconds / row.seconds:.2f}")
        cpu = (f"{row.processor:.3f}", f"{row.rival_processor:.3f}", f"{row.rival_processor / row.processor:.2f}")
        table.add_row(row.case, *clock, *cpu, *(f"{g:.1e}" if g == g else "" for g in (row.gap, row.rival_gap)))
    return table


def radial(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes divided by a curved boundary, with noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p))
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * random.standard_normal(n) > 0.0, 1, -1)


def linear(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes divided by a plane, with noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p))
    return X, np.where(X[:, :5].sum(axis=1) + random.standard_normal(n) > 0.0, 1, -1)


def text(n: int, p: int, seed: int = 0) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Documents of about 60 words from a Zipf law, weighted by rarity, with two noisy classes."""
    random = np.random.default_rng(seed)
    lengths, share = random.poisson(60, n) + 5, 1.0 / np.arange(1, p + 1)
    words = random.choice(p, size=lengths.sum(), p=share / share.sum())
    counts = sparse.csr_matrix((np.ones(len(words)), (np.repeat(np.arange(n), lengths), words)), shape=(n, p))
    X = TfidfTransformer().fit_transform(counts)
    score = X @ random.standard_normal(p)
    return X, np.where(score + 0.3 * score.std() * random.standard_normal(n) > 0.0, 1, -1)


def cases(quick: bool) -> list[tuple[str, Any, Any, Any, Any]]:
    """(name, ours, rival, X, y)."""
    large, rows = (3000, 20_000) if quick else (20_000, 200_000)
    X, y = radial(large, 50)
    digits, words = load_digits(return_X_y=True), text(5000, 20_000)
    small = {
        "iris": load_iris(return_X_y=True), "breast cancer": load_breast_cancer(return_X_y=True),
        "150x8": linear(150, 8),
    }  # fmt: skip
    overlapping, labels = radial(150, 3)
    L, z = linear(rows, 100)
    target = X[:, 0] * X[:, 1] + X[:, 2]
    found: list[tuple[str, Any, Any, Any, Any]] = []
    for tol in (1e-3, 1e-6):
        found += [
            (f"SVC rbf 500x10, tol {tol:g}", kernels.SVC(tol=tol), svm.SVC(tol=tol), *radial(500, 10)),
            (f"SVC rbf digits, tol {tol:g}", kernels.SVC(tol=tol), svm.SVC(tol=tol), *digits),
            (f"SVC rbf {large}x50, tol {tol:g}", kernels.SVC(tol=tol), svm.SVC(tol=tol), X, y),
            (
                f"SVC rbf {large}x50, tol {tol:g}, 2 GB", kernels.SVC(tol=tol, cache_size=2000),
                svm.SVC(tol=tol, cache_size=2000), X, y,
            ),
        ]  # fmt: skip
    for loss in ("hinge", "squared_hinge"):
        found += [
            (f"LinearSVC {loss} {what}", kernels.LinearSVC(loss=loss), svm.LinearSVC(loss=loss), *data)
            for what, data in {f"{rows}x100": (L, z), "text 5000x20000": words, **small}.items()
        ]
    found += [
        (f"SVR rbf {large}x50", kernels.SVR(), svm.SVR(), X, target),
        (
            "NuSVC rbf 150x2 that overlap, tol 1e-6", kernels.NuSVC(nu=0.3, tol=1e-6), svm.NuSVC(nu=0.3, tol=1e-6),
            overlapping[:, :2], labels,
        ),
        ("LinearSVR 200x10", kernels.LinearSVR(), svm.LinearSVR(), X[:200, :10], target[:200]),
        ("LinearSVR diabetes", kernels.LinearSVR(), svm.LinearSVR(), *load_diabetes(return_X_y=True)),
        *((f"SVC rbf {what}", kernels.SVC(), svm.SVC(), *data) for what, data in small.items()),
        (
            "KernelRidge rbf 2000x50", kernels.KernelRidge(kernel="rbf"), kernel_ridge.KernelRidge(kernel="rbf"),
            X[:2000], target[:2000],
        ),
    ]  # fmt: skip
    return found


def race(ours: Callable[[], Any], rival: Callable[[], Any], turns: int) -> tuple[float, float, float, float]:
    """Least seconds of both by the clock, then of the processor, alternating."""
    spent = np.empty((turns, 2, 2))
    for k in range(turns):
        for who, run in enumerate((ours, rival)):
            spent[k, :, who] = clocked(run)[:2]
    (clock, clock_rival), (cpu, cpu_rival) = spent.min(axis=0)
    return float(clock), float(clock_rival), float(cpu), float(cpu_rival)


def gap(model: Any, X: Any, y: Any) -> float:
    """The relative duality gap that the certificate finds."""
    return max(claim.value for claim in certify(model, X, y) if "gap" in claim.statement)
