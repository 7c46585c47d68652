"""What a certificate reads of a boosted model, ours or scikit-learn's."""

from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core import Claim, check_shapes, digest_generator, thorough
from learnable.certificates.ensembles.boosted_routes import ChosenCells, FarCells
from learnable.certificates.ensembles.kinks import as_theirs
from learnable.certificates.trees.decision_tree import tree_weights
from learnable.certificates.trees.reading import cells_of, is_categorical, is_foreign
from learnable.problems.ensembles.bins import edges_of, representatives
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.boosting_losses import (
    AbsoluteLoss,
    BinomialLoss,
    GammaLoss,
    MultinomialLoss,
    PoissonLoss,
    QuantileLoss,
    SquaredLoss,
)
from learnable.problems.ensembles.interactions import interaction_groups
from learnable.rows import Block, Rows, as_rows, is_streamed
from learnable.rows.dask import DaskRows
from learnable.rows.gathered import cells, gathered, targets_and_weights

# Cells whose bins are all made again by a certificate that comes with a fit.
CELLS = 2**16


class TreeRules(NamedTuple):
    """Limits on trees, from the parameters."""

    max_leaves: int | None
    max_depth: float
    min_leaf: int
    l2: float
    min_curvature: float
    max_features: float
    monotone: np.ndarray
    groups: list[frozenset[int]] | None


class Boosted(NamedTuple):
    """Trees, starting scores, training rows, those held out (or given beside them), the bins stated and of the rule."""

    trees: BoostedTrees
    start: np.ndarray
    X: Any
    y: np.ndarray
    weight: np.ndarray
    held_out: tuple[Any, np.ndarray, np.ndarray] | None
    all_cells: Any
    thresholds: list[np.ndarray]
    edges: list[np.ndarray | None]
    categorical: np.ndarray
    rules: TreeRules
    single: bool


def loss_of(model: Any) -> Any:
    """The loss that the parameters name, as whoever fitted the model has it."""
    if hasattr(model, "classes_"):
        K = len(model.classes_)
        return BinomialLoss() if K <= 2 else MultinomialLoss(K)
    named: dict[str, Any] = {
        "squared_error": SquaredLoss(), "absolute_error": AbsoluteLoss(), "poisson": PoissonLoss(),
        "gamma": GammaLoss(),
    }  # fmt: skip
    loss = QuantileLoss(float(model.quantile)) if model.loss == "quantile" else named[model.loss]
    return as_theirs(loss) if is_foreign(model) else loss


def stated_losses(model: Any) -> np.ndarray | None:
    """The mean training losses of the rounds that the model states; None where it states scores of its rows."""
    scored = not isinstance(model.scoring, str) or model.scoring != "loss"
    return (
        None if scored and model.do_early_stopping_ and "validation_score_" not in vars(model) else -model.train_score_
    )


def given_beside(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """Rows that were given to decide when to stop: cells, targets and weights."""
    y = np.asarray(y)
    cells = cells_of(model, X)
    return cells, y, tree_weights(model, y, sample_weight, len(cells))


def untold_rows() -> Claim:
    """Nothing can be said of a fit that ended by rows which are not among those given."""
    statement = "the rows that ended the fit are there (1 if not: give certify X_val and y_val, as fit was given)"
    return Claim.at_most("B12", statement, 1.0, 0.0)._replace(open=True)


def unread() -> Claim:
    """scikit-learn does not say which rows it held out, and keeps categories as bits: only the same fit tells."""
    statement = "rounds that rows held out ended, or splits by categories, which are left to the same fit, done again"
    return Claim.disclosure("B12", statement, 1.0)


def rounds_off(model: Any, made: int, asked: int, validation: Any) -> int:
    """1 unless all rounds asked for were made, or those after which the losses on rows held out no longer fell.

    A warm start may have begun with another rule, and makes one round at least.
    """
    if validation is None:
        return int(made != asked and not (model.warm_start and made == asked + 1))
    losses, patience = list(validation), int(model.n_iter_no_change)
    first = max(patience, made) if model.warm_start else patience
    for t in range(first, min(made, len(losses) - 1) + 1):
        if min(losses[t - patience + 1 : t + 1]) >= losses[t - patience] - model.tol:
            return int(made != min(t, asked))
    return int(made != asked)


def set_aside_off(model: Any, n: int, aside: int) -> int:
    """1 unless as many of n rows are set aside as `validation_fraction` says: a number, or a share rounded up."""
    share = model.validation_fraction
    return int(aside != (share if isinstance(share, int | np.integer) else int(np.ceil(share * n))))


def targets_of(model: Any, y: np.ndarray) -> np.ndarray:
    """Class indices, or the numbers themselves."""
    if hasattr(model, "classes_"):
        return np.searchsorted(model.classes_, y).astype(np.min_scalar_type(len(model.classes_)))
    return np.asarray(y, dtype=float)


def boosted_of(model: Any, X: Any, y: Any, sample_weight: Any) -> Boosted:
    if is_streamed(X):
        return _of_blocks(model, as_rows(X, y, sample_weight))
    y = np.asarray(y)
    if is_foreign(model):
        return _foreign(model, X, y, sample_weight)
    return _boosted(model, cells_of(model, X), y, sample_weight)


def _of_blocks(model: Any, rows: Rows) -> Boosted:
    """Rows that are not in memory.

    Cells on the workers of a cluster are looked at there, by a certificate that comes with a fit. Else each cell is
    read by its place among the thresholds stated, in one byte: a comparison with a threshold is one of places, so
    every claim reads the same of them.
    """
    stated, trees = [np.asarray(edges) for edges in model.bin_thresholds_], model.trees_
    y, weight = targets_and_weights(rows)
    rule = _rule(model, rows, y, weight)
    if not thorough() and isinstance(rows, DaskRows) and rows.on_workers:
        return _boosted(model, FarCells(rows, np.arange(rows.n_rows)), y, weight, edges=False)._replace(edges=rule)
    places = Places(rows.concatenate(partial(_places, stated), missing=True))
    by_number = (trees.children_left >= 0) & (trees.threshold < np.inf)
    threshold = trees.threshold.copy()
    for node in np.flatnonzero(by_number):
        found = np.flatnonzero(stated[trees.feature[node]] == threshold[node])
        threshold[node] = found[0] if len(found) else -0.5  # no place at all, which is no edge
    here = copy(model)
    here.trees_ = trees._replace(threshold=threshold)
    here.bin_thresholds_ = [np.arange(float(len(edges))) for edges in stated]
    boosted = _boosted(here, places, y, weight, edges=False)
    # Bins of the rule that are those stated are told by the same places, others by none.
    told = zip(rule, stated, boosted.thresholds)
    return boosted._replace(
        edges=[None if a is None else c if np.array_equal(a, b) else np.full(1, np.nan) for a, b, c in told]
    )


def _rule(model: Any, rows: Rows, y: np.ndarray, weight: np.ndarray | None) -> list[np.ndarray | None]:
    """The bins of the rule, from the rows that represent those of training."""
    train = getattr(model, "train_rows_", np.arange(rows.n_rows))
    some = representatives(len(train))
    train = train if some is None else train[some]
    weight = tree_weights(model, y, weight, len(y))[train]
    columns = _looked_at(len(train), rows.n_columns, model.trees_.threshold)
    cells = gathered(rows, train, columns)
    found: list[np.ndarray | None] = [None] * rows.n_columns
    for j, edges in zip(columns, edges_of(cells, np.zeros(len(columns), dtype=bool), model.max_bins, weight)):
        found[j] = edges
    return found


class Places:
    """Cells as numbers of thresholds below them, kept in one byte each; NaN, 255 in its byte, for missing ones."""

    def __init__(self, bytes_: np.ndarray) -> None:
        self.bytes, self.shape = bytes_, bytes_.shape

    def __len__(self) -> int:
        return len(self.bytes)

    def __getitem__(self, place: Any) -> np.ndarray:
        found = self.bytes[place]
        return np.where(found == 255, np.nan, found)


def _places(thresholds: list[np.ndarray], block: Block) -> np.ndarray:
    X = cells(block)
    found = np.empty(X.shape, dtype=np.uint8)
    for j, edges in enumerate(thresholds):
        found[:, j] = np.where(np.isnan(X[:, j]), 255, np.searchsorted(edges, X[:, j]))
    return found


def _boosted(model: Any, cells: Any, y: np.ndarray, sample_weight: Any, edges: bool = True) -> Boosted:
    weight = tree_weights(model, y, sample_weight, len(cells))
    rows = getattr(model, "train_rows_", None)
    trees = model.trees_
    held_out = None
    if rows is not None:
        aside = np.ones(len(cells), dtype=bool)
        if not 0 < len(rows) < len(cells) or rows.min() < 0 or rows.max() >= len(cells):
            raise ValueError("certify: the training rows of the early stop are no part of the rows")
        aside[rows] = False
        rest = np.flatnonzero(aside)
        if len(rest) + len(rows) != len(cells):
            raise ValueError("certify: the training rows of the early stop hold some rows twice")
        held_out = (_chosen(cells, rest), y[rest], weight[rest])
        X_train, y_train, w_train = _chosen(cells, rows), y[rows], _of(weight, rows)
    else:
        X_train, y_train, w_train = cells, y, weight
    p = cells.shape[1]
    categorical = is_categorical(model, p)
    check_shapes(model, baseline_=trees.first.shape[1:])
    return Boosted(
        trees,
        np.asarray(model.baseline_),
        X_train,
        y_train,
        w_train,
        held_out,
        cells,
        list(model.bin_thresholds_),
        _edges(X_train, categorical, model.max_bins, w_train, trees.threshold) if edges else [],
        categorical,
        _rules(model, p),
        False,
    )


def _of(weight: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The weights of some rows; one 1 stands for all of them still where it did."""
    return np.broadcast_to(1.0, len(rows)) if weight.strides == (0,) else weight[rows]


def _chosen(cells: Any, rows: np.ndarray) -> FarCells | ChosenCells:
    return cells[rows] if isinstance(cells, FarCells) else ChosenCells(cells, rows)


def _edges(
    X: Any, categorical: np.ndarray, max_bins: int, weight: np.ndarray, cuts: np.ndarray
) -> list[np.ndarray | None]:
    """The bins of the rule, None of columns that are not looked at."""
    n, p = X.shape
    found: list[np.ndarray | None] = [None] * p
    for j in _looked_at(n, p, cuts):
        found[j] = edges_of(X[:, j][:, None], categorical[[j]], max_bins, weight)[0]
    return found


def _looked_at(n: int, p: int, cuts: np.ndarray) -> np.ndarray:
    """The columns whose bins are held against the rule: with a fit on a large table one, drawn from the answer."""
    every = np.arange(p)
    return every if thorough() or n * p <= CELLS else digest_generator(cuts).choice(every, 1)


def _rules(model: Any, p: int) -> TreeRules:
    signs = np.zeros(p, dtype=int)
    given = model.monotonic_cst
    if isinstance(given, dict):
        for name, sign in given.items():
            signs[list(model.feature_names_in_).index(name)] = sign
    elif given is not None:
        signs = np.asarray(given, dtype=int)
    return TreeRules(
        model.max_leaf_nodes,
        np.inf if model.max_depth is None else model.max_depth,
        model.min_samples_leaf,
        float(model.l2_regularization),
        1e-3,
        float(model.max_features),
        signs,
        interaction_groups(model.interaction_cst, p),
    )


def _foreign(model: Any, X: Any, y: np.ndarray, sample_weight: Any) -> Boosted:
    cells = np.asarray(X, dtype=float)
    fields: list[list[np.ndarray]] = [[] for _ in range(8)]
    first, shift = [], 0
    for per_round in model._predictors:
        roots = []
        for predictor in per_round:
            nodes = predictor.nodes
            leaf = nodes["is_leaf"] == 1
            roots.append(shift)
            left, right = (np.where(leaf, -1, nodes[name].astype(np.int64) + shift) for name in ("left", "right"))
            parts = (
                left, right, np.where(leaf, -2, nodes["feature_idx"]), np.where(leaf, 0.0, nodes["num_threshold"]),
                np.where(leaf, 0, nodes["missing_go_to_left"]).astype(np.uint8), np.full(len(nodes), -1),
                np.where(leaf, nodes["value"], 0.0), nodes["count"].astype(np.int64),
            )  # fmt: skip
            for field, part in zip(fields, parts):
                field.append(part)
            shift += len(nodes)
        first.append(roots)
    left, right, feature, threshold, missing, rows, value, count = (np.concatenate(field) for field in fields)
    trees = BoostedTrees(
        np.array(first), left, right, feature, threshold, missing, rows, np.zeros((0, 256), np.uint8), value, count
    )
    thresholds: list[Any] = list(model._bin_mapper.bin_thresholds_)
    return Boosted(
        trees,
        np.asarray(model._baseline_prediction).ravel(),
        cells,
        y,
        tree_weights(model, y, sample_weight, len(cells)),
        None,
        cells,
        thresholds,
        thresholds,
        np.zeros(cells.shape[1], dtype=bool),
        _rules(model, cells.shape[1]),
        True,
    )
