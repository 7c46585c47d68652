"""The log-odds of discriminant analysis and of logistic regression, side by side."""

import numpy as np
import pytest
from tests.cases import each

from learnable.linear import compare_log_odds


def gaussian_classes(n=4000, K=3, seed=0):
    random = np.random.default_rng(seed)
    means = np.array([[2.0, 0.0], [3.0, 0.5], [1.5, 1.0]])[:K]
    mixing = np.array([[1.0, 0.4], [0.0, 0.8]])
    y = random.choice(K, n, p=np.array([0.5, 0.3, 0.2])[:K] / np.sum([0.5, 0.3, 0.2][:K]))
    return random.standard_normal((n, 2)) @ mixing + means[y], y


@each("K", [2, 3])
def test_the_discriminant_side_is_the_formula(K):
    X, y = gaussian_classes(K=K)
    found = compare_log_odds(X, y, reference=0)
    mean = np.array([X[y == k].mean(axis=0) for k in range(K)])
    share = np.bincount(y) / len(y)
    centred = X - mean[y]
    inverse = np.linalg.inv(centred.T @ centred / len(X))
    for row, k in enumerate(range(1, K)):
        slope = inverse @ (mean[k] - mean[0])
        level = np.log(share[k] / share[0]) - 0.5 * (mean[k] + mean[0]) @ slope
        np.testing.assert_allclose(found.lda_coef[row], slope, rtol=1e-10)
        np.testing.assert_allclose(found.lda_intercept[row], level, rtol=1e-10)
    # The difference of the means in place of their sum is a known slip: it gives another number.
    wrong = np.log(share[1] / share[0]) - 0.5 * (mean[1] - mean[0]) @ inverse @ (mean[1] - mean[0])
    assert abs(wrong - found.lda_intercept[0]) > 0.1


def test_both_estimate_the_same_log_odds_where_the_classes_are_gaussian():
    X, y = gaussian_classes(n=60000)
    found = compare_log_odds(X, y)
    assert found.reference == 2
    assert found.classes.tolist() == [0, 1]
    np.testing.assert_allclose(found.lda_coef, found.logistic_coef, atol=0.05)
    np.testing.assert_allclose(found.lda_intercept, found.logistic_intercept, atol=0.05)
    assert found.lda.certificate_.holds
    assert found.logistic.certificate_.holds


def test_another_reference_is_a_difference_of_rows():
    X, y = gaussian_classes()
    last, first = compare_log_odds(X, y), compare_log_odds(X, y, reference=0)
    np.testing.assert_allclose(first.lda_coef[1], -last.lda_coef[0], rtol=1e-9)
    np.testing.assert_allclose(first.logistic_intercept[0], last.logistic_intercept[1] - last.logistic_intercept[0])


def test_names_and_table():
    import pandas

    X, y = gaussian_classes()
    frame = pandas.DataFrame(X, columns=["height", "age"])
    table = str(compare_log_odds(frame, np.array(["a", "b", "c"])[y], reference="b"))
    assert "log-odds of a against b" in table
    assert "log-odds of c against b" in table
    assert "height" in table
    assert "intercept" in table


def test_unknown_reference():
    X, y = gaussian_classes()
    with pytest.raises(ValueError, match=r"reference=9.*not one of the classes \[0, 1, 2\]"):
        compare_log_odds(X, y, reference=9)
