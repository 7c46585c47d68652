"""`SGDClassifier` and `SGDRegressor`: streams, weights, averaging, early stopping, probabilities, bad input."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from tests.cases import each

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.certificates.core.again import fitted_again
from learnable.linear import LogisticRegression, Perceptron, Ridge, SGDClassifier, SGDRegressor
from learnable.trace import Status

random = np.random.default_rng(0)
X = random.standard_normal((300, 5))
LABELS = np.where(X @ [1.0, -1.0, 0.5, 0.0, 0.0] + 0.3 + 0.5 * random.standard_normal(300) > 0, "yes", "no")
KINDS = np.digitize(X[:, 0] + 0.2 * random.standard_normal(300), [-0.5, 0.5])
TARGETS = X @ [1.0, -1.0, 0.5, 0.0, 0.0] + 0.3 + 0.1 * random.standard_normal(300)


def test_same_numbers_as_scikit_learn_when_the_order_is_fixed():
    for options in (
        {"loss": "log_loss", "learning_rate": "invscaling", "eta0": 0.1},
        {"loss": "modified_huber"},
        {"loss": "squared_hinge", "learning_rate": "constant", "eta0": 0.005, "penalty": None},
        {"loss": "hinge", "average": 400},
        {"loss": "hinge", "learning_rate": "pa1", "penalty": None},
        {"loss": "huber", "class_weight": {"no": 2.0, "yes": 0.5}},
    ):
        both = [
            kind(alpha=0.01, shuffle=False, max_iter=4, tol=None, **options).fit(X, LABELS)
            for kind in (SGDClassifier, linear_model.SGDClassifier)
        ]
        np.testing.assert_allclose(both[0].coef_, both[1].coef_, rtol=1e-9)
        np.testing.assert_allclose(both[0].intercept_, both[1].intercept_, rtol=1e-8, atol=1e-12)
        assert both[0].t_ == both[1].t_


def test_same_numbers_as_scikit_learn_for_regression():
    for options in ({}, {"loss": "huber"}, {"loss": "squared_epsilon_insensitive", "learning_rate": "adaptive"}):
        both = [
            kind(alpha=0.01, shuffle=False, max_iter=4, tol=None, **options).fit(X, TARGETS)
            for kind in (SGDRegressor, linear_model.SGDRegressor)
        ]
        np.testing.assert_allclose(both[0].coef_, both[1].coef_, rtol=1e-9)
        np.testing.assert_allclose(both[0].intercept_, both[1].intercept_, rtol=1e-9)


def test_it_nears_the_exact_minimum():
    alpha = 0.05
    ours = SGDClassifier(
        "log_loss", alpha=alpha, learning_rate="adaptive", eta0=0.05, tol=1e-5, random_state=0
    ).fit(X, LABELS)  # fmt: skip
    exact = LogisticRegression(C=1.0 / (alpha * 300), tol=1e-10).fit(X, LABELS)
    np.testing.assert_allclose(ours.coef_, exact.coef_, atol=5e-3)
    assert ours.certificate_.claim("O6").value < 1e-4
    fitted = SGDRegressor(alpha=alpha, learning_rate="adaptive", tol=1e-6, random_state=0).fit(X, TARGETS)
    np.testing.assert_allclose(fitted.coef_, Ridge(alpha=alpha * 300).fit(X, TARGETS).coef_, atol=5e-3)


def test_a_stream_of_blocks_learns():
    model = SGDClassifier("log_loss", alpha=1e-3, random_state=0)
    for _ in range(5):
        for start in range(0, 300, 50):
            model.partial_fit(X[start : start + 50], LABELS[start : start + 50], classes=["no", "yes"])
    assert model.score(X, LABELS) > 0.85
    assert model.t_ == 1501.0
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_a_block_may_lack_some_classes():
    model = SGDClassifier(random_state=0)
    model.partial_fit(X[KINDS == 0], KINDS[KINDS == 0], classes=[0, 1, 2])
    assert model.coef_.shape == (3, 5)
    model.partial_fit(X, KINDS)
    with pytest.raises(ValueError, match=r"classes \[7\] that were not passed"):
        model.partial_fit(X[:1], [7])


def test_partial_fits_are_the_epochs_of_a_fit():
    options = {"shuffle": False, "alpha": 0.01, "average": 100, "learning_rate": "invscaling"}
    whole = SGDClassifier(max_iter=3, tol=None, **options).fit(X, KINDS)
    pieces = SGDClassifier(**options)
    for _ in range(3):
        pieces.partial_fit(X, KINDS, classes=[0, 1, 2])
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(pieces.standard_coef_, whole.standard_coef_, rtol=1e-10)


def test_what_was_proved_of_other_rows_is_forgotten_by_partial_fit():
    model = SGDClassifier(random_state=0).fit(X, LABELS)
    model.partial_fit(X[:10], LABELS[:10])
    for name in ("certificate_", "status_", "objective_", "smallest_margin_"):
        assert not hasattr(model, name)


def test_weights_scale_the_loss_and_zero_weights_remove_rows():
    options = {"shuffle": False, "alpha": 0.01, "learning_rate": "constant", "max_iter": 5, "tol": None}
    weight = np.r_[np.ones(200), np.zeros(100)]
    # A row of no weight still counts as a step, in which only the penalty acts; without one it changes nothing.
    with_zeros = SGDRegressor(penalty=None, **options).fit(X, TARGETS, sample_weight=weight)
    without = SGDRegressor(penalty=None, **options).fit(X[:200], TARGETS[:200])
    np.testing.assert_allclose(with_zeros.coef_, without.coef_, rtol=1e-12)


def test_early_stopping_watches_rows_that_are_not_learnt_from():
    model = SGDClassifier(early_stopping=True, validation_fraction=0.3, random_state=0).fit(X, LABELS)
    assert model.t_ - 1.0 == 210 * model.n_iter_
    assert model.status_ is Status.STOPPED
    # The certificate is about all rows given to fit.
    assert model.certificate_.claim("O2").holds
    regression = SGDRegressor(early_stopping=True, random_state=0).fit(X, TARGETS)
    assert regression.score(X, TARGETS) > 0.9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("kind", [SGDClassifier, SGDRegressor, Perceptron])
def test_a_random_state_sets_aside_the_rows_that_its_next_numbers_name(kind):
    """As in scikit-learn. Each fit goes on with it, and the same fit can be done again."""
    y = TARGETS if kind is SGDRegressor else LABELS
    given = {"tol": None, "max_iter": 4, "shuffle": False}
    drawn, again = np.random.RandomState(3), np.random.RandomState(3)
    model = kind(early_stopping=True, validation_fraction=0.4, random_state=drawn, **given)
    for _ in range(2):
        model.fit(X, y)
        train, _ = train_test_split(
            np.arange(300), test_size=0.4, random_state=again, stratify=None if kind is SGDRegressor else y
        )
        train = train if kind is Perceptron else np.sort(train)
        np.testing.assert_array_equal(model.coef_, kind(**given).fit(X[train], y[train]).coef_)
        assert model.random_state is drawn
    spent = kind(early_stopping=True, tol=1e-9, max_iter=2, random_state=drawn).fit(X, y)
    assert spent.status_ is Status.BUDGET_SPENT
    for _ in range(2):
        np.testing.assert_array_equal(fitted_again(spent, X, y).coef_, spent.coef_)
    assert certify(spent, X, y).verdict is Verdict.NOTHING_ASSERTED
    spent.coef_ = spent.coef_ * 1.001
    assert certify(spent, X, y).verdict is Verdict.REFUTED


def test_statuses():
    with pytest.warns(ConvergenceWarning, match="raise max_iter|increasing max_iter"):
        spent = SGDClassifier(max_iter=2, random_state=0).fit(X, LABELS)
    assert spent.status_ is Status.BUDGET_SPENT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked = SGDClassifier(max_iter=2, tol=None, random_state=0).fit(X, LABELS)
    assert asked.status_ is Status.STOPPED
    assert asked.n_iter_ == 2


def test_the_epochs_can_be_watched():
    seen = list(watch(SGDRegressor(random_state=0, max_iter=6, tol=None), X, TARGETS))
    assert [step.number for step in seen] == list(range(1, 7))
    assert seen[-1].state.objective < seen[0].state.objective


@each("loss", ["log_loss", "modified_huber"])
def test_probabilities(loss):
    for y in (LABELS, KINDS):
        model = SGDClassifier(loss, alpha=0.01, random_state=0).fit(X, y)
        P = model.predict_proba(X)
        assert P.shape == (300, len(np.unique(y)))
        assert np.all(P >= 0.0)
        assert P.sum(axis=1) == pytest.approx(1.0)
    two = SGDClassifier(loss, alpha=0.01, random_state=0).fit(X, LABELS)
    assert np.array_equal(two.predict(X), two.classes_[(two.predict_proba(X)[:, 1] >= 0.5).astype(int)])


def test_a_row_that_no_class_claims_is_shared_equally():
    model = SGDClassifier("modified_huber", random_state=0).fit(X, KINDS)
    model.coef_, model.intercept_ = np.zeros((3, 5)), np.full(3, -9.0)
    np.testing.assert_array_equal(model.predict_proba(X[:1]), np.full((1, 3), 1.0 / 3.0))


def test_sparse_input_in_all_its_forms():
    thin = X * (np.abs(X) > 1.0)
    forms = [sparse.csr_matrix(thin), sparse.csc_array(thin), sparse.coo_array(thin)]
    wide = sparse.csr_matrix(thin)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    answers = [SGDClassifier(random_state=0).fit(form, LABELS).coef_ for form in [*forms, wide]]
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_float32_stays_float32():
    model = SGDRegressor(random_state=0).fit(X.astype(np.float32), TARGETS.astype(np.float32))
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.certificate_.verdict is not Verdict.REFUTED
    np.testing.assert_allclose(model.coef_, SGDRegressor(random_state=0).fit(X, TARGETS).coef_, atol=1e-4)


def test_combinations_that_cannot_work_are_named():
    with pytest.raises(ValueError, match=r"SGDClassifier\(alpha=0, learning_rate='optimal'\): alpha must be > 0"):
        SGDClassifier(alpha=0).fit(X, LABELS)
    with pytest.raises(ValueError, match="this rate needs loss='epsilon_insensitive'"):
        SGDRegressor(learning_rate="pa1").fit(X, TARGETS)
    with pytest.raises(ValueError, match="early_stopping should be False"):
        SGDRegressor(early_stopping=True).partial_fit(X, TARGETS)
    with pytest.raises(ValueError, match=r"intercept_init does not match dataset: its shape is \(2,\), not \(1,\)"):
        SGDClassifier().fit(X, LABELS, intercept_init=np.zeros(2))
    with pytest.raises(ValueError, match="only one class"):
        SGDClassifier().fit(X, np.zeros(300, dtype=int))


def test_a_fit_that_ran_away_does_not_pass_for_one():
    away = SGDRegressor(eta0=10.0, max_iter=5, tol=None, random_state=0).fit(1e3 * X, TARGETS)
    assert not away.certificate_.holds
    with pytest.raises(ValueError, match="overflow occurred at epoch #"):
        SGDRegressor(eta0=10.0, max_iter=50, tol=None).fit(1e200 * X, TARGETS)
    # Coefficients that are finite but whose objective is not.
    with pytest.raises(ValueError, match="overflow occurred at epoch #"):
        SGDRegressor(learning_rate="constant", eta0=1e90, max_iter=2, tol=None).fit(1e90 * X, TARGETS)


def test_a_failed_partial_fit_leaves_the_model_alone():
    model = SGDRegressor(random_state=0).fit(X, TARGETS)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((2, 5), np.nan), [0.0, 1.0])
    np.testing.assert_array_equal(model.coef_, before)
    assert model.certificate_.verdict is not Verdict.REFUTED


def test_a_fit_that_no_row_pulls_any_more_is_certified():
    X = np.array([[-5.0], [-4.0], [4.0], [5.0]])
    model = SGDClassifier(loss="hinge", penalty=None, max_iter=50, tol=None, random_state=0).fit(X, [0, 0, 1, 1])
    assert model.certificate_.holds
    for dtype in (np.float32, np.float64):
        again = SGDClassifier(loss="hinge", penalty=None, max_iter=50, tol=None, random_state=0)
        assert again.fit(X.astype(dtype), [0, 0, 1, 1]).certificate_.holds


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_certificate_is_the_same_in_however_many_stretches_the_rows_are_read(dtype, monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 4)).astype(dtype)
    y = (X[:, 0] + random.standard_normal(300) > 0).astype(int)
    model = SGDClassifier(loss="log_loss", max_iter=5, tol=None, random_state=0).fit(X, y)
    whole = [claim.value for claim in model.certificate_.claims]
    monkeypatch.setattr("learnable.rows.stretches.STRETCH", 0)  # the fewest rows a stretch
    parts = [claim.value for claim in certify(model, X, y).claims]
    np.testing.assert_allclose(parts, whole, rtol=1e-9)
