"""Numbers added to the scores of all classes change no probability: which scores are given is judged all the same."""

import copy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.linear import LogisticRegression

RANDOM = np.random.default_rng(11)
Z = RANDOM.standard_normal((60, 2))
LABELS = np.digitize(Z[:, 0] + 2.0 * RANDOM.standard_normal(60), [-1.0, 1.0])


@each("C", [1.0, np.inf])
@each("dtype", [float, np.float32])
def test_a_number_added_to_all_scores_is_another_answer(C, dtype):
    """No probability changes, but `decision_function` does."""
    X = Z.astype(dtype) + dtype(100.0)
    model = LogisticRegression(C=C).fit(X, LABELS)
    assert model.certificate_.holds
    assert certify(model, X, LABELS).holds
    probabilities = model.predict_proba(X)
    altered = copy.deepcopy(model)
    altered.intercept_ = altered.intercept_ + dtype(0.5) * np.abs(altered.intercept_).max()
    np.testing.assert_allclose(altered.predict_proba(X), probabilities, atol=1e-3)
    assert not certify(altered, X, LABELS).holds
    if np.isinf(C):
        altered.intercept_ = model.intercept_
        altered.coef_ = model.coef_ + np.array([0.0, 0.1], dtype=dtype)
        assert not certify(altered, X, LABELS).holds
