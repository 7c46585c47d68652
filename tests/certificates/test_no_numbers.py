"""What overflows, and parameters that are no numbers, prove nothing: Python's max(x, nan) is x."""

import copy
import warnings

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.bayes import GaussianNB
from learnable.certificates import Verdict
from learnable.graphical import GraphicalLasso
from learnable.kernels import (
    SVC,
    SVR,
    KernelClassifier,
    KernelRegressor,
    KernelRidge,
    LinearSVC,
    LinearSVR,
    NuSVR,
    OneClassSVM,
)
from learnable.linear import LogisticRegression, PoissonRegressor, Ridge
from learnable.neural import MLPRegressor
from learnable.sparse import Lasso
from learnable.unsupervised import PCA, KMeans

RNG = np.random.default_rng(61)
X = RNG.standard_normal((60, 3))
LABEL = np.where(X @ np.array([2.0, -1.0, 0.5]) + 0.3 * RNG.standard_normal(60) > 0, 1, 0)
MODELS = [
    LinearSVC(), LinearSVC(penalty="l1", dual=False), LinearSVC(multi_class="crammer_singer"), LinearSVR(),
    SVC(), SVR(), NuSVR(), OneClassSVM(), KernelRidge(), KernelClassifier(), KernelRegressor(), Ridge(),
    Lasso(alpha=0.01),
    LogisticRegression(), PoissonRegressor(), GaussianNB(), PCA(2), KMeans(2, random_state=0),
    GraphicalLasso(alpha=0.1),
    MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs", max_iter=40, random_state=0),
]  # fmt: skip


def fitted(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return copy.deepcopy(model).fit(X, LABEL)


@each("model", MODELS, ids=repr)
def test_answers_too_large_to_be_squared_are_not_proved(model):
    right = fitted(model)
    for name, value in vars(right).items():
        if not (name.endswith("_") and isinstance(value, np.ndarray) and value.dtype == float and value.size):
            continue
        for huge in (1e300, -1e160):
            other = copy.deepcopy(right)
            getattr(other, name).flat[-1] = huge
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = certify(other, X, LABEL)
            assert not found.holds or name in found.unverified, (name, huge)


@each("model", MODELS, ids=repr)
def test_parameters_that_are_no_numbers_state_no_problem(model):
    right = fitted(model)
    for name, value in right.get_params(deep=False).items():
        if isinstance(value, float):
            other = copy.deepcopy(right)
            setattr(other, name, np.nan)
            assert certify(other, X, LABEL).verdict is Verdict.REFUTED, name


@each("nu", [-1.0, -0.5, 0.0, 1.5])
def test_a_share_that_is_none_is_refuted(nu):
    for kind in (NuSVR, OneClassSVM):
        other = fitted(kind(nu=0.5))
        assert certify(other, X, LABEL).holds
        other.nu = nu
        assert certify(other, X, LABEL).verdict is Verdict.REFUTED


def test_no_tube_is_infinitely_wide():
    other = fitted(LinearSVR(epsilon=0.1))
    other.epsilon = np.inf
    assert not certify(other, X, LABEL).holds
