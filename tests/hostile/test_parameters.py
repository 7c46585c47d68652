"""Values that no parameter can have are refused by name, value and remedy, before the data are looked at."""

from copy import copy
from inspect import isabstract

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.utils._param_validation import InvalidParameterError
from tests.cases import each

from learnable.base.parameters import NOT_OF_NUMBERS, Allowed
from learnable.checks.discovery import all_estimators
from learnable.checks.estimator_checks import made
from learnable.concepts import FindS
from learnable.graphical import CLIME, GraphicalLassoCV
from learnable.kernels import SVC, HardMarginSVC, Nystroem
from learnable.linear import BayesianLinearRegression, Ridge, RidgeCV
from learnable.sequences import CategoricalHMM, GaussianHMM
from learnable.sparse import ElasticNetCV, LassoCV, Stepwise

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


def test_where_an_array_of_numbers_is_asked_for_no_words_pass(everyone):
    asked = [
        (model, name)
        for model in everyone
        for name, stated in model._parameter_constraints.items()
        if "array-like" in [one for one in stated if isinstance(one, str)] and name not in NOT_OF_NUMBERS
    ]
    assert len(asked) > 50
    for model, name in asked:
        what = Allowed(model._parameter_constraints[name])
        assert what.admits(np.ones((2, 2))), (model, name)
        assert what.admits(pd.Series([1, 2])), (model, name)
        for value in (["a", "b"], [1.0, "2"], [[1], [1, 2]]):
            assert refused(model, name, value), (model, name, value)


def test_which_parameters_of_fit_go_where_can_be_asked(everyone):
    for routed in (False, True):
        with config_context(enable_metadata_routing=routed):
            for model in everyone:
                if hasattr(model, "get_metadata_routing"):
                    assert model.get_metadata_routing() is not None, (model, routed)


def test_a_fit_refuses_before_it_looks_at_the_data():
    for model, name in (
        (Ridge(alpha=True), "alpha"), (SVC(max_iter="a"), "max_iter"), (SVC(shrinking="no"), "shrinking"),
        (CLIME(n_jobs=0), "n_jobs"), (Nystroem(n_components=True), "n_components"),
        (HardMarginSVC(max_iter=np.inf), "max_iter"),
    ):  # fmt: skip
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of {type(model).__name__} must be"):
            model.fit(None, None)


ROWS = "give each as \\(numbers of the rows to fit, numbers of those left out\\)"


@each(
    "folds, said",
    [
        ([], r"\(cv=\[\]\): no folds; give their number"),
        (31, r"\(cv=31\): 31 folds of fewer rows \(n_samples=30\)"),
        ([np.nan], r"\(cv=...\): fold 0 is nan; " + ROWS),
        (["ab"], r"\(cv=...\): fold 0 is 'ab'; " + ROWS),
        ({"a": 1}, r"\(cv=...\): fold 0 is 'a'; " + ROWS),
        (np.zeros((2, 2)), r"\(cv=...\): fold 0 is array"),
        ([(range(20), range(20, 30)), ([1, 2], [])], r"\(cv=...\): fold 1 is \(\[1, 2\], \[\]\); " + ROWS),
        ([(range(20), [29, 30])], r"\(cv=...\): fold 0 names row 30; X has the rows 0 to 29"),
        (iter([(range(20), [-31])]), r"\(cv=...\): fold 0 names row -31"),
    ],
)
def test_folds_that_are_none_are_named(folds, said):
    X = np.random.default_rng(0).standard_normal((30, 3))
    for model in (LassoCV(), ElasticNetCV(), RidgeCV(), GraphicalLassoCV(), Stepwise(criterion="cv")):
        with pytest.raises(ValueError, match=type(model).__name__ + said):
            model.set_params(cv=copy(folds)).fit(X, X[:, 0])


def test_folds_given_one_by_one_are_read_once():
    X = np.random.default_rng(0).standard_normal((30, 3))
    folds = [(np.arange(30) % 3 != k, np.flatnonzero(np.arange(30) % 3 == k)) for k in range(3)]
    for kind in (LassoCV, RidgeCV):
        one_by_one, listed = kind(cv=iter(folds)).fit(X, X[:, 0]), kind(cv=folds).fit(X, X[:, 0])
        np.testing.assert_array_equal(one_by_one.coef_, listed.coef_)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (LassoCV(cv=[]), r"LassoCV\(cv=\[\]\): no folds"),
        (GraphicalLassoCV(cv=[]), r"GraphicalLassoCV\(cv=\[\]\): no folds"),
        (LassoCV(alphas=[np.inf, 1.0]), r"alphas\[0\] == inf, must be finite"),
        (ElasticNetCV(l1_ratio=[0.5, 2.0]), "ElasticNetCV: l1_ratio holds 2.0; a ratio must be between 0 and 1"),
        (BayesianLinearRegression(noise_scale=10**200), r"noise_scale=1e\+200\): its square"),
        (BayesianLinearRegression(prior_mean=1e300), r"prior_mean holds 1e\+300, whose square"),
        (LassoCV(alphas=[]), r"LassoCV\(alphas=\[\]\): at least one"),
        (ElasticNetCV(l1_ratio=[]), r"ElasticNetCV\(l1_ratio=\[\]\): at least one"),
    ],
)
def test_lists_of_nothing_are_named(model, said):
    X = np.random.default_rng(0).standard_normal((30, 3))
    with pytest.raises(ValueError, match=said):
        model.fit(X, X[:, 0])


@each(
    "model, X, said",
    [
        (FindS(classes=np.zeros((2, 2))), [[0.0], [1.0]], "give two labels"),
        (FindS(domains=np.array([np.nan])), [[0.0], [1.0]], r"domains: nan is a single value; list the values"),
        (CategoricalHMM(2, emissionprob_init=[]), [[0], [2]], r"emissionprob_init has shape \(0,\); expected \(2, sym"),
        (GaussianHMM(2, means_prior=[np.nan]), [[0.0], [2.0]], "means_prior holds nan; give finite numbers"),
        (CategoricalHMM(2, emissionprob_init=[0.5, 0.5]), [[0], [2]], r"emissionprob_init has shape \(2,\)"),
    ],
)
def test_lists_of_another_shape_are_named(model, X, said):
    with pytest.raises(ValueError, match=said):
        model.fit(np.array(X), *([[0, 1]] if isinstance(model, FindS) else []))


def test_penalties_are_named_one_by_one():
    X = np.random.default_rng(0).standard_normal((30, 3))
    for kind in (LassoCV, ElasticNetCV, RidgeCV, GraphicalLassoCV):
        with pytest.raises(TypeError, match=r"alphas.* must be an instance of"):
            kind(alphas=[1.0, "2"]).fit(X, X[:, 0])
        with pytest.raises(InvalidParameterError, match="'alphas' parameter of"):
            kind(alphas={}).fit(X, X[:, 0])
