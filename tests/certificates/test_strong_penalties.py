"""A strong penalty leaves scores that differ by next to nothing: what is proved is measured by how far they do."""

import copy

import numpy as np
import sklearn.linear_model as theirs
from tests.cases import each

import learnable.linear as ours
from learnable import certify
from learnable.certificates import Verdict

RNG = np.random.default_rng(31)
X = RNG.standard_normal((60, 4))
SCORE = X[:, 0] - 0.5 * X[:, 1] + 0.4 * RNG.standard_normal(60)
CLASSES, THREE, POSITIVE = SCORE > 0.2, np.digitize(SCORE, [-0.5, 0.8]), np.exp(SCORE) + 0.1

# (class, targets, what makes a penalty strong)
KINDS = [
    ("LogisticRegression", CLASSES, [{"C": C} for C in (1e-2, 1e-4, 1e-6)]),
    ("LogisticRegression", THREE, [{"C": C} for C in (1e-2, 1e-4)]),
    ("PoissonRegressor", POSITIVE, [{"alpha": alpha} for alpha in (10.0, 1e3, 1e5)]),
    ("GammaRegressor", POSITIVE, [{"alpha": alpha} for alpha in (10.0, 1e3, 1e5)]),
]


def _scores(model):
    if hasattr(model, "decision_function"):
        return model.decision_function(X).reshape(len(X), -1)
    return X @ model.coef_[:, None] + model.intercept_


def _altered(model):
    """(what was done, the model with it done) for changes that move scores by a fiftieth of how far they differ."""
    apart = np.std(_scores(model), axis=0)
    first = np.zeros_like(model.coef_)
    first[..., 0] = 0.05 * np.abs(model.coef_).max()
    intercept = model.intercept_ + 0.02 * (apart if np.ndim(model.intercept_) else apart[0])
    for what, coef, offset in (
        ("none", 0.0 * model.coef_, model.intercept_), ("stretched", 1.02 * model.coef_, model.intercept_),
        ("one moved", model.coef_ + first, model.intercept_), ("intercept", model.coef_, intercept),
    ):  # fmt: skip
        other = copy.deepcopy(model)
        other.coef_, other.intercept_ = coef, offset
        yield what, other


@each("room", [ours, theirs], ids=["ours", "theirs"])
@each(("kind", "y", "penalties"), KINDS, ids=["two", "three", "counts", "gamma"])
def test_answers_off_by_a_fiftieth_of_their_scores_are_not_proved(room, kind, y, penalties):
    for penalty in penalties:
        model = getattr(room, kind)(tol=1e-12, max_iter=1000, **penalty).fit(X, y)
        assert certify(model, X, y).verdict is not Verdict.REFUTED
        assert room is theirs or certify(model, X, y).holds, penalty
        for what, altered in _altered(model):
            assert not certify(altered, X, y).holds, (penalty, what)


@each("C", [1.0, 1e-6])
@each("name", ["intercept_", "coef_"])
def test_what_all_scores_have_in_common_is_that_of_the_fit(name, C):
    """It changes no probability, but every score that is told."""
    model = theirs.LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(X, THREE)
    assert certify(model, X, THREE).holds
    told = getattr(model, name)
    setattr(model, name, told + 0.05 * np.std(told))
    assert not certify(model, X, THREE).holds
