"""Tables and models that are marked read-only, as those of another process are, have nothing compiled for them."""

import numpy as np

from learnable._jit.ensembles.boosted_descent import add_plain_trees, add_trees
from learnable._jit.ensembles.histograms import bin_rows
from learnable._jit.ensembles.stumps import vote
from learnable._jit.trees.descend import descend
from learnable.ensembles import AdaBoostClassifier, HistGradientBoostingClassifier
from learnable.trees import DecisionTreeClassifier

KERNELS = (vote, bin_rows, add_plain_trees, add_trees, descend)


def frozen(value):
    """The same, where it holds arrays, that cannot be written to."""
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return value._make(map(frozen, value))
    return value


def test_nothing_is_compiled_anew_for_what_is_read_only():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    X_missing = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    models = [
        (AdaBoostClassifier(n_estimators=3), X),
        (HistGradientBoostingClassifier(max_iter=2), X),
        (HistGradientBoostingClassifier(max_iter=2), X_missing),
        (DecisionTreeClassifier(), X),
    ]
    answers = [model.fit(cells, y).predict(cells) for model, cells in models]
    compiled = [len(kernel.signatures) for kernel in KERNELS]
    assert min(compiled) > 0
    for (model, cells), answer in zip(models, answers):
        model.fit(frozen(cells), frozen(y))
        for name, value in vars(model).items():
            setattr(model, name, frozen(value))
        np.testing.assert_array_equal(model.predict(frozen(cells)), answer)
    assert [len(kernel.signatures) for kernel in KERNELS] == compiled
