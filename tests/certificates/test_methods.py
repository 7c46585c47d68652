"""What answers for a model is its class and plain numbers: nothing is proved where others would answer."""

import copy
import sys

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.bayes import GaussianNB
from learnable.certificates import Verdict
from learnable.linear import LogisticRegression, QuadraticDiscriminantAnalysis, Ridge
from learnable.sparse import Lars
from learnable.unsupervised import PCA

RNG = np.random.default_rng(903)
X = RNG.standard_normal((50, 3))
LABEL = np.where(X @ np.array([2.0, -1.0, 0.5]) + 0.4 * RNG.standard_normal(50) > 0, 1, 0)


class Elsewhere(np.ndarray):
    """Numbers that double themselves for whoever is no certificate."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        asked = sys._getframe(1).f_code.co_filename
        factor = 1.0 if "certificates" in asked or "rows" in asked else 2.0
        plain = [factor * np.asarray(part) if isinstance(part, Elsewhere) else part for part in inputs]
        return getattr(ufunc, method)(*plain, **named)


class Sly(float):
    def __radd__(self, other):
        return other + 7.0


def fitted(kind):
    return kind().fit(X, LABEL)


@each("kind", [Ridge, LogisticRegression, GaussianNB, QuadraticDiscriminantAnalysis])
def test_a_class_that_answers_otherwise_proves_nothing(kind):
    class Liar(kind):
        def predict(self, X):
            return 1 - super().predict(X)

    class Reader(kind):
        def __getattribute__(self, name):
            return super().__getattribute__(name)

    class Fitter(kind):
        def __init__(self):
            super().__init__()

        def fit(self, X, y, sample_weight=None):
            """Takes no other arguments."""
            return super().fit(X, y, sample_weight)

    for each_kind in (Liar, Reader):
        model = fitted(each_kind)
        for found in (model.certificate_, certify(model, X, LABEL)):
            assert found.verdict is Verdict.NOTHING_ASSERTED
            assert each_kind.__name__ in str(found)
    for each_kind in (kind, Fitter):
        assert certify(fitted(each_kind), X, LABEL).holds
    changed = fitted(kind)
    changed.__class__ = Liar
    assert not certify(changed, X, LABEL).holds


@each("kind, name", [(Ridge, "predict"), (Ridge, "_row_by_row"), (Lars, "method"), (PCA, "transform")])
def test_attributes_hide_nothing_of_the_class(kind, name):
    model = fitted(kind)
    assert certify(model, X, LABEL).holds
    setattr(model, name, getattr(fitted(kind), name))
    assert certify(model, X, LABEL).verdict is Verdict.REFUTED


@each("kind, name", [(Ridge, "coef_"), (LogisticRegression, "intercept_"), (GaussianNB, "theta_"), (PCA, "mean_")])
def test_numbers_are_of_no_class_of_their_own(kind, name):
    model = fitted(kind)
    for cast in (lambda values: values.view(Elsewhere), np.ma.masked_array):
        other = copy.deepcopy(model)
        setattr(other, name, cast(getattr(model, name).copy()))
        assert certify(other, X, LABEL).verdict is Verdict.REFUTED
    saved = copy.deepcopy(model)
    setattr(saved, name, getattr(model, name).view(np.memmap))
    assert certify(saved, X, LABEL).holds


def test_a_number_is_of_no_class_of_its_own():
    model = fitted(Ridge)
    model.intercept_ = Sly(model.intercept_)
    assert certify(model, X, LABEL).verdict is Verdict.REFUTED
