"""Values that no parameter can have are refused by name, value and remedy, before the data are looked at."""

from inspect import isabstract

import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from learnable.checks.discovery import all_estimators
from learnable.checks.estimator_checks import made
from learnable.graphical import CLIME, GraphicalLassoCV
from learnable.kernels import SVC, HardMarginSVC, Nystroem
from learnable.linear import Ridge
from learnable.sparse import ElasticNetCV, LassoCV

NOWHERE = object()
NO_SEEDS, NO_COUNTS = (-1, 0.5, "x", True, NOWHERE), (0, 1.5, float("nan"), float("inf"), "x", True, [], NOWHERE)


@pytest.fixture(scope="module")
def everyone():
    return [made(kind) for _, kind in all_estimators() if not isabstract(kind)]


def refused(model, name: str, value) -> bool:
    model = type(model)(**model.get_params(deep=False) | {name: value})
    try:
        model._validate_params()
    except InvalidParameterError as error:
        return name in str(error) and repr(value) in str(error) and "must be" in str(error)
    return False


def test_every_parameter_of_every_estimator_has_something_that_it_cannot_be(everyone):
    free = [
        f"{type(model).__name__}({name})"
        for model in everyone
        for name in model.get_params(deep=False)
        if not refused(model, name, NOWHERE)
    ]
    assert len(everyone) > 100
    assert not free


@pytest.mark.parametrize(("name", "values"), [("n_jobs", NO_COUNTS), ("random_state", NO_SEEDS)])
def test_workers_and_seeds_mean_the_same_in_every_estimator(everyone, name, values):
    having = [model for model in everyone if name in model.get_params(deep=False)]
    taken = [(type(model).__name__, value) for model in having for value in values if not refused(model, name, value)]
    assert len(having) > 10
    assert not taken


def test_a_fit_refuses_before_it_looks_at_the_data():
    for model, name in (
        (Ridge(alpha=True), "alpha"), (SVC(max_iter="a"), "max_iter"), (SVC(shrinking="no"), "shrinking"),
        (CLIME(n_jobs=0), "n_jobs"), (Nystroem(n_components=True), "n_components"),
        (HardMarginSVC(max_iter=np.inf), "max_iter"),
    ):  # fmt: skip
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of {type(model).__name__} must be"):
            model.fit(None, None)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (LassoCV(cv=[]), r"LassoCV\(cv=\[\]\): no folds"),
        (GraphicalLassoCV(cv=[]), r"GraphicalLassoCV\(cv=\[\]\): no folds"),
        (LassoCV(alphas=[]), r"LassoCV\(alphas=\[\]\): at least one"),
        (ElasticNetCV(l1_ratio=[]), r"ElasticNetCV\(l1_ratio=\[\]\): at least one"),
    ],
)
def test_lists_of_nothing_are_named(model, said):
    X = np.random.default_rng(0).standard_normal((30, 3))
    with pytest.raises(ValueError, match=said):
        model.fit(X, X[:, 0])
