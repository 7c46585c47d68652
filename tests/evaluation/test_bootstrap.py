"""Bootstrap intervals: the same ends as SciPy from the same replicates, any number of threads, speed, bad input."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as outside
from tests.cases import each

from learnable.evaluation import METRICS, bootstrap_interval
from learnable.evaluation.bootstrap import BOOTSTRAP_INTERVALS, bootstrap_replicates
from learnable.evaluation.resampling import bind

SEED = 20262


@pytest.fixture
def labels():
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 2, 80)
    return y, np.where(rng.random(80) < 0.75, y, 1 - y)


@pytest.fixture
def numbers():
    rng = np.random.default_rng(SEED)
    y = rng.normal(5, 2, size=90)
    return y, y + rng.normal(size=90)


@each("method", BOOTSTRAP_INTERVALS)
def test_same_replicates_give_the_ends_of_scipy(method):
    values = np.random.default_rng(SEED).exponential(size=35)
    metric = np.std
    replicates = bootstrap_replicates(bind(metric, (values,)), 999, 7, None)
    earlier = SimpleNamespace(bootstrap_distribution=replicates)
    expected = stats.bootstrap(
        (values,), metric, n_resamples=0, bootstrap_result=earlier, method=method, confidence_level=0.9, vectorized=True
    ).confidence_interval
    interval = bootstrap_interval(metric, values, repeats=999, method=method, level=0.9, random_state=7)
    assert interval[1:3] == pytest.approx((expected.low, expected.high), rel=1e-10)


@each(
    ("name", "function"),
    [
        ("accuracy", outside.accuracy_score),
        ("balanced_accuracy", outside.balanced_accuracy_score),
        ("error", outside.zero_one_loss),
        ("f1", outside.f1_score),
        ("precision", outside.precision_score),
        ("recall", outside.recall_score),
        ("f1_macro", lambda y, g: outside.f1_score(y, g, average="macro")),
        ("precision_macro", lambda y, g: outside.precision_score(y, g, average="macro")),
        ("recall_macro", lambda y, g: outside.recall_score(y, g, average="macro")),
    ],
)
def test_label_metrics_are_those_of_scikit_learn(name, function, labels):
    interval = bootstrap_interval(name, *labels, random_state=0)
    assert interval.estimate == pytest.approx(function(*labels))
    assert interval.low < interval.estimate < interval.high


def test_quick_label_metrics_agree_with_the_plain_bootstrap(labels):
    quick = bootstrap_interval("precision", *labels, random_state=0)
    slow = bootstrap_interval(lambda y, guess: y[guess == 1].mean(), *labels, repeats=2000, random_state=0)
    assert quick[1:3] == pytest.approx(slow[1:3], abs=0.02)


@each(
    ("name", "function", "plain"),
    [
        ("r2", outside.r2_score, lambda y, g: 1 - ((y - g) ** 2).sum() / ((y - y.mean()) ** 2).sum()),
        ("mean_absolute_error", outside.mean_absolute_error, lambda y, g: np.abs(y - g).mean()),
        ("mean_squared_error", outside.mean_squared_error, lambda y, g: ((y - g) ** 2).mean()),
        ("root_mean_squared_error", outside.root_mean_squared_error, lambda y, g: np.sqrt(((y - g) ** 2).mean())),
    ],
)
def test_quick_number_metrics_agree_with_the_plain_bootstrap(name, function, plain, numbers):
    quick = bootstrap_interval(name, *numbers, random_state=0)
    assert quick.estimate == pytest.approx(function(*numbers))
    slow = bootstrap_interval(plain, *numbers, repeats=2000, random_state=0)
    assert quick[1:3] == pytest.approx(slow[1:3], abs=0.15 * quick.width)


@each("metric", ["f1", "r2", np.corrcoef])
def test_threads_do_not_change_the_answer(metric, labels, numbers):
    arrays = labels if metric == "f1" else numbers
    if metric is np.corrcoef:

        def metric(a, b):
            return np.corrcoef(a, b)[0, 1]

    alone, shared = (bootstrap_replicates(bind(METRICS.get(metric, metric), arrays), 501, 5, k) for k in (None, 3))
    np.testing.assert_array_equal(alone, shared)
    answers = {
        bootstrap_interval(metric, *arrays, repeats=501, random_state=5, n_jobs=n_jobs) for n_jobs in (None, 1, 2, 3)
    }
    assert len(answers) == 1
    assert bootstrap_interval(metric, *arrays, repeats=501, random_state=6) not in answers


def test_every_kind_of_seed_is_taken_and_arrays_are_left_alone(labels):
    y, guess = labels
    kept = y.copy(), guess.copy()
    for seed in (3, np.random.SeedSequence(3), np.random.default_rng(3)):
        assert bootstrap_interval("f1", y, guess, random_state=seed) == bootstrap_interval(
            "f1", y, guess, random_state=3
        )
    legacy = [bootstrap_interval("f1", y, guess, random_state=np.random.RandomState(3)) for _ in range(2)]
    assert legacy[0] == legacy[1]
    np.testing.assert_array_equal(y, kept[0])
    np.testing.assert_array_equal(guess, kept[1])


def test_coverage_of_bca_is_near_its_level():
    # A skewed mean, 300 samples of 40 rows: about 0.9, less the known shortfall of small n.
    rng, covered = np.random.default_rng(SEED), 0
    for seed in range(300):
        values = rng.exponential(size=40)
        covered += 1.0 in bootstrap_interval("mean", values, repeats=250, level=0.9, random_state=seed)
    assert 0.84 < covered / 300 < 0.94


def test_a_metric_that_never_varies_is_one_point():
    y = np.repeat([0, 1], 20)
    assert bootstrap_interval("accuracy", y, y, random_state=0)[:3] == (1.0, 1.0, 1.0)
    assert bootstrap_interval("mean", np.full(9, 2.5), random_state=0)[:3] == (2.5, 2.5, 2.5)


@each("metric", ["mean_squared_error", "accuracy", lambda y, p: float(np.mean(y == p))])
def test_one_row_has_no_interval(metric):
    with pytest.raises(ValueError, match="at least two"):
        bootstrap_interval(metric, [1.0], [1.0])


@each(
    ("keywords", "message"),
    [
        ({"method": "studentized"}, "choose one of 'bca'"),
        ({"level": 1.0}, "level must be in"),
        ({"repeats": 1}, "at least 2"),
        ({"repeats": 10.5}, "whole number"),
    ],
)
def test_bad_settings_are_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_interval("mean", [1.0, 2.0], **keywords)


def test_undefined_metrics_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="choose one of 'accuracy'"):
        bootstrap_interval("auc", [0, 1], [0, 1])
    with pytest.raises(ValueError, match="rows themselves is nan"):
        bootstrap_interval(lambda v: np.nan, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"not finite on .* of 1000 resamples"):
        bootstrap_interval(lambda v: np.nan if v.min() == v.max() else 1.0, [1.0, 2.0], repeats=1000)
    with pytest.raises(ValueError, match="outside all its replicates"):
        bootstrap_interval(lambda v: float(len(np.unique(v))), np.arange(30.0), repeats=100, random_state=0)
    with pytest.raises(ValueError, match="resamples"):  # constant y in some resample
        bootstrap_interval("r2", [1.0, 2.0], [1.0, 2.5], random_state=0)


@each("dtype", [np.uint8, np.int8, bool])
@each("metric", ["mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "r2"])
def test_short_integers_do_not_wrap_round(metric, dtype):
    y_true, y_pred = np.array([0, 1, 1, 0, 1, 100]).astype(dtype), np.array([1, 0, 1, 1, 1, 0]).astype(dtype)
    options = {"repeats": 50, "method": "percentile", "random_state": SEED}
    given = bootstrap_interval(metric, y_true, y_pred, **options)
    assert given == bootstrap_interval(metric, y_true.astype(float), y_pred.astype(float), **options)


def test_a_second_column_is_not_dropped_in_silence():
    with pytest.raises(ValueError, match=r"one dimension, not shape \(4, 2\)"):
        bootstrap_interval("mean", np.ones((4, 2)))


@each("sign", [1, -1])
def test_bca_ends_stay_in_order_when_the_acceleration_leaves_no_room(sign):
    """One outlier among 40 rows: 1 − a·z < 0 at this level, where the formula alone comes back from the other end."""
    values = sign * np.append(0.01 * np.arange(39), 1000.0)
    found = bootstrap_interval("mean", values, level=1 - 1e-12, repeats=500, random_state=SEED)
    assert found.low < found.estimate < found.high


@each("count", [None, 1, 2.5, "9"])
def test_numbers_of_resamples_are_whole(count):
    with pytest.raises(ValueError, match=f"repeats={count!r}"):
        bootstrap_interval("mean", [1.0, 2.0], repeats=count)
