"""Laws of McNemar's test."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from tests.cases import each

from learnable.evaluation.mcnemar import mcnemar, mcnemar_counts


@each(("b", "c"), [(1, 7), (0, 3), (4, 4), (10, 25), (120, 80), (0, 1)])
def test_statsmodels_agrees(b, c):
    test = mcnemar_counts(b, c, b + c + 20)
    table = [[10, b], [c, 10]]
    assert test.p_exact == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, rel=1e-9)
    reference = statsmodels_mcnemar(table, exact=False, correction=True)
    plain = statsmodels_mcnemar(table, exact=False, correction=False)
    assert (test.chi2_uncorrected, test.p_uncorrected) == pytest.approx((plain.statistic, plain.pvalue), rel=1e-9)
    if b != c:  # at b = c statsmodels squares -1; the corrected statistic is 0
        assert (test.chi2, test.p_chi2) == pytest.approx((reference.statistic, reference.pvalue), rel=1e-9)
    else:
        assert (test.chi2, test.p_chi2) == (0.0, 1.0)


def test_published_example():
    # Fagerland, Lydersen and Laake, BMC Med. Res. Methodol. 13:91 (2013), table 1: exact 0.0703, mid-p 0.0391.
    test = mcnemar_counts(1, 7, 21)
    assert (round(test.p_exact, 4), round(test.p_mid, 4)) == (0.0703, 0.0391)


@each("n", range(1, 25))
def test_p_values_by_enumeration(n):
    law = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    for b in range(n + 1):
        less = law[law < law[b] * (1 - 1e-9)].sum()
        equal = law[np.isclose(law, law[b], rtol=1e-9, atol=0)].sum()
        test = mcnemar_counts(b, n - b, n)
        assert test.p_exact == pytest.approx(less + equal, abs=1e-12)
        assert test.p_mid == pytest.approx(less + equal / 2, abs=1e-12)


@each("n", [5, 12, 40, 100])
def test_exact_test_keeps_its_level(n):
    law = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    rejects = [mcnemar_counts(b, n - b, n).p_exact <= 0.05 for b in range(n + 1)]
    assert law[rejects].sum() <= 0.05 + 1e-12


@each(("p", "q"), [(0.1, 0.1), (0.25, 0.05), (0.4, 0.3)])
def test_interval_coverage_summed_exactly(p, q):
    n, covered = 30, 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            interval = mcnemar_counts(b, c, n).difference
            assert interval.low <= interval.estimate <= interval.high
            covered += stats.multinomial.pmf([b, c, n - b - c], n, [p, q, 1 - p - q]) * (p - q in interval)
    assert 0.93 < covered < 0.99


def test_labels_of_any_kind_and_no_disagreement():
    truth = np.array(["a", "b", "c", "a"])
    test = mcnemar(truth, ["a", "b", "c", "b"], ["a", "c", "c", "a"])
    assert (test.only_first, test.only_second, test.n) == (1, 1, 4)
    same = mcnemar(truth, truth, truth)
    assert (same.p_exact, same.p_mid, same.p_chi2) == (1.0, 1.0, 1.0)


def test_bad_input():
    with pytest.raises(ValueError, match="same length"):
        mcnemar([1, 0], [1, 0, 1], [1, 0])
    for counts in ((-1, 2, 5), (1.5, 2, 5), (3, 3, 5), (0, 0, 0)):
        with pytest.raises(ValueError, match="mcnemar"):
            mcnemar_counts(*counts)


def test_missing_labels_and_labels_of_two_kinds_are_refused():
    with pytest.raises(ValueError, match=r"y_true\[2\] is missing"):
        mcnemar([1, 0, np.nan], [1, 0, 1], [1, 1, 1])
    with pytest.raises(TypeError, match="one kind of label"):
        mcnemar([1, 0, 1], ["1", "0", "1"], ["1", "1", "1"])
    with pytest.raises(ValueError, match="only_first=nan"):
        mcnemar_counts(float("nan"), 1, 3)
