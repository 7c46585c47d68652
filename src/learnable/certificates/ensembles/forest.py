"""Forests: every tree belongs to the rows its seed draws, predictions are means, rows out of the bag were not in it.

Syllabus: DT13, DT14.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from learnable.certificates.core import Certificate, Claim, Ledger, certifies, digest_generator, reported, thorough
from learnable.certificates.core.random_numbers import seed_claims
from learnable.certificates.ensembles.out_of_bag import CLOSE, closeness, share_explained, share_right
from learnable.certificates.trees.decision_tree import (
    beyond_rounding,
    columns_searched,
    counts_off,
    said_by,
    split_claims,
    tree_weights,
)
from learnable.certificates.trees.drawn_thresholds import draws_of
from learnable.certificates.trees.members import Findings
from learnable.certificates.trees.reading import (
    Problem,
    categories_by_type,
    categories_off,
    cells_of,
    class_counts,
    is_categorical,
    is_foreign,
    rows_of,
    tree_arrays,
)
from learnable.certificates.trees.splits import CELLS, judge
from learnable.problems.ensembles.bags import bag_counts, balance, drawn_from, most_drawn
from learnable.problems.trees.impurities import CLASS_IMPURITIES, NUMBER_IMPURITIES
from learnable.problems.trees.tree import leaves_of, leaves_of_all

LEDGER = Ledger(
    verified=("trees_", "seeds_"),
    derived=(
        "oob_score_",
        "oob_interval_",
        "oob_decision_function_",
        "oob_prediction_",
        "n_classes_",
        "n_outputs_",
        "n_rows_",
        "categories_",
    ),
    unverified=("grown_with_",),
    sometimes=(
        "seeds_",
        "categories_",
        "oob_score_",
        "oob_interval_",
        "oob_decision_function_",
        "oob_prediction_",
        "n_classes_",
    ),
)
# Rows that are voted on again at the end of a fit; `certify` takes all.
SOME_ROWS = 50
# Trees judged by a certificate that comes with a fit.
TREES = 1


def drawn(model: Any, found: Certificate) -> bool:
    """Whether columns or thresholds are drawn at random, leaves made by pruning, categories told by types."""
    searched = columns_searched(model.max_features, model.n_features_in_)
    drawn_at_random = type(model).__name__.startswith("Extra") or searched < model.n_features_in_
    return is_foreign(model) or drawn_at_random or model.ccp_alpha > 0.0 or categories_by_type(model)


@certifies(
    "RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor", ledger=LEDGER,
    again=drawn,
)  # fmt: skip
def forest_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a forest on its training data."""
    X = X.toarray() if hasattr(X, "toarray") else X
    cells = cells_of(model, X)
    classes = getattr(model, "classes_", None)
    foreign = is_foreign(model)
    if model.bootstrap and (size := _bag_size(model, len(cells), foreign)) > (most := most_drawn(len(cells))):
        return [Claim.at_most("DT14", "rows drawn for each tree", size, most)]
    # scikit-learn's trees balance classes by their rows, its forests by the weights of these.
    weight = tree_weights(model, y, sample_weight, len(cells), by_mass=foreign)
    trees = [tree_arrays(one.tree_) for one in model.estimators_] if foreign else model.trees_
    problem = _problem(model, weight, cells.shape[1], foreign)
    rows = rows_of(problem, classes, y, weight)
    generator = digest_generator(*(tree.threshold for tree in trees))
    some = np.arange(len(trees))
    if not thorough() and len(trees) > TREES:
        some = generator.choice(len(trees), TREES, replace=False)
    worst = Findings()
    for t in some:
        weighing = _weighing(model, int(t), y, weight, foreign)
        problem = problem._replace(least_gain=model.min_impurity_decrease * float(weighing.sum()))
        if foreign:
            problem = problem._replace(min_leaf_weight=model.min_weight_fraction_leaf * float(weighing.sum()))
            problem = problem.pruned(model.ccp_alpha, float(weighing.sum())) or problem
        if problem.random_thresholds and thorough() and not foreign:
            seed = int(model.seeds_[t]) >> 1
            problem = problem._replace(draws=draws_of(seed, trees[t], cells.shape[1], pruned=model.ccp_alpha > 0.0))
        found, _ = judge(trees[t], problem, cells, rows.weighing(weighing), np.inf if thorough() else CELLS, generator)
        if found.ill_linked:
            return split_claims(found, classes is not None, problem.random_thresholds)
        worst = worst.or_worse(found)
    pruned = model.ccp_alpha > 0.0 and not (foreign and problem.pruned(model.ccp_alpha, 1.0))
    claims = [
        claim._replace(id="DT14", value=beyond_rounding(claim.value, 1e-8))
        for claim in split_claims(worst, classes is not None, problem.random_thresholds, pruned)
    ]
    if foreign:
        claims = [claim for claim in claims if "unseen" not in claim.statement]
    claims.append(_prediction_claim(model, X, cells, trees))
    wrong = 0 if foreign else _seeds_off(model, len(trees), problem, cells.shape[1])
    wrong += int(not foreign and model.n_rows_ != len(cells))
    wrong += int(foreign and model.bootstrap and not _as_asked(model, len(cells), weight))
    wrong += int(len(trees) != model.n_estimators) + categories_off(model, X, weight)
    wrong += int(not foreign and not model.bootstrap and model.max_samples is not None)  # which a fit refuses
    wrong += counts_off(model, trees[0].value.shape[1]) + _chances_off(model, weight)
    claims.append(
        Claim.at_most(
            "DT14",
            "numbers of trees, seeds, classes, outputs, categories and draws that are wrong",
            wrong,
            0.0,
        )
    )
    if foreign:  # of 31 bits, two of which may be the same by chance
        twice = len(trees) - len({one.random_state for one in model.estimators_})
        claim = Claim.at_most("DT14", "trees drawn with the numbers of another", twice, 0.0)
        claims.append(claim._replace(open=twice > 0))
    elif hasattr(model, "seeds_"):
        claims += seed_claims("DT14", model, without=0 if model.bootstrap else 1)
    if getattr(model, "oob_score", False):
        claims += _out_of_bag_claims(model, cells, rows, trees, foreign)
    return claims


def _seeds_off(model: Any, n_trees: int, problem: Problem, p: int) -> int:
    """Seeds beyond one for each tree of a forest that draws anything, and those with a bit that no draw reads."""
    drawn_at_nodes = problem.random_thresholds or problem.max_features < p
    seeds = getattr(model, "seeds_", ())
    wrong = int(len(seeds) != (n_trees if model.bootstrap or drawn_at_nodes else 0))
    return wrong + (0 if model.bootstrap else sum(int(seed) & 1 for seed in seeds))


def _weighing(model: Any, t: int, y: Any, weight: np.ndarray, foreign: bool) -> np.ndarray:
    """The weights of the rows for one tree: how often they are in its bag, and classes balanced in it if asked for."""
    counts = _bag(model, t, len(weight), foreign)
    weight = counts if _draws_by_weight(model) else weight * counts
    if getattr(model, "class_weight", None) == "balanced_subsample" and model.bootstrap:
        for column in np.asarray(y).reshape(len(weight), -1).T:
            _, index = np.unique(column, return_inverse=True)
            weight = weight * balance(index, counts)
    return weight


def _draws_by_weight(model: Any) -> bool:
    """Whether weights are the chances of rows to come to a bag, as in scikit-learn, not factors in it."""
    return is_foreign(model) and model.bootstrap


def _chances_off(model: Any, weight: np.ndarray) -> int:
    """1 if the chances that the bags were drawn with are not those of the weights."""
    if not _draws_by_weight(model):
        return 0
    stated = np.ones(len(weight)) if model._sample_weight is None else np.asarray(model._sample_weight, dtype=float)
    return int(stated.shape != weight.shape or not np.allclose(stated / stated.sum(), weight / weight.sum(), atol=0.0))


def _bag_size(model: Any, n: int, foreign: bool) -> int:
    return int(model._n_samples_bootstrap) if foreign else drawn_from(n, model.max_samples)


def _as_asked(model: Any, n: int, weight: np.ndarray) -> bool:
    """Whether scikit-learn drew as many rows as asked for: a share of them, or of their weights."""
    asked, drawn = model.max_samples, int(model._n_samples_bootstrap)
    if not isinstance(asked, float | np.floating):
        return drawn == (n if asked is None else asked)
    stated = weight if model._sample_weight is None else np.asarray(model._sample_weight, dtype=float)
    return drawn in {max(int(asked * many), 1) for many in (n, float(weight.sum()), float(stated.sum()))}


def _bag(model: Any, t: int, n: int, foreign: bool) -> np.ndarray:
    if not model.bootstrap:
        return np.ones(n)
    if foreign:  # `estimators_samples_` would draw the rows of every tree each time
        draw, drawn, chances = check_random_state(model.estimators_[t].random_state), model._n_samples_bootstrap, None
        if model._sample_weight is not None:
            chances = model._sample_weight / np.sum(model._sample_weight)
        rows = draw.randint(0, n, drawn) if chances is None else draw.choice(n, drawn, replace=True, p=chances)
        return np.bincount(rows, minlength=n).astype(float)
    return bag_counts(int(model.seeds_[t]), n, _bag_size(model, n, foreign))


def _problem(model: Any, weight: np.ndarray, p: int, foreign: bool) -> Problem:
    K = max(class_counts(model), default=0)
    n = len(weight) if foreign else int(np.count_nonzero(weight))

    def count(given: Any, least: int) -> int:
        return int(given) if isinstance(given, int | np.integer) else max(least, int(np.ceil(given * n)))

    signs = np.zeros(p, dtype=int) if model.monotonic_cst is None else np.asarray(model.monotonic_cst, dtype=int)
    total = float(weight.sum())
    return Problem(
        (CLASS_IMPURITIES if K else NUMBER_IMPURITIES)[model.criterion],
        K,
        np.inf if model.max_depth is None else model.max_depth,
        model.max_leaf_nodes,
        count(model.min_samples_split, 2),
        count(model.min_samples_leaf, 1),
        model.min_weight_fraction_leaf * total,
        0.0,  # set for each tree: the decrease that is asked for counts in the weight of its bag
        columns_searched(model.max_features, p),
        type(model).__name__.startswith("Extra"),
        signs,
        is_categorical(model, p),
        1e-7 if foreign else 0.0,
    )


def _prediction_claim(model: Any, X: Any, cells: np.ndarray, trees: list) -> Claim:
    some = slice(None) if thorough() else slice(0, SOME_ROWS)
    leaves = leaves_of_all(trees, cells[some])
    mean = sum(tree.value[at] for tree, at in zip(trees, leaves)) / len(trees)
    if hasattr(model, "classes_"):
        said = said_by(model.predict_proba, X[some])
        each = said if isinstance(said, list) else [said]
        off = max(float(np.abs(shares - mean[:, q, : shares.shape[1]]).max()) for q, shares in enumerate(each))
        off = off if [shares.shape[1] for shares in each] == class_counts(model) else np.inf
    else:
        said, mean = said_by(model.predict, X[some]), mean[:, :, 0] if mean.shape[1] > 1 else mean[:, 0, 0]
        size = np.maximum(np.abs(mean).max(axis=0), 1e-300)
        off = float(np.max(np.abs(said - mean) / size)) if said.shape == mean.shape else np.inf
    return Claim.at_most("DT13", "predictions differ from the mean of the trees by", beyond_rounding(off, 1e-9), 1e-9)


def _out_of_bag_claims(model: Any, cells: np.ndarray, rows: Any, trees: list, foreign: bool) -> list[Claim]:
    """What is said of rows by the trees without them.

    scikit-learn says 0 of rows that are in every bag, counts them too, all rows alike, and states no interval.
    """
    n, (q, K) = len(cells), rows.shape
    values: list[list[np.ndarray]] = [[] for _ in range(n)]
    for t, tree in enumerate(trees):
        outside = np.flatnonzero(_bag(model, t, n, foreign) == 0)
        for i, value in zip(outside, tree.value[leaves_of(tree, cells[outside])]):
            values[i].append(value)
    nothing = np.full((q, K), 0.0 if foreign else np.nan)
    mean = np.array([np.mean(each, axis=0) if each else nothing for each in values])
    if rows.n_classes:
        shown = mean.swapaxes(1, 2) if q > 1 else mean[:, 0]
        stated = np.asarray(model.oob_decision_function_)
    else:
        shown, stated = mean[:, :, 0] if q > 1 else mean[:, 0, 0], np.asarray(model.oob_prediction_)
    same = shown.shape == stated.shape and np.array_equal(np.isnan(shown), np.isnan(stated))
    spread, bound = (1.0, CLOSE) if rows.n_classes else closeness(rows.y)
    off = float(np.nanmax(np.abs(shown - stated), initial=0.0)) / spread if same else np.inf
    claims = [
        Claim.at_most("DT13", "predictions out of the bag differ from those of trees without the row by", off, bound)
    ]
    judged = ~np.isnan(mean[:, 0, 0]) & ((rows.weight > 0.0) | foreign)
    if not judged.any():
        return [*claims, reported("DT14", "oob_score_", model.oob_score_, 0.0, 0.0, scale=1.0)]
    y, w = np.reshape(rows.y, (n, q))[judged], np.ones(n) if foreign else rows.weight[judged]
    said = mean[judged].argmax(axis=2) if rows.n_classes else mean[judged, :, 0]
    if callable(model.oob_score):
        labels = np.squeeze if foreign else model._labels
        score = float(model.oob_score(labels(y), labels(said)))
        return [*claims, reported("DT14", "oob_score_", model.oob_score_, score, bound, scale=max(1.0, abs(score)))]
    score, again = (share_right if rows.n_classes else share_explained)(y, said, w)
    size = max(1.0, abs(score))
    claims.append(reported("DT14", "oob_score_", model.oob_score_, score, bound, scale=size))
    if not foreign:
        claims.append(reported("DT14", "oob_interval_", tuple(model.oob_interval_), again, bound, scale=size))
    return claims
