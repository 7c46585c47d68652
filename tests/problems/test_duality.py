"""The duality gap bounds the distance to the minimum, and closes at it (O6)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.cases import each

from learnable.problems.core.conventions import (
    elastic_net_from_halfless,
    l2_from_inverse_strength,
    ridge_alpha_from_sum,
)
from learnable.problems.core.duality import duality_gap, reach
from learnable.problems.linear import losses
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, L2, ElasticNet, NonNegative

PENALTIES = [L1(0.2), L2(0.2), ElasticNet(0.2, 0.5), NonNegative(L1(0.2)), NonNegative(ElasticNet(0.2, 0.5))]
LOSSES = [losses.Squared(), losses.Logistic(), losses.Hinge()]
RNG = np.random.default_rng(7)
X = RNG.standard_normal((30, 3))
Y = RNG.standard_normal(30)
WEIGHT = RNG.uniform(0.1, 2.0, 30)
WEIGHT /= WEIGHT.sum()


def standing(loss, penalty, y, coef):
    f = X @ coef
    u = losses.gradient(loss, y, f)
    return duality_gap(loss, penalty, y, f, WEIGHT, coef, u, X.T @ (WEIGHT * u))


@each("penalty", PENALTIES, ids=repr)
@each("loss", LOSSES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(coef=st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3), flip=st.integers(0, 2**30))
def test_weak_duality_at_random_answers(loss, penalty, coef, flip):
    coef = np.abs(coef) if isinstance(penalty, NonNegative) else np.array(coef)
    y = Y if isinstance(loss, losses.Squared) else np.sign(np.random.default_rng(flip).standard_normal(30))
    found = standing(loss, penalty, y, coef)
    assert found.gap >= -1e-12
    # The primal value by hand, and the dual value below it at other answers too: weak duality is for any pair.
    level, ratio = 0.2, getattr(penalty, "of", penalty).l1_ratio
    for k, beta in enumerate((coef, 0.5 * coef, np.zeros(3), np.full(3, 0.1))):
        m = y * (X @ beta)
        each_row = {
            losses.Squared: 0.5 * (y - X @ beta) ** 2,
            losses.Logistic: np.logaddexp(0.0, -m),
            losses.Hinge: np.where(m < 1.0, 1.0 - m, 0.0),
        }[type(loss)]
        primal = WEIGHT @ each_row + level * (ratio * np.abs(beta).sum() + 0.5 * (1.0 - ratio) * beta @ beta)
        assert k or found.primal == pytest.approx(primal, rel=1e-10)
        assert found.dual <= primal + 1e-10 * (1.0 + abs(primal))


@each("penalty", PENALTIES, ids=repr)
@each("loss", LOSSES, ids=repr)
def test_gap_bounds_the_true_suboptimality(loss, penalty):
    y = Y if isinstance(loss, losses.Squared) else np.sign(Y)

    def J(v):
        # β = v₊ − v₋ keeps the penalty smooth enough for a general minimiser with bounds.
        coef = v if isinstance(penalty, NonNegative) else v[:3] - v[3:]
        return float(WEIGHT @ losses.value(loss, y, X @ coef)) + penalties.total(penalty, coef)

    size = 3 if isinstance(penalty, NonNegative) else 6
    best = min(
        minimize(J, np.full(size, 0.1), bounds=[(0.0, 10.0)] * size, method=method).fun
        for method in ("L-BFGS-B", "Powell")
    )
    for coef in np.random.default_rng(1).uniform(0.0, 1.0, (20, 3)):
        found = standing(loss, penalty, y, coef)
        assert found.dual <= best + 1e-9
        assert found.gap >= found.primal - best - 1e-9


@each("penalty", PENALTIES, ids=repr)
def test_reach_is_the_edge_of_the_domain(penalty):
    u = np.array([-7.0, -0.1, 0.0, 0.1, 7.0])
    t = reach(penalty, u, EVERY)
    assert np.all(np.isfinite(penalties.conjugate(penalty, t * (1 - 1e-15) * u, EVERY)))
    beyond = t < 1.0
    assert np.all(np.isinf(penalties.conjugate(penalty, (1 + 1e-9) * t * u, EVERY)[beyond]))


def test_ridge_scalings_agree():
    y, alpha = Y, 3.0
    inside = ridge_alpha_from_sum(alpha, len(y))
    for coef in np.random.default_rng(1).standard_normal((5, 3)):
        summed = np.sum((y - X @ coef) ** 2) + alpha * coef @ coef
        mean = np.mean(losses.value(losses.Squared(), y, X @ coef)) + penalties.total(L2(inside), coef)
        assert mean == pytest.approx(summed / (2 * len(y)))


def test_inverse_strength_agrees():
    y, C = np.sign(Y), 0.3
    inside = l2_from_inverse_strength(C, len(y))
    for coef in np.random.default_rng(1).standard_normal((5, 3)):
        known = C * np.sum(losses.value(losses.Logistic(), y, X @ coef)) + 0.5 * coef @ coef
        mean = np.mean(losses.value(losses.Logistic(), y, X @ coef)) + penalties.total(L2(inside), coef)
        assert mean == pytest.approx(known / (C * len(y)))


@settings(max_examples=15, deadline=None)
@given(lam=st.floats(0.01, 10.0), mix=st.floats(0.0, 1.0), x=st.floats(-5.0, 5.0))
def test_elastic_net_scalings_agree(lam, mix, x):
    alpha, l1_ratio = elastic_net_from_halfless(lam, mix)
    expected = lam * mix * abs(x) + lam * (1 - mix) * x**2
    assert float(penalties.value(ElasticNet(alpha, l1_ratio), x, 0)) == pytest.approx(expected)
