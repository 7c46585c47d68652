"""How long a fit takes to hear Ctrl-C.

    python -m benchmarks.interrupted [--quick] [TEXT ...]

Each line: the case, and how many seconds passed from the signal to KeyboardInterrupt in the caller, for signals sent at
several moments of the fit. A moment at which the fit was over already is shown as -. Every fit runs in a process of its
own, which has fitted a few rows before: kernels are compiled and loaded. With TEXT only cases whose name contains one.
"""

import argparse
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from learnable import kernels

# Seconds after the start of a fit at which the signal is sent.
MOMENTS = (1.0, 4.0, 10.0)
CHILD = """
import sys, time, warnings
warnings.simplefilter("ignore")
from benchmarks.interrupted import CASES, data
make, shape, kind = CASES[sys.argv[1]]
make().fit(*data((60, shape[1]), kind))
X = data((int(float(sys.argv[2]) * shape[0]), shape[1]), kind)
model = make()
print("ready", flush=True)
try:
    model.fit(*X)
    print("over", time.time(), flush=True)
except KeyboardInterrupt:
    print("heard", time.time(), flush=True)
"""


def data(shape: tuple[int, int], kind: str) -> tuple[Any, ...]:
    """Two noisy classes; their score for "regression"; no target for "rows"."""
    n, p = shape
    X, y = make_classification(
        n, p, n_informative=min(p, 5), n_redundant=0, flip_y=0.0 if kind == "separable" else 0.2, random_state=0
    )
    if kind == "separable":
        X[:, 0] += 10.0 * y
    return (X,) if kind == "rows" else (X, X[:, 0] * X[:, 1] + np.sin(3.0 * X[:, 2]) if kind == "regression" else y)


CASES: dict[str, tuple[Any, tuple[int, int], str]] = {
    "SVC": (lambda: kernels.SVC(C=100.0, tol=1e-6), (20_000, 20), "classes"),
    "SVC, probabilities": (lambda: kernels.SVC(C=10.0, tol=1e-6, probability=True), (12_000, 20), "classes"),
    "NuSVC": (lambda: kernels.NuSVC(nu=0.3, tol=1e-6), (20_000, 20), "classes"),
    "SVR": (lambda: kernels.SVR(C=100.0, tol=1e-6), (20_000, 20), "regression"),
    "NuSVR": (lambda: kernels.NuSVR(C=100.0, tol=1e-6), (20_000, 20), "regression"),
    "OneClassSVM": (lambda: kernels.OneClassSVM(nu=0.5, tol=1e-9), (40_000, 20), "rows"),
    "LinearSVC, hinge": (lambda: kernels.LinearSVC(loss="hinge", C=100.0, tol=1e-9), (500_000, 60), "classes"),
    "LinearSVC, squared hinge": (lambda: kernels.LinearSVC(C=100.0), (200_000, 500), "classes"),
    "LinearSVC, l1": (lambda: kernels.LinearSVC(penalty="l1", dual=False, tol=1e-9), (200_000, 100), "classes"),
    "LinearSVC, inside path": (lambda: kernels.LinearSVC(loss="hinge", C=1e8), (20_000, 480), "classes"),
    "LinearSVR": (lambda: kernels.LinearSVR(C=100.0, tol=1e-9), (500_000, 60), "regression"),
    "HardMarginSVC, rbf": (lambda: kernels.HardMarginSVC(), (4_000, 20), "classes"),
    "HardMarginSVC, linear": (lambda: kernels.HardMarginSVC("linear"), (5_000, 20), "separable"),
    "KernelClassifier, logistic": (lambda: kernels.KernelClassifier(), (6_000, 20), "classes"),
    "KernelClassifier, hinge": (lambda: kernels.KernelClassifier("hinge"), (6_000, 20), "classes"),
    "KernelRegressor, huber": (lambda: kernels.KernelRegressor("huber"), (6_000, 20), "regression"),
    "KernelRegressor, absolute": (lambda: kernels.KernelRegressor("absolute"), (5_000, 20), "regression"),
    "KernelRidge, rbf": (lambda: kernels.KernelRidge(kernel="rbf"), (12_000, 20), "regression"),
    "KernelRidge, linear": (lambda: kernels.KernelRidge(), (60_000, 400), "regression"),
    "KernelPerceptron": (lambda: kernels.KernelPerceptron("rbf", max_iter=100_000), (10_000, 20), "classes"),
    "NadarayaWatson": (lambda: kernels.NadarayaWatson(), (50_000, 20), "regression"),
    "SplineRegression": (lambda: kernels.SplineRegression(n_knots=40), (60_000, 20), "regression"),
    "Nystroem": (lambda: kernels.Nystroem(n_components=3_000), (20_000, 20), "rows"),
}  # fmt: skip


def seconds_to_hear(name: str, moment: float, scale: float) -> float | None:
    """From the signal to the exception; None where the fit was over before."""
    command = [sys.executable, "-c", CHILD, name, str(scale)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            while child.stdout.readline().strip() != "ready":
                if child.poll() is not None:
                    raise RuntimeError(f"{name}: the process of the fit ended with {child.returncode}")
            time.sleep(moment)
            sent = time.time()
            child.send_signal(signal.SIGINT)
            what, when = child.stdout.readline().split()
        finally:
            child.kill()
    return float(when) - sent if what == "heard" else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    for name in CASES:
        if options.only and not any(part.lower() in name.lower() for part in options.only):
            continue
        heard = []
        for moment in MOMENTS[:1] if options.quick else MOMENTS:
            heard.append(seconds_to_hear(name, moment, 0.1 if options.quick else 1.0))
            if heard[-1] is None:
                break
        told = "  ".join(f"{at:g} s: " + ("-" if each is None else f"{each:.2f}") for at, each in zip(MOMENTS, heard))
        print(f"{name:28s} {told}", flush=True)


if __name__ == "__main__":
    main()
