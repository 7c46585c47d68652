"""Criteria by names that scikit-learn gives up: a warning where they are given, and nowhere else."""

import numpy as np
import pytest
from sklearn.base import clone

from learnable import certify
from learnable.ensembles import ExtraTreesRegressor, RandomForestRegressor
from learnable.trees import DecisionTreeRegressor


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, RandomForestRegressor, ExtraTreesRegressor])
def test_friedman_mse_is_squared_error_by_a_former_name(kind):
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 2))
    y = X[:, 0] + 0.1 * random.standard_normal(30)
    few = {} if kind is DecisionTreeRegressor else {"n_estimators": 3}
    plain = kind(random_state=0, **few).fit(X, y)
    with pytest.warns(FutureWarning, match='"friedman_mse"` for `criterion` is deprecated') as said:
        given = kind(criterion="friedman_mse", random_state=0, **few)
    with pytest.warns(FutureWarning, match=kind.__name__):
        later = kind(random_state=0, **few).set_params(criterion="friedman_mse")
    assert [one.filename for one in said] == [__file__]
    for model in (given, later, clone(given), clone(later)):
        assert model.criterion == "squared_error"
        assert np.array_equal(model.fit(X, y).predict(X), plain.predict(X))
        assert certify(model, X, y).holds
