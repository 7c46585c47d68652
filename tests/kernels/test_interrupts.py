"""Ctrl-C within the one long call that a fit may be."""

import subprocess
import sys

FITS = """
import os, signal, threading
from importlib import import_module
import numpy as np
from learnable import kernels as k

X = np.random.default_rng(0).standard_normal((40, 2))
y = X[:, 0] + X[:, 1] ** 2

def waits(*arguments, **named):
    assert threading.current_thread() is not threading.main_thread()
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()

for where, name, model, target in (
    ("solvers.kernels.empirical_map", "eigh", k.KernelClassifier("hinge"), y > 1),
    ("solvers.kernels.empirical_map", "eigh", k.HardMarginSVC(), y > 1),
    ("solvers.kernels.kernel_newton", "cholesky", k.KernelClassifier(), y > 1),
    ("solvers.kernels.kernel_newton", "cholesky", k.KernelRegressor("huber"), y),
    ("solvers.kernels.kernel_ridge", "cholesky", k.KernelRidge(kernel="rbf"), y),
    ("solvers.kernels.kernel_ridge", "svd", k.KernelRidge(), y),
    ("kernels.nystroem", "eigh", k.Nystroem(n_components=9), y),
    ("kernels.spline_regression", "lstsq", k.SplineRegression(), y),
):
    room = import_module("learnable." + where)
    right = getattr(room, name)
    setattr(room, name, waits)
    room.SOON_FACTORED = room.SOON_DECOMPOSED = 0  # as if the rows were many
    try:
        model.fit(X, target)
    except KeyboardInterrupt:
        print(type(model).__name__, set(vars(model)) == set(model.get_params()))
    setattr(room, name, right)
"""


def test_factors_of_kernel_values_hear_an_interrupt():
    """The signal is sent when the call has begun, which never ends."""
    finished = subprocess.run([sys.executable, "-c", FITS], capture_output=True, text=True, timeout=300, check=False)
    assert finished.stdout.count("True") == 8, finished.stdout + finished.stderr
