"""Generators and toys: the laws in their docstrings."""

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.cases import each

from learnable.datasets import (
    enjoy_sport,
    linearly_separable,
    play_tennis,
    three_hypotheses,
    toeplitz_regression,
    weather,
    xor,
)
from learnable.features import xor_lift


@each("d", [1, 2, 20])
@each("margin", [0.0, 0.3])
def test_the_margin_is_kept(d, margin):
    X, y, theta, _ = linearly_separable(500, d, margin, random_state=4)
    np.testing.assert_allclose(np.linalg.norm(theta), 1)
    margins = y * (X @ theta)
    assert margins.min() >= margin - 1e-12
    assert margins.min() < margin + 0.05
    assert {-1.0, 1.0} == set(y)


def test_toeplitz_covariance_and_support():
    sample = toeplitz_regression(60_000, 6, rho=-0.7, support=[0, 4], noise=2.0, random_state=1)
    np.testing.assert_allclose(np.cov(sample.X, rowvar=False), sample.covariance, atol=0.03)
    np.testing.assert_allclose(sample.covariance[0], (-0.7) ** np.arange(6))
    assert np.flatnonzero(sample.beta).tolist() == [0, 4]
    np.testing.assert_allclose((sample.y - sample.X @ sample.beta).std(), 2.0, rtol=0.02)
    assert np.count_nonzero(toeplitz_regression(5, 9, support=3).beta) == 3
    assert np.count_nonzero(toeplitz_regression(5, 9, support=0).beta) == 0


@each(
    ("call", "message"),
    [
        (lambda: linearly_separable(0, 2), r"linearly_separable\(n=0\)"),
        (lambda: linearly_separable(5, 2, margin=-1), r"margin=-1"),
        (lambda: linearly_separable(5, 2, margin=np.nan), r"margin=nan"),
        (lambda: toeplitz_regression(5, 3, rho=1.0), r"rho=1.0"),
        (lambda: toeplitz_regression(5, 3, support=4), r"support=4"),
        (lambda: toeplitz_regression(5, 3, support=[3]), r"support=\[3\]"),
        (lambda: toeplitz_regression(5, 3, support=[1, 1]), r"support=\[1, 1\]"),
        (lambda: toeplitz_regression(5, 3, noise=-1), r"noise=-1"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def separable(X, y, through_origin):
    """Is there θ with y(θᵀx + θ0) ≥ 1? By linear programming."""
    A = y[:, None] * (X if through_origin else np.column_stack([X, np.ones(len(X))]))
    return linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None)).status == 0


def test_xor_needs_the_lift():
    X, y = xor()
    assert not separable(X, y, through_origin=False)
    assert separable(xor_lift(X), y, through_origin=True)
    np.testing.assert_array_equal(xor_lift(X), np.column_stack([X, y]))  # the third coordinate is the label
    # A Farkas witness: weights λ ≥ 0 with Σλ y [x, 1] = 0 exclude every affine separator.
    np.testing.assert_array_equal(np.ones(4) @ (y[:, None] * np.column_stack([X, np.ones(4)])), 0)


def test_enjoy_sport_find_s():
    table = enjoy_sport()
    assert (table.n_rows, len(table.columns)) == (4, 7)
    assert [" ".join(column.values) for column in table.columns] == [
        "Sunny Sunny Rainy Sunny", "Warm Warm Cold Warm", "Normal High High High", "Strong Strong Strong Strong",
        "Warm Warm Warm Cool", "Same Same Change Change", "Yes Yes No Yes",
    ]  # fmt: skip
    positives = [[c.values[i] for c in table.columns[:-1]] for i in range(4) if table.columns[-1].values[i] == "Yes"]
    hypothesis = [values[0] if len(set(values)) == 1 else "?" for values in zip(*positives)]
    assert hypothesis == ["Sunny", "Warm", "?", "Strong", "?", "?"]


def test_weather_attribute_lists_are_presorted_as_drawn():
    table = weather()
    temp, humidity = table.column("Temp").values, table.column("Humidity").values
    assert (np.argsort(temp, kind="stable") + 1).tolist() == [10, 13, 4, 2, 1, 9, 5, 11, 14, 12, 8, 3, 7, 6]
    assert (np.argsort(humidity, kind="stable") + 1).tolist() == [6, 7, 10, 3, 4, 11, 13, 14, 12, 8, 9, 1, 2, 5]
    assert table.column("Play").values[:10].tolist() == [
        "Yes",
        "No",
        "No",
        "No",
        "Yes",
        "Yes",
        "No",
        "Yes",
        "No",
        "Yes",
    ]
    assert (table.column("Play").values == "Yes").sum() == 7


def test_play_tennis_has_the_published_entropy_and_gains():
    # Quinlan (1986): 0.940 bits in all; gains 0.247, 0.029, 0.152, 0.048 bits (rounded).
    table = play_tennis()
    play = table.column("PlayTennis").values == "Yes"

    def entropy(labels):
        share = np.bincount(labels, minlength=2) / len(labels)
        return -sum(p * np.log2(p) for p in share if p > 0)

    assert entropy(play) == pytest.approx(0.940, abs=5e-4)
    for name, gain in {"Outlook": 0.247, "Temperature": 0.029, "Humidity": 0.152, "Wind": 0.048}.items():
        values = table.column(name).values
        rest = sum(np.mean(values == v) * entropy(play[values == v]) for v in set(values))
        assert entropy(play) - rest == pytest.approx(gain, abs=1e-3)


def test_three_hypotheses_disagree_with_the_heaviest():
    h = three_hypotheses()
    mass = h.posterior @ h.likelihood
    assert h.labels[int(mass.argmax())] == "-"
    assert h.labels[int(h.likelihood[h.posterior.argmax()].argmax())] == "+"
    np.testing.assert_allclose(h.likelihood.sum(axis=1), 1)
