"""The data of a fit in another form are the data of that fit."""

import warnings

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone, is_classifier
from tests.cases import each

from learnable import certify
from learnable.bayes import GaussianNB
from learnable.certificates import Verdict
from learnable.ensembles import BaggingClassifier
from learnable.kernels import KernelPerceptron, Nystroem
from learnable.linear import (
    BayesianLinearRegression,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
)
from learnable.neural import MLPRegressor
from learnable.sparse import ElasticNet, ElasticNetCV, Lars, Lasso, LassoCV

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 4)).astype(np.float32)
SCORE = X[:, 0] + 0.3 * RNG.standard_normal(40)
SINGLE = [
    ElasticNet(alpha=0.1), Lasso(alpha=0.1), Lars(), GaussianNB(), LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(), BayesianLinearRegression(), LinearRegression(), Ridge(), LogisticRegression(),
    MLPRegressor(hidden_layer_sizes=(3,), max_iter=2000, random_state=0),
]  # fmt: skip


@each("model", SINGLE, ids=lambda model: type(model).__name__)
def test_a_fit_in_single_precision_is_proved_on_the_same_numbers_in_double(model):
    y = (SCORE > 0.0).astype(int) if is_classifier(model) else SCORE
    fitted = clone(model).fit(X, y)
    assert certify(fitted, X, y).verdict == certify(fitted, X.astype(float), y).verdict
    assert not certify(fitted, X.astype(float) * (1.0 + 1e-3), y).holds


def test_words_are_the_same_in_an_array_of_objects():
    y = np.where(SCORE > 0.0, "b", "a")
    forms = [(X, y), (X, y.tolist()), (X, pd.Series(y)), (sparse.csc_array(X), y.astype(object))]
    for data in forms:
        model = BaggingClassifier(n_estimators=2, random_state=0).fit(*data)
        assert all(certify(model, *other).holds for other in forms)


@each("form", [np.asarray, sparse.csr_array], ids=["from dense", "from sparse"])
@each("kernel", ["linear", "rbf", "poly"])
def test_a_perceptron_s_rows_are_the_same_dense_and_sparse(form, kernel):
    rows, y = X.astype(float), SCORE > 0.0
    with warnings.catch_warnings(action="ignore"):  # of mistakes that no line avoids
        fitted = KernelPerceptron(kernel=kernel, max_iter=50).fit(form(rows), y)
    for given in (rows, sparse.csr_array(rows), sparse.csc_array(rows)):
        found = certify(fitted, given, y)
        assert found.verdict is certify(fitted, form(rows), y).verdict, found
        assert not certify(fitted, given + 0.1 * given, y).holds


@each("model", [LassoCV(cv=3, alphas=10), ElasticNetCV(cv=3, alphas=10)], ids=repr)
def test_digits_that_sparse_rows_lose_on_folds_refute_no_fit(model):
    """The zeros of sparse rows cannot be shifted: beside a column far from zero gaps are lost in rounding."""
    for seed in range(3):
        draw = np.random.default_rng(seed)
        rows = draw.standard_normal((60, 4))
        y = 2.0 * rows[:, 0] + draw.standard_normal(60)
        rows[:, 0] += 1e6
        for form in (sparse.csr_array, np.asarray):
            fitted = clone(model).fit(form(rows), y)
            for given in (form(rows), sparse.csr_array(rows)):
                found = certify(fitted, given, y)
                assert found.verdict is not Verdict.REFUTED, found
        assert certify(fitted, rows, y).holds
        fitted.fold_coefs_ = {**fitted.fold_coefs_, "data": 1.1 * fitted.fold_coefs_["data"]}
        assert not certify(fitted, rows, y).holds


def test_a_kernel_of_distances_has_no_trace_to_miss():
    """k(x, x) = 0: what features leave of the trace is no share of it."""
    rows = np.abs(X).astype(float)
    for n_components in (4, 40):
        found = certify(Nystroem("additive_chi2", n_components=n_components, random_state=0).fit(rows), rows)
        assert found.verdict is Verdict.NOTHING_ASSERTED, found
