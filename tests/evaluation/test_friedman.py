"""Laws of the Friedman and Iman-Davenport tests."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from tests.cases import each

from learnable.evaluation.friedman import friedman, friedman_chi2, iman_davenport


def test_scipy_agrees_with_and_without_ties():
    rng = np.random.default_rng(0)
    for table in (rng.normal(size=(12, 5)), rng.integers(0, 3, size=(15, 4)).astype(float)):
        test = friedman(table)
        reference = stats.friedmanchisquare(*table.T)
        assert (test.chi2, test.p_chi2) == pytest.approx((reference.statistic, reference.pvalue), rel=1e-10)


def test_iman_davenport_is_the_analysis_of_variance_of_ranks():
    import pandas as pd

    table = np.random.default_rng(1).integers(0, 4, size=(10, 4)).astype(float)
    ranks = stats.rankdata(-table, axis=1)
    rows, columns = np.indices(ranks.shape)
    frame = pd.DataFrame({"rank": ranks.ravel(), "set": rows.ravel(), "learner": columns.ravel()})
    anova = anova_lm(ols("rank ~ C(set) + C(learner)", frame).fit())
    test = friedman(table)
    assert (test.f, test.p_f) == pytest.approx(
        (anova.loc["C(learner)", "F"], anova.loc["C(learner)", "PR(>F)"]), rel=1e-8
    )


def test_published_statistics():
    # J. Demšar, JMLR 7 (2006), section 3.2.2: 4 learners, 14 data sets, average ranks as printed there.
    chi2 = friedman_chi2([3.143, 2.000, 2.893, 1.964], n=14)
    assert round(chi2, 2) == 9.28
    assert round(iman_davenport(chi2, 14, 4), 2) == 3.69
    # S. García and F. Herrera, JMLR 9 (2008): 5 learners, 30 data sets.
    chi2 = friedman_chi2([2.1, 3.25, 2.2, 4.0 + 1 / 3, 3.0 + 7 / 60], n=30)
    assert round(chi2, 3) == 39.647
    assert round(iman_davenport(chi2, 30, 5), 3) == 14.309


def test_without_ties_both_forms_agree():
    test = friedman(np.random.default_rng(2).normal(size=(9, 4)))
    assert (test.chi2, test.f) == pytest.approx((test.chi2_untied, test.f_untied), rel=1e-12)


def test_losses_rank_the_other_way():
    table = np.random.default_rng(3).normal(size=(6, 3))
    assert friedman(table).average_ranks == pytest.approx(friedman(-table, greater_is_better=False).average_ranks)
    assert friedman(table).average_ranks + friedman(-table).average_ranks == pytest.approx([4.0] * 3)


def test_limits():
    tied = friedman(np.ones((5, 3)))
    assert (tied.chi2, tied.p_chi2, tied.f, tied.p_f) == (0.0, 1.0, 0.0, 1.0)
    unanimous = friedman(np.tile([3.0, 2.0, 1.0], (6, 1)))
    assert unanimous.chi2 == pytest.approx(12.0)
    assert (unanimous.f, unanimous.p_f) == (math.inf, 0.0)


@each("table", [[[1.0, 2.0]], [[1.0], [2.0]], [1.0, 2.0]])
def test_too_small(table):
    with pytest.raises(ValueError, match="at least 2 data sets"):
        friedman(table)


def test_missing_scores_are_refused():
    with pytest.raises(ValueError, match="row 1, column 0 is nan"):
        friedman([[1.0, 2.0], [np.nan, 1.0]])
