"""Ctrl-C within the one long call that a fit may be."""

import os
import signal
import threading
import warnings
from importlib import import_module

import numpy as np
import pytest

from learnable import kernels

X = np.random.default_rng(0).standard_normal((40, 2))
Y = X[:, 0] + X[:, 1] ** 2
CALLS = [
    ("solvers.kernels.empirical_map", "eigh", kernels.KernelClassifier("hinge"), Y > 1.0),
    ("solvers.kernels.empirical_map", "eigh", kernels.HardMarginSVC(), Y > 1.0),
    ("solvers.kernels.kernel_newton", "cholesky", kernels.KernelClassifier(), Y > 1.0),
    ("solvers.kernels.kernel_newton", "cholesky", kernels.KernelRegressor("huber"), Y),
    ("solvers.kernels.kernel_ridge", "cholesky", kernels.KernelRidge(kernel="rbf"), Y),
    ("solvers.kernels.kernel_ridge", "svd", kernels.KernelRidge(), Y),
    ("kernels.nystroem", "eigh", kernels.Nystroem(n_components=9), Y),
    ("kernels.spline_regression", "lstsq", kernels.SplineRegression(), Y),
]


def waits(*arguments, **named):
    assert threading.current_thread() is not threading.main_thread()
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()


def heard(where, name, model, target) -> bool:
    room = import_module("learnable." + where)
    setattr(room, name, waits)
    room.SOON_FACTORED = room.SOON_DECOMPOSED = 0  # as if the rows were many
    try:
        model.fit(X, target)
    except KeyboardInterrupt:
        return set(vars(model)) == set(model.get_params())
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the call that never ends goes with a fork of this process")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[1]} of {type(call[2]).__name__}")
def test_factors_of_kernel_values_hear_an_interrupt(call):
    """The signal is sent when the call has begun, which never ends."""
    with warnings.catch_warnings(action="ignore"):  # of forks of processes that have threads
        child = os.fork()
    if not child:
        said = 1
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.alarm(300)
            said = 0 if heard(*call) else 1
        finally:
            os._exit(said)
    assert os.waitpid(child, 0)[1] == 0
