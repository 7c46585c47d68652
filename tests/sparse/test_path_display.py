"""The picture of a path: what is drawn is what was computed."""

import matplotlib as mpl
import numpy as np
import pytest

from learnable.sparse import LassoCV, PathDisplay

mpl.use("Agg")
RNG = np.random.default_rng(1)
X = RNG.standard_normal((60, 8))
Y = X[:, :2] @ [2.0, -1.0] + RNG.standard_normal(60)


@pytest.fixture
def display():
    import matplotlib.pyplot as plt

    yield PathDisplay.from_estimator(LassoCV(cv=4, alphas=25).fit(X, Y), X, Y).plot()
    plt.close("all")


def test_lines_are_the_coefficients_and_the_gaps(display):
    top, bottom = display.axes_
    assert display.figure_ is top.figure
    drawn = [line.get_ydata() for line in top.lines if len(line.get_ydata()) == 25]
    assert len(drawn) == 8
    for coef in display.coefs:
        assert any(np.array_equal(coef, line) for line in drawn)
    np.testing.assert_array_equal(bottom.lines[0].get_ydata(), np.maximum(display.gaps, 1e-17))
    assert np.all(display.gaps <= 1e-4)


def test_the_chosen_penalties_are_marked(display):
    model = LassoCV(cv=4, alphas=25).fit(X, Y)
    assert display.chosen == {"α_min": model.alpha_, "α_1se": model.alpha_1se_}
    places = [line.get_xdata()[0] for line in display.axes_[0].lines if len(line.get_xdata()) == 2]
    assert {model.alpha_, model.alpha_1se_} <= set(places)
    # At α_min the path passes through the answer of the fit.
    at = int(np.argmin(np.abs(display.alphas - model.alpha_)))
    np.testing.assert_allclose(display.coefs[:, at], model.coef_, atol=0.05)


def test_sizes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match="one column and one gap"):
        PathDisplay([1.0, 0.5], np.zeros((3, 3)), [0.0, 0.0])
