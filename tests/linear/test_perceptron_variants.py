"""Random hyperplanes, averaging, random mistakes and the dual view (P4, P5, P8, P9)."""

import copy
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.linear import (
    AveragedPerceptron,
    Perceptron,
    RandomLinearClassifier,
    RandomMisclassifiedPerceptron,
    dual_coefficients,
    dual_perceptron,
    margin,
)
from learnable.trace import Status

random = np.random.default_rng(0)
X = random.standard_normal((80, 3))
SCORE = X @ [1.0, -2.0, 0.5] + 0.3
KEEP = np.abs(SCORE) > 0.2
X, SIGNS = X[KEEP], np.sign(SCORE[KEEP])
NOISY = np.where(random.random(len(X)) < 0.1, -SIGNS, SIGNS)


def test_random_directions_lie_on_the_sphere_and_cut_the_data():
    for step in watch(RandomLinearClassifier(40, random_state=3), X, SIGNS):
        theta, b = step.state.theta, step.state.offset
        assert np.linalg.norm(theta) == pytest.approx(1.0)
        assert (X @ theta + b).min() <= 0.0 <= (X @ theta + b).max()


def test_the_best_of_the_draws_is_kept_and_every_error_listed():
    model = RandomLinearClassifier(60, random_state=1).fit(X, SIGNS)
    assert model.errors_.shape == (60,)
    assert model.score(X, SIGNS) == pytest.approx(1.0 - model.errors_.min())
    assert model.best_draw_ == np.argmin(model.errors_)
    seen = [step.state.objective for step in watch(RandomLinearClassifier(60, random_state=1), X, SIGNS)]
    np.testing.assert_array_equal(seen, np.minimum.accumulate(model.errors_))
    # More draws of the same stream: the same errors first.
    more = RandomLinearClassifier(90, random_state=1).fit(X, SIGNS)
    np.testing.assert_array_equal(more.errors_[:60], model.errors_)


def test_directions_are_uniform():
    thetas = [RandomLinearClassifier(1, random_state=seed).fit(X, SIGNS).coef_[0] for seed in range(300)]
    # Mean 0 and second moments 1/3 on the sphere in three dimensions, within four standard errors.
    assert np.abs(np.mean(thetas, axis=0)).max() < 4.0 * np.sqrt(1.0 / 3.0 / 300)
    assert np.abs(np.mean(np.square(thetas), axis=0) - 1.0 / 3.0).max() < 4.0 * 0.3 / np.sqrt(300)


def test_weights_decide_which_errors_count():
    weight = np.where(SIGNS > 0, 1.0, 0.0)
    model = RandomLinearClassifier(50, random_state=0).fit(X, SIGNS, sample_weight=weight)
    assert model.errors_.min() < 0.05
    assert certify(model, X, SIGNS, weight).holds
    assert not certify(model, X, SIGNS).holds


def test_a_false_list_of_errors_is_noticed():
    model = RandomLinearClassifier(30, random_state=0).fit(X, NOISY)
    assert model.certificate_.holds
    lie = copy.deepcopy(model)
    lie.errors_[lie.best_draw_] = 0.0
    assert not certify(lie, X, NOISY).holds
    lie = copy.deepcopy(model)
    lie.best_draw_ = int(np.argmax(lie.errors_))
    assert not certify(lie, X, NOISY).holds


def test_answers_that_agree_with_themselves_are_not_therefore_proved():
    draws = RandomLinearClassifier(30, random_state=0).fit(X, NOISY)
    # A better list, forged to the end: draws of another stream, or fewer of them.
    other = RandomLinearClassifier(30, random_state=1).fit(X, NOISY)
    assert not certify(other.set_params(random_state=0), X, NOISY).holds
    for name, forged in (
        ("errors_", np.full(30, draws.errors_.min())),
        ("n_draws", 31),
        ("errors_", draws.errors_[:20]),
    ):
        lie = copy.deepcopy(draws)
        setattr(lie, name, forged)
        assert not certify(lie, X, NOISY).holds, name
    for kind in (Perceptron, AveragedPerceptron, RandomMisclassifiedPerceptron):
        for y in (SIGNS, NOISY):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = kind(**({"max_iter": 500} if kind is RandomMisclassifiedPerceptron else {})).fit(X, y)
            assert certify(model, X, y).verdict is not Verdict.REFUTED
            for status in ("optimal", "stopped"):
                empty, backwards = copy.deepcopy(model), copy.deepcopy(model)
                empty.status_ = backwards.status_ = status
                several = isinstance(model.mistake_log_, list)
                none = np.zeros(0, dtype=np.int64)
                empty.mistake_log_, empty.n_mistakes_ = ([none] if several else none), 0
                empty.coef_, empty.intercept_ = 0.0 * model.coef_, 0.0 * model.intercept_
                backwards.coef_, backwards.intercept_ = -model.coef_, -model.intercept_
                if kind is AveragedPerceptron:
                    empty.mistake_visits_, empty.objective_, empty.smallest_margin_ = [none], np.zeros(1), np.zeros(1)
                    empty.last_coef_, empty.last_intercept_ = empty.coef_, empty.intercept_
                    scores = y * backwards.decision_function(X)
                    backwards.smallest_margin_ = np.array([scores.min()])
                    backwards.objective_ = np.array([np.mean(np.maximum(-scores, 0.0))])
                    backwards.last_coef_, backwards.last_intercept_ = -model.last_coef_, -model.last_intercept_
                assert not certify(empty, X, y).holds
                assert certify(backwards, X, y).verdict is Verdict.REFUTED


def test_without_a_log_nothing_is_proved():
    from sklearn import linear_model

    for model in (Perceptron(penalty="l2"), linear_model.Perceptron()):
        certificate = certify(model.fit(X, SIGNS), X, SIGNS)
        assert certificate.verdict is Verdict.NOTHING_ASSERTED
        model.coef_ = 1.1 * model.coef_
        assert not certify(model, X, SIGNS).holds


def test_three_classes_are_refused():
    for kind in (RandomLinearClassifier, RandomMisclassifiedPerceptron):
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            kind().fit(X, np.arange(len(X)) % 3)


@each("seed", range(5))
@each("intercept", [True, False])
def test_random_mistakes_end_with_a_separator_within_novikoffs_bound(seed, intercept):
    y = SIGNS if intercept else np.sign(X @ [1.0, -2.0, 0.5])
    model = RandomMisclassifiedPerceptron(random_state=seed, fit_intercept=intercept, max_iter=100_000).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.score(X, y) == 1.0
    assert model.certificate_.holds
    assert model.certificate_.claim("P8").value == model.n_mistakes_ == len(model.mistake_log_)
    # The bound with another witness, the generating separator in coordinates [x, 1].
    extended = np.column_stack([X, np.ones(len(X))]) if intercept else X
    witness = np.array([1.0, -2.0, 0.5, 0.3]) if intercept else np.array([1.0, -2.0, 0.5])
    gamma = margin(extended, y, witness).geometric
    radius = np.linalg.norm(extended, axis=1).max()
    assert model.n_mistakes_ <= (radius / gamma) ** 2


def test_random_mistakes_differ_by_seed_and_repeat_by_seed():
    logs = [RandomMisclassifiedPerceptron(random_state=seed).fit(X, SIGNS).mistake_log_.tolist() for seed in (0, 0, 1)]
    assert logs[0] == logs[1] != logs[2]


def test_overlapping_classes_spend_the_budget():
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        model = RandomMisclassifiedPerceptron(max_iter=50).fit(X, NOISY)
    assert model.status_ is Status.BUDGET_SPENT
    assert model.n_mistakes_ == 50
    assert model.certificate_.verdict is Verdict.NOTHING_ASSERTED  # the log is true, but nothing is separated


def test_a_forged_log_is_noticed():
    model = RandomMisclassifiedPerceptron().fit(X, SIGNS)
    forged = copy.deepcopy(model)
    forged.mistake_log_ = forged.mistake_log_[:-1]
    assert not certify(forged, X, SIGNS).holds


def test_averaging_is_the_mean_over_all_visits():
    theta, b, points = np.zeros(3), 0.0, []
    for _ in range(3):
        for x, y in zip(X, NOISY):
            if y * (theta @ x + b) <= 0.0:
                theta, b = theta + y * x, b + y
            points.append(np.r_[theta, b])
    model = AveragedPerceptron(3, shuffle=False).fit(X, NOISY)
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], np.mean(points, axis=0), rtol=1e-10)
    np.testing.assert_allclose(np.r_[model.last_coef_[0], model.last_intercept_], np.r_[theta, b], rtol=1e-12)
    on_sparse = AveragedPerceptron(3, shuffle=False).fit(sparse.csr_matrix(X), NOISY)
    np.testing.assert_allclose(on_sparse.coef_, model.coef_, rtol=1e-12)


def test_averaging_ends_where_the_perceptron_does_and_is_steadier_on_noise():
    kinds = np.digitize(X[:, 0], [-0.5, 0.5])
    model = AveragedPerceptron().fit(X, kinds)
    assert model.coef_.shape == (3, 3)
    assert model.certificate_.verdict is Verdict.NOTHING_ASSERTED
    wrong_last, wrong_mean = [], []
    for seed in range(10):
        noisy = AveragedPerceptron(random_state=seed).fit(X, NOISY)
        wrong_mean.append(1.0 - noisy.score(X, SIGNS))
        last = np.where(X @ noisy.last_coef_[0] + noisy.last_intercept_[0] >= 0.0, 1.0, -1.0)
        wrong_last.append(np.mean(last != SIGNS))
    assert np.mean(wrong_mean) < np.mean(wrong_last)


@each("shuffle", [True, False])
def test_dual_coefficients(shuffle):
    model = Perceptron(shuffle=shuffle, tol=None).fit(X, SIGNS)
    alpha = dual_coefficients(model.mistake_log_[0], len(X))
    assert alpha.sum() == model.n_mistakes_
    np.testing.assert_allclose((alpha * SIGNS) @ X, model.coef_[0], rtol=1e-10, atol=1e-12)
    assert alpha @ SIGNS == pytest.approx(model.intercept_[0])
    # Predictions from the dual: Σ αᵢ yᵢ xᵢ·x.
    np.testing.assert_allclose((alpha * SIGNS) @ (X @ X.T + 1.0), model.decision_function(X), rtol=1e-9, atol=1e-9)


def test_a_log_beyond_the_data_is_refused():
    with pytest.raises(ValueError, match="names row 9, beyond the data"):
        dual_coefficients(np.array([1, 9]), 5)
    assert dual_coefficients(np.array([], dtype=int), 3).tolist() == [0, 0, 0]


def test_the_dual_perceptron_makes_the_mistakes_of_the_primal():
    model = Perceptron(shuffle=False, tol=None).fit(X, SIGNS)
    found = dual_perceptron(X @ X.T + 1.0, SIGNS)
    assert found.mistake_log.tolist() == model.mistake_log_[0].tolist()
    assert found.alpha.sum() == model.n_mistakes_ == len(found.mistake_log)
    np.testing.assert_allclose((found.alpha * SIGNS) @ X, model.coef_[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.scores(X @ X.T + 1.0), model.decision_function(X), rtol=1e-9, atol=1e-9)
    assert found.separates == bool(np.all(SIGNS * model.decision_function(X) > 0.0))


def test_a_kernel_separates_what_no_plane_does():
    circle = np.where(np.sum(X[:, :2] ** 2, axis=1) > 1.0, 1.0, -1.0)
    kernel = (1.0 + X @ X.T) ** 2
    assert not dual_perceptron(X @ X.T + 1.0, circle, max_passes=50).separates
    found = dual_perceptron(kernel, circle, max_passes=100_000)
    assert found.separates
    assert np.all(circle * found.scores(kernel) > 0.0)


def test_bad_kernels_and_targets_are_refused():
    for kernel, y, match in [
        (np.ones((2, 3)), [1, -1], r"shape \(2, 3\) with 2 targets"),
        ([[1.0, 2.0], [0.0, 1.0]], [1, -1], r"k\(x, z\) = k\(z, x\)"),
        ([[1.0, np.nan], [np.nan, 1.0]], [1, -1], "finite"),
        (np.eye(2), [0, 1], "-1 or 1"),
    ]:
        with pytest.raises(ValueError, match=match):
            dual_perceptron(kernel, y)
    with pytest.raises(ValueError, match="max_passes=0"):
        dual_perceptron(np.eye(2), [1, -1], max_passes=0)


def test_another_draw_is_not_the_best_by_miscounting_one_row():
    """One row miscounted for every better hyperplane would make an earlier one the answer."""
    for seed in range(100):
        model = RandomLinearClassifier(50, random_state=seed).fit(X, NOISY)
        if model.best_draw_ > 0:
            earlier = RandomLinearClassifier(int(model.best_draw_), random_state=seed).fit(X, NOISY)
            if earlier.errors_.min() - model.errors_.min() < 1.5 / len(X):
                break
    assert certify(model, X, NOISY).holds
    for name in ("coef_", "intercept_", "best_draw_"):
        setattr(model, name, getattr(earlier, name))
    model.errors_ = np.maximum(model.errors_, earlier.errors_.min())
    assert not certify(model, X, NOISY).holds
