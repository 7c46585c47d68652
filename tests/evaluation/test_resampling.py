"""The quick ways to resample have exactly the law of drawing rows one by one."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, norm
from tests.cases import each

from learnable.evaluation import ConfusionMetric, MeanMetric
from learnable.evaluation.bootstrap import METRICS
from learnable.evaluation.resampling import CellSample, MeanSample, RowSample, bind

SEED = 20261


def frequencies(replicates, outcomes):
    order = np.argsort(outcomes)
    return np.bincount(order[np.searchsorted(outcomes[order], replicates - 1e-9)], minlength=len(outcomes))


@each("n", [1, 2, 3, 5])
def test_means_of_small_samples_have_the_enumerated_law(n):
    # Powers of 8 make the mean of a resample reveal its counts.
    values = 8.0 ** np.arange(n)
    sample = MeanSample(MeanMetric(lambda v: v), [values])
    draws = np.array(list(product(range(n), repeat=n)))
    outcomes, ways = np.unique(values[draws].mean(axis=1), return_counts=True)
    replicates = sample.replicates(np.random.default_rng(SEED), 20_000)
    seen = frequencies(replicates, outcomes)
    if n > 1:
        assert chisquare(seen, 20_000 * ways / ways.sum()).pvalue > 1e-4


@each("n", [255, 256, 257, 700])
def test_rows_of_every_block_are_drawn_as_multinomial_counts(n):
    # Two columns: an indicator of one row, and of another. Their counts are Binomial(n, 1/n), covariance −1/n.
    rng = np.random.default_rng(SEED)
    for a, b in ((0, n - 1), (n // 2, n // 2 + 1)):
        values = np.zeros((n, 3))
        values[a, 0] = values[b, 1] = 1
        values[:, 2] = 1
        counts = MeanSample(MeanMetric(lambda v: v, lambda means: means), [values]).replicates(rng, 40_000) * n
        np.testing.assert_allclose(counts[:, 2], n)  # every resample has n rows
        for count in counts.T[:2]:
            assert abs(count.mean() - 1) < 5 * np.sqrt((1 - 1 / n) / 40_000)
            assert abs(count.var() - (1 - 1 / n)) < 0.06
            assert set(np.round(count, 6)) <= set(range(20))
        assert abs(np.cov(counts[:, 0], counts[:, 1])[0, 1] + 1 / n) < 0.03


def test_means_of_large_samples_are_normal_with_the_bootstrap_variance():
    values = np.random.default_rng(SEED).exponential(size=3000)
    replicates = MeanSample(MeanMetric(lambda v: v), [values]).replicates(np.random.default_rng(1), 5000)
    deviation = values.std() / np.sqrt(3000)
    assert kstest((replicates - values.mean()) / deviation, norm.cdf).pvalue > 1e-4


def test_cells_have_the_law_of_the_rows():
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 3, 60)
    guess = np.where(rng.random(60) < 0.7, y, rng.integers(0, 3, 60))
    quick = CellSample(METRICS["f1_macro"], (y, guess)).replicates(np.random.default_rng(2), 8000)

    def f1_macro(true, predicted):
        counts = np.zeros((3, 3))
        np.add.at(counts, (true, predicted), 1)
        return METRICS["f1_macro"].of_counts(counts[None])[0]

    slow = RowSample(f1_macro, [y, guess]).replicates(np.random.default_rng(3), 8000)
    assert abs(quick.mean() - slow.mean()) < 5 * slow.std() * np.sqrt(2 / 8000)
    assert quick.std() == pytest.approx(slow.std(), rel=0.06)


@each("name", ["accuracy", "f1_macro", "balanced_accuracy", "precision", "r2", "mean_squared_error"])
def test_jackknife_leaves_out_each_row(name):
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 2, 12)
    guess = np.where(rng.random(12) < 0.7, y, 1 - y)
    arrays = (y, guess) if isinstance(METRICS[name], ConfusionMetric) else (rng.normal(size=12), rng.normal(size=12))
    values, rows = bind(METRICS[name], arrays).jackknife()
    left_out = [bind(METRICS[name], tuple(np.delete(a, i) for a in arrays)).estimate() for i in range(12)]
    np.testing.assert_allclose(np.sort(np.repeat(values, rows)), np.sort(left_out), atol=1e-12)


def test_grouped_jackknife_covers_every_row_once():
    seen = []
    RowSample(lambda v: seen.append(len(v)) or 0.0, [np.arange(2500)]).jackknife()
    assert len(seen) == 1000
    assert sum(2500 - kept for kept in seen) == 2500


def test_bad_metrics_and_arrays_are_refused():
    with pytest.raises(TypeError, match="metric=3"):
        bind(3, ([1, 2],))
    with pytest.raises(ValueError, match="at least one array"):
        bind(np.mean, ())
    for arrays in (([1, 2], [1]), ([], [])):
        with pytest.raises(ValueError, match="same number of rows"):
            bind(np.mean, arrays)
    with pytest.raises(ValueError, match="needs y_true and y_pred"):
        bind(METRICS["f1"], ([1, 2],))
    with pytest.raises(ValueError, match=r"values\[1\] is nan"):
        bind(METRICS["mean"], ([1, np.nan],))
    with pytest.raises(ValueError, match="per_row gave shape"):
        bind(MeanMetric(lambda v: v[:1]), ([1, 2],))
