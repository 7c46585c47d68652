"""The interval of a weighted ratio, and the correlation of class scores, against independent routes."""

import numpy as np
import pytest
from scipy.stats import multinomial
from tests.cases import each

from learnable.evaluation import confusion_matrix
from learnable.evaluation.ratio_scores import PRECISION, RECALL, _correlation, class_interval, f_beta

SEED = 20265


def matrix_of(counts):
    counts = np.asarray(counts)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    return confusion_matrix(cells // len(counts), cells % len(counts))


@each("score", [PRECISION, RECALL, f_beta(1), f_beta(2), f_beta(0.5)])
def test_correlations_are_those_of_the_numerical_delta_method(score):
    counts = np.random.default_rng(SEED).integers(1, 30, size=(4, 4))

    def scores(p):
        hits, missed, claimed = np.diag(p), p.sum(1) - np.diag(p), p.sum(0) - np.diag(p)
        top = (score.miss + score.claim) * hits
        return top / (top + score.miss * missed + score.claim * claimed)

    p = counts / counts.sum()
    gradient = np.zeros((4, 16))
    for cell in range(16):
        step = np.zeros(16)
        step[cell] = 1e-6
        gradient[:, cell] = (scores(p + step.reshape(4, 4)) - scores(p - step.reshape(4, 4))) / 2e-6
    covariance = gradient @ (np.diag(p.ravel()) - np.outer(p, p)) @ gradient.T
    deviation = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(
        _correlation(matrix_of(counts), score), covariance / np.outer(deviation, deviation), atol=1e-6
    )


@each("beta", [0.5, 1.0, 2.0])
def test_width_is_that_of_the_delta_method_for_many_rows(beta):
    counts = np.array([[40_000, 3_000], [6_000, 51_000]])
    interval = class_interval(matrix_of(counts), 1, f_beta(beta), 0.95, 0.0)
    hits, missed, claimed = counts[1, 1], counts[1, 0], counts[0, 1]
    errors = beta**2 * missed + claimed
    logit_variance = 1 / hits + (beta**4 * missed + claimed) / errors**2
    f = interval.estimate
    assert f == pytest.approx((1 + beta**2) * hits / ((1 + beta**2) * hits + errors))
    assert interval.width == pytest.approx(2 * 1.96 * f * (1 - f) * np.sqrt(logit_variance), rel=1e-3)


@each(
    ("beta", "law"),
    [(1.0, (0.5, 0.1, 0.1)), (0.5, (0.2, 0.05, 0.15)), (2.0, (0.3, 0.01, 0.02)), (2.0, (0.1, 0.2, 0.1))],
)
def test_exact_coverage_over_all_tables(beta, law):
    """Sum over every table (TP, FN, FP, rest) of 30 rows."""
    n, (p_hit, p_miss, p_claim) = 30, law
    truth = (1 + beta**2) * p_hit / ((1 + beta**2) * p_hit + beta**2 * p_miss + p_claim)
    tables = np.array(
        [(h, m, c, n - h - m - c) for h in range(n + 1) for m in range(n + 1 - h) for c in range(n + 1 - h - m)]
    )
    probability = multinomial.pmf(tables, n, [*law, 1 - sum(law)])
    likely = probability > 1e-7
    covered = sum(
        weight
        for (h, m, c, rest), weight in zip(tables[likely].tolist(), probability[likely])
        if truth in class_interval(matrix_of([[rest, c], [m, h]]), -1, f_beta(beta), 0.95, 0.0)
    )
    assert covered > 0.925
