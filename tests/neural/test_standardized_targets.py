"""Targets learned in units of their own mean and deviation."""

import warnings

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.certificates.core.verdict import Verdict
from learnable.neural import MLPRegressor

RANDOM = np.random.default_rng(8)
X = RANDOM.standard_normal((60, 3))
Y = np.column_stack([2e5 + 3e4 * np.sin(X[:, 0]), 1e-6 * X[:, 1], np.full(60, 0.1)])
WEIGHT = RANDOM.integers(0, 3, 60)
NETWORK = MLPRegressor(hidden_layer_sizes=(6,), max_iter=15, random_state=0, learning_rate_init=0.01)


def fitted(y, weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPRegressor(**NETWORK.get_params() | parameters).fit(X, y, weight)


@each("weight", [None, WEIGHT], ids=["even", "weighted"])
@each("aside", [False, True])
def test_it_is_the_network_of_standardized_targets_put_back(weight, aside):
    model = fitted(Y, weight, early_stopping=aside, standardize_targets=True)
    learned = np.ones(60) if weight is None else weight.astype(float)
    if aside:
        learned[model.validation_rows_] = 0.0
    mean = np.average(Y, axis=0, weights=learned)
    deviation = np.sqrt(np.average((Y - mean) ** 2, axis=0, weights=learned))
    deviation[2] = 1.0  # a target that does not vary has no other unit
    plain = fitted((Y - mean) / deviation, weight, early_stopping=aside)
    np.testing.assert_allclose(model.predict(X), plain.predict(X) * deviation + mean, rtol=1e-9)
    assert certify(model, X, Y, weight).holds


def test_targets_of_any_unit_are_learned_alike():
    one = fitted(Y[:, 1], standardize_targets=True)
    for unit, origin in ((1e9, 0.0), (1.0, 1e-3)):
        other = fitted(Y[:, 1] * unit + origin, standardize_targets=True)
        np.testing.assert_allclose(other.predict(X), one.predict(X) * unit + origin, rtol=1e-6)


def test_other_units_are_refuted():
    for name, change in (
        ("target_means_", lambda v: v + 1e-3 * Y.std(axis=0)),
        ("target_deviations_", lambda v: v * 1.001),
    ):
        model = fitted(Y, standardize_targets=True)
        setattr(model, name, change(getattr(model, name)))
        (claim,) = (claim for claim in certify(model, X, Y) if "in units of" in claim.statement)
        assert claim.verdict is Verdict.REFUTED, name
    for model, claimed in ((fitted(Y[:, 1]), True), (fitted(Y[:, 1], standardize_targets=True), False)):
        model.standardize_targets = claimed
        assert certify(model, X, Y[:, 1]).verdict is Verdict.REFUTED


def test_what_standardizing_cannot_do_is_said():
    assert not hasattr(MLPRegressor(standardize_targets=True), "partial_fit")
    with pytest.raises(AttributeError) as refused:
        MLPRegressor(standardize_targets=True).partial_fit(X, Y)
    assert "scale y yourself" in str(refused.value.__cause__ or refused.value)
    with pytest.raises(ValueError, match="counts have no other unit"):
        MLPRegressor("poisson", standardize_targets=True).fit(X, np.abs(Y))


def test_a_warm_start_without_it_forgets_the_units():
    model = fitted(Y[:, 1], standardize_targets=True, warm_start=True).set_params(standardize_targets=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, Y[:, 1])
    assert not hasattr(model, "target_means_")
    assert certify(model, X, Y[:, 1]).verdict is not Verdict.REFUTED
