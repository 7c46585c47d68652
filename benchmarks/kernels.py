"""Support vector machines against LIBSVM and liblinear (through scikit-learn), at equal violation of the conditions.

    python -m benchmarks.kernels [--quick]

Each line: the case, the tolerance, median seconds of both (ours with its certificate), rival/ours, and the relative
duality gap of both, computed by the certificate. Timings include no compilation: each case is run once before.
"""

import argparse
import time
import warnings
from statistics import median
from typing import Any

import numpy as np
from sklearn import kernel_ridge, svm
from sklearn.datasets import load_digits

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


def cases(quick: bool) -> list[tuple[str, Any, Any, Any, Any]]:
    """(name, ours, rival, X, y)."""
    large, rows = (3000, 20_000) if quick else (20_000, 200_000)
    X, y = radial(large, 50)
    digits = load_digits(return_X_y=True)
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
    found += [
        (f"SVR rbf {large}x50", kernels.SVR(), svm.SVR(), X, target),
        (f"LinearSVC hinge {rows}x100", kernels.LinearSVC(loss="hinge"), svm.LinearSVC(loss="hinge"), L, z),
        (f"LinearSVC squared hinge {rows}x100", kernels.LinearSVC(), svm.LinearSVC(), L, z),
        (
            "KernelRidge rbf 2000x50", kernels.KernelRidge(kernel="rbf"), kernel_ridge.KernelRidge(kernel="rbf"),
            X[:2000], target[:2000],
        ),
    ]  # fmt: skip
    return found


def seconds(model: Any, X: Any, y: Any, repeats: int) -> float:
    """Median seconds of a fit."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        model.fit(X, y)
        taken.append(time.perf_counter() - start)
    return median(taken)


def gap(model: Any, X: Any, y: Any) -> float:
    """The relative duality gap that the certificate finds."""
    return max(claim.value for claim in certify(model, X, y) if "gap" in claim.statement)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller cases, one repeat")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    print(f"{'case':44} {'ours':>9} {'rival':>9} {'ratio':>6} {'gap ours':>9} {'gap rival':>9}")
    for name, ours, rival, X, y in cases(quick):
        ours.fit(X[:300], y[:300])
        one, two = (seconds(model, X, y, 1 if quick else REPEATS) for model in (ours, rival))
        print(
            f"{name:44} {one:9.3f} {two:9.3f} {two / one:6.2f} {gap(ours, X, y):9.1e} {gap(rival, X, y):9.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
