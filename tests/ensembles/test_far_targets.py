"""What is said of rows out of the bag, of targets far from zero for their spread."""

import copy
import warnings

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.ensembles import BaggingRegressor, RandomForestRegressor

RNG = np.random.default_rng(39)
X = RNG.standard_normal((60, 4))
Y = X @ np.array([[1.0, 0.5], [-2.0, 1.0], [0.5, 0.0], [0.0, 1.0]]) + 0.4 * RNG.standard_normal((60, 2))


@each("n_estimators", [4, 12])
@each("outputs", [1, 2])
@each("far", [1e6, -1e9])
def test_they_are_held_to_the_spread_of_the_targets(far, outputs, n_estimators):
    y = far + (Y if outputs == 2 else Y[:, 0])
    for kind in (BaggingRegressor, RandomForestRegressor):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few members leave rows in every bag
            model = kind(n_estimators=n_estimators, bootstrap=True, oob_score=True, random_state=0).fit(X, y)
        assert str(model.status_) == "stationary"
        assert certify(model, X, y).holds
        other = copy.deepcopy(model)
        other.oob_prediction_[np.flatnonzero(np.isfinite(model.oob_prediction_).reshape(60, -1)[:, 0])[0]] += 0.01
        assert not certify(other, X, y).holds
