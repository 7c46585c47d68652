"""The data of a fit in another form are the data of that fit."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone, is_classifier
from tests.cases import each

from learnable import certify
from learnable.bayes import GaussianNB
from learnable.ensembles import BaggingClassifier
from learnable.linear import (
    BayesianLinearRegression,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
)
from learnable.neural import MLPRegressor
from learnable.sparse import ElasticNet, Lars, Lasso

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
