"""Newton, truncated Newton, sampled Newton and gradient descent reach the same minimum of a likelihood (C5–C7)."""

from itertools import islice, pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad, minimize
from tests.cases import each

from learnable.rows import as_rows
from learnable.solvers.linear import column_metric, gradient_descent, newton, newton_cg, sampled_newton
from learnable.solvers.linear.likelihood import CategoricalLikelihood
from learnable.solvers.linear.metric import KeptCurvature, Metric
from learnable.solvers.linear.own_units import InUnits, Units


@pytest.fixture
def rng():
    return np.random.default_rng(17)


def objective(n_classes, alpha=0.01, intercept=True, weighted=False, n=400, p=4, form=np.asarray):
    rng = np.random.default_rng(17)
    X = rng.standard_normal((n, p)) + 0.5
    scores = X @ rng.standard_normal((p, n_classes)) + rng.gumbel(size=(n, n_classes))
    weight = rng.uniform(0.1, 2.0, n) if weighted else None
    J = CategoricalLikelihood(
        as_rows(form(X), scores.argmax(axis=1), weight), 1 if n_classes == 2 else n_classes, intercept
    )
    J.alpha = alpha
    return J


def last(states, tolerance=1e-10, most=200):
    for state in islice(states, most):
        if state.gradient_norm <= tolerance:
            break
    return state


def minimum(J):
    def flat(t):
        value, gradient = J.value_and_gradient(t.reshape(J.shape))
        return value, gradient.ravel()

    found = minimize(flat, np.zeros(np.prod(J.shape)), jac=True, method="BFGS", options={"gtol": 1e-9})
    return found.x.reshape(J.shape), found.fun


CASES = [
    (classes, intercept, weighted, form)
    for classes in (2, 3)
    for intercept in (True, False)
    for weighted in (True, False)
    for form in (np.asarray, sparse.csr_matrix)
]


@each(("classes", "intercept", "weighted", "form"), CASES)
def test_every_route_reaches_the_minimum(classes, intercept, weighted, form):
    J = objective(classes, 0.01, intercept, weighted, form=form)
    expected, value = minimum(J)
    smooth = np.linalg.eigvalsh(J.hessian(np.zeros(J.shape)))[-1] * 2.0
    descent = gradient_descent.iterates(J.value_and_gradient, np.zeros(J.shape), 1 / smooth)
    states = {
        "newton": last(newton.iterates(J)),
        "newton_cg": last(newton_cg.iterates(J)),
        "gradient descent": last(descent, 1e-8, 20_000),
    }
    for name, state in states.items():
        assert state.objective == pytest.approx(value, abs=1e-12), name
        P = np.ptp(state.theta - expected, axis=1) if classes > 2 else state.theta - expected
        np.testing.assert_allclose(P, 0.0, atol=2e-5, err_msg=name)


def test_sampled_newton_reaches_the_minimum_over_all_rows():
    J = objective(2, 0.001, n=4000)
    part = CategoricalLikelihood(as_rows(_block(J).X[:500], _block(J).y[:500]), 1, True)
    part.alpha = J.alpha
    one, two = last(newton.iterates(J)), last(sampled_newton.iterates(J, [part]))
    np.testing.assert_allclose(one.theta, two.theta, atol=1e-8)
    # The sample has another minimum: the answer is not its.
    assert np.abs(last(newton.iterates(part)).theta - one.theta).max() > 1e-3


class Rippled:
    """½ θ² on a value so large that it hides θ; beyond 1e-3 the slope is a ripple that no step gets below."""

    shape = (1, 1)

    def value_and_gradient(self, theta):
        return 1e20 + 0.5 * float(theta[0, 0]) ** 2, theta + 1e-3 * np.sin(1e6 * theta)

    def hessian(self, theta):
        return np.eye(1)

    def norm(self, gradient):
        return float(np.abs(gradient).max())


def test_newton_ends_at_the_floor_of_rounding_with_its_best_point():
    for start in np.linspace(0.1, 3.0, 20):
        states = list(islice(newton.iterates(Rippled(), np.full((1, 1), start)), 1000))
        assert len(states) < 100
        assert states[-1].gradient_norm == min(state.gradient_norm for state in states) < 2e-3


class Scripted:
    """Tells a list of (value, gradient), one after another, wherever it is asked."""

    shape = (1, 1)

    def __init__(self, script):
        self.script = iter(script)

    def value_and_gradient(self, theta):
        value, gradient = next(self.script, (1.0, 1.0))
        return value, np.full((1, 1), gradient)

    def hessian(self, theta):
        return np.eye(1)

    def norm(self, gradient):
        return float(np.abs(gradient).max())


def test_newton_goes_back_to_the_least_gradient_at_the_floor():
    states = list(newton.iterates(Scripted([(2.0, 1e-3), (1.0, 1e-9), (1.0 - 2e-16, 2e-9)])))
    assert [state.gradient_norm for state in states] == [1e-3, 1e-9, 2e-9, 1e-9]
    assert states[-1] is states[1]


@each("classes", [2, 3])
@each("alpha", [1e-6, 1e-2, 10.0])
def test_newton_ends_without_a_tolerance(classes, alpha):
    for n in range(50, 90, 5):
        states = list(islice(newton.iterates(objective(classes, alpha, n=n)), 500))
        assert len(states) < 100
        assert states[-1].objective <= min(state.objective for state in states) * (1.0 + 1e-13)
        assert states[-1].gradient_norm < 1e-13


def test_sampled_newton_goes_on_from_samples_that_fix_no_direction():
    """Columns that are zero on a sample, and no penalty: its Hessian is singular, no metric for other rows."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((3000, 3)), rng.integers(0, 2, 3000)
    X[:500, 1] = 0.0

    def over(rows):
        return CategoricalLikelihood(as_rows(X[rows], y[rows]), 1, True)

    expected = last(newton.iterates(over(slice(None))))
    for sizes in [(300,), (300, 500), (300, 2000)]:
        found = last(sampled_newton.iterates(over(slice(None)), [over(slice(size)) for size in sizes]))
        np.testing.assert_allclose(found.theta, expected.theta, atol=1e-8)


def _block(J):
    return next(J.rows.blocks())()


@each("classes", [2, 3])
@each("intercept", [True, False])
def test_derivatives_by_differences(classes, intercept, rng):
    J = objective(classes, 0.05, intercept, weighted=True)
    theta = rng.standard_normal(J.shape)
    error = check_grad(
        lambda t: J.value_and_gradient(t.reshape(J.shape))[0],
        lambda t: J.value_and_gradient(t.reshape(J.shape))[1].ravel(),
        theta.ravel(),
    )
    assert error < 1e-6
    product = J.hessian_product(theta)
    direction = rng.standard_normal(J.shape)
    h = 1e-6
    by_differences = (
        J.value_and_gradient(theta + h * direction)[1] - J.value_and_gradient(theta - h * direction)[1]
    ) / (2 * h)
    np.testing.assert_allclose(product(direction), by_differences, atol=1e-7)
    if classes == 2:
        np.testing.assert_allclose(
            (J.hessian(theta) @ direction.T.ravel()).reshape(direction.shape[::-1]).T, product(direction), atol=1e-12
        )


def test_newton_is_iteratively_reweighted_least_squares():
    # C7: θ' = (XᵀWX)⁻¹ XᵀW z with z = Xθ + W⁻¹(y − p).
    J = objective(2, alpha=0.0)
    block = _block(J)
    A = np.column_stack([block.X, np.ones(len(block.y))])
    states = [state.theta[:, 0] for state in islice(newton.iterates(J), 3)]
    for before, after in pairwise(states):
        P = 1.0 / (1.0 + np.exp(-A @ before))
        w = P * (1 - P)
        z = A @ before + (block.y - P) / w
        irls = np.linalg.lstsq(A * np.sqrt(w)[:, None], z * np.sqrt(w), rcond=None)[0]
        np.testing.assert_allclose(after, irls, rtol=1e-8)


def test_newton_converges_quadratically_and_never_climbs():
    J = objective(2)
    states = list(islice(newton.iterates(J), 12))
    values, norms = [s.objective for s in states], [s.gradient_norm for s in states]
    assert all(b <= a + 1e-15 for a, b in pairwise(values))
    small = [(a, b) for a, b in pairwise(norms) if 1e-7 < a < 1e-2]
    assert small
    assert all(b <= 50 * a**2 for a, b in small)


@each("alpha", [0.0, 0.1])
def test_gradient_descent_bound(alpha, rng):
    # O1: J(θ_k) − J* ≤ ‖θ_0 − θ*‖² / (2 η k) for η ≤ 1/L.
    J = objective(2, alpha=alpha)
    best = last(newton.iterates(J), 1e-13)
    block = _block(J)
    A = np.column_stack([block.X, np.ones(len(block.y))])
    L = np.linalg.norm(A, 2) ** 2 / (4 * len(A)) + alpha
    start = rng.standard_normal(J.shape)
    distance = np.linalg.norm(start - best.theta)
    values = [s.objective for s in islice(gradient_descent.iterates(J.value_and_gradient, start, 1 / L), 200)]
    for k in range(1, 200):
        assert values[k] - best.objective <= gradient_descent.suboptimality_bound(distance, 1 / L, k)
    assert all(b <= a + 1e-15 for a, b in pairwise(values))


def test_too_long_a_step_diverges():
    # The condition η < 2/L is needed.
    states = list(islice(gradient_descent.iterates(lambda t: (float(t @ t), 2 * t), np.ones(2), 1.1), 50))
    assert states[-1].objective > states[0].objective


def test_conjugate_gradients_solve_positive_definite_systems(rng):
    A = rng.standard_normal((6, 6))
    A = A @ A.T + np.eye(6)
    b = rng.standard_normal((6, 1))
    np.testing.assert_allclose(A @ newton_cg.conjugate_gradients(lambda v: A @ v, b, 1e-12), b, atol=1e-9)


@each("options", [{}, {"weighted": True}, {"intercept": False}], ids=str)
def test_cross_products_of_the_columns_stand_for_the_hessian_of_several_classes(options, rng):
    J = objective(5, alpha=1e-3, p=12, **options)
    # Where every class is as probable as any other it is the Hessian itself, but for what moves all scores alike.
    metric, here = column_metric.ColumnMetric(J), np.zeros(J.shape)
    right = J.value_and_gradient(here)[1]
    found = metric.at(here)(right)
    H = J.hessian_product(here)
    np.testing.assert_allclose(H(found), (1.0 + 1.0 / (J.n_scores - 1)) * right, atol=0.02 * np.abs(right).max())
    alike = np.repeat(np.append(rng.standard_normal(J.p), np.zeros(J.shape[0] - J.p))[:, None], J.n_scores, axis=1)
    np.testing.assert_allclose(metric.at(here)(alike), alike / J.alpha)
    for start in (None, rng.standard_normal(J.shape)):
        plain = last(newton_cg.iterates(J, start))
        near = last(newton_cg.iterates(J, start, metric=metric))
        apart = near.theta - plain.theta
        np.testing.assert_allclose(apart[: J.p], 0.0, atol=1e-6)
        np.testing.assert_allclose(apart - apart.mean(axis=1, keepdims=True), 0.0, atol=1e-6)


def test_few_products_with_the_hessian_of_classes_that_are_rare_or_common():
    rng = np.random.default_rng(5)
    asked = {"alone": 0, "with": 0}
    for skew in (0.0, 2.0):
        X = rng.standard_normal((1000, 40)) * np.exp(rng.uniform(-2.0, 2.0, 40))
        scores = 0.7 * X / X.std(axis=0) @ rng.standard_normal((40, 6)) + rng.gumbel(size=(1000, 6))
        _, y = np.unique((scores - skew * np.arange(6)).argmax(axis=1), return_inverse=True)
        for name in asked:
            J = Counting(as_rows(X, y), int(y.max()) + 1, True)
            J.alpha = 1e-3
            last(newton_cg.iterates(J, metric=column_metric.ColumnMetric(J) if name == "with" else None), 1e-5)
            asked[name] += J.products
    assert asked["with"] < asked["alone"] / 3


class Counting(CategoricalLikelihood):
    products = 0

    def hessian_product(self, theta):
        product = super().hessian_product(theta)

        def counted(v):
            self.products += 1
            return product(v)

        return counted


def test_conjugate_gradients_ask_less_of_columns_in_units_apart(rng):
    scale = np.logspace(-2, 2, 40)
    A = np.diag(scale) + 0.01 * np.sqrt(np.outer(scale, scale)) / 40
    b, asked = rng.standard_normal((40, 1)), []
    for near in (None, lambda v: v / scale[:, None]):
        asked.append([])
        found = newton_cg.conjugate_gradients(lambda v: asked[-1].append(0) or A @ v, b, 1e-10, near=near)
        np.testing.assert_allclose(A @ found, b, atol=1e-9)
    assert len(asked[1]) < len(asked[0]) / 4


def test_softmax_of_two_classes_is_the_logistic():
    J2 = objective(2, alpha=0.0)
    block = _block(J2)
    soft = CategoricalLikelihood(as_rows(block.X, block.y), 2, True)
    two, one = last(newton.iterates(soft)), last(newton.iterates(J2))
    np.testing.assert_allclose(two.theta[:, 1] - two.theta[:, 0], one.theta[:, 0], atol=1e-8)
    assert two.objective == pytest.approx(one.objective, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_a_kept_hessian_reaches_the_same_minimum_with_fewer_of_them(classes, alpha, monkeypatch):
    J = objective(classes, alpha, n=3000, p=30)
    expected = last(newton.iterates(J), 1e-12)
    asked = []
    hessian = J.hessian
    monkeypatch.setattr(J, "hessian", lambda theta: asked.append(theta) or hessian(theta))
    found = last(newton.iterates(J, curvature=KeptCurvature(J)), 1e-12)
    assert len(asked) < expected.steps
    assert found.gradient_norm <= 1e-12
    np.testing.assert_allclose(found.theta, expected.theta, atol=1e-9)


@each("classes", [2, 3])
def test_a_step_that_leaves_much_of_its_slope_goes_on_in_its_direction(classes):
    J = objective(classes, 0.001, n=2000, p=30)
    start = np.zeros(J.shape)
    value, gradient = J.value_and_gradient(start)
    direction = KeptCurvature(J).direction(start, gradient)
    whole = newton.backtrack(J, start, value, gradient, direction)
    theta, less, slope, _ = newton.prolonged(J, start, gradient, direction, whole)
    length = float(np.sum(theta * direction) / np.sum(direction**2))
    assert 1.0 < length <= newton.LONGEST
    assert less < whole[1]
    np.testing.assert_allclose(theta, length * direction, atol=1e-12)
    assert abs(np.sum(slope * direction)) < abs(np.sum(whole[2] * direction))
    assert newton.prolonged(J, start, whole[2] * 8.0, direction, whole) is whole


@each(("classes", "weighted", "form"), [(2, True, np.asarray), (3, False, np.asarray), (3, True, sparse.csr_matrix)])
def test_the_bend_along_a_direction_is_that_of_the_hessian(classes, weighted, form, rng):
    J = objective(classes, 0.3, True, weighted, n=60, form=form)
    theta, d = rng.standard_normal((2, *J.shape))
    flat = d.T.ravel()
    expected = flat @ J.loss_hessian(theta) @ flat + J.alpha * np.sum(d[: J.p] ** 2)
    assert J.bend(theta, d) == pytest.approx(expected, rel=1e-12)
    units = InUnits(J, 0.2, Units(np.zeros(J.p), np.full(J.p, 2.0)))
    expected += (0.2 / 4.0 - 0.3) * np.sum(d[: J.p] ** 2)
    assert units.bend(theta, d) == pytest.approx(expected, rel=1e-12)


def test_the_state_that_is_near_enough_is_a_step_further():
    J = objective(3, 0.01, n=500, p=5)
    best = last(newton.iterates(J), 1e-14)
    near = last(newton.iterates(J), 1e-6)
    found = last(newton.iterates(J, enough=1e-6), 1e-6)
    off = [np.abs(J.value_and_gradient(state.theta)[1]).max() for state in (near, found)]
    assert (found.steps, found.gradient_norm) == (near.steps, near.gradient_norm)
    assert off[1] < 1e-3 * off[0]
    np.testing.assert_allclose(found.theta, best.theta, atol=1e-10)


class Bowl:
    """½ ‖θ‖²."""

    shape = (2, 1)

    def value_and_gradient(self, theta):
        return 0.5 * float(np.sum(theta**2)), theta.copy()

    def hessian(self, theta):
        return np.eye(2)

    def norm(self, gradient):
        return float(np.abs(gradient).max())


def test_a_hessian_that_finds_no_step_any_more_is_renewed():
    curvature = KeptCurvature(Bowl())
    # Of an earlier point, and so flat that no halving brings its step back.
    curvature.metric, curvature.steps = Metric(1e-9 * np.eye(2)), 1
    states = list(newton.iterates(Bowl(), np.ones((2, 1)), curvature))
    assert [state.gradient_norm for state in states] == [1.0, 0.0]
    assert not KeptCurvature(Bowl()).renew()


def test_a_hessian_that_hardly_helps_is_given_up():
    curvature = KeptCurvature(Bowl())
    before = np.array([[1.0], [0.5]])
    for share, kept in ((0.01, True), (0.9, False)):
        curvature.direction(np.ones((2, 1)), before)
        curvature.learn(-before, before, share * before)
        assert (curvature.metric is not None) is kept
