"""What must be true of naive Bayes: counting by hand, invariances, weights, missing cells, the log domain."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import norm
from tests.cases import each

from learnable import certify
from learnable.bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, m_estimate
from learnable.datasets import play_tennis

EVERY = (BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB)
LEAVING_OUT = (BernoulliNB, CategoricalNB, GaussianNB)


def table(kind, seed=0, n=150, p=5, n_classes=3):
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n)
    if kind is GaussianNB:
        X = random.standard_normal((n, p)) * (1.0 + y[:, None]) + y[:, None] * np.arange(p)
    elif kind is BernoulliNB:
        X = (random.random((n, p)) < 0.2 + 0.2 * y[:, None]).astype(float)
    else:
        X = np.minimum(random.poisson(0.5 + y[:, None] * np.linspace(0, 1.5, p)), 3).astype(float)
        X[:4] = np.arange(4)[:, None]  # every category is there
    return X, np.array(["red", "green", "blue"])[y]


def with_holes(X, seed=1, share=0.15):
    random = np.random.default_rng(seed)
    holes = X.copy()
    holes[random.random(X.shape) < share] = np.nan
    return holes


def same(a, b, **tolerance):
    assert vars(a).keys() == vars(b).keys()
    for name, value in vars(a).items():
        if isinstance(value, list):
            for one, other in zip(value, getattr(b, name), strict=True):
                np.testing.assert_allclose(one, other, **tolerance)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            np.testing.assert_allclose(value, getattr(b, name), **tolerance)


def test_play_tennis_has_the_published_answer():
    days = play_tennis()
    columns = [days.column(name).values for name in ("Outlook", "Temperature", "Humidity", "Wind")]
    levels = [np.unique(column).tolist() for column in columns]
    X = np.column_stack([np.searchsorted(level, column) for level, column in zip(levels, columns)])
    model = CategoricalNB(m=0.0).fit(X, days.column("PlayTennis").values)
    today = [[level.index(value) for level, value in zip(levels, ("Sunny", "Cool", "High", "Strong"))]]
    no, yes = np.exp(model.predict_joint_log_proba(today))[0]
    assert model.classes_.tolist() == ["No", "Yes"]
    assert round(yes, 4) == 0.0053
    assert round(no, 4) == 0.0206
    assert round(float(model.predict_proba(today)[0, 0]), 3) == 0.795
    assert model.predict(today) == ["No"]
    np.testing.assert_allclose(yes, 9 / 14 * (2 / 9) * (3 / 9) * (3 / 9) * (3 / 9), rtol=1e-13)


def test_laplace_is_the_m_estimate_with_one_virtual_example_a_value():
    X, y = table(CategoricalNB)
    laplace = CategoricalNB(alpha=1.0).fit(X, y)
    for priors in (None, [np.full(4, 0.25)] * X.shape[1]):
        m_estimate = CategoricalNB(m=4, p=priors).fit(X, y)
        for one, other in zip(laplace.feature_log_prob_, m_estimate.feature_log_prob_):
            np.testing.assert_allclose(one, other, rtol=1e-14)


def test_the_m_estimate_by_hand_and_its_limits():
    X, y = np.array([[0], [0], [0], [1], [2]]), np.array([0, 0, 0, 0, 1])
    p = np.array([0.5, 0.3, 0.2])
    share = np.array([[3 / 4, 1 / 4, 0.0], [0.0, 0.0, 1.0]])
    for m in (0.0, 2.0, 7.5, 1e12):
        model = CategoricalNB(m=m, p=[p]).fit(X, y)
        n = np.array([[4.0], [1.0]])
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), (n * share + m * p) / (n + m), atol=1e-15)
        assert model.certificate_.holds
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), [p, p], rtol=1e-10)  # m → ∞: the prior alone


@each("weighted", [False, True])
@each("holes", [False, True])
def test_categories_by_brute_force(weighted, holes):
    X, y = table(CategoricalNB)
    X = with_holes(X) if holes else X
    w = np.random.default_rng(2).random(len(y)) if weighted else None
    weight = np.ones(len(y)) if w is None else w
    model = CategoricalNB(alpha=0.7).fit(X, y, sample_weight=w)
    at = with_holes(X[:20], seed=5)
    joint = np.zeros((20, 3))
    for (i, x), (k, c) in product(enumerate(at), enumerate(model.classes_)):
        joint[i, k] = np.log(weight[y == c].sum() / weight.sum())
        for j in np.flatnonzero(~np.isnan(x)):
            known = (y == c) & ~np.isnan(X[:, j])
            hits = weight[known & (X[:, j] == x[j])].sum()
            joint[i, k] += np.log((hits + 0.7) / (weight[known].sum() + 0.7 * 4))
    np.testing.assert_allclose(model.predict_joint_log_proba(at), joint, rtol=1e-12)
    assert model.certificate_.holds


@each("as_sparse", [False, True])
@each("holes", [False, True])
def test_presence_by_brute_force(holes, as_sparse):
    X, y = table(BernoulliNB)
    X = with_holes(X) if holes else X
    w = np.random.default_rng(2).random(len(y))
    given = sparse.csr_matrix(X) if as_sparse else X
    model = BernoulliNB(alpha=0.7).fit(given, y, sample_weight=w)
    joint = np.zeros((len(y), 3))
    for (i, x), (k, c) in product(enumerate(X), enumerate(model.classes_)):
        joint[i, k] = np.log(w[y == c].sum() / w.sum())
        for j in np.flatnonzero(~np.isnan(x)):
            known = (y == c) & ~np.isnan(X[:, j])
            share = (w[known & (X[:, j] > 0)].sum() + 0.7) / (w[known].sum() + 1.4)
            joint[i, k] += np.log(share if x[j] > 0 else 1.0 - share)
    np.testing.assert_allclose(model.predict_joint_log_proba(given), joint, rtol=1e-11)
    assert model.certificate_.holds


def test_words_by_brute_force():
    X, y = table(MultinomialNB)
    model = MultinomialNB(alpha=0.5).fit(X, y)
    other = ComplementNB(alpha=0.5).fit(X, y)
    for k, c in enumerate(model.classes_):
        inside, outside = X[y == c].sum(axis=0) + 0.5, X[y != c].sum(axis=0) + 0.5
        score = np.log(np.mean(y == c)) + X @ np.log(inside / inside.sum())
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, k], score, rtol=1e-12)
        score = -X @ np.log(outside / outside.sum())
        np.testing.assert_allclose(other.predict_joint_log_proba(X)[:, k], score, rtol=1e-12)


@each("holes", [False, True])
def test_gaussians_by_brute_force(holes):
    X, y = table(GaussianNB)
    X = with_holes(X) if holes else X
    w = np.random.default_rng(2).random(len(y))
    model = GaussianNB(var_smoothing=0.0).fit(X, y, sample_weight=w)
    joint = np.zeros((len(y), 3))
    for k, c in enumerate(model.classes_):
        joint[:, k] = np.log(w[y == c].sum() / w.sum())
        for j in range(X.shape[1]):
            known = (y == c) & ~np.isnan(X[:, j])
            mean = np.average(X[known, j], weights=w[known])
            deviation = np.sqrt(np.average((X[known, j] - mean) ** 2, weights=w[known]))
            joint[:, k] += np.where(np.isnan(X[:, j]), 0.0, norm.logpdf(X[:, j], mean, deviation))
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10)
    assert model.certificate_.holds


@each("kind", LEAVING_OUT)
def test_a_cell_is_left_out_by_summing_over_its_values(kind):
    X, y = table(kind)
    model = kind().fit(X, y)
    known = X[:8].copy()
    known[:, 2] = np.nan
    if kind is GaussianNB:
        grid = np.linspace(-60.0, 60.0, 4001)
        step = grid[1] - grid[0]
    else:
        grid, step = np.arange(4.0 if kind is CategoricalNB else 2.0), 1.0
    filled = np.repeat(known, len(grid), axis=0)
    filled[:, 2] = np.tile(grid, 8)
    total = np.exp(model.predict_joint_log_proba(filled)).reshape(8, len(grid), 3).sum(axis=1) * step
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(known)), total, rtol=1e-9)


@each("kind", LEAVING_OUT)
def test_a_column_without_cells_says_nothing(kind):
    X, y = table(kind)
    blank = X[:10].copy()
    blank[:] = np.nan
    model = kind().fit(with_holes(X), y)
    shares = [np.mean(y == c) for c in model.classes_]
    np.testing.assert_allclose(model.predict_proba(blank), np.tile(shares, (10, 1)), rtol=1e-12)


@each("kind", EVERY)
def test_the_order_of_rows_does_not_matter(kind):
    X, y = table(kind)
    shuffled = np.random.default_rng(3).permutation(len(y))
    same(kind().fit(X, y), kind().fit(X[shuffled], y[shuffled]), rtol=1e-12, atol=1e-14)


@each(("kind", "holes"), [*product(EVERY, [False]), *product(LEAVING_OUT, [True])])
def test_pieces_give_what_the_whole_gives(kind, holes):
    X, y = table(kind)
    X = with_holes(X) if holes else X
    w = np.random.default_rng(4).random(len(y))
    whole = kind().fit(X, y, sample_weight=w)
    pieces = kind()
    for run in np.array_split(np.arange(len(y)), 7):
        pieces.partial_fit(X[run], y[run], classes=["blue", "green", "red"], sample_weight=w[run])
    del whole.status_, whole.certificate_
    same(whole, pieces, rtol=1e-11, atol=1e-13)
    assert certify(pieces, X, y, w).holds


@each("kind", EVERY)
def test_a_weight_of_three_is_three_rows(kind):
    X, y = table(kind)
    w = np.random.default_rng(5).integers(0, 4, len(y))
    repeated = kind().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    same(kind().fit(X, y, sample_weight=w), repeated, rtol=1e-11, atol=1e-13)


@each("kind", EVERY)
def test_probabilities_sum_to_one(kind):
    X, y = table(kind)
    model = kind().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(np.log(model.predict_proba(X)), model.predict_log_proba(X), rtol=1e-9, atol=1e-12)
    chosen = model.classes_[model.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), chosen)
    if kind in (MultinomialNB, CategoricalNB):
        for part in [model.feature_log_prob_] if kind is MultinomialNB else model.feature_log_prob_:
            np.testing.assert_allclose(np.exp(part).sum(axis=1), 1.0, rtol=1e-13)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.floats(1e-6, 1e3), st.integers(2, 6))
def test_any_m_gives_distributions_between_share_and_prior(seed, m, n_values):
    random = np.random.default_rng(seed)
    X, y = random.integers(n_values, size=(30, 2)), random.integers(2, size=30)
    X[0] = n_values - 1
    p = random.dirichlet(np.ones(n_values), size=2)
    model = CategoricalNB(m=m, p=p).fit(X, y)
    for j, part in enumerate(model.feature_log_prob_):
        count = model.category_count_[j]
        share = count / count.sum(axis=1, keepdims=True)
        found = np.exp(part)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
        assert np.all(found >= np.minimum(share, p[j]) - 1e-12)
        assert np.all(found <= np.maximum(share, p[j]) + 1e-12)


@each("as_sparse", [False, True])
def test_texts_of_a_hundred_thousand_words_do_not_underflow(as_sparse):
    random = np.random.default_rng(6)
    shares = random.dirichlet(np.ones(2000), size=2)
    X = np.vstack([random.multinomial(100_000, shares[k % 2]) for k in range(6)])
    y = np.arange(6) % 2
    X = sparse.csr_matrix(X) if as_sparse else X
    for kind in (MultinomialNB, ComplementNB, BernoulliNB):
        model = kind().fit(X, y)
        log_posterior = model.predict_log_proba(X)
        assert np.all(np.isfinite(log_posterior))
        np.testing.assert_array_equal(model.predict(X), y)
        np.testing.assert_allclose(np.exp(log_posterior).sum(axis=1), 1.0)
    assert np.exp(MultinomialNB().fit(X, y).predict_joint_log_proba(X)).max() == 0.0  # the product itself underflows


def test_shared_variances_make_a_logistic_form():
    """With σ_cj² the same for both classes, log P(1|x)/P(0|x) = w·x + b, with w = (μ₁ − μ₀)/σ². Syllabus: C10."""
    random = np.random.default_rng(7)
    X = random.standard_normal((200, 3))
    X = np.vstack([X, X + np.array([1.0, -0.5, 2.0])])  # two copies, moved: exactly the same variances
    y = np.repeat([0, 1], 200)
    model = GaussianNB(var_smoothing=0.0, priors=[0.3, 0.7]).fit(X, y)
    np.testing.assert_allclose(model.var_[0], model.var_[1], rtol=1e-12)
    w = (model.theta_[1] - model.theta_[0]) / model.var_[0]
    b = np.log(0.7 / 0.3) - 0.5 * np.sum((model.theta_[1] ** 2 - model.theta_[0] ** 2) / model.var_[0])
    at = random.standard_normal((50, 3)) * 3.0
    np.testing.assert_allclose(model.predict_proba(at)[:, 1], 1.0 / (1.0 + np.exp(-(at @ w + b))), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(at), (at @ w + b > 0).astype(int))
    apart = GaussianNB(var_smoothing=0.0).fit(np.vstack([X[:200], 3.0 * X[200:]]), y)
    odds = np.subtract(*apart.predict_log_proba(at).T[::-1])
    design = np.column_stack([at, np.ones(50)])
    assert np.abs(odds - design @ np.linalg.lstsq(design, odds)[0]).max() > 0.1  # and without it, none


@each("kind", [BernoulliNB, CategoricalNB, MultinomialNB])
def test_without_smoothing_a_value_never_seen_is_impossible(kind):
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 1, 1])
    model = kind(alpha=0.0).fit(X, y)
    assert model.certificate_.holds
    found = model.predict_proba([[1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(found[0], [0.0, 1.0])
    assert model.predict([[1.0, 1.0]]) == [1]
    if kind is not MultinomialNB:
        np.testing.assert_allclose(found[1], [1.0, 0.0])
    if kind is CategoricalNB:
        sparse_like = kind(alpha=0.0).fit(X[:3], y[:3])
        with pytest.raises(ValueError, match="row 0 of X has likelihood zero in every class"):
            sparse_like.predict_proba([[0.0, 0.0]])


def test_texts_by_the_formulas_of_bags_and_sets():
    """P(c) = n_c / n; bags: P(v|c) = (n_cv + 1) / (Σ n_cv' + |V|); sets: P(v|c) = (d_cv + 1) / (n_c + 2)."""
    X, y = np.array([[3, 0, 1], [1, 1, 0], [0, 2, 2], [0, 1, 0]]), np.array([0, 0, 1, 1])
    X, y = np.vstack([X, [0, 4, 0]]), np.append(y, 1)
    priors = np.array([2 / 5, 3 / 5])
    bags = np.array([[5 / 9, 2 / 9, 2 / 9], [1 / 12, 8 / 12, 3 / 12]])
    sets = np.array([[3 / 4, 2 / 4, 2 / 4], [1 / 5, 4 / 5, 2 / 5]])
    new = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1]])
    bag, words = MultinomialNB().fit(X, y), BernoulliNB().fit(X, y)
    np.testing.assert_allclose(np.exp(bag.feature_log_prob_), bags, rtol=1e-12)
    np.testing.assert_allclose(np.exp(words.feature_log_prob_), sets, rtol=1e-12)
    np.testing.assert_allclose(np.exp(bag.class_log_prior_), priors, rtol=1e-12)
    np.testing.assert_allclose(np.exp(bag.feature_log_prob_).sum(axis=1), 1.0, rtol=1e-12)
    joint = np.array([[priors[c] * np.prod(bags[c] ** row) for c in (0, 1)] for row in new])
    np.testing.assert_allclose(bag.predict_proba(new), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    there = new > 0
    joint = np.array([[priors[c] * np.prod(np.where(row, sets[c], 1 - sets[c])) for c in (0, 1)] for row in there])
    np.testing.assert_allclose(words.predict_proba(new), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    assert certify(bag, X, y).holds
    assert certify(words, X, y).holds


def test_the_m_estimate_by_its_formula():
    """(n_c + m p) / (n + m), with n the examples of the class; Laplace's rule is m = |A|, p = 1/|A|."""
    counts, p = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 5.0]]), np.array([0.5, 0.3, 0.2])
    for m in (0.5, 3.0, 40.0):
        expected = [[(n + m * q) / (row.sum() + m) for n, q in zip(row, p)] for row in counts]
        np.testing.assert_allclose(m_estimate(counts, m, p), expected, rtol=1e-12)
        np.testing.assert_allclose(m_estimate(counts, m).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(m_estimate(counts, 3.0), (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3))
    np.testing.assert_allclose(m_estimate(counts, 0.0), counts / counts.sum(axis=1, keepdims=True))
    X, y = np.array([[0], [0], [1], [2], [2], [2], [2], [2]]), np.array([0, 0, 0, 1, 1, 1, 1, 1])
    model = CategoricalNB(m=3.0, p=[p]).fit(X, y)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), m_estimate(counts, 3.0, p), rtol=1e-12)
    for bad in ({"m": -1.0}, {"m": 1.0, "p": [0.5, 0.5]}, {"m": 1.0, "p": [0.5, 0.4, 0.4]}):
        with pytest.raises(ValueError, match="m_estimate"):
            m_estimate(counts, **bad)
