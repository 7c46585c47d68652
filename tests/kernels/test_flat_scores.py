"""Machines whose scores hardly vary: what all answers share must not hide which of them is right.

Under a tiny C every row of the smaller class, or of the rarer target, has the coefficient C, and the others share out
what is left; of a kernel whose values are all but the same, every row of one class has nearly the same score.
"""

import warnings
from copy import deepcopy

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from learnable.certificates import Verdict, certify
from learnable.kernels import SVC, SVR, NuSVR, OneClassSVM

random = np.random.default_rng(0)
X = random.standard_normal((60, 3))
Y = np.repeat([0, 1], [50, 10])
CASES = {
    "SVC": lambda size: (SVC(C=size), Y),
    "SVR": lambda size: (SVR(C=size), Y.astype(float)),
    "NuSVR": lambda size: (NuSVR(C=size, nu=0.2), Y.astype(float)),
    "OneClassSVM": lambda size: (OneClassSVM(gamma=size, nu=0.3), None),
}


def fitted(case: str, size: float):
    model, y = CASES[case](size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y) if y is not None else model.fit(X), y


def coefficients(model) -> np.ndarray:
    beta = np.zeros(60)
    beta[model.support_] = model.dual_coef_[0]
    return beta


def shared_otherwise(model):
    """The model whose negative coefficients, or all where none is negative, are shared out by other rows alike."""
    beta = coefficients(model)
    paid = beta < 0.0 if (beta < 0.0).any() else beta > 0.0
    total, most = float(beta[paid].sum()), float(np.abs(beta).max())
    others = np.random.default_rng(1).permutation(50)[: int(np.ceil(abs(total) / most - 1e-9))]
    beta[paid] = 0.0
    beta[others] = total / len(others)
    altered = deepcopy(model)
    altered.support_ = np.flatnonzero(beta).astype(model.support_.dtype)
    altered.support_vectors_, altered.dual_coef_ = X[altered.support_], beta[None, altered.support_]
    counts = np.bincount(Y[altered.support_]) if isinstance(model, SVC) else [len(altered.support_)]
    altered.n_support_ = np.asarray(counts, dtype=model.n_support_.dtype)
    return altered


@pytest.mark.parametrize("case", CASES)
def test_fits_are_proved_and_other_shares_refuted_at_any_size(case):
    for size in (1e-2, 1e-4, 1e-6, 1e-8):
        model, y = fitted(case, size)
        data = (X,) if y is None else (X, y)
        assert certify(model, *data).verdict is Verdict.PROVED, size
        assert certify(shared_otherwise(model), *data).verdict is Verdict.REFUTED, size


@pytest.mark.parametrize("case", ["SVC", "SVR", "NuSVR"])
def test_the_scores_of_tiny_costs_have_one_shape(case):
    shapes = []
    for size in (1e-5, 1e-7, 1e-9):
        model, _ = fitted(case, size)
        shapes.append(coefficients(model) / size)
        assert abs(shapes[-1].sum()) <= 1e-9 * np.abs(shapes[-1]).sum()
    K = np.exp(-model.gamma_ * ((X[:, None] - X) ** 2).sum(axis=2))
    first, *rest = [K @ each for each in shapes]
    assert all(np.ptp(each - first) <= 0.02 * np.ptp(first) for each in rest)


def test_scores_that_are_all_the_same_at_the_best_are_no_reason_for_doubt():
    # Rows with nothing in common have one score each way, which leaves none of it to measure a violation by.
    apart = random.standard_normal((8, 40))
    for model in (OneClassSVM(), OneClassSVM(kernel="precomputed")):
        table = apart if model.kernel == "rbf" else np.eye(8) + 0.1
        model.fit(table)
        assert certify(model, table).verdict is Verdict.PROVED
    for level in (0.0, 7.1, -1e9):
        model = NuSVR().fit(X, np.full(60, level))
        assert certify(model, X, np.full(60, level)).verdict is Verdict.PROVED
