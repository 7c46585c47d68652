"""Single precision far from zero: coefficients lose digits, the intercept makes up for what that does to a mean row."""

import copy

import numpy as np
from scipy import sparse
from sklearn import linear_model
from tests.cases import each

from learnable import certify
from learnable.linear import LogisticRegression
from learnable.sparse import PenalizedRegressor, SparseLogisticRegression, SparsePoissonRegressor

RNG = np.random.default_rng(2)
X = RNG.standard_normal((300, 6))
SCORE = X @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.3]
LABEL = (SCORE + RNG.logistic(size=300) > 0.0).astype(int)
THREE = np.digitize(SCORE + RNG.logistic(size=300), [-1.0, 1.0])
COUNT = RNG.poisson(np.exp(0.5 * SCORE)).astype(float)
L1 = {"solver": "saga", "l1_ratio": 1.0}


@each("offset, size", [(1e3, 1.0), (1e4, 1.0), (1e4, 100.0), (1e5, 100.0)])
@each(
    "model, y",
    [
        (SparseLogisticRegression(), LABEL), (SparseLogisticRegression(alpha=1e-3), THREE),
        (LogisticRegression(**L1), LABEL), (LogisticRegression(C=0.1, **L1), THREE),
        (SparsePoissonRegressor(), COUNT), (PenalizedRegressor(loss="huber", penalty="l1", alpha=0.01), SCORE),
    ],
)  # fmt: skip
def test_a_fit_called_optimal_is_proved(model, y, offset, size):
    rows = (size * X + offset).astype(np.float32)
    fitted = copy.deepcopy(model).fit(rows, y)
    assert fitted.coef_.dtype == np.float32
    assert fitted.status_ == "optimal"
    found = certify(fitted, rows, y)
    assert found.holds, found
    assert found[0].value < 1e-6


def test_the_mean_of_the_scores_is_that_of_the_exact_coefficients():
    """Of sparse rows and of dense ones: with the rounded coefficients alone it would be off by 1e-4 and more."""
    rows = (X + 1e4).astype(np.float32)
    for form in (np.asarray, sparse.csr_matrix):
        single = SparseLogisticRegression().fit(form(rows), LABEL)
        double = SparseLogisticRegression().fit(form(rows.astype(float)), LABEL)
        scores = [rows.astype(float) @ m.coef_[0].astype(float) + m.intercept_[0] for m in (single, double)]
        assert np.abs(np.mean(scores[0]) - np.mean(scores[1])) < 1e-5


def test_grids_that_single_numbers_made_are_their_own():
    """scikit-learn adds up the correlations that the largest penalty is found by in single precision."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        X, y = random.standard_normal((100, 3)), random.standard_normal(100) + 3.0
        data = X.astype(np.float32), y.astype(np.float32)
        model = linear_model.ElasticNetCV(cv=2, l1_ratio=[0.2, 0.9], alphas=3).fit(*data)
        assert not [claim for claim in certify(model, *data) if claim.id == "MS7" and "alphas_" in claim.statement
                    and not claim.holds], seed  # fmt: skip
