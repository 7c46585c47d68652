"""Intervals and tests against values recorded from R (tests/reference/evaluation_r.R)."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each

from learnable.evaluation import (
    bonferroni,
    corrected_t,
    difference_interval,
    friedman,
    holm,
    mcnemar_counts,
    nemenyi,
    paired_t,
    proportion_interval,
    sign_test,
    wilcoxon,
)

R = json.loads((Path(__file__).parents[1] / "reference" / "evaluation_r.json").read_text(encoding="utf-8"))
SCORES = np.reshape(R["scores"], (-1, 3))


@each(("method", "name"), [("clopper_pearson", "exact"), ("wilson", "wilson")])
def test_proportions(method, name):
    ends = np.reshape(R[name], (-1, 2))
    for (mistakes, n), (low, high) in zip(R["counts"], ends):
        found = proportion_interval(mistakes, n, method=method)
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10, abs=1e-14)


def test_difference_of_two_errors():
    for (a, n_a, b, n_b), (low, high) in zip(R["two"], np.reshape(R["wald_difference"], (-1, 2))):
        found = difference_interval(a, n_a, b, n_b, method="normal")
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10)


def test_paired_and_corrected_t():
    naive = paired_t(R["first"], R["second"])
    corrected = corrected_t(R["first"], R["second"], n_train=90, n_test=10)
    for found, expected in ((naive, R["paired"]), (corrected, R["corrected"])):
        values = (found.statistic, found.p_value, found.difference.low, found.difference.high)
        assert values == pytest.approx(expected, rel=1e-10)


def test_mcnemar():
    found = mcnemar_counts(5, 14, 100)
    exact, _, corrected = R["mcnemar"]
    assert (found.p_exact, found.p_chi2) == pytest.approx((exact, corrected), rel=1e-10)


def test_ranks_over_data_sets():
    found = friedman(SCORES)
    assert (found.chi2, found.p_chi2) == pytest.approx(R["friedman"], rel=1e-10)
    assert nemenyi(found.average_ranks, len(SCORES)).critical_difference == pytest.approx(R["nemenyi"][0], rel=1e-6)
    assert sign_test(SCORES[:, 0], SCORES[:, 1]).p_value == pytest.approx(R["sign"][0], rel=1e-12)


def test_signed_ranks():
    found = wilcoxon(R["gaps"], np.zeros(len(R["gaps"])))
    assert (found.plus, found.p_value) == pytest.approx(R["wilcoxon"], rel=1e-12)


def test_adjusted_p_values():
    assert holm(R["p"]) == pytest.approx(R["holm"])
    assert bonferroni(R["p"]) == pytest.approx(R["bonferroni"])
