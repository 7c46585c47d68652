"""The area under the ROC curve: scikit-learn's number, DeLong's variance by its definition, coverage, bad input."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score
from tests.cases import each

from learnable.evaluation import auc_interval
from learnable.evaluation.auc import delong

SEED = 20266


def test_area_and_variance_are_those_of_all_pairs():
    rng = np.random.default_rng(SEED)
    for _ in range(10):
        # Rounded, so that ties occur.
        positives, negatives = rng.normal(1, 1, 17).round(1), rng.normal(0, 1, 23).round(1)
        beats = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
        area, variance = delong(positives, negatives)
        assert area == pytest.approx(beats.mean())
        expected = beats.mean(axis=1).var(ddof=1) / 17 + beats.mean(axis=0).var(ddof=1) / 23
        assert variance == pytest.approx(expected)
        y, scores = np.repeat([1, 0], [17, 23]), np.concatenate([positives, negatives])
        assert auc_interval(y, scores).estimate == pytest.approx(roc_auc_score(y, scores))


def test_reversed_scores_mirror_the_interval():
    rng = np.random.default_rng(SEED)
    y, scores = rng.integers(0, 2, 60), rng.normal(size=60)
    straight, mirrored = auc_interval(y, scores), auc_interval(y, -scores)
    assert straight[:3] == pytest.approx((1 - mirrored.estimate, 1 - mirrored.high, 1 - mirrored.low))
    assert auc_interval(y, scores, pos_label=0)[:3] == pytest.approx(mirrored[:3])


@each(("shift", "n_positive", "n_negative"), [(0.0, 30, 30), (1.0, 20, 60), (2.0, 15, 80), (2.5, 10, 150)])
def test_interval_covers_the_area_of_two_normal_laws(shift, n_positive, n_negative):
    truth = norm.cdf(shift / np.sqrt(2))
    rng, covered = np.random.default_rng(SEED), 0
    y = np.repeat([1, 0], [n_positive, n_negative])
    for _ in range(1000):
        scores = rng.normal(size=len(y)) + shift * y
        covered += truth in auc_interval(y, scores)
    assert 0.935 < covered / 1000 < 0.995


def test_perfect_separation_is_not_certain():
    y = np.repeat([0, 1], [10, 40])
    interval = auc_interval(y, y.astype(float))
    assert interval.estimate == interval.high == 1
    assert 0.6 < interval.low < 0.9
    tied = auc_interval(y, np.zeros(50))
    assert tied.estimate == 0.5
    assert auc_interval([0, 1], [0.2, 0.1]).estimate == 0


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="1 classes"):
        auc_interval([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="3 classes"):
        auc_interval([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
        auc_interval([0, 1], [0.1, np.nan])
    with pytest.raises(ValueError, match="y_true has 2 rows, scores has 3 rows"):
        auc_interval([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="pos_label=5"):
        auc_interval([0, 1], [0.1, 0.2], pos_label=5)
