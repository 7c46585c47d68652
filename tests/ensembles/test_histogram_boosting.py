"""Gradient boosting on histograms: certificates for every loss and constraint, rivals, stopping, bad input."""

import copy
import tracemalloc

import numpy as np
import pytest
from scipy.special import expit
from sklearn import ensemble as foreign

from learnable import certify, watch
from learnable.ensembles import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from learnable.problems.ensembles import boosting_losses as losses
from learnable.solvers.ensembles import binning


def a_table(seed, n=300, missing=0.0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.2 * random.standard_normal(n)
    X[random.random(X.shape) < missing] = np.nan
    return X, y, random.random(n) + 0.1


def test_every_loss_and_constraint_is_certified():
    X, y, weight = a_table(0, n=150, missing=0.1)
    cases = [
        (HistGradientBoostingRegressor(), y, None),
        (HistGradientBoostingRegressor(loss="absolute_error"), y, weight),
        (HistGradientBoostingRegressor(loss="quantile", quantile=0.8), y, None),
        (HistGradientBoostingRegressor(loss="poisson"), np.exp(y), weight),
        (HistGradientBoostingRegressor(loss="gamma"), np.exp(y), None),
        (HistGradientBoostingRegressor(monotonic_cst=[1, 0, -1, 0], max_depth=3), y, weight),
        (HistGradientBoostingRegressor(interaction_cst=[[0, 1], [2]], l2_regularization=1.0), y, None),
        (HistGradientBoostingRegressor(max_features=0.5, max_bins=20), y, None),
        (HistGradientBoostingClassifier(class_weight="balanced"), y > 0.5, weight),
        (HistGradientBoostingClassifier(max_leaf_nodes=5, min_samples_leaf=5), np.digitize(y, [-0.5, 0.5]), None),
        (HistGradientBoostingClassifier(early_stopping=True), y > 0, None),
    ]
    for model, target, w in cases:
        model.set_params(max_iter=4, random_state=0).fit(X, target, sample_weight=w)
        found = certify(model, X, target, w)
        assert found.holds, f"{model}\n{found}"
        score = model.train_score_
        if model.loss in ("squared_error", "absolute_error", "quantile"):
            assert np.all(np.diff(score) >= -1e-12)
        other = copy.deepcopy(model)
        leaf = np.flatnonzero(model.trees_.children_left < 0)[-1]
        other.trees_.value[leaf] *= 1.01
        assert not certify(other, X, target, w).holds


def test_gradients_are_derivatives_and_starts_are_best():
    random = np.random.default_rng(0)
    y01, y, f = random.integers(0, 2, 40).astype(float), np.exp(random.standard_normal(40)), random.standard_normal(40)
    e = 1e-6
    smooth = (losses.PoissonLoss(), losses.GammaLoss(), losses.SquaredLoss())
    for loss, target in [(each, y) for each in smooth] + [
        (losses.BinomialLoss(), y01),
        (losses.ExponentialLoss(), y01),
    ]:
        g, h = losses.slopes(loss, target, f)
        up, down = (losses.loss_values(loss, target, f + s) for s in (e, -e))
        assert np.allclose(g, (up - down) / (2 * e), atol=1e-5)
        upper, lower = (losses.slopes(loss, target, f + s)[0] for s in (e, -e))
        assert np.allclose(h, (upper - lower) / (2 * e), atol=1e-5)
    huber = losses.HuberLoss(0.7)
    r = y - f
    textbook = np.where(np.abs(r) <= 0.7, r**2, 2 * 0.7 * np.abs(r) - 0.7**2)
    assert np.allclose(2 * losses.loss_values(huber, y, f), textbook)
    of_numbers = (losses.PoissonLoss(), losses.QuantileLoss(0.3), losses.GammaLoss(), losses.AbsoluteLoss())
    of_classes = (losses.BinomialLoss(), losses.ExponentialLoss())
    for loss, target in [(each, y) for each in of_numbers] + [(each, y01) for each in of_classes]:
        start = losses.best_start(loss, target, np.ones(40))[0]
        best = losses.loss_values(loss, target, np.full(40, start)).mean()
        for shift in (-0.1, 0.1):
            assert best <= losses.loss_values(loss, target, np.full(40, start + shift)).mean() + 1e-12


def test_as_good_as_scikit_learn_and_its_trees_are_certified():
    X, y, _ = a_table(1, 500)
    Xt, yt, _ = a_table(2, 500)
    for name, target, test in (("Regressor", y, yt), ("Classifier", y > 0, yt > 0)):
        rival = getattr(foreign, f"HistGradientBoosting{name}")(max_iter=10, early_stopping=False).fit(X, target)
        ours = (HistGradientBoostingRegressor if name == "Regressor" else HistGradientBoostingClassifier)(
            max_iter=10, early_stopping=False
        ).fit(X, target)
        assert ours.score(Xt, test) == pytest.approx(rival.score(Xt, test), abs=0.02)
        found = certify(rival, X, target)
        assert found.holds, found
        assert not certify(rival, X, np.roll(target, 1)).holds


def test_categories_missing_cells_and_unseen_ones():
    import pandas as pd

    random = np.random.default_rng(0)
    codes = random.integers(0, 12, 400)
    y = random.standard_normal(12)[codes] + 0.1 * random.standard_normal(400)
    frame = pd.DataFrame({"town": pd.Categorical([f"t{c}" for c in codes]), "x": random.standard_normal(400)})
    frame.loc[frame.index[:20], "town"] = None
    model = HistGradientBoostingRegressor(max_iter=10).fit(frame, y)
    assert model.is_categorical_.tolist() == [True, False]
    assert certify(model, frame, y).holds, certify(model, frame, y)
    new = frame[:3].astype({"town": object})
    new.loc[new.index[0], "town"] = "elsewhere"
    assert np.isfinite(model.predict(new)).all()
    masked = frame.assign(n=pd.array(codes % 7, dtype="Int64"), b=pd.array(codes % 2 == 0, dtype="boolean"))
    masked.loc[masked.index[::6], ["n", "b"]] = pd.NA
    for columns in (["town", "x", "n", "b"], ["x", "n", "b"]):
        given, known = masked[columns], masked[columns].astype({"n": float, "b": float})
        model = HistGradientBoostingRegressor(max_iter=4).fit(given, y)
        assert np.array_equal(
            model.predict(given), HistGradientBoostingRegressor(max_iter=4).fit(known, y).predict(known)
        )
        assert certify(model, given, y).holds, certify(model, given, y)
        assert given["n"].dtype == "Int64"
    with pytest.raises(ValueError, match="cardinality of 300"):
        HistGradientBoostingRegressor(categorical_features=[0]).fit(np.arange(300.0)[:, None], np.arange(300.0))


def test_categories_of_few_rows_go_together_and_few_categories_go_one_way():
    """At every split; alone, each would go where its few rows say, which other rows do not bear out."""
    random = np.random.default_rng(1)
    X = np.column_stack([random.integers(0, 120, 1500), random.standard_normal(1500)])
    X[::40, 0] = np.nan
    y = random.standard_normal(120)[np.nan_to_num(X[:, 0]).astype(int)] + random.standard_normal(1500)
    model = HistGradientBoostingRegressor(max_iter=4, categorical_features=[0]).fit(X, y)
    assert certify(model, X, y).holds, certify(model, X, y)
    trees, parted = model.trees_, 0
    codes = np.where(np.isnan(X[:, 0]), 255, X[:, 0]).astype(int)
    rows = dict.fromkeys(trees.first.ravel().tolist(), np.arange(1500))
    for node in np.flatnonzero(trees.children_left >= 0):
        here = rows[node]
        if trees.category_row[node] >= 0:
            left = trees.category_left[trees.category_row[node]][codes[here]] == 1
            counts = np.bincount(codes[here], minlength=256)[codes[here]]
            assert len(set(left[counts < 10])) <= 1
            parted += int(np.any(counts < 10))
            groups = np.where(counts < 10, 256, codes[here])
            assert min(len(set(groups[left])), len(set(groups[~left]))) <= 16
        else:
            left = X[here, 1] <= trees.threshold[node]
        rows[trees.children_left[node]], rows[trees.children_right[node]] = here[left], here[~left]
    assert parted > 4


def test_the_same_trees_for_any_threads_and_any_room(monkeypatch):
    """Sums are of whole numbers: threads, kept histograms and blocks change no bit."""
    from learnable.rows import parts
    from learnable.solvers.ensembles import leafwise

    X, y, weight = a_table(8, 20_000, missing=0.05)
    cases = [
        (HistGradientBoostingRegressor, y, weight),
        (HistGradientBoostingClassifier, np.digitize(y, [-0.5, 0.5]), weight),
        (HistGradientBoostingRegressor, y, None),
        (HistGradientBoostingClassifier, y > 0.0, None),
    ]
    monkeypatch.setattr(leafwise, "LARGE", 2**40)
    plain = [kind(max_iter=4, early_stopping=False).fit(X, *given) for kind, *given in cases]
    monkeypatch.setattr(parts, "WORTH_A_THREAD", 0)
    monkeypatch.setattr(leafwise, "LARGE", 0)
    monkeypatch.setattr(leafwise, "KEPT", 0)
    for model, (kind, *given) in zip(plain, cases):
        other = kind(max_iter=4, early_stopping=False).fit(X, *given)
        assert np.array_equal(model.train_score_, other.train_score_)
        for one, two in zip(model.trees_, other.trees_):
            assert np.array_equal(one, two)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_the_same_trees_for_any_strips(monkeypatch, loss):
    """However rows are numbered, a node has the same ones; sums of leaves are added up in another order."""
    from learnable.solvers.ensembles import leafwise

    X, y, _ = a_table(11, 900, missing=0.05)
    given = {"loss": loss, "max_iter": 3, "early_stopping": False, "max_leaf_nodes": 8, "min_samples_leaf": 3}
    # Columns of one kind, for which the growth is compiled anyway.
    given |= {"interaction_cst": "pairwise"} if loss == "absolute_error" else {"monotonic_cst": [1, 0, -1, 0]}
    whole = HistGradientBoostingRegressor(**given).fit(X, np.exp(y)).trees_
    monkeypatch.setattr(leafwise, "SHORTEST", 40)
    # Numbers of two bytes, and of four; the curvature of a loss does not ask how rows are numbered.
    for longest in (2**16,) if loss == "poisson" else (2**16, 30):
        monkeypatch.setattr(leafwise, "LONGEST", longest)
        parted = HistGradientBoostingRegressor(**given).fit(X, np.exp(y))
        assert parted.certificate_.holds
        for name, one, two in zip(whole._fields, whole, parted.trees_):
            assert np.allclose(one, two, rtol=1e-12, atol=1e-14), name


def test_monotone_and_separate_columns():
    X, y, _ = a_table(3, 400)
    rising = HistGradientBoostingRegressor(monotonic_cst=[1, 0, 0, 0], max_iter=15).fit(X, y)
    moved = X.copy()
    moved[:, 0] += 0.8
    assert np.all(rising.predict(moved) >= rising.predict(X) - 1e-12)
    apart = HistGradientBoostingRegressor(interaction_cst="no_interactions", max_iter=15).fit(X, y)
    # An additive function: second differences vanish.
    a, b = X[:50].copy(), X[:50].copy()
    a[:, 0] = b[:, 1] = 0.3
    both = a.copy()
    both[:, 1] = 0.3
    assert np.allclose(apart.predict(X[:50]) - apart.predict(a) - apart.predict(b) + apart.predict(both), 0.0)


def test_early_stopping_and_warm_start():
    X, y, _ = a_table(4, 400)
    model = HistGradientBoostingRegressor(
        early_stopping=True, max_iter=500, learning_rate=0.4, n_iter_no_change=3, random_state=0
    ).fit(X, y)
    assert model.n_iter_ < 500
    assert len(model.validation_score_) == model.n_iter_ + 1
    assert not set(model.train_rows_) & set(np.setdiff1d(np.arange(400), model.train_rows_))
    assert str(model.status_) == "stopped"
    assert certify(model, X, y).holds
    warm = HistGradientBoostingRegressor(max_iter=4, warm_start=True).fit(X, y)
    warm.set_params(max_iter=9).fit(X, y)
    cold = HistGradientBoostingRegressor(max_iter=9).fit(X, y)
    assert warm.n_iter_ == cold.n_iter_ == 9
    assert np.allclose(warm.predict(X), cold.predict(X))
    for given in ({}, {"early_stopping": True, "n_iter_no_change": 30}, {"max_features": 0.5, "random_state": 0}):
        warm = HistGradientBoostingRegressor(max_iter=3, warm_start=True, **given).fit(X, y)
        rows = getattr(warm, "train_rows_", None)
        warm.set_params(max_iter=6).fit(X, y)
        assert np.array_equal(getattr(warm, "train_rows_", None), rows)
        assert len(warm.train_score_) == 7
        assert len(getattr(warm, "validation_score_", warm.train_score_)) == 7
        assert certify(warm, X, y).holds, certify(warm, X, y)
    stages = list(cold.staged_predict(X))
    assert np.array_equal(stages[-1], cold.predict(X))
    seen = [step.state.objective for step in watch(cold, X, y)]
    assert len(seen) == 10


def test_bad_input_is_named():
    X, y, _ = a_table(5, 60)
    for model, target, words in (
        (HistGradientBoostingRegressor(loss="poisson"), y, "requires non-negative y"),
        (HistGradientBoostingRegressor(loss="gamma"), y, "strictly positive"),
        (HistGradientBoostingRegressor(loss="quantile"), y, "give quantile"),
        (HistGradientBoostingRegressor(monotonic_cst=[1]), y, "monotonic_cst"),
        (HistGradientBoostingRegressor(interaction_cst=[[0, 9]]), y, "interaction_cst"),
        (HistGradientBoostingClassifier(), np.ones(60), "one class"),
        (HistGradientBoostingClassifier(class_weight={True: 0.0, False: 0.0}), y > 0, "positive weight"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(X, target)
    constant = np.column_stack([np.ones(60), np.full(60, np.nan), X[:, 0]])
    assert HistGradientBoostingRegressor(max_iter=5).fit(constant, y).certificate_.holds


def test_a_weight_counts_rows_in_bins_too():
    rng = np.random.default_rng(3)
    X, times = rng.standard_normal((300, 2)), rng.integers(0, 3, 300)
    y = X[:, 0] * X[:, 1]
    for kind, target in ((HistGradientBoostingRegressor, y), (HistGradientBoostingClassifier, y > 0.0)):
        model = kind(min_samples_leaf=1, max_iter=20, max_bins=64)
        weighted = copy.copy(model).fit(X, target, sample_weight=times)
        repeated = copy.copy(model).fit(np.repeat(X, times, axis=0), np.repeat(target, times))
        assert weighted.certificate_.holds
        for a, b in zip(weighted.bin_thresholds_, repeated.bin_thresholds_):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(weighted._raw_predict(X), repeated._raw_predict(X), rtol=1e-7)


def test_scores_that_saturate_end_in_numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 5))
    model = HistGradientBoostingClassifier(learning_rate=100.0, max_iter=6).fit(X, X[:, 0] > 0.3 * X[:, 1])
    assert np.isfinite(model.decision_function(X)).all()
    assert model.certificate_.holds


def test_odds_are_left_where_they_end_and_change_no_tree(monkeypatch):
    """Scores of two classes are kept as odds until one may be too large; a fit that goes on finds the same bits."""
    from learnable.solvers.ensembles import signed_odds

    X, y, _ = a_table(9, 600, missing=0.05)
    fits = []
    for largest in (600.0, 1.5, 0.0):  # never left, after some rounds, at once
        monkeypatch.setattr(signed_odds, "LARGEST", largest)
        whole = HistGradientBoostingClassifier(max_iter=12, learning_rate=0.3).fit(X, y > 0.5)
        assert np.abs(whole.decision_function(X)).max() > 1.5
        warm = HistGradientBoostingClassifier(max_iter=5, learning_rate=0.3, warm_start=True).fit(X, y > 0.5)
        warm.set_params(max_iter=12).fit(X, y > 0.5)
        for one, two in zip(whole.trees_, warm.trees_):
            np.testing.assert_array_equal(one, two)
        fits.append(whole)
    for other in fits[1:]:
        np.testing.assert_array_equal(other.trees_.threshold, fits[0].trees_.threshold)
        np.testing.assert_allclose(other.trees_.value, fits[0].trees_.value, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(other.train_score_, fits[0].train_score_, rtol=1e-12)


def test_a_row_takes_no_more_than_twice_its_bins(monkeypatch):
    """Beside bins: the score as its gradient or odds, a place and a leaf (8 + 2 + 1 bytes), and the class.

    Histograms do not grow.
    """
    monkeypatch.setattr(binning, "TWICE", 0)  # as of a large table
    X = np.random.default_rng(0).standard_normal((40_000, 30))
    y = X[:, 0] + X[:, 1] ** 2
    for kind, target in ((HistGradientBoostingRegressor, y), (HistGradientBoostingClassifier, y > 0.5)):
        held = []
        for n in (500, 20_000, 40_000):  # the first for what is imported on the way
            tracemalloc.start()
            try:
                states = watch(kind(max_iter=1, early_stopping=False), X[:n], target[:n])
                next(states), next(states)
                held.append(tracemalloc.get_traced_memory()[0])
                del states
            finally:
                tracemalloc.stop()
        a_row = (held[2] - held[1]) / 20_000
        assert 30 < a_row <= 45, (kind, a_row)


def test_trees_are_the_same_with_bins_by_columns_and_without(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((500, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2
    both = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    monkeypatch.setattr(binning, "TWICE", 0)
    for a, b in zip(both.trees_, HistGradientBoostingRegressor(max_iter=5).fit(X, y).trees_):
        np.testing.assert_array_equal(a, b)


def test_a_class_that_is_nearly_certain_keeps_its_bits():
    """Of p − 1 a small 1 − p is known to the last bit, and p (1 − p) of a row that is surely wrong."""
    f = np.array([-700.0, -40.0, -30.0, 30.0, 40.0, 700.0])
    for y, other in ((1.0, -f), (0.0, f)):
        _, g, h = losses.expansion(losses.BinomialLoss(), np.full(len(f), y), f)
        np.testing.assert_allclose(np.abs(g), expit(other), rtol=1e-15)
        np.testing.assert_allclose(h, expit(f) * expit(-f), rtol=1e-15)
