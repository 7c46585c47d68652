"""Lasso and elastic net against R's glmnet at its tightest."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each

from learnable.sparse import ElasticNet

R = json.loads((Path(__file__).parents[1] / "reference" / "glmnet_r.json").read_text())
X, Y, W = np.array(R["X"]), np.array(R["y"]), np.array(R["weight"])
FACTORS = np.array([1, 0.5, 2, 1, 0, 1, 3, 1, 1, np.inf])
SETTINGS = {
    "lasso": ({"l1_ratio": 1.0}, None),
    "enet": ({"l1_ratio": 0.5}, None),
    "weighted": ({"l1_ratio": 1.0}, W),
    "weighted_enet": ({"l1_ratio": 0.5}, W),
    "factors": ({"l1_ratio": 1.0, "penalty_factor": FACTORS}, None),
    "positive": ({"l1_ratio": 1.0, "positive": True}, None),
}


@each("setting", SETTINGS)
@each("k", range(4))
def test_same_numbers_as_glmnet(setting, k):
    options, weight = SETTINGS[setting]
    model = ElasticNet(alpha=R["lambda"][k], tol=1e-14, **options).fit(X, Y, weight)
    np.testing.assert_allclose(model.coef_, R[setting]["coef"][k], atol=2e-7)
    assert model.intercept_ == pytest.approx(R[setting]["intercept"][k], abs=2e-5)
    assert model.certificate_.holds
