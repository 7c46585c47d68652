"""What a fit tells of its design is judged, whatever the options."""

import copy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.linear import LinearRegression, Ridge

RANDOM = np.random.default_rng(11)
Z = RANDOM.standard_normal((40, 4))
UNITS = np.array([1e-8, 1.0, 1e8, 1e3])
CONSTANT = Z * [1.0, 1.0, 0.0, 1.0] + 3.3
Y = Z @ [1.0, 2.0, 0.5, -1.0] + RANDOM.standard_normal(40)


@each(
    "model, attribute",
    [
        (LinearRegression(positive=True), "rank_"),
        (LinearRegression(positive=True), "singular_"),
        (Ridge(positive=True), "effective_df_"),
        (Ridge(), "effective_df_"),
    ],
)
def test_what_is_told_of_the_design_is_judged(model, attribute):
    model = copy.deepcopy(model).fit(Z, Y)
    assert certify(model, Z, Y).holds
    setattr(model, attribute, getattr(model, attribute) + 1)
    assert not certify(model, Z, Y).holds


@each("X, rank", [(Z * UNITS, 4), (CONSTANT, 3), (CONSTANT * UNITS, 3)], ids=lambda case: "")
@each("weight", [None, np.arange(40) % 4], ids=lambda weight: "plain" if weight is None else "weighted")
def test_dimensions_are_counted_whatever_the_units(X, rank, weight):
    """A column of one value is no dimension, whose rounding no penalty of zero shrinks."""
    for model in (LinearRegression(), LinearRegression(positive=True), Ridge(0.0), Ridge(0.0, positive=True)):
        model.fit(X, Y, sample_weight=weight)
        found = certify(model, X, Y, weight)
        assert found.holds, (model, found)
        told = model.rank_ if isinstance(model, LinearRegression) else model.effective_df_
        assert abs(told - rank) < 1e-9, model


def test_one_row_has_no_directions():
    for weight in (None, [1e-8], [1e6]):
        model = LinearRegression(positive=True).fit(Z[:1], Y[:1], sample_weight=weight)
        assert model.rank_ == 0
        assert certify(model, Z[:1], Y[:1], weight).holds
