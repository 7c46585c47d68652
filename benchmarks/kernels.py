"""Support vector machines against LIBSVM and liblinear (through scikit-learn), at equal violation of the conditions.

    python -m benchmarks.kernels [--quick] [--repeats N] [TEXT ...]

Each line: the case, the least seconds of both (ours with its certificate) by the clock, rival/ours, the same of
processor time, and the relative duality gap of both, computed by the certificate. Rivals and ours alternate in one
process; timings include no compilation. With TEXT only the cases whose name contains one of them.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from sklearn import kernel_ridge, svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.feature_extraction.text import TfidfTransformer

from learnable import certify, kernels

REPEATS = 3


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


def race(ours: Callable[[], Any], rival: Callable[[], Any], repeats: int) -> str:
    """Least seconds of both by the clock and of the processor, alternating, and their ratios."""
    spent = np.empty((repeats, 2, 2))
    for k in range(repeats):
        for who, run in enumerate((ours, rival)):
            start = time.perf_counter(), time.process_time()
            run()
            spent[k, who] = time.perf_counter() - start[0], time.process_time() - start[1]
    (wall, cpu), (wall_rival, cpu_rival) = spent.min(axis=0)
    return f"{wall:9.3f} {wall_rival:9.3f} {wall_rival / wall:6.2f}  {cpu:9.3f} {cpu_rival:9.3f} {cpu_rival / cpu:6.2f}"


def gap(model: Any, X: Any, y: Any) -> float:
    """The relative duality gap that the certificate finds."""
    return max(claim.value for claim in certify(model, X, y) if "gap" in claim.statement)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller cases, one repeat")
    parser.add_argument("only", nargs="*", metavar="TEXT", help="cases whose name contains it")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="fits of each, of which the fastest counts")
    given = parser.parse_args()
    repeats = 1 if given.quick else given.repeats
    warnings.simplefilter("ignore")
    print(f"{'':44} {'by the clock':^26}  {'processor':^26}")
    print(f"{'case':44}" + 2 * f" {'ours':>9} {'rival':>9} {'ratio':>6} " + f" {'gap ours':>8} {'gap rival':>9}")

    def wanted(name: str) -> bool:
        return not given.only or any(part in name for part in given.only)

    for name, ours, rival, X, y in cases(given.quick):
        if wanted(name):
            ours.fit(X[:300], y[:300])
            line = race(partial(ours.fit, X, y), partial(rival.fit, X, y), repeats)
            print(f"{name:44} {line} {gap(ours, X, y):9.1e} {gap(rival, X, y):9.1e}", flush=True)
    for name, (X, y) in {"digits": load_digits(return_X_y=True), "3000x50": radial(3000, 50)}.items():
        if wanted(f"predict {name}"):
            ours, rival = kernels.SVC().fit(X, y), svm.SVC().fit(X, y)
            ours.predict(X)
            line = race(partial(ours.predict, X), partial(rival.predict, X), repeats)
            print(f"{'predict ' + name:44} {line}", flush=True)
    if wanted("KernelRidge path"):
        X, _ = radial(2000, 50)
        K, target, alphas = kernels.RBF(0.02)(X), X[:, 0] * X[:, 1], np.geomspace(1e-6, 1e3, 50)
        line = race(lambda: kernels.kernel_ridge_path(K, target, alphas), lambda: eigh(K), repeats)
        print(f"{'KernelRidge path of 50 against one eigh':44} {line}", flush=True)


if __name__ == "__main__":
    main()
