"""`learnable prepare` fits what has kernels of its own."""

import numpy as np

from learnable.app.commands.prepare_command import _cases
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor


def test_trees_are_fitted_for_every_kind_of_target_and_search():
    cases = list(_cases(DecisionTreeClassifier()))
    settings = [case[0] for case in cases]
    assert {len(np.unique(y)) for _, _, y in cases} == {2, 3}
    for expected in ({"criterion": "entropy"}, {"splitter": "random"}, {"categorical_features": [0]}):
        assert expected in settings
    assert {"criterion": "absolute_error"} in [case[0] for case in _cases(DecisionTreeRegressor())]
    for kind in (DecisionTreeClassifier, DecisionTreeRegressor):
        for given, X, y in _cases(kind()):
            kind(**given).fit(X, y)
