"""Proximal Newton: optimality, descent, exact solutions, L1 logistic against values from outside. Syllabus: L21."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from tests.cases import each

from learnable.linear import LogisticRegression
from learnable.problems.sparse.penalties import ElasticNet
from learnable.solvers.sparse.design_columns import DesignColumns
from learnable.solvers.sparse.joint_model import JointModel
from learnable.solvers.sparse.proximal_newton import QuadraticModel, best_shift, iterates, loss_iterates
from learnable.sparse import SparseLogisticRegression

RNG = np.random.default_rng(4)
N, P = 150, 8
X = RNG.standard_normal((N, P)) * np.linspace(0.5, 3.0, P) + 0.5
B = RNG.standard_normal((P, 3)) * (RNG.uniform(size=(P, 1)) < 0.5)
THREE = (X @ B + RNG.gumbel(size=(N, 3))).argmax(axis=1)
TWO = (THREE > 0).astype(int)
W = RNG.uniform(0.0, 2.0, N)


@each("y", [TWO, THREE], ids=["binary", "softmax"])
@each("alpha", [1e-4, 1e-2, 1.0])
@each("l1_ratio", [0.2, 1.0])
@each("intercept", [True, False])
def test_it_descends_to_where_no_condition_is_violated(y, alpha, l1_ratio, intercept):
    states = itertools.islice(iterates(X, y, 1 if y is TWO else 3, W, ElasticNet(alpha, l1_ratio), intercept), 300)
    values, violation = [], np.inf
    for state in states:
        values.append(state.objective)
        violation = min(violation, state.violation)
        if violation < 1e-11:
            break
    assert violation < 1e-9
    assert np.all(np.diff(values) <= 1e-13 * values[0])


@each("form", [np.asarray, sparse.csr_array])
@each("intercept", [True, False])
def test_the_joint_model_bends_as_the_loss_does(form, intercept):
    # The curvature of the loss in some coefficients of all classes, the intercepts at their best: by differences.
    share, K = W / W.sum(), 3
    target = np.eye(K)[THREE]
    pairs = np.array([0, 2, 3, P + 1, P + 2, 2 * P, 2 * P + 7])
    k, j = np.divmod(pairs, P)
    theta = np.vstack([B, np.zeros(K)]) * 0.3

    def slope(step):
        moved = theta.copy()
        moved[j, k] += step[: len(pairs)]
        moved[P] += step[len(pairs) :]
        scores = X @ moved[:P] + moved[P]
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        pull = (odds / odds.sum(axis=1, keepdims=True) - target) * share[:, None]
        return np.append((X.T @ pull)[j, k], pull.sum(axis=0))

    size, h = len(pairs) + K, 1e-6
    H = np.array([(slope(h * e) - slope(-h * e)) / (2 * h) for e in np.eye(size)])
    w = len(pairs)
    wanted = H[:w, :w] - intercept * H[:w, w:] @ np.linalg.pinv(H[w:, w:], rcond=1e-6) @ H[w:, :w]
    columns = DesignColumns.of(form(X)).part(np.unique(j))
    odds = np.exp(X @ theta[:P])
    model = JointModel(columns, pairs, P, odds / odds.sum(axis=1, keepdims=True), share, intercept)
    np.testing.assert_allclose(model.gram, wanted, atol=1e-7)


def test_many_classes_reach_their_gap_in_few_rounds():
    # Rounds over one class at a time take hundreds. Other units and a column far from zero change nothing.
    random = np.random.default_rng(0)
    plain = random.standard_normal((400, 6))
    label = (plain @ random.standard_normal((6, 12)) + random.gumbel(size=(400, 12))).argmax(axis=1)
    table = plain * [1.0, 0.1, 1.0, 10.0, 1.0, 1.0] + [0.0, 0.0, 1e6, 0.0, 0.0, 0.0]
    for alpha in (1e-3, 1e-4):
        model = SparseLogisticRegression(alpha).fit(table, label)
        assert model.certificate_.claims[0].holds, model.certificate_
        assert model.n_iter_[0] <= 30


@each("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_dense_and_sparse_agree(form):
    options = {"l1_ratio": 0.7, "C": 0.3, "tol": 1e-9, "solver": "saga"}
    dense = LogisticRegression(**options).fit(X, TWO, sample_weight=W)
    other = LogisticRegression(**options).fit(form(X), TWO, sample_weight=W)
    np.testing.assert_allclose(other.coef_, dense.coef_, atol=1e-10)


@each("y", [TWO, THREE], ids=["binary", "softmax"])
@each("l1_ratio", [0.3, 1.0])
@each("C", [0.05, 1.0])
def test_the_minimum_is_scikit_learn_s(y, l1_ratio, C):
    ours = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-9).fit(X, y, sample_weight=W)
    theirs = foreign.LogisticRegression(C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=50_000)
    theirs.fit(X, y, sample_weight=W)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert ours.certificate_.holds
    assert ours.certificate_.claim("O6").value < 1e-8
    assert ours.status_ == "optimal"


def test_above_the_largest_slope_every_coefficient_is_zero():
    """β = 0 is optimal exactly from α = max |Xᵀ(y − ȳ)| / n on; just below it one coefficient moves."""
    largest = np.abs(X.T @ (TWO - TWO.mean())).max()
    none = LogisticRegression(C=0.999 / largest, l1_ratio=1.0, tol=1e-8).fit(X, TWO)
    some = LogisticRegression(C=1.01 / largest, l1_ratio=1.0).fit(X, TWO)
    assert not none.coef_.any()
    assert none.intercept_[0] == pytest.approx(np.log(TWO.mean() / (1 - TWO.mean())), abs=1e-6)
    assert np.count_nonzero(some.coef_) == 1


def test_weights_are_repetitions():
    times = RNG.integers(0, 4, N)
    options = {"l1_ratio": 0.5, "C": 0.2, "tol": 1e-9}
    weighted = LogisticRegression(**options).fit(X, THREE, sample_weight=times)
    repeated = LogisticRegression(**options).fit(np.repeat(X, times, axis=0), np.repeat(THREE, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)


def test_the_gap_and_the_conditions_notice_a_change():
    from learnable import certify

    model = LogisticRegression(l1_ratio=1.0, C=0.1, tol=1e-6).fit(X, TWO)
    before = model.certificate_.claim("O6").value
    model.coef_ = model.coef_ * 1.05
    after = certify(model, X, TWO)
    assert not after.holds
    assert after.claim("O6").value > 100 * max(before, 1e-12)


def test_a_warm_start_is_a_start():
    model = LogisticRegression(l1_ratio=1.0, tol=1e-8, warm_start=True).fit(X, THREE)
    first = model.n_iter_[0]
    model.fit(X, THREE)
    assert model.n_iter_[0] < first


@each("l1_ratio", [0.1, 0.6, 1.0])
def test_best_shift_is_the_minimum_of_the_penalty(l1_ratio):
    penalty = ElasticNet(0.7, l1_ratio)
    B = RNG.standard_normal((20, 4))
    B[RNG.uniform(size=B.shape) < 0.4] = 0.0

    def cost(row, s):
        moved = row - np.asarray(s)[..., None]
        return np.sum(0.7 * (l1_ratio * np.abs(moved) + 0.5 * (1 - l1_ratio) * moved**2), axis=-1)

    for row, shift in zip(B, best_shift(penalty, B)):
        grid = np.concatenate([np.linspace(-3, 3, 2001), shift + np.linspace(-1e-3, 1e-3, 201)])
        assert cost(row, shift) <= cost(row, grid).min() + 1e-12


def test_a_loss_that_rounding_keeps_from_falling_is_asked_for_no_further_steps():
    class Rough:
        """A loss in which every step of the intercept seems to lead uphill."""

        n_scores, asked = 1, 0

        def near(self, scores, k):
            self.asked += 1
            return QuadraticModel(1.0 + 1e-9 * self.asked, self.slopes(scores)[:, 0], np.full(len(scores), 0.1))

        def slopes(self, scores):
            return np.full((len(scores), 1), 1e-3)

    loss = Rough()
    next(loss_iterates(np.eye(10), loss, ElasticNet(1.0, 1.0), True))
    assert loss.asked <= 20
