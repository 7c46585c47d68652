"""Threshold operators: each is the best point of its one-dimensional problem; what is drawn is what was computed."""

import matplotlib as mpl
import numpy as np
import pytest
from tests.cases import each

from learnable.problems.sparse.folded_penalties import MCP, SCAD, Bridge
from learnable.problems.sparse.penalties import EVERY, L1, value
from learnable.sparse import Lasso, PenaltyDisplay, every_penalty
from learnable.theory import orthogonal_design

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@each("level", [0.3, 1.0, 2.0])
@each("name", list(every_penalty()))
def test_each_operator_is_the_minimiser_of_its_one_dimensional_problem(name, level):
    penalty = every_penalty(level)[name]
    display = PenaltyDisplay({name: penalty}, reach=6.0, points=61)
    grid = np.linspace(-6.5, 6.5, 13_001)
    price = value(penalty, grid, EVERY)
    for z, kept in zip(display.z, display.thresholds[name]):
        best = np.min(0.5 * (grid - z) ** 2 + price)
        reached = 0.5 * (kept - z) ** 2 + value(penalty, np.array([kept]), EVERY)[0]
        assert reached <= best + 1e-12
        assert reached >= best - 1e-5  # nothing is below the grid by more than its step allows


def test_operators_are_odd_monotone_and_know_their_shape():
    display = PenaltyDisplay()
    for name, kept in display.thresholds.items():
        np.testing.assert_allclose(kept, -kept[::-1], atol=1e-12)
        assert np.all(np.diff(kept) >= -1e-9), name
        assert np.all(np.abs(kept) <= np.abs(display.z) + 1e-12)
    at = int(np.argmin(np.abs(display.z - 0.9)))
    for name in ("lasso", "SCAD", "MCP", "bridge, q = 1/2"):
        assert display.thresholds[name][at] == 0.0
    for name in ("ridge", "bridge, q = 3/2"):
        assert display.thresholds[name][at] > 0.0
    far = {name: kept[-1] for name, kept in display.thresholds.items()}
    assert far["SCAD"] == far["MCP"] == 5.0  # large coefficients are spared
    assert far["lasso"] == 4.0
    assert far["ridge"] == 2.5


def test_the_lasso_curve_is_the_lasso():
    display = PenaltyDisplay({"lasso": L1(0.7)}, reach=3.0, points=7)
    X = np.eye(7)
    alpha = orthogonal_design(X, display.z, 0.7).lasso.setting
    coef = Lasso(alpha=alpha, fit_intercept=False, tol=1e-14).fit(X, display.z).coef_
    np.testing.assert_allclose(display.thresholds["lasso"], coef, atol=1e-9)


def test_curves_drawn_are_curves_computed_with_a_gap_at_a_jump():
    display = PenaltyDisplay({"bridge": Bridge(1.0, 0.5), "SCAD": SCAD(1.0, 3.7)}, points=501).plot()
    assert display.axes_.shape == (2,)
    for ax, kept in zip(display.axes_, display.thresholds.values()):
        drawn = ax.lines[1].get_ydata()
        seen = ~np.isnan(drawn)
        np.testing.assert_array_equal(drawn[seen], kept[seen])
    assert np.isnan(display.axes_[0].lines[1].get_ydata()).sum() == 2
    assert not np.isnan(display.axes_[1].lines[1].get_ydata()).any()


def test_contours_pass_through_the_points_of_their_level():
    display = PenaltyDisplay({"lasso": L1(1.0), "MCP": MCP(1.0, 3.0)}).plot_contours(levels=[1.0])
    for ax, penalty in zip(display.axes_, display.penalties.values()):
        points = np.concatenate([path.vertices for path in ax.collections[0].get_paths()])
        np.testing.assert_allclose(value(penalty, points, EVERY).sum(axis=1), 1.0, atol=0.02)
    assert len(PenaltyDisplay().plot_penalties().axes_[0].lines) == 7


def test_errors():
    with pytest.raises(ValueError, match="reach must be"):
        PenaltyDisplay(reach=-1.0)
    with pytest.raises(ValueError, match="points must be"):
        PenaltyDisplay(points=2)
    with pytest.raises(ValueError, match="nothing to draw"):
        PenaltyDisplay({})
    with pytest.raises(ValueError, match="level must be"):
        every_penalty(0.0)
    display = PenaltyDisplay({"lasso": L1(1.0), "MCP": MCP(1.0, 3.0)})
    alone = PenaltyDisplay({"lasso": L1(1.0)}).plot().axes_
    with pytest.raises(ValueError, match="1 axes for 2 penalties"):
        display.plot(alone)
