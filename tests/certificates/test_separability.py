"""Separable or not, proved both ways; what unpenalised logistic regression makes of it. Syllabus: P2, C8."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable.certificates.linear.logistic import separation
from learnable.linear import LogisticRegression, Separability, separability

RNG = np.random.default_rng(11)
XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])


@each("labels", list(itertools.product([0, 1], repeat=4)))
def test_all_labellings_of_the_square(labels):
    """Of the 16 labellings of the corners of a square, the two XOR ones are not linear."""
    if len(set(labels)) < 2:
        with pytest.raises(ValueError, match="only one class"):
            separability(XOR, labels)
        return
    found = separability(XOR, labels)
    is_xor = labels[0] == labels[3] != labels[1] == labels[2]
    assert found.separated is not is_xor
    assert found.holds_for(XOR, labels)


def test_the_xor_hulls_meet_at_the_centre():
    found = separability(XOR, [0, 1, 1, 0])
    weights = found.weights / found.weights[[0, 3]].sum()
    np.testing.assert_allclose(weights[[0, 3]] @ XOR[[0, 3]], [0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(weights[[1, 2]] @ XOR[[1, 2]], [0.0, 0.0], atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    x=st.lists(st.integers(-4, 4), min_size=2, max_size=9),
    y=st.lists(st.integers(0, 1), min_size=9, max_size=9),
)
def test_on_a_line_the_order_decides(x, y):
    """Brute force in one dimension: separated, touching at one value, or interleaved."""
    x, y = np.array(x, dtype=float), np.array(y[: len(x)])
    if len(set(y)) < 2 or len(set(x)) < 2:
        return
    zeros, ones = x[y == 0], x[y == 1]
    if zeros.max() < ones.min() or ones.max() < zeros.min():
        kind = "separated"
    elif zeros.max() <= ones.min() or ones.max() <= zeros.min():
        kind = "quasi-separated"
    else:
        kind = "overlapping"
    found = separability(x[:, None], y)
    assert found.kind == kind
    assert found.holds_for(x[:, None], y)


@each("K", [2, 3, 4])
@each("form", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_the_three_verdicts(K, form):
    X = RNG.standard_normal((80, 3)) * [1.0, 1e3, 1e-3]
    B = RNG.standard_normal((3, K)) / np.array([[1.0], [1e3], [1e-3]])
    apart = (X @ B).argmax(axis=1)
    mixed = (X @ B + 2.0 * RNG.gumbel(size=(80, K))).argmax(axis=1)
    weak = np.column_stack([X, (mixed == 0) & (np.arange(80) % 2 == 0)])
    for A, y, kind in ((X, apart, "separated"), (X, mixed, "overlapping"), (weak, mixed, "quasi-separated")):
        found = separability(form(A), y)
        assert found.kind == kind
        assert found.holds_for(A, y)
        assert found.likelihood_has_maximum is (kind == "overlapping")


def test_a_forged_proof_is_refused():
    X, y = RNG.standard_normal((60, 2)), RNG.integers(0, 2, 60)
    overlap = separability(X, y)
    assert overlap.kind == "overlapping"
    heavier = overlap.weights.copy()
    heavier[0] *= 1.5
    assert not overlap._replace(weights=heavier).holds_for(X, y)
    assert not overlap._replace(weights=-overlap.weights).holds_for(X, y)
    assert not overlap._replace(weights=0.0 * overlap.weights).holds_for(X, y)
    assert not Separability("separated", overlap.classes, np.ones(2), 0.0, 1.0, None).holds_for(X, y)
    labels = (X[:, 0] > 0).astype(int)
    apart = separability(X, labels)
    assert apart.holds_for(X, labels)
    assert not apart._replace(theta=-apart.theta).holds_for(X, labels)
    assert apart.margin == pytest.approx(
        np.min(np.where(labels, 1, -1) * (X @ apart.theta + apart.theta0)) / np.linalg.norm(apart.theta)
    )


def test_through_the_origin_only():
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    assert separability(X, y).separated
    assert not separability(X, y, fit_intercept=False).separated


def test_one_constant_column_and_equal_rows():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    assert separability(X, y).kind == "overlapping"


@each("K", [2, 3])
def test_unpenalised_logistic_says_when_there_is_no_maximum(K):
    X = RNG.standard_normal((60, 2))
    y = (X @ RNG.standard_normal((2, K))).argmax(axis=1)
    with pytest.warns(ConvergenceWarning, match=r"(?s)separated along the direction .*; give a penalty, e\.g\. C=1\.0"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.status_ == "diverged"
    assert not model.certificate_.claim("C8").holds
    assert (model.predict(X) == y).all()


def test_weak_separation_is_noticed_too():
    """One column is positive for one class only: its coefficient has no finite estimate."""
    y = RNG.integers(0, 2, 100)
    X = np.column_stack([RNG.standard_normal(100), (y == 1) & (RNG.uniform(size=100) < 0.3)])
    with pytest.warns(ConvergenceWarning, match="quasi-separated"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert not model.certificate_.holds
    found = separation(model, X, y)
    assert found.kind == "quasi-separated"
    assert found.theta[1] > 0.0
    assert abs(found.theta[0]) < 1e-9 * found.theta[1]


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("weight", [None, np.arange(120) % 3 + 0.0])
def test_residual_weights_prove_overlap_without_a_linear_program(K, weight, monkeypatch):
    random = np.random.default_rng(K)
    X = random.standard_normal((120, 3))
    y = (X @ random.standard_normal((3, K)) + random.gumbel(size=(120, K))).argmax(axis=1)
    model = LogisticRegression(C=np.inf).fit(X, y, sample_weight=weight)
    monkeypatch.setattr("learnable.certificates.linear.logistic.decide", None)
    found = separation(model, X, y, weight)
    counted = slice(None) if weight is None else weight > 0.0
    assert found.kind == "overlapping"
    assert found.holds_for(X[counted], y[counted])
    assert separability(X[counted], y[counted]).kind == "overlapping"
    assert model.certificate_.holds


def test_a_proof_remembers_whether_the_hyperplane_may_miss_the_origin():
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([0, 0, 1])
    through, free = separability(X, y, fit_intercept=False), separability(X, y)
    assert (through.kind, free.kind) == ("overlapping", "separated")
    assert through.holds_for(X, y)
    assert free.holds_for(X, y)
    assert not through.holds_for(X, y, fit_intercept=True)
    assert not free.holds_for(X, y, fit_intercept=False)
