"""Margin bounds of linear functions and of boosting."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from learnable.theory import (
    HalfSpaces,
    best_margin_bound,
    boosting_edge,
    boosting_margin_loss,
    dichotomies,
    ensemble_vc,
    linear_ball_bounds,
    linear_margin_bound,
    margin_bound,
    margin_bound_empirical,
    margin_bound_uniform,
    margin_risk,
    margin_shattering,
)

SEED = 5


def test_margin_loss_is_one_up_to_zero_only():
    assert margin_risk([0.0, -3.0], rho=0.5) == 1.0
    assert margin_risk([0.75], rho=1.0) == 0.25, "not 1 for every margin below 1"
    assert margin_risk([0.5, 2.0], rho=0.5) == 0.0
    margins = np.linspace(-2, 2, 41)
    zero_one = np.mean(margins <= 0)
    risks = [margin_risk(margins, rho) for rho in (0.01, 0.1, 1.0, 3.0)]
    assert zero_one <= risks[0]
    assert risks == sorted(risks), "grows with ρ"


def test_linear_margin_bound_holds_in_simulation():
    rng = np.random.default_rng(SEED)
    m, delta, rho, repeats = 60, 0.5, 0.5, 200
    angles = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    W = np.column_stack([np.cos(angles), np.sin(angles)])
    sphere = rng.normal(size=(20000, 2))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    truth = np.mean((sphere @ W.T) * np.where(sphere[:, :1] > 0, 1, -1) <= 0, axis=0) * 0.8 + 0.1
    failures = np.zeros(3)
    for _ in range(repeats):
        X = sphere[rng.integers(0, len(sphere), m)]
        y = np.where(X[:, 0] > 0, 1, -1) * rng.choice([1, -1], m, p=[0.9, 0.1])
        margins = (X @ W.T) * y[:, None]
        empirical = np.mean(np.clip(1 - margins / rho, 0, 1), axis=0)
        given = {"rho": rho, "m": m, "delta": delta}
        sharp, _ = linear_ball_bounds(X, 1.0)
        widths = np.array(
            [
                linear_margin_bound(norm=1, radius=1, **given).value,
                margin_bound_empirical(complexity=sharp, **given).value,
                margin_bound_uniform(complexity=1 / math.sqrt(m), r=1.0, **given).value,
            ]
        )
        failures += np.max(truth - empirical) > widths
    assert np.all(failures / repeats <= delta)
    for B, r, rho, m, delta, risk in ((1.0, 1.0, 0.5, 60, 0.5, 0.0), (3.0, 2.0, 0.1, 4000, 0.01, 0.2)):
        bound = linear_margin_bound(norm=B, radius=r, rho=rho, m=m, delta=delta, margin_risk=risk).value
        assert bound == pytest.approx(risk + 2 * B * r / (rho * m**0.5) + (math.log(1 / delta) / (2 * m)) ** 0.5)


def test_uniform_bound_pays_for_the_choice():
    given = {"margin_risk": 0.1, "complexity": 0.02, "rho": 0.25, "m": 500, "delta": 0.05}
    uniform = margin_bound_uniform(r=1.0, **given)
    assert uniform.value > margin_bound(**given).value
    assert uniform.terms["choice of margin"] == pytest.approx(math.sqrt(math.log(3) / 500))
    # Written out: R̂_ρ + (4/ρ) Rad + √(log log₂(2r/ρ)/m) + √(log(2/δ)/(2m)), for several ρ ≤ r, m and δ.
    for rho, r, m, delta in product((0.1, 0.7, 2.0), (2.0, 16.0), (50, 4000), (0.2, 1e-6)):
        expected = (
            0.3 + 4.0 / rho * 0.013 + math.sqrt(math.log(math.log(2.0 * r / rho, 2)) / m)
            + math.sqrt(math.log(2.0 / delta) / (2.0 * m))
        )  # fmt: skip
        found = margin_bound_uniform(margin_risk=0.3, complexity=0.013, rho=rho, r=r, m=m, delta=delta)
        assert sum(found.terms.values()) == pytest.approx(expected, rel=1e-12)
        assert found.value == pytest.approx(min(expected, 1.0), rel=1e-12) or found.value == pytest.approx(expected)
    with pytest.raises(ValueError, match="r"):
        margin_bound_uniform(r=0.2, **given)


def test_best_margin_is_the_least_over_a_fine_grid():
    rng = np.random.default_rng(SEED)
    margins = rng.normal(0.6, 0.3, 500)
    best = best_margin_bound(margins, complexity=0.01, r=1.0, delta=0.05)
    grid = [
        margin_bound_uniform(
            margin_risk=margin_risk(margins, rho), complexity=0.01, rho=rho, r=1.0, m=500, delta=0.05
        ).value
        for rho in np.linspace(0.01, 1.0, 300)
    ]
    assert best.value <= min(grid) * 1.001
    assert 0 < best.parameters["rho"] < 1


def shattered_with_margin(points, gamma):
    """Whether every labelling has w, b with ‖w‖ = 1 and y(w·x + b) ≥ γ; on the line the norm is a sign."""
    for labels in product((-1, 1), repeat=len(points)):
        reach = []
        for w in (-1.0, 1.0):
            # largest t with y_i(w x_i + b) ≥ t
            answer = linprog(
                [0, -1],
                A_ub=[[-y, 1] for y in labels],
                b_ub=[y * w * x for x, y in zip(points, labels)],
                bounds=[(None, None), (None, 1e6)],
            )
            reach.append(answer.x[1])
        if max(reach) < gamma - 1e-9:
            return False
    return True


def test_shattering_bound_is_for_the_half_width():
    R = 3.0
    assert shattered_with_margin([-R, R], gamma=R)
    assert not shattered_with_margin([-R, R], gamma=1.01 * R)
    assert margin_shattering(radius=R, gamma=R, k=1).value == 2
    assert margin_shattering(radius=R, gamma=2 * R, k=1).value < 2, "with the full width the statement is false"
    assert margin_shattering(radius=R, gamma=1e-6, k=4).value == 5


def adaboost(H, y, rounds):
    """Weighted errors and normalised margins of AdaBoost over the rows of H."""
    weights, vote, total, errors = np.full(len(y), 1 / len(y)), np.zeros(len(y)), 0.0, []
    for _ in range(rounds):
        losses = (y != H) @ weights
        best = int(np.argmin(losses))
        error = float(losses[best])
        if not 0 < error < 0.5:
            break
        alpha = 0.5 * math.log((1 - error) / error)
        vote, total = vote + alpha * H[best], total + alpha
        weights = weights * np.exp(-alpha * y * H[best])
        weights /= weights.sum()
        errors.append(error)
    return errors, y * vote / total


def test_boosting_margin_loss_bounds_the_observed_margins():
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(40, 3))
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    cuts = np.linspace(-2, 2, 9)
    H = np.array([s * np.where(X[:, j] > c, 1, -1) for j in range(3) for c in cuts for s in (1, -1)])
    for rounds in (1, 5, 20, 60):
        errors, margins = adaboost(H, y, rounds)
        edge = 0.5 - max(errors)
        for rho in (0.0, 0.05, 0.1, 0.3, 0.8):
            observed = float(np.mean(margins <= rho))
            bound = boosting_margin_loss(errors, rho)
            assert observed <= bound * (1 + 1e-12)
            factors = [2 * e ** ((1 - rho) / 2) * (1 - e) ** ((1 + rho) / 2) for e in errors]
            assert bound == pytest.approx(math.prod(factors))
            # All errors ½ − γ: the form with the edge.
            equal = ((1 - 4 * 0.2**2) * (1.4 / 0.6) ** rho) ** (rounds / 2)
            assert boosting_margin_loss([0.3] * rounds, rho) == pytest.approx(equal)
            if rho <= 2 * edge:  # there the bound falls as the errors do
                assert bound <= boosting_edge(rounds=len(errors), edge=edge, rho=rho).value * (1 + 1e-12)


def test_edge_form_is_the_product_and_not_a_tower():
    T, edge, rho = 20, 0.2, 0.3
    product_form = boosting_margin_loss([0.5 - edge] * T, rho)
    assert boosting_edge(rounds=T, edge=edge, rho=rho).value == pytest.approx(product_form)
    tower = (1 - 4 * edge**2) * ((1 + 2 * edge) / (1 - 2 * edge)) ** (rho ** (T / 2))
    assert not math.isclose(tower, product_form, rel_tol=0.1)


def test_ensemble_dimension_bounds_votes_of_one():
    # T = 1: the sign of one weighted stump; half-lines both ways have dimension 2
    found, _ = dichotomies(HalfSpaces(1), np.arange(4.0))
    levels, _ = found.shattered_levels()
    assert len(levels) - 1 == 2 <= ensemble_vc(rounds=1, d=2).value
    assert ensemble_vc(rounds=3, d=2).value == pytest.approx(2 * 3 * 4 * math.log2(4 * math.e))


def test_bad_input():
    for bad in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="rho"):
            margin_risk([1.0], bad)
    with pytest.raises(ValueError, match="at least one margin"):
        margin_risk([], 1.0)
    with pytest.raises(ValueError, match="finite"):
        margin_risk([math.nan], 1.0)
    with pytest.raises(ValueError, match="errors"):
        boosting_margin_loss([0.0], 0.1)
    with pytest.raises(ValueError, match="rho"):
        boosting_margin_loss([0.3], 1.1)


def test_a_loss_beyond_all_numbers_is_infinite_in_both_forms():
    """2^T (1 − ε)^T at ρ = 1: the bound is never below its true value."""
    assert boosting_margin_loss([0.01] * 2000, rho=1.0) == math.inf
    assert boosting_edge(rounds=2000, edge=0.49, rho=1.0).value == math.inf


def test_a_table_of_margins_is_refused():
    with pytest.raises(ValueError, match=r"best_margin_bound\(margins\): shape \(1, 2\)"):
        best_margin_bound([[1.0, 2.0]], complexity=0.1, r=1.0, delta=0.1)
