"""Laws of the pictures: they draw for few and many learners, labels do not overlap, names are safe."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeRegressor
from tests.cases import each

from learnable.evaluation.bias_variance import prediction_decomposition
from learnable.evaluation.compare_datasets import compare_datasets
from learnable.evaluation.comparison import Comparison
from learnable.evaluation.displays import (
    BiasVarianceDisplay,
    CalibrationDisplay,
    ComparisonMatrixDisplay,
    CriticalDifferenceDisplay,
    LeaderboardDisplay,
    LearningCurveDisplay,
    ResidualDisplay,
)
from learnable.evaluation.displays.style import short_names
from learnable.evaluation.proportion import proportion_interval

LONG = "gradient boosting on polynomial features with early stopping, version {}"
X, Y = make_classification(200, 5, random_state=0)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def comparison(k, name="learner {}"):
    rng = np.random.default_rng(k)
    shared = rng.normal(0, 0.02, 20)
    table = {name.format(j): 0.9 - 0.01 * j + shared + rng.normal(0, 0.01, 20) for j in range(k)}
    return Comparison.from_scores(table, n_train=90, n_test=10, metric="accuracy")


def datasets(k, name="learner {}", n=12):
    rng = np.random.default_rng(k)
    return compare_datasets({name.format(j): rng.normal(0.9 - 0.01 * j, 0.02, n) for j in range(k)})


def undrawn(ax):
    """Labels of ticks beyond the ends of an axis: they exist but are not drawn."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks() + axis.get_minor_ticks():
            if not low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)


def drawn(display):
    """Plot, lay out, and return (the figure's box, boxes of all visible texts)."""
    figure = display.plot().figure_
    figure.canvas.draw()
    assert display.ax_.figure is figure
    hidden = set(undrawn(display.ax_))
    texts = [text for text in figure.findobj(plt.Text) if text.get_visible() and text.get_text().strip()]
    texts = [text for text in texts if text not in hidden]
    return figure.bbox, [text.get_window_extent() for text in texts]


def assert_readable(display):
    page, boxes = drawn(display)
    for box in boxes:
        assert box.x0 >= page.x0 - 1
        assert box.x1 <= page.x1 + 1
        assert box.y0 >= page.y0 - 1
        assert box.y1 <= page.y1 + 1
    for i, box in enumerate(boxes):
        for other in boxes[i + 1 :]:
            width = min(box.x1, other.x1) - max(box.x0, other.x0)
            height = min(box.y1, other.y1) - max(box.y0, other.y0)
            assert width < 1 or height < 3, (box, other)


@each(("k", "name"), [(2, LONG), (5, "learner {}"), (15, LONG)])
@each("kind", [LeaderboardDisplay, CriticalDifferenceDisplay, ComparisonMatrixDisplay])
def test_comparisons_are_readable_at_six_inches(kind, name, k):
    assert_readable(kind.from_comparison(comparison(k, name)))


@each(("k", "n"), [(2, 12), (15, 12), (5, 2)])
def test_rank_diagrams_are_readable_even_when_the_ruler_is_longer_than_the_axis(k, n):
    display = CriticalDifferenceDisplay.from_comparison(datasets(k, LONG, n))
    assert display.critical_difference == datasets(k, LONG, n).nemenyi.critical_difference
    assert_readable(display)


@each("k", [3, 15])
def test_bars_are_the_groups_and_bars_of_one_level_do_not_touch(k):
    result = comparison(k)
    display = CriticalDifferenceDisplay.from_comparison(result)
    bars = display.bars()
    assert [tuple(result.ranking[first : last + 1]) for first, last, _ in bars] == [
        g for g in result.groups if len(g) > 1
    ]
    for i, (_, last, level) in enumerate(bars):
        for first, _, other in bars[i + 1 :]:
            assert level != other or display.positions[first] < display.positions[last]


def test_equal_learners_still_draw():
    equal = Comparison.from_scores({"a": [0.8, 0.9], "b": [0.8, 0.9]}, n_train=9, n_test=1)
    for kind in (LeaderboardDisplay, CriticalDifferenceDisplay, ComparisonMatrixDisplay):
        drawn(kind.from_comparison(equal))


def test_one_learner():
    single = Comparison.from_scores({"a": [0.8, 0.9]}, n_train=9, n_test=1)
    drawn(LeaderboardDisplay.from_comparison(single))
    drawn(CriticalDifferenceDisplay.from_comparison(single))
    with pytest.raises(ValueError, match="at least 2"):
        ComparisonMatrixDisplay.from_comparison(single)


def test_names_with_formulas_are_text():
    odd = Comparison.from_scores({r"$\frac{": [0.8, 0.9], "a$b$": [0.7, 0.6]}, n_train=9, n_test=1, metric="$x")
    for kind in (LeaderboardDisplay, CriticalDifferenceDisplay, ComparisonMatrixDisplay):
        drawn(kind.from_comparison(odd))


def test_short_names_stay_different():
    names = [f"{'a' * 40}{i}{'b' * 40}" for i in range(5)]
    short = short_names(names, 20)
    assert len(set(short)) == 5
    assert max(map(len, short)) <= 26


def test_matrix_holds_the_pairs():
    result = comparison(4)
    display = ComparisonMatrixDisplay.from_comparison(result)
    for pair in result.pairs:
        i, j = (result.ranking.index(name) for name in (pair.first, pair.second))
        assert display.p_adjusted[i, j] == display.p_adjusted[j, i] == pair.p_adjusted
        assert display.differences[i, j] == abs(pair.difference.estimate)


def test_given_axes_are_used():
    _, ax = plt.subplots()
    assert LeaderboardDisplay.from_comparison(comparison(3)).plot(ax=ax).ax_ is ax


def test_leaderboard_from_cross_validation():
    results = {
        name: cross_validate(LogisticRegression(C=c), X, Y, cv=5, return_indices=True)
        for name, c in (("a", 1), ("b", 9))
    }
    board = LeaderboardDisplay.from_cv_results(results)
    assert_readable(board)
    assert board.intervals[0].estimate == pytest.approx(max(r["test_score"].mean() for r in results.values()))
    other = cross_validate(LogisticRegression(), X, Y, cv=4, return_indices=True)
    with pytest.raises(ValueError, match="other folds"):
        LeaderboardDisplay.from_cv_results({**results, "c": other})
    with pytest.raises(ValueError, match="return_indices"):
        LeaderboardDisplay.from_cv_results({"a": cross_validate(LogisticRegression(), X, Y, cv=3)})


def test_calibration_counts_and_bands():
    p = np.array([0.1] * 30 + [0.9] * 70)
    y = np.array([0] * 27 + [1] * 3 + [1] * 60 + [0] * 10)
    display = CalibrationDisplay.from_predictions(y, p, n_bins=10)
    assert display.counts == [30, 70]
    assert display.predicted == pytest.approx([0.1, 0.9])
    assert display.observed == [proportion_interval(3, 30), proportion_interval(60, 70)]
    assert_readable(display)


def test_calibration_from_estimators_and_folds():
    model = LogisticRegression().fit(X, Y)
    direct = CalibrationDisplay.from_estimator(model, X, Y, n_bins=4)
    assert sum(direct.counts) == 200
    mirrored = CalibrationDisplay.from_estimator(model, X, Y, n_bins=4, pos_label=0)
    assert mirrored.predicted[::-1] == pytest.approx(1 - direct.predicted, abs=0.05)
    results = cross_validate(LogisticRegression(), X, Y, cv=4, return_estimator=True, return_indices=True)
    assert_readable(CalibrationDisplay.from_cv_results(results, X, Y))
    with pytest.raises(ValueError, match="return_estimator"):
        CalibrationDisplay.from_cv_results({}, X, Y)


@each(
    ("y", "p", "message"),
    [
        ([0, 1], [0.5, 1.5], "1.5"),
        ([0, 1], [0.5, np.nan], "nan"),
        ([0, 1, 2], [0.1, 0.2, 0.3], "3 classes"),
        ([], [], "vectors"),
    ],
)
def test_calibration_bad_input(y, p, message):
    with pytest.raises(ValueError, match=message):
        CalibrationDisplay.from_predictions(y, p)


def test_residuals():
    X_r, y_r = make_regression(4000, 3, noise=10, random_state=0)
    model = LinearRegression().fit(X_r[:2000], y_r[:2000])
    display = ResidualDisplay.from_estimator(model, X_r, y_r)
    assert display.residual == pytest.approx(y_r - model.predict(X_r))
    assert np.mean([0.0 in mean for mean in display.bin_means]) > 0.5
    assert_readable(display)
    results = cross_validate(LinearRegression(), X_r, y_r, cv=3, return_estimator=True, return_indices=True)
    assert len(ResidualDisplay.from_cv_results(results, X_r, y_r).predicted) == 4000
    drawn(ResidualDisplay.from_predictions([1.0], [2.0]))
    with pytest.raises(ValueError, match="finite"):
        ResidualDisplay.from_predictions([1.0, np.nan], [2.0, 1.0])


def test_learning_curves():
    display = LearningCurveDisplay.from_estimator(
        LogisticRegression(), X, Y, train_sizes=[0.3, 1.0], scoring="accuracy"
    )
    assert display.sizes.tolist() == [48, 160]
    assert all(0 <= interval.low <= interval.high <= 1 for interval in display.validation + display.training)
    assert_readable(display)
    results = {
        size: cross_validate(LogisticRegression(), X[:n], Y[:n], cv=4, return_train_score=True, return_indices=True)
        for size, n in ((75, 100), (150, 200))
    }
    curve = LearningCurveDisplay.from_cv_results(results)
    assert curve.validation[1].estimate == pytest.approx(results[150]["test_score"].mean())
    with pytest.raises(ValueError, match="train_score"):
        LearningCurveDisplay.from_cv_results({10: {"test_score": [1]}})
    with pytest.raises(ValueError, match="one each"):
        LearningCurveDisplay([1, 2], [], [])


def test_bias_variance_pictures():
    def simulate(rng):
        X = rng.uniform(-1, 1, (30, 1))
        return X, X[:, 0] ** 2 + rng.normal(0, 0.1, 30)

    grid = np.linspace(-1, 1, 5)[:, None]
    options = {"noise_variance": 0.01, "repeats": 8, "random_state": 0}
    display = BiasVarianceDisplay.from_estimator(
        DecisionTreeRegressor(), "max_depth", [1, 3, 5], simulate, grid, grid[:, 0] ** 2, **options
    )
    assert display.stack()[-1] == pytest.approx([term.error.estimate for term in display.terms])
    assert_readable(display)
    terms = [prediction_decomposition([[0.0], [c]], [1.0]) for c in (1.0, 2.0, 3.0)]
    assert_readable(BiasVarianceDisplay([0.01, 1.0, 100.0], terms))
    assert_readable(BiasVarianceDisplay(["few", "some", "many"], terms))


def test_no_picture_no_matplotlib():
    code = "import sys, learnable.evaluation, learnable.evaluation.displays; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
