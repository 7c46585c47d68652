"""The certificates of naive Bayes: they hold for scikit-learn's fits too, and notice what is changed."""

import copy

import numpy as np
from scipy import sparse
from sklearn import naive_bayes as sklearn_naive_bayes
from tests.cases import each

from learnable import bayes, certify
from learnable.certificates.core.certify import certificate_of

NAMES = ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB")


def data(name, n=400):
    random = np.random.default_rng(8)
    y = random.integers(3, size=n)
    if name == "GaussianNB":
        return random.standard_normal((n, 4)) + y[:, None], y
    return np.minimum(random.poisson(0.4 + 0.4 * y[:, None], (n, 4)), 3), y


@each("weighted", [False, True])
@each("name", NAMES)
def test_scikit_learn_fits_are_certified_and_equal(name, weighted):
    X, y = data(name)
    w = np.random.default_rng(9).random(len(y)) if weighted else None
    theirs = getattr(sklearn_naive_bayes, name)().fit(X, y, sample_weight=w)
    ours = getattr(bayes, name)().fit(X, y, sample_weight=w)
    assert certify(theirs, X, y, w).holds, certify(theirs, X, y, w)
    assert ours.certificate_.holds
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert not certify(theirs, X[::-1], y, w).holds


@each(
    ("name", "parameters"),
    [
        ("MultinomialNB", {"alpha": [0.1, 1.0, 2.0, 3.0]}),
        ("MultinomialNB", {"fit_prior": False}),
        ("BernoulliNB", {"alpha": 0.3, "binarize": 1.0}),
        ("BernoulliNB", {"class_prior": [0.5, 0.25, 0.25]}),
        ("ComplementNB", {"norm": True, "alpha": 0.3}),
        ("CategoricalNB", {"min_categories": 6, "alpha": 0.2}),
        ("GaussianNB", {"var_smoothing": 0.1, "priors": [0.2, 0.3, 0.5]}),
    ],
)
def test_parameters_mean_the_same_as_in_scikit_learn(name, parameters):
    X, y = data(name)
    theirs = getattr(sklearn_naive_bayes, name)(**parameters).fit(X, y)
    ours = getattr(bayes, name)(**parameters).fit(X, y)
    assert ours.certificate_.holds
    assert certify(theirs, X, y).holds
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-8)


@each("as_sparse", [False, True])
@each("name", ["BernoulliNB", "ComplementNB", "MultinomialNB"])
def test_one_count_more_is_noticed(name, as_sparse):
    X, y = data(name)
    X = sparse.csr_matrix(X) if as_sparse else X
    model = getattr(bayes, name)().fit(X, y)
    for attribute in ("feature_count_", "class_count_"):
        altered = copy.deepcopy(model)
        getattr(altered, attribute).flat[3 if attribute == "feature_count_" else 1] += 1.0
        assert not certify(altered, X, y).holds
    altered = copy.deepcopy(model)
    altered.feature_log_prob_[1, 2] += 1e-6
    assert not certify(altered, X, y).holds
    # An answer that is sound in itself, but of other data: one word more in one text.
    other = (X.toarray() if as_sparse else X).copy()
    other[np.flatnonzero(other[:, 1] == 0)[0], 1] = 1
    assert not certify(getattr(bayes, name)().fit(other, y), X, y).holds


@each("name", ["BernoulliNB", "MultinomialNB"])
def test_what_is_impossible_stays_so(name):
    X, y = np.array([[2, 0, 1], [1, 0, 1], [0, 3, 1]]), np.array([0, 0, 1])
    model = getattr(bayes, name)(alpha=0.0).fit(X, y)
    assert model.certificate_.holds
    assert np.isneginf(model.feature_log_prob_[0, 1])
    for place, value in (((0, 1), -800.0), ((0, 1), np.nan), ((0, 2), -np.inf), ((1, 2), np.nan), ((0, 2), np.inf)):
        altered = copy.deepcopy(model)
        altered.feature_log_prob_[place] = value
        assert not certify(altered, X, y).holds, (place, value)


def test_missing_cells_of_sparse_rows_are_certified():
    X, y = data("BernoulliNB")
    X = X.astype(float)
    X[np.random.default_rng(3).random(X.shape) < 0.2] = np.nan
    model = bayes.BernoulliNB().fit(sparse.csr_matrix(X), y)
    assert model.certificate_.holds
    dense = bayes.BernoulliNB().fit(X, y)
    np.testing.assert_array_equal(model.observed_count_, dense.observed_count_)
    has, lacks = (np.where(np.isnan(X), 0.0, there) for there in (X > 0, X <= 0))
    table = model.feature_log_prob_
    scores = model.class_log_prior_ + has @ table.T + lacks @ np.log1p(-np.exp(table)).T
    np.testing.assert_allclose(model.predict_joint_log_proba(sparse.csr_matrix(X)), scores, rtol=1e-12)
    np.testing.assert_allclose(dense.predict_joint_log_proba(X), scores, rtol=1e-12)


def test_small_changes_of_tables_means_and_variances_are_noticed():
    X, y = data("CategoricalNB")
    model = bayes.CategoricalNB(m=2.0).fit(X, y)
    for attribute in ("category_count_", "feature_log_prob_"):
        altered = copy.deepcopy(model)
        getattr(altered, attribute)[1][2, 1] *= 1.0 + 1e-6
        assert not certify(altered, X, y).holds
    X, y = data("GaussianNB")
    model = bayes.GaussianNB().fit(X, y)
    for attribute in ("theta_", "var_", "class_prior_", "class_count_"):
        altered = copy.deepcopy(model)
        getattr(altered, attribute).flat[1] *= 1.0 + 1e-6
        assert not certify(altered, X, y).holds, attribute
    altered = copy.deepcopy(model)
    altered.epsilon_ *= 1.01
    assert not certify(altered, X, y).holds


def test_categories_with_a_part_after_the_point_are_those_that_scikit_learn_makes_of_them():
    random = np.random.default_rng(0)
    X, y = 4.0 * random.random((60, 3)), random.integers(0, 2, 60)
    model = sklearn_naive_bayes.CategoricalNB().fit(X, y)
    assert certify(model, X, y).holds
    assert not certify(model, np.floor(X + 0.5), y).holds


def test_what_scikit_learn_gets_wrong_is_not_certified():
    """Its ε after `partial_fit` is that of the last batch, and was taken off the variances of the batch before."""
    X, y = data("GaussianNB")
    X[:200] *= 10.0
    theirs = sklearn_naive_bayes.GaussianNB(var_smoothing=0.1)
    ours = bayes.GaussianNB(var_smoothing=0.1)
    for half in (slice(0, 200), slice(200, 400)):
        theirs.partial_fit(X[half], y[half], classes=[0, 1, 2])
        ours.partial_fit(X[half], y[half], classes=[0, 1, 2])
    assert not certify(theirs, X, y).holds
    assert certify(ours, X, y).holds


@each("kind", [bayes.MultinomialNB, bayes.BernoulliNB, bayes.ComplementNB])
def test_no_log_probability_can_be_altered_unnoticed(kind):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (30, 5)), np.arange(30) % 3
    model = kind().fit(X, y)
    assert certify(model, X, y).holds
    honest = model.feature_log_prob_.copy()
    for place in np.ndindex(honest.shape):
        for change in (-1e-6, 1e-6):
            model.feature_log_prob_ = honest.copy()
            model.feature_log_prob_[place] += change
            assert not certify(model, X, y).holds, place


def test_units_far_apart_are_proved_on_many_rows():
    """ε comes from the column with the largest unit: of the others var_ is nearly all ε."""
    random = np.random.default_rng(3)
    X, y = random.standard_normal((12_000, 100)) * np.geomspace(1e-4, 1e4, 100), random.integers(3, size=12_000)
    model = bayes.GaussianNB().fit(X, y)
    assert model.certificate_.holds
    for name, factor in (("var_", 1.0 + 1e-9), ("scatter_", 1.0 + 1e-6), ("theta_", -1.0)):
        altered = copy.deepcopy(model)
        getattr(altered, name)[1, 0] *= factor
        assert not certificate_of(altered, X, y).holds
