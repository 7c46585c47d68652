"""CART: certificates on random data of every kind, scikit-learn's trees, pruning, significance, bad input."""

import copy
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn import tree as sklearn_tree
from tests.cases import each

from learnable import certify
from learnable._jit.trees.layout import (
    Classes,
    Columns,
    KeptSorted,
    MixedColumns,
    Numbers,
    RandomCuts,
    RankedNumbers,
    SortedByNode,
    TwoClasses,
)
from learnable.certificates.trees.candidates import Limits, Node, best_cut, best_of_cuts
from learnable.problems.trees.impurities import Entropy, Gini, PoissonDeviance, SquaredError
from learnable.problems.trees.tree import leaves_of, leaves_of_all
from learnable.solvers.trees.cart import Growth, search, targets_of
from learnable.solvers.trees.encoding import encode
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor


def a_table(seed: int, n: int = 90, p: int = 4, missing: float = 0.0, ties: bool = False):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p))
    if ties:
        X = X.round(0)
    y = X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.3 * random.standard_normal(n)
    X[random.random(X.shape) < missing] = np.nan
    return X, y, random.integers(0, 3, n).astype(float)


def kinds(seed: int, y: np.ndarray):
    two, three = (y > 0).astype(int), np.digitize(y, [-0.7, 0.7])
    for criterion in ("gini", "entropy", "misclassification"):
        yield DecisionTreeClassifier(criterion=criterion, random_state=seed), two
        yield DecisionTreeClassifier(criterion=criterion, random_state=seed), three
    for criterion in ("squared_error", "absolute_error", "poisson"):
        yield DecisionTreeRegressor(criterion=criterion, random_state=seed), np.abs(y).round(2)


def test_every_split_is_the_best_of_its_node():
    limits = (
        {},
        {"max_depth": 3, "min_samples_leaf": 4},
        {"max_leaf_nodes": 6},
        {"min_impurity_decrease": 0.01, "min_weight_fraction_leaf": 0.05},
        {"max_features": 2},
        {"splitter": "random"},
        {"ccp_alpha": 0.01},
    )
    for seed, limit in enumerate(limits):
        X, y, weight = a_table(seed, missing=0.1 * (seed % 2), ties=seed % 3 == 0)
        for model, target in kinds(seed, y):
            model.set_params(**limit).fit(X, target, sample_weight=weight if seed % 2 else None)
            found = certify(model, X, target, weight if seed % 2 else None)
            assert found.holds, f"{model}\n{found}"


RANDOM_CUTS = [
    (DecisionTreeClassifier, "gini"), (DecisionTreeClassifier, "entropy"), (DecisionTreeRegressor, "squared_error"),
    (DecisionTreeRegressor, "poisson"), (DecisionTreeRegressor, "absolute_error"),
]  # fmt: skip


@each("kind", [Gini(), Entropy(), SquaredError(), PoissonDeviance()])
@each("limits", [Limits(), Limits(min_rows=4), Limits(min_weight=3.0), Limits(least_gap=0.5)])
def test_cuts_of_several_nodes_together_are_those_of_each_alone(kind, limits):
    X, y, w = a_table(7, ties=True)
    numbers = isinstance(kind, SquaredError | PoissonDeviance)
    rows = Node(kind, np.abs(y).round(1) if numbers else np.digitize(y, [-0.7, 0.7]), w + 1.0, 0 if numbers else 3)
    random = np.random.default_rng(0)
    sets = [random.permutation(len(X))[:size] for size in (40, 1, 7, 90, 3)]
    alone = [max(best_cut(rows.take(at), X[at, j], limits) for j in range(X.shape[1])) for at in sets]
    place, first = np.concatenate(sets), np.cumsum([0, *map(len, sets[:-1])])
    together = best_of_cuts(rows, rows.summands[place], X[place], first, limits)
    np.testing.assert_allclose(together, alone, rtol=1e-10, atol=1e-10)
    assert np.isneginf(together[1])


@each(("kind", "criterion"), RANDOM_CUTS)
@each("missing", [False, True])
@each("outputs", [1, 2])
def test_of_random_cuts_the_best_that_leaves_enough_rows_is_taken(kind, criterion, missing, outputs):
    """A column of two values is cut in one way. It parts the targets best, until a leaf must have more rows."""
    if outputs > 1 and (missing or criterion == "absolute_error"):
        return
    random = np.random.default_rng(5)
    for seed in range(8):
        X = random.standard_normal((60, 4))
        two = int(random.integers(4))
        X[:, two] = np.arange(60) < 12
        y = X[:, two] + 1.0 + (random.random(60) < 0.05)
        if missing:
            X[random.random(60) < 0.3, (two + 1) % 4] = np.nan
        weight = random.integers(0, 3, 60) + (np.arange(60) % 20 == 0)
        rules = {"splitter": "random", "criterion": criterion, "max_depth": 1, "random_state": seed}
        Y = y if outputs == 1 else np.column_stack([y, 3.0 - y])
        taken = int(((weight > 0) & (X[:, two] == 1)).sum())
        tree = kind(**rules, min_samples_leaf=taken).fit(X, Y, sample_weight=weight).tree_
        assert tree.feature[0] == two
        assert sorted(tree.n_node_samples[1:]) == [taken, int((weight > 0).sum()) - taken]
        assert kind(**rules, min_samples_leaf=taken + 1).fit(X, Y, sample_weight=weight).tree_.feature[0] != two


@each(("kind", "criterion"), RANDOM_CUTS)
def test_between_two_values_a_random_cut_is_the_only_one_there_is(kind, criterion):
    for seed in range(12):
        random = np.random.default_rng(seed)
        X, weight = random.integers(0, 2, (80, 6)), random.integers(1, 4, 80)
        y = random.integers(0, 2 + seed % 2, 80) if kind is DecisionTreeClassifier else random.exponential(size=80)
        rules = {"criterion": criterion, "max_depth": 1, "random_state": seed}
        left = []
        for splitter in ("random", "best"):
            tree = kind(splitter=splitter, **rules).fit(X, y, sample_weight=weight).tree_
            left.append(tree.weighted_n_node_samples[1:] @ tree.impurity[1:])
        assert left[0] == pytest.approx(left[1], rel=1e-9)


def test_the_trees_of_scikit_learn_are_certified_and_as_good():
    for seed in range(3):
        X, y, weight = a_table(seed, n=120)
        X = X.astype(np.float32).astype(float)
        for model, target in kinds(seed, y):
            if model.criterion == "misclassification":
                continue
            foreign = getattr(sklearn_tree, type(model).__name__)(
                criterion=model.criterion, max_depth=3, random_state=0
            )
            foreign.fit(X, target, sample_weight=weight)
            model.set_params(max_depth=3).fit(X, target, sample_weight=weight)
            found = certify(foreign, X, target, weight)
            if model.criterion != "absolute_error":  # several medians: its leaves hold another one
                assert found.holds, f"{foreign}\n{found}"
            one, two = (t.impurity * t.weighted_n_node_samples for t in (foreign.tree_, model.tree_))
            gain_one, gain_two = (
                sums[0] - sums[t.children_left[0]] - sums[t.children_right[0]]
                for sums, t in ((one, foreign.tree_), (two, model.tree_))
            )
            assert one[0] == pytest.approx(two[0])
            assert gain_one == pytest.approx(gain_two)


def test_a_foreign_tree_that_was_altered_is_refuted():
    X, y, _ = a_table(0, n=120)
    target = (y > 0).astype(int)
    foreign = sklearn_tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, target)
    assert certify(foreign, X, target).holds
    other = copy.deepcopy(foreign)
    other.tree_.threshold[0] += 0.3
    assert not certify(other, X, target).holds
    assert not certify(foreign, X, 1 - target).holds


def test_categories_best_subset_is_that_of_all_subsets():
    random = np.random.default_rng(0)
    words = np.array(["ash", "birch", "cedar", "elm", "fir", "oak", "yew"], dtype=object)
    for seed in range(3):
        codes = random.integers(0, 7, 150)
        X = np.empty((150, 2), dtype=object)
        X[:, 0], X[:, 1] = words[codes], random.standard_normal(150).round(1)
        X[random.random(150) < 0.1, 0] = None
        effect = random.standard_normal(7)[codes]
        noise = random.standard_normal(150)
        for model, y in (
            (DecisionTreeClassifier(max_depth=3), (effect + noise > 0).astype(int)),
            (DecisionTreeClassifier(max_depth=3), np.digitize(effect + noise, [-0.5, 0.5])),
            (DecisionTreeRegressor(max_depth=3), effect + noise),
            (DecisionTreeRegressor(max_depth=3, criterion="poisson"), np.exp(effect + noise)),
        ):
            model.set_params(categorical_features=[0]).fit(X, y)
            found = certify(model, X, y)
            assert found.holds, f"{seed} {model}\n{found}"
            assert model.tree_.category_row.max() >= 0
            unknown = X[:1].copy()
            unknown[0, 0] = "mangrove"
            assert len(model.predict(unknown)) == 1
            assert " in {" in model.to_text()


def test_many_categories_and_frames():
    import pandas as pd

    random = np.random.default_rng(1)
    codes = random.integers(0, 300, 900)
    y = random.standard_normal(300)[codes] + 0.1 * random.standard_normal(900)
    frame = pd.DataFrame({"shop": pd.Categorical(codes.astype(str)), "size": random.standard_normal(900)})
    model = DecisionTreeRegressor(categorical_features="from_dtype", max_depth=4).fit(frame, y)
    assert model.certificate_.holds
    assert model.score(frame, y) > 0.7


def test_a_tree_told_to_rise_rises():
    for seed in range(2):
        X, y, _ = a_table(seed, n=90)
        for model, target in (
            (DecisionTreeRegressor(max_depth=5), y),
            (DecisionTreeRegressor(max_depth=5, criterion="absolute_error"), y.round(0)),
            (DecisionTreeRegressor(max_depth=5, criterion="absolute_error", splitter="random", random_state=seed), y),
            (DecisionTreeClassifier(max_depth=5), (y > 0).astype(int)),
            (DecisionTreeClassifier(max_depth=5, criterion="entropy"), (y > 0).astype(int)),
        ):
            model.set_params(monotonic_cst=[1, -1, 0, 0]).fit(X, target)
            assert certify(model, X, target).holds, certify(model, X, target)
            scores = (
                (lambda rows, m=model: m.predict_proba(rows)[:, 1]) if hasattr(model, "classes_") else model.predict
            )
            for column, sign in ((0, 1), (1, -1)):
                moved = X.copy()
                moved[:, column] += 0.7
                assert np.all(sign * (scores(moved) - scores(X)) >= -1e-12)


def test_medians_are_kept_in_order_as_by_scikit_learn():
    """The best cut among those whose medians rise; what a child may predict ends halfway between its parent's two."""
    for seed in range(4):
        X, y, weight = a_table(seed, n=30)
        asked = {"criterion": "absolute_error", "monotonic_cst": [1, -1, 1, -1], "random_state": seed, "max_depth": 1}
        X = X.astype(np.float32).astype(float)
        ours = DecisionTreeRegressor(**asked).fit(X, y, sample_weight=weight + 1.0)
        theirs = sklearn_tree.DecisionTreeRegressor(**asked).fit(X, y, sample_weight=weight + 1.0)
        np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value, rtol=1e-12)
        deep = DecisionTreeRegressor(**asked | {"max_depth": None}).fit(X, y)
        assert certify(deep, X, y).holds
        swapped = copy.deepcopy(deep).set_params(monotonic_cst=[-1, 1, -1, 1])
        assert not certify(swapped, X, y).holds
        free = DecisionTreeRegressor(criterion="absolute_error").fit(X, y)
        free.set_params(monotonic_cst=[1, -1, 1, -1])
        assert not certify(free, X, y).holds


def test_forbidden_splits_are_refuted_though_their_values_are_clipped():
    """One against the sign of its column, and one whose side lies beyond what the split above allows."""
    falling = np.repeat([[0.0, 0.0], [1.0, 0.0]], 4, axis=0), np.repeat([8.0, 0.0], 4)
    X = np.array([[0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [1, 0], [1, 1], [1, 1]], dtype=float)
    beyond = X, np.array([0.0, 0.0, 0.0, 10.0, 8.0, 8.0, 8.0, 8.0])
    for criterion in ("squared_error", "absolute_error"):
        for X, y in (falling, beyond):
            model = DecisionTreeRegressor(criterion=criterion).fit(X, y).set_params(monotonic_cst=[1, 0])
            tree = model.tree_
            left, right = tree.children_left[0], tree.children_right[0]
            assert tree.feature[0] == 0
            middle = 0.5 * (tree.value[left] + tree.value[right])
            value = tree.value.copy()
            children = tree.children_left[left], tree.children_right[left]
            under_left = [left, *(child for child in children if child > 0)]
            value[under_left] = np.minimum(value[under_left], middle)
            value[right] = np.maximum(value[right], middle)
            model.tree_ = tree._replace(value=value)
            found = certify(model, X, y)
            assert [claim.statement for claim in found.claims if claim.holds is False] == [
                "splits that the limits on nodes forbid"
            ], found


@each("missing", [0.0, 0.2])
def test_predictions_are_the_same_by_both_descents(missing):
    X, y, _ = a_table(5, missing=missing)
    model = DecisionTreeRegressor().fit(X, y)
    assert np.array_equal(model.apply(X), leaves_of(model.tree_, X))
    at_threshold = X.copy()
    at_threshold[:, model.tree_.feature[0]] = model.tree_.threshold[0]
    assert np.array_equal(model.apply(at_threshold), leaves_of(model.tree_, at_threshold))
    others = [DecisionTreeRegressor(max_depth=depth).fit(X, y) for depth in (1, 3)]
    together = leaves_of_all([model.tree_, *(other.tree_ for other in others)], X)
    assert np.array_equal(together, [each.apply(X) for each in (model, *others)])
    left = model.tree_.children_left.copy()
    left[left > 0] = 0
    with pytest.raises(IndexError, match="circle"):
        leaves_of(model.tree_._replace(children_left=left, children_right=left), X)
    path = model.decision_path(X)
    assert np.array_equal(path.sum(axis=0).A1 if hasattr(path.sum(axis=0), "A1") else path.sum(axis=0),
                          model.tree_.n_node_samples)  # fmt: skip


def test_a_split_that_is_not_significant_is_not_made():
    random = np.random.default_rng(0)
    X = random.standard_normal((80, 3))
    coin = random.integers(0, 2, 80)
    for test in ("independence", "permutation"):
        for level, y in ((0.001, coin), (0.05, (X[:, 0] > 0).astype(int))):
            model = DecisionTreeClassifier(
                significance=level, significance_test=test, n_permutations=19, random_state=0
            )
            model.fit(X, y)
            assert certify(model, X, y).holds, certify(model, X, y)
            assert (model.tree_.node_count == 1) == (y is coin)
            altered = copy.deepcopy(model)
            altered.p_values_ = np.where(model.p_values_ <= level, 1.0, 0.0)
            assert not certify(altered, X, y).holds
    target = X[:, 1] + random.standard_normal(80)
    assert certify(DecisionTreeRegressor(significance=0.01, max_depth=3).fit(X, target), X, target).holds


def test_watching_a_tree_grow():
    from learnable import watch

    X, y, _ = a_table(2)
    states = [step.state for step in watch(DecisionTreeRegressor(), X, y)]
    assert all(a.objective >= b.objective - 1e-12 for a, b in pairwise(states))
    assert states[-1].n_waiting == 0


def test_the_tree_of_a_state_stays_as_it_was_while_others_are_made():
    X, y, _ = a_table(0, n=300)
    kept, at_once = [], []
    for state in DecisionTreeRegressor()._pose(X, y).iterates:  # `watch` would copy them
        kept.append(state)
        at_once.append(state.tree)
    assert len(kept) > 5
    for state, tree in zip(kept, at_once):
        for later, before in zip(state.tree, tree):
            np.testing.assert_array_equal(later, before)
        assert len(np.unique(leaves_of(tree, X))) == tree.n_leaves


def test_bad_input_is_named():
    X, y, _ = a_table(3)
    for model, target, words in (
        (DecisionTreeRegressor(max_depth=0), y, "max_depth"),
        (DecisionTreeRegressor(criterion="poisson"), y, "y must be >= 0"),
        (DecisionTreeClassifier(categorical_features=[9]), y > 0, "integer indices must be in"),
        (DecisionTreeClassifier(categorical_features="yes"), y > 0, "from_dtype"),
        (DecisionTreeClassifier(monotonic_cst=[2, 0, 0, 0]), y > 0, "monotonic_cst"),
        (DecisionTreeClassifier(monotonic_cst=[1]), np.column_stack([y, y]) > 0, "multiple output; fit one tree"),
        (DecisionTreeClassifier(class_weight={True: 0.0, False: 0.0}), y > 0, "positive weight"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(X, target)
    with pytest.raises(TypeError, match=r"sparse multilabel-indicator for y is not supported\. Give y.toarray"):
        DecisionTreeClassifier().fit(X, sparse.csr_array(y[:, None] > 0))
    with pytest.raises(ValueError, match="infinity"):
        DecisionTreeRegressor().fit(np.where(X > 1, np.inf, X), y)
    one = DecisionTreeClassifier().fit(np.ones((5, 2)), ["a"] * 5)
    assert one.tree_.node_count == 1
    assert one.certificate_.holds
    empty = np.column_stack([np.full(len(X), np.nan), np.ones(len(X)), X[:, 0]])
    assert DecisionTreeRegressor().fit(empty, y).certificate_.holds
    assert DecisionTreeClassifier(max_leaf_nodes=1000).fit(X, y > 0).certificate_.holds


def test_trees_of_several_outputs_are_those_of_scikit_learn():
    """The impurity is the mean over outputs; the certificate, which knows single outputs, sees what is altered."""
    random = np.random.default_rng(5)
    X = random.standard_normal((80, 3)).astype(np.float32).astype(float)
    X[random.random(X.shape) < 0.05] = np.nan
    full = np.nan_to_num(X)
    numbers = np.column_stack([full[:, 0] ** 2, 1e3 * np.abs(full[:, 1] - full[:, 2])])
    words = np.column_stack([np.where(full[:, 0] > 0, "b", "a"), np.where(full[:, 1] > 1, "z", np.sign(full[:, 2]))])
    weight = random.integers(1, 4, len(X)).astype(float)
    for kind, theirs_of, y, criteria in (
        (DecisionTreeClassifier, sklearn_tree.DecisionTreeClassifier, words, ("gini", "entropy")),
        (
            DecisionTreeRegressor,
            sklearn_tree.DecisionTreeRegressor,
            numbers,
            ("squared_error", "poisson", "absolute_error"),
        ),
    ):
        for criterion in criteria:
            limits = {"criterion": criterion, "max_leaf_nodes": 12, "min_samples_leaf": 3}
            ours = kind(**limits).fit(X, y, sample_weight=weight)
            theirs = theirs_of(**limits, random_state=0).fit(X, y, sample_weight=weight)
            for name in ("impurity", "value"):
                one, two = (np.sort(getattr(model.tree_, name), axis=0) for model in (ours, theirs))
                np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12, err_msg=f"{criterion} {name}")
            assert ours.predict(X).shape == y.shape
            for model in (ours, theirs):
                assert certify(model, X, y, sample_weight=weight).holds, (criterion, model)
            value = ours.tree_.value.copy()
            value[-1, 1, 0] += 1e-5 * max(value[-1, 1, 0], 1.0)
            ours.tree_ = ours.tree_._replace(value=value)
            assert not certify(ours, X, y, sample_weight=weight).holds
    with pytest.raises(ValueError, match=r"y has 2 columns.*one model a column"):
        DecisionTreeClassifier(criterion="misclassification").fit(X, words)


def test_means_of_whole_numbers_are_exact_wherever_their_centre_is():
    random = np.random.default_rng(0)
    X, whole = random.standard_normal((60, 2)), random.integers(-3, 4, 60).astype(float)
    for offset in (0.0, 0.5, 1e6 + 1.0, -(2.0**40)):
        for Y in (whole + offset, np.column_stack([whole + offset, 8.0 * whole])):
            model = DecisionTreeRegressor(max_leaf_nodes=9).fit(X, Y)
            leaf, said = model.apply(X), model.predict(X)
            for each_leaf in np.unique(leaf):
                # The exact mean is a fraction; the nearest double is all that there is of it.
                rows, n = Y[leaf == each_leaf], int(np.sum(leaf == each_leaf))
                exact = np.array([float(Fraction(int(2 * total), 2 * n)) for total in np.atleast_1d(rows.sum(axis=0))])
                assert np.abs(said[leaf == each_leaf] - exact).max() <= 2.0 * np.spacing(np.abs(exact).max())
                assert np.all(np.atleast_1d(said[leaf == each_leaf][0])[exact == 0.0] == 0.0)
    constant = DecisionTreeRegressor().fit(X, np.full(60, 1 / 3))
    assert np.array_equal(constant.predict(X), np.full(60, 1 / 3))


@each(
    "criterion, n_classes, kind",
    [
        ("gini", 2, TwoClasses), ("gini", 3, Classes), ("entropy", 2, Classes), ("squared_error", 0, Numbers),
        ("poisson", 0, Numbers), ("absolute_error", 0, RankedNumbers),
    ],
)  # fmt: skip
def test_targets_have_the_kind_that_kernels_are_compiled_for(criterion, n_classes, kind):
    targets, _ = targets_of(criterion, np.arange(6.0) % max(n_classes, 4), np.ones(6), n_classes)
    assert type(targets) is kind
    assert type(targets._replace(weight=np.zeros(6))) is kind


def test_columns_and_rules_have_the_kind_that_kernels_are_compiled_for():
    X = np.arange(12.0).reshape(6, 2)
    assert type(encode(X, np.array([False, False]))) is Columns
    assert type(encode(X, np.array([False, True]))) is MixedColumns
    assert type(encode(X, np.array([False, False]), np.array([0, -1]))) is MixedColumns
    given = Growth(), Growth(max_features=1), Growth(random_thresholds=True), Growth(max_features=2)
    kinds = KeptSorted, SortedByNode, RandomCuts, KeptSorted
    assert tuple(search(growth, 2) for growth in given) == kinds
