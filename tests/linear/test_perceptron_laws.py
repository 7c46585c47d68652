"""Theorems about the perceptron, replayed from the mistake log (P5–P9)."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import Perceptron as Foreign
from sklearn.svm import SVC
from tests.cases import each

from learnable import watch
from learnable.certificates import Verdict
from learnable.linear import Perceptron, mistake_bound
from learnable.trace import Status


def separable(seed, n=40, p=3, margin=0.1, offset=0.0):
    """(X, signs, θ*, b*) with y(θ*·x + b*) ≥ margin and ‖θ*‖ = 1."""
    rng = np.random.default_rng(seed)
    theta = rng.standard_normal(p)
    theta /= np.linalg.norm(theta)
    X = rng.standard_normal((n, p))
    score = X @ theta + offset
    sign = np.where(score >= 0, 1.0, -1.0)
    sign[:2] = [1.0, -1.0]
    X = X + np.outer(sign * np.maximum(margin - sign * score, 0.0), theta)
    return X, sign, theta, offset


def replayed(model, X, sign):
    """θ_0, θ_1, … from the log, the offset as a last coordinate when there is one."""
    Z = np.column_stack([X, np.ones(len(X))]) if model.fit_intercept else X
    theta = np.zeros(Z.shape[1])
    yield theta, None, Z
    for i in model.mistake_log_[0]:
        theta = theta + sign[i] * Z[i]
        yield theta, i, Z


cases = given(
    seed=st.integers(0, 2**31),
    shuffle=st.booleans(),
    order=st.integers(0, 1000),
    intercept=st.booleans(),
    margin=st.sampled_from([0.05, 0.3, 1.0]),
)


@settings(max_examples=40, deadline=None)
@cases
def test_novikoff_bound_and_its_two_inequalities(seed, shuffle, order, intercept, margin):
    X, sign, star, _ = separable(seed, margin=margin)
    model = Perceptron(fit_intercept=intercept, shuffle=shuffle, random_state=order, tol=None, max_iter=100_000)
    model.fit(X, sign)
    assert model.status_ is Status.OPTIMAL
    star = np.append(star, 0.0) if intercept else star
    Z = np.column_stack([X, np.ones(len(X))]) if intercept else X
    gamma, R2 = np.min(sign * (Z @ star)), np.max(np.sum(Z**2, axis=1))
    assert model.n_mistakes_ <= R2 / gamma**2 + 1e-9
    for k, (theta, _, _) in enumerate(replayed(model, X, sign)):
        assert star @ theta >= k * gamma - 1e-9
        assert theta @ theta <= k * R2 + 1e-9
    assert model.certificate_.holds
    assert model.certificate_.claim("P8").holds


@settings(max_examples=20, deadline=None)
@cases
def test_one_update_raises_the_margin_by_the_squared_length(seed, shuffle, order, intercept, margin):
    # P7: y f'(x) = y f(x) + ‖x‖² (+ 1 with an offset); P5: before it, y f(x) ≤ 0.
    X, sign, _, _ = separable(seed, margin=margin)
    model = Perceptron(fit_intercept=intercept, shuffle=shuffle, random_state=order, tol=None, max_iter=100_000)
    states = list(replayed(model.fit(X, sign), X, sign))
    for (before, _, Z), (after, i, _) in itertools.pairwise(states):
        assert sign[i] * (Z[i] @ before) <= 1e-9
        assert sign[i] * (Z[i] @ after) == pytest.approx(sign[i] * (Z[i] @ before) + Z[i] @ Z[i])
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_) if intercept else model.coef_[0], after)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), shuffle=st.booleans())
def test_an_offset_is_a_constant_column(seed, shuffle):
    # P6, step by step.
    X, sign, _, _ = separable(seed, offset=0.4)
    options = {"shuffle": shuffle, "tol": None, "max_iter": 100_000}
    augmented = np.column_stack([X, np.ones(len(X))])
    one = Perceptron(**options).fit(X, sign)
    two = Perceptron(fit_intercept=False, **options).fit(augmented, sign)
    np.testing.assert_array_equal(one.mistake_log_[0], two.mistake_log_[0])
    np.testing.assert_allclose(np.append(one.coef_[0], one.intercept_), two.coef_[0], rtol=1e-12)
    # In the order of the rows, with θ0 ← θ0 + y on every mistake y(θ·x + θ0) ≤ 0.
    theta, theta0, wrong = np.zeros(X.shape[1]), 0.0, True
    while wrong:
        wrong = False
        for x, y in zip(X, sign):
            if y * (theta @ x + theta0) <= 0.0:
                theta, theta0, wrong = theta + y * x, theta0 + y, True
    ordered = Perceptron(**options | {"shuffle": False}).fit(X, sign)
    np.testing.assert_allclose(np.append(ordered.coef_[0], ordered.intercept_), np.append(theta, theta0), rtol=1e-9)
    steps = zip(
        watch(Perceptron(**options), X, sign), watch(Perceptron(fit_intercept=False, **options), augmented, sign)
    )
    for a, b in steps:
        assert a.state.mistakes == b.state.mistakes
        np.testing.assert_allclose(np.append(a.state.coef[0], a.state.intercept), b.state.coef[0], rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_dual_form(seed):
    # P9: θ = Σ α_i y_i x_i with α_i the number of mistakes on row i, and Σ α = k.
    X, sign, _, _ = separable(seed)
    model = Perceptron(fit_intercept=False, tol=None, max_iter=100_000).fit(X, sign)
    alpha = np.bincount(model.mistake_log_[0], minlength=len(X))
    assert alpha.sum() == model.n_mistakes_
    np.testing.assert_allclose((alpha * sign) @ X, model.coef_[0], atol=1e-10)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31), eta=st.sampled_from([0.01, 0.5, 7.0]))
def test_the_learning_rate_only_scales(seed, eta):
    X, sign, _, _ = separable(seed)
    one = Perceptron(tol=None, max_iter=100_000).fit(X, sign)
    two = Perceptron(tol=None, max_iter=100_000, eta0=eta).fit(X, sign)
    np.testing.assert_array_equal(one.mistake_log_[0], two.mistake_log_[0])
    np.testing.assert_allclose(eta * one.coef_, two.coef_, rtol=1e-9)


def test_the_widest_margin_gives_the_tightest_witness():
    X, sign, _, _ = separable(3, margin=0.3)
    machine = SVC(kernel="linear", C=1e8).fit(X, sign)
    w, b = machine.coef_[0], machine.intercept_[0]
    gamma = np.min(sign * (X @ w + b))
    bound = (np.max(np.sum(X**2, axis=1)) + 1.0) * (w @ w + b * b) / gamma**2
    mistakes = [Perceptron(random_state=k, tol=None, max_iter=100_000).fit(X, sign).n_mistakes_ for k in range(10)]
    assert max(mistakes) <= bound


@each("fit_intercept", [True, False])
@each("classes", [2, 3])
@each("form", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_same_as_scikit_learn_without_shuffling(fit_intercept, classes, form):
    rng = np.random.default_rng(classes)
    X = rng.standard_normal((80, 4))
    y = (X @ rng.standard_normal((4, classes)) + 0.5 * rng.standard_normal((80, classes))).argmax(axis=1)
    options = {"shuffle": False, "fit_intercept": fit_intercept, "tol": None, "max_iter": 7}
    ours, theirs = Perceptron(**options).fit(form(X), y), Foreign(**options).fit(X, y)
    if sparse.issparse(form(X)) and fit_intercept:
        # scikit-learn slows the intercept of sparse data down by a factor of its own; ours gives the dense answer.
        ours_dense = Perceptron(**options).fit(X, y)
        np.testing.assert_allclose(ours.coef_, ours_dense.coef_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("classes", [2, 3])
@each("class_weight", [None, "balanced", {0: 3.0, 1: 0.5}])
def test_weights_as_in_scikit_learn(classes, class_weight):
    rng = np.random.default_rng(10 + classes)
    X = rng.standard_normal((60, 3))
    y = (X @ rng.standard_normal((3, classes)) + rng.standard_normal((60, classes))).argmax(axis=1)
    weight = rng.uniform(0.1, 3.0, 60)
    options = {"shuffle": False, "tol": None, "max_iter": 4, "class_weight": class_weight}
    ours = Perceptron(**options).fit(X, y, sample_weight=weight)
    theirs = Foreign(**options).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    assert ours.certificate_.verdict is Verdict.NOTHING_ASSERTED  # the log is true; nothing is separated
    assert all(claim.holds for claim in ours.certificate_ if claim.id == "P9")


def test_overlapping_classes_are_never_called_optimal():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 2)), rng.integers(0, 2, 50)
    assert Perceptron().fit(X, y).status_ is Status.STOPPED
    with pytest.warns(match="iteration budget ran out"):
        assert Perceptron(tol=None, max_iter=5).fit(X, y).status_ is Status.BUDGET_SPENT


def test_a_zero_margin_counts_as_a_mistake():
    # The first row meets θ = 0, so y·f = 0: it must be learned from.
    model = Perceptron(shuffle=False, fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    assert model.mistake_log_[0].tolist() == [0]
    assert model.predict([[0.0]]) == [1]


@settings(max_examples=10, deadline=None)
@cases
def test_every_update_can_be_watched(seed, shuffle, order, intercept, margin):
    # P11: (t, row, margin before and after, θ), and the replay reproduces θ.
    X, sign, _, _ = separable(seed, margin=margin)
    model = Perceptron(fit_intercept=intercept, shuffle=shuffle, random_state=order, tol=None, max_iter=100_000)
    Z = np.column_stack([X, np.full(len(X), float(intercept))])
    point, met = np.zeros(Z.shape[1]), []
    for step in watch(model, X, sign):
        assert len(step.state.updates[0]) == step.state.mistakes
        for update in step.state.updates[0]:
            i = update.row
            assert (step.number - 1) * len(X) < update.t <= step.number * len(X)
            assert shuffle or (update.t - 1) % len(X) == i
            assert update.before == pytest.approx(sign[i] * (Z[i] @ point), abs=1e-9)
            assert update.before <= 0.0
            point = point + sign[i] * Z[i]
            assert update.after == pytest.approx(sign[i] * (Z[i] @ point), abs=1e-9)
            np.testing.assert_allclose(np.append(update.theta, update.offset), point, atol=1e-9)
            met.append((update.t, i))
        np.testing.assert_allclose(np.append(step.state.coef[0], step.state.intercept), point, atol=1e-9)
    assert met == sorted(met)
    assert [i for _, i in met] == model.fit(X, sign).mistake_log_[0].tolist()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("penalty", [None, "l2", "l1", "elasticnet"])
@each("form", [np.asarray, sparse.csr_matrix])
def test_updates_of_several_classes_weights_and_penalties_lead_to_the_answer(penalty, form):
    rng = np.random.default_rng(0)
    X, y, weight = rng.standard_normal((30, 3)), rng.integers(0, 3, 30), rng.uniform(0.5, 2.0, 30)
    model = Perceptron(penalty=penalty, alpha=0.01, max_iter=3, tol=None)
    for step in watch(model, form(X), y, sample_weight=weight):
        assert [len(each) for each in step.state.updates] == [len(log) for log in step.state.log]
        for k, updates in enumerate(step.state.updates):
            if penalty is None and len(updates):
                np.testing.assert_allclose(updates[-1].theta, step.state.coef[k], rtol=1e-9)
            # What is logged as a mistake is one at the point that the updates say.
            assert all(update.before <= 1e-12 < update.after - update.before for update in updates)
            assert len(updates[:2]) <= 2


@settings(max_examples=10, deadline=None)
@cases
def test_mistake_bound_with_a_witness_of_ones_own(seed, shuffle, order, intercept, margin):
    # P8, per step: θ*·θ_k ≥ kγ, ‖θ_k‖² ≤ kR², cos ≥ √k γ/(R‖θ*‖), and k within (R‖θ*‖/γ)².
    X, sign, star, _ = separable(seed, margin=margin)
    model = Perceptron(fit_intercept=intercept, shuffle=shuffle, random_state=order, tol=None, max_iter=100_000)
    model.fit(X, sign)
    for witness in (None, star, 7.0 * np.asarray(star)):
        found = mistake_bound(model, X, sign, witness)
        states = list(replayed(model, X, sign))
        Z = states[0][2]
        theta = found.witness
        assert len(theta) == Z.shape[1]
        assert found.margin == pytest.approx(np.min(sign * (Z @ theta)))
        assert found.radius**2 == pytest.approx(np.max(np.sum(Z**2, axis=1)))
        assert found.bound == pytest.approx(found.radius**2 * (theta @ theta) / found.margin**2)
        points = np.array([point for point, _, _ in states[1:]])
        np.testing.assert_allclose(found.products, points @ theta, rtol=1e-9)
        np.testing.assert_allclose(found.squared_norms, np.sum(points**2, axis=1), rtol=1e-9)
        cosines = points @ theta / np.linalg.norm(points, axis=1) / np.linalg.norm(theta)
        np.testing.assert_allclose(found.cosines, cosines, rtol=1e-9)
        assert found.mistakes == model.n_mistakes_
        assert found.holds
        assert not found._replace(products=0.5 * found.margin + 0.0 * found.products).holds
    with pytest.raises(ValueError, match="does not separate the rows"):
        mistake_bound(model, X, sign, -np.asarray(star))
    with pytest.raises(ValueError, match="keeps no log"):
        mistake_bound(Perceptron(penalty="l2").fit(X, sign), X, sign)
