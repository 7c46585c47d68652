"""Laws of the decomposition under 0-1 loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.evaluation.zero_one_decomposition import zero_one_decomposition


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 7), st.integers(1, 6))
@settings(deadline=None, max_examples=60)
def test_terms_add_up_to_the_exact_error(seed, n_classes, replicates, points):
    rng = np.random.default_rng(seed)
    predictions = rng.integers(n_classes, size=(replicates, points))
    law = rng.dirichlet(np.ones(n_classes), size=points)
    terms = zero_one_decomposition(predictions, law, classes=np.arange(n_classes), n_bootstrap=5)
    error = np.mean([1 - law[j, predictions[r, j]] for r in range(replicates) for j in range(points)])
    assert terms.error.estimate == pytest.approx(error, abs=1e-12)
    parts = (
        terms.noise.estimate + terms.bias.estimate + terms.unbiased_variance.estimate - terms.biased_variance.estimate
    )
    assert terms.error.estimate == pytest.approx(parts, abs=1e-15)
    for term in terms[:5]:
        assert term.low <= term.estimate <= term.high


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_two_classes_are_domingos_formula(seed):
    # E L = c₁N + B + c₂V at a point, c₁ = 2P(prediction = y*) - 1, c₂ = +1 without bias and -1 with it.
    rng = np.random.default_rng(seed)
    predictions, p = rng.integers(2, size=(7, 1)), rng.uniform(size=1)
    terms = zero_one_decomposition(predictions, np.column_stack([1 - p, p]), classes=[0, 1], n_bootstrap=5)
    best, main = int(p[0] > 0.5), int(predictions.mean() > 0.5)
    noise, bias, variance = min(p[0], 1 - p[0]), float(main != best), np.mean(predictions != main)
    c1 = 2 * np.mean(predictions == best) - 1
    assert terms.noise.estimate == pytest.approx(c1 * noise)
    assert terms.bias.estimate == bias
    assert terms.unbiased_variance.estimate - terms.biased_variance.estimate == pytest.approx((1 - 2 * bias) * variance)


def test_without_noise_labels_and_their_law_agree():
    predictions = np.array([["a", "b", "c"], ["a", "a", "c"], ["b", "b", "c"]])
    labels = zero_one_decomposition(predictions, ["a", "a", "c"])
    law = zero_one_decomposition(predictions, [[1, 0, 0], [1, 0, 0], [0, 0, 1]], classes=["a", "b", "c"])
    assert labels[:5] == law[:5]
    assert labels.noise.estimate == 0
    assert labels.main_prediction.tolist() == ["a", "b", "c"]


def test_bad_input():
    with pytest.raises(ValueError, match="2 replicates"):
        zero_one_decomposition([[1, 0]], [1, 0])
    with pytest.raises(ValueError, match="give classes"):
        zero_one_decomposition([[1, 0], [1, 1]], [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match="sum to 1"):
        zero_one_decomposition([[1, 0], [1, 1]], [[0.5, 0.6], [0.5, 0.5]], classes=[0, 1])
    with pytest.raises(ValueError, match="prediction 2 is not among"):
        zero_one_decomposition([[1, 2], [1, 1]], [[0.5, 0.5], [0.5, 0.5]], classes=[0, 1])
    with pytest.raises(ValueError, match="truth has shape"):
        zero_one_decomposition([[1, 0], [1, 1]], [1, 0, 1])


def test_missing_labels_and_no_resamples_are_refused():
    with pytest.raises(ValueError, match=r"predictions\[1, 0\] is missing"):
        zero_one_decomposition([[0.0], [np.nan]], [0.0])
    with pytest.raises(ValueError, match="n_bootstrap=0"):
        zero_one_decomposition([[0], [1]], [0], n_bootstrap=0)
