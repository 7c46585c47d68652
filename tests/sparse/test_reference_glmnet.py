"""The lasso for classes, counts and several targets against R's glmnet at its tightest."""

import json
from pathlib import Path

import numpy as np
from tests.cases import each

from learnable.sparse import MultiTaskLasso, SparseLogisticRegression, SparsePoissonRegressor

R = json.loads((Path(__file__).parents[1] / "reference" / "glmnet_families_r.json").read_text())
X = np.array(R["X"])
OURS = {
    "two": SparseLogisticRegression(tol=1e-12),
    "three": SparseLogisticRegression(tol=1e-12),
    "counts": SparsePoissonRegressor(tol=1e-12),
    "both": MultiTaskLasso(tol=1e-15),
}


@each("target", OURS)
@each("k", range(4))
def test_same_numbers_as_glmnet(target, k):
    model = OURS[target].set_params(alpha=R["lambda"][k], max_iter=1000).fit(X, np.array(R["y"][target]))
    coef, intercept = np.array(R[target]["coef"][k]), np.array(R[target]["intercept"][k])
    np.testing.assert_allclose(np.atleast_2d(model.coef_), coef, atol=1e-9)
    # Among several classes the intercepts are determined up to a common number.
    common = np.mean(model.intercept_ - intercept) if target == "three" else 0.0
    np.testing.assert_allclose(np.atleast_1d(model.intercept_) - common, intercept, atol=1e-9)
    assert model.certificate_.holds
