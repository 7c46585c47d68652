"""Decision trees: every split is the best of its node, values are those of the rows, predictions follow the tree.

Syllabus: DT5–DT8, DT12.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Certificate, Claim, Ledger, certifies, digest_generator, thorough
from learnable.certificates.trees.candidates import Node
from learnable.certificates.trees.members import Findings, visits
from learnable.certificates.trees.pruning import pruning_claims, significance_claims
from learnable.certificates.trees.reading import (
    categories_by_type,
    categories_off,
    cells_of,
    class_counts,
    is_foreign,
    problem_of,
    rows_of,
    tree_arrays,
)
from learnable.certificates.trees.splits import CELLS, judge
from learnable.problems.trees.tree import LEAF, Tree, goes_left, leaves_of

# Of impurities, which are differences of sums over the rows of a node.
ROUNDING = 1e-8
# Of thresholds drawn at random, in units of the range that they were drawn from.
DRAWN = 1e-12
# Rows on which predictions are compared by a certificate that comes with a fit.
SOME_ROWS = 500


LEDGER = Ledger(
    verified=("tree_",),
    derived=("n_classes_", "n_outputs_", "max_features_", "categories_", "unpruned_tree_", "p_values_"),
    sometimes=("n_classes_", "categories_", "unpruned_tree_", "p_values_"),
)
SLIQ_LEDGER = LEDGER._replace(derived=(*LEDGER.derived, "n_scans_"))


def drawn(model: Any, found: Certificate) -> bool:
    """Whether thresholds or columns are drawn at random, or categories told by types: which, only the fit tells.

    It tells, too, what scikit-learn's tree was pruned from, and in which order it grew.
    """
    p = model.n_features_in_
    drawn_columns = columns_searched(getattr(model, "max_features", None), p) < p
    return is_foreign(model) or model.splitter == "random" or drawn_columns or categories_by_type(model)


@certifies(
    "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor",
    ledger=LEDGER, again=drawn,
)  # fmt: skip
@certifies("SLIQClassifier", ledger=SLIQ_LEDGER, again=drawn)
def decision_tree_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of one tree on its training data."""
    cells = cells_of(model, X)
    classes = getattr(model, "classes_", None)
    weight = tree_weights(model, y, sample_weight, len(cells))
    problem = problem_of(model, float(weight.sum()), cells.shape[1], len(cells))
    rows = rows_of(problem, classes, y, weight)
    grown = tree_arrays(getattr(model, "unpruned_tree_", model.tree_))
    tree = tree_arrays(model.tree_)
    generator = digest_generator(grown.threshold, grown.value, cells[: 2**6])
    # Of scikit-learn's tree only what pruning left is known.
    unknown = False
    if is_foreign(model) and model.ccp_alpha > 0.0:
        cut = problem.pruned(model.ccp_alpha, float(weight.sum()))
        unknown, problem = cut is None, cut or problem
    found, leaves = judge(grown, problem, cells, rows, np.inf if thorough() else CELLS, generator)
    claims = split_claims(found, bool(problem.n_classes), problem.random_thresholds, pruned=unknown)
    if found.ill_linked:
        return claims
    if hasattr(model, "unpruned_tree_"):
        claims += _pruned_claims(model, grown, tree, cells, rows)
        leaves = leaves_of(tree, cells)
    claims.append(prediction_claim(model, X, tree, leaves))
    return [*claims, *parameter_claims(model, X, weight)]


def _pruned_claims(model: Any, grown: Tree, tree: Tree, cells: np.ndarray, rows: Node) -> list[Claim]:
    """The pruned tree against the grown one."""
    if getattr(model, "significance", None) is None:
        return pruning_claims(grown, tree, model.ccp_alpha)
    again = split_p_values(grown, cells, rows) if model.significance_test == "independence" else None
    return significance_claims(grown, tree, model.p_values_, model.significance, again)


def split_p_values(tree: Tree, cells: np.ndarray, rows: Node) -> np.ndarray:
    """The p-value of the split of every node, 1 at leaves: χ² of the table of sides and classes, or the t-test's."""
    from scipy import stats

    values = np.ones(tree.node_count)
    for visit in visits(tree, cells, rows, np.flatnonzero(rows.weight > 0.0), np.zeros(cells.shape[1], dtype=int)):
        if tree.children_left[visit.node] == LEAF:
            continue
        left = goes_left(tree, visit.node, cells[visit.rows, tree.feature[visit.node]])
        y, w = rows.y[visit.rows], rows.weight[visit.rows]
        if rows.n_classes:
            table = np.array([np.bincount(y[side], w[side], minlength=rows.n_classes) for side in (left, ~left)])
            values[visit.node] = stats.chi2_contingency(table[:, table.sum(axis=0) > 0.0], correction=False).pvalue
        elif min(np.count_nonzero(left), np.count_nonzero(~left)) > 1 and np.ptp(y) > 0.0:
            with np.errstate(divide="ignore", invalid="ignore"):
                found = stats.ttest_ind(y[left], y[~left]).pvalue
            values[visit.node] = 0.0 if np.isnan(found) else found
    return values


def tree_weights(model: Any, y: Any, sample_weight: Any, n: int, by_mass: bool = False) -> np.ndarray:
    """Row weights with those of classes, which are balanced by their rows, or `by_mass`, by the weights of these."""
    given_rows = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    given, weight = getattr(model, "class_weight", None), given_rows
    if given is None or (given == "balanced_subsample" and model.bootstrap):
        return weight
    columns, mass = np.asarray(y).reshape(n, -1).T, given_rows if by_mass else np.ones(n)
    for column, of_classes in zip(columns, given if isinstance(given, list) else [given] * len(columns)):
        weight = weight * _class_weights(of_classes, column, mass)
    return weight


def _class_weights(given: Any, y: np.ndarray, mass: np.ndarray) -> np.ndarray:
    classes, index = np.unique(y, return_inverse=True)
    if isinstance(given, str):
        return (mass.sum() / (len(classes) * np.bincount(index, weights=mass)))[index]
    return np.array([given.get(label, 1.0) for label in classes.tolist()], dtype=float)[index]


def split_claims(found: Findings, classes: bool, random: bool, pruned: bool = False) -> list[Claim]:
    """The claims about the nodes of a tree, from what `judge` found."""
    row = "DT7" if classes else "DT6"
    claims = [Claim.at_most(row, "nodes that the root does not reach exactly once", found.ill_linked, 0.0)]
    if found.ill_linked:
        return claims
    claims += [
        Claim.at_most(row, "nodes whose number of training rows is another", found.miscounted, 0.0),
        Claim.at_most(row, "weights of nodes differ from those of their rows by (relative)", found.weight, ROUNDING),
        Claim.at_most(row, "values of nodes differ from the best constants of their rows by", found.value, ROUNDING),
        Claim.at_most(row, "impurities of nodes differ from those of their rows by", found.impurity, ROUNDING),
        Claim.at_most(row, "splits that the limits on nodes forbid", found.refused, 0.0),
    ]
    if random:
        text = "thresholds have nothing on one side, or are off what the seed of the tree draws (all in `certify`) by"
        claims.append(Claim.at_most("DT5", text, found.off_middle, DRAWN))
    else:
        text = "gain that some candidate has over the split made, relative (some nodes after a fit, all in `certify`)"
        claims += [
            Claim.at_most(row, text, beyond_rounding(found.shortfall, ROUNDING), ROUNDING),
            Claim.at_most(
                "DT5",
                "thresholds are off the middle of their neighbours by",
                beyond_rounding(found.off_middle, 1e-6),
                1e-6,
            ),
        ]
    if not pruned:
        claims.append(Claim.at_most(row, "leaves that could still be split", found.unfinished, 0.0))
    claims.append(Claim.at_most("DT12", "nodes where unseen cells do not follow the majority", found.astray, 0.0))
    return claims


def beyond_rounding(value: float, bound: float) -> float:
    """A difference, or 0 where it is rounding: so that a look at some of the nodes finds what a look at all does."""
    return 0.0 if value <= 1e-3 * bound else value  # what is no number stays none


def prediction_claim(model: Any, X: Any, tree: Any, leaves: np.ndarray) -> Claim:
    """Whether `predict` gives what the leaves of the rows say."""
    some = slice(None) if thorough() else slice(0, SOME_ROWS)
    value = tree.value.take(leaves[some], axis=0)
    given = np.asarray(said_by(model.predict, X[some]))
    classes = getattr(model, "classes_", None)
    if classes is None:
        wanted = value[:, :, 0]
    else:
        each = classes if isinstance(classes, list) else [classes]
        named = [names[shares.argmax(axis=1)] for names, shares in zip(each, value.swapaxes(0, 1))]
        wanted = np.column_stack(named) if len(named) > 1 else named[0][:, None]
    wanted = wanted if wanted.shape[1] > 1 else wanted[:, 0]
    wrong = int(np.count_nonzero(given != wanted)) if given.shape == wanted.shape else len(wanted)
    return Claim.at_most("DT6" if classes is None else "DT7", "predictions unlike their leaves", wrong, 0.0)


def said_by(method: Any, X: Any) -> np.ndarray:
    """What a method of a model says of rows of an array, whose columns may have had names in the fit."""
    if not hasattr(getattr(method, "__self__", None), "feature_names_in_"):
        return method(X)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return method(X)


def parameter_claims(model: Any, X: Any, weight: np.ndarray) -> list[Claim]:
    """What was derived from parameters and data: numbers of columns searched and of classes, columns of categories."""
    p = X.shape[1]
    wrong = counts_off(model, model.tree_.value.shape[1]) + categories_off(model, X, weight)
    wrong += int(model.tree_.n_features != p)
    if not is_foreign(model):  # what a tree was pruned from is kept
        prunes = model.ccp_alpha > 0.0 or getattr(model, "significance", None) is not None
        wrong += int(prunes != hasattr(model, "unpruned_tree_"))
    own = not is_foreign(model) or hasattr(model, "max_features_")
    if own:  # scikit-learn's may say that it searched more than there are
        searched = min(p, model.max_features_) if is_foreign(model) else model.max_features_
        wrong += int(searched != columns_searched(model.max_features, p))
    if hasattr(model, "n_scans_"):
        # A level is scanned if one of its nodes may be split: as many levels as the tree is deep, or one more.
        levels, rest = divmod(model.n_scans_, p)
        wrong += int(rest != 0 or levels not in (model.tree_.max_depth, model.tree_.max_depth + 1))
    return [
        Claim.at_most(
            "DT7", "numbers of classes, outputs, columns searched, categories and trees that are wrong", wrong, 0.0
        )
    ]


def counts_off(model: Any, n_outputs: int) -> int:
    """How many of `n_classes_` and `n_outputs_` are not those of the classes and of the values of the nodes."""
    wrong = int(getattr(model, "n_outputs_", 1) != n_outputs)
    if "classes_" in vars(model):
        counts = class_counts(model)
        several = isinstance(model.classes_, list)
        wrong += int(not np.array_equal(model.n_classes_, counts if several else counts[0]))
    return wrong


def columns_searched(max_features: Any, p: int) -> int:
    """The number of columns that a node looks at."""
    if max_features is None:
        return p
    if isinstance(max_features, str):
        return max(1, int({"sqrt": np.sqrt, "log2": np.log2}[max_features](p)))
    return min(p, int(max_features)) if isinstance(max_features, int | np.integer) else max(1, int(max_features * p))
