"""Gradient boosting with exact trees: each tree against the pseudo-residuals computed again, steps, losses.

Syllabus: B7, B12.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, check_shapes, digest_generator, reported, thorough
from learnable.certificates.core.random_numbers import drawn_claim, seed_sequence
from learnable.certificates.core.worst import worst_of
from learnable.certificates.ensembles.boosting_reading import rounds_off, set_aside_off
from learnable.certificates.ensembles.member_links import check_members
from learnable.certificates.trees.candidates import Node
from learnable.certificates.trees.decision_tree import beyond_rounding, columns_searched, said_by, split_claims
from learnable.certificates.trees.members import Findings
from learnable.certificates.trees.reading import Problem
from learnable.certificates.trees.splits import judge
from learnable.problems.ensembles.boosting_losses import (
    AbsoluteLoss,
    BinomialLoss,
    ExponentialLoss,
    HuberLoss,
    MultinomialLoss,
    QuantileLoss,
    SquaredLoss,
    best_start,
    has_line_search,
    leaf_constant,
    loss_values,
    mean_of,
    score_of,
    slopes,
)
from learnable.problems.ensembles.steps import drawn_rows, newton_step, with_delta
from learnable.problems.trees.impurities import SquaredError
from learnable.problems.trees.tree import leaves_in_turn, leaves_of

# Of scores that are sums over trees, relative to their size.
ROUNDING = 1e-7
# Cells of trees, trees and rounds of steps judged by a certificate that comes with a fit.
CELLS = 2**17
TREES = 2
ROUNDS = 5
# What trees and their steps hang on, which a warm start may change.
GROWN_WITH = (
    "max_depth", "max_leaf_nodes", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "min_impurity_decrease", "learning_rate", "subsample",
)  # fmt: skip


@certifies(
    "GradientBoostingRegressor",
    "GradientBoostingClassifier",
    foreign=False,
    again=lambda model, found: (
        any(columns_searched(each.max_features, model.n_features_in_) < model.n_features_in_ for each in _grown(model))
        or hasattr(model.init, "fit")
        or model.n_iter_no_change is not None  # which rows were set aside
    ),
    ledger=Ledger(
        verified=("trees_", "steps_", "start_", "init_", "grown_before_"),
        derived=(
            "train_loss_",
            "validation_loss_",
            "oob_scores_",
            "oob_improvement_",
            "oob_score_",
            "n_estimators_",
            "train_rows_",
            "seed_",
        ),
        unverified=("grown_with_",),
        sometimes=(
            "init_",
            "grown_before_",
            "validation_loss_",
            "oob_scores_",
            "oob_improvement_",
            "oob_score_",
            "train_rows_",
            "seed_",
        ),
    ),
)
def gradient_boosting_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a boosted model on its training data."""
    cells = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    weight = np.ones(len(cells)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    target = _targets(model, y)
    loss = _loss(model)
    rows = np.asarray(getattr(model, "train_rows_", np.arange(len(cells))))
    if len(np.unique(rows)) != len(rows):
        raise ValueError("certify: a training row is named twice")
    rest = np.setdiff1d(np.arange(len(cells)), rows)
    Xr, yr, wr = cells[rows], target[rows], weight[rows]
    K = len(model.start_)
    T = len(model.trees_) // K
    scale = 1.0 if hasattr(model, "classes_") else max(float(np.std(yr)), 1e-300)
    check_members(getattr(model, "init_", None), cells.shape[1])
    wanted = best_start(loss, yr, wr) * (model.init is None)  # zero where another estimator, or nothing, comes first
    check_shapes(model, start_=wanted.shape)
    off_start = float(np.abs(wanted - model.start_).max()) / scale
    wrong = int(len(model.trees_) != len(model.steps_)) + int(model.n_estimators_ != T) + int(len(model.trees_) % K)
    wrong += rounds_off(model, T, model.n_estimators, model.validation_loss_ if len(rest) else None)
    wrong += int(len(model.train_loss_) != T + 1) + int((len(rest) > 0) != (model.n_iter_no_change is not None))
    wrong += set_aside_off(model, len(cells), len(rest)) if len(rest) else 0
    # Rows are drawn for each round, by the seed, where not all of them are asked for.
    grown, drawn_from = _grown(model), hasattr(model, "seed_")
    wrong += int(drawn_from != any(each.subsample < 1.0 for each in grown))
    wrong += int(np.count_nonzero(np.diff([0, *(each.until for each in grown)]) < 0))
    claims = [
        Claim.at_most("B7", "the starting score is the best constant (zero after `init`), up to", off_start, ROUNDING),
        Claim.at_most("B7", "counts of rounds, trees, steps, rows set aside and draws that are wrong", wrong, 0.0),
    ]
    if drawn_from and (source := seed_sequence(model)) is not None:
        claims.append(drawn_claim("B7", "seed_", model, int(model.seed_), int(source.generate_state(1)[0])))
    score, against = _first_scores(model, loss, Xr), _first_scores(model, loss, cells[rest])
    first_against, out_of_bag = against.copy(), list[float]()
    worst, step_off, loss_off, rise, valid_off = Findings(), 0.0, 0.0, 0.0, 0.0
    generator = digest_generator(*(tree.threshold for tree in model.trees_))
    size = max(1, len(rows) * cells.shape[1] * 3 * len(model.trees_))
    chance = min(CELLS / size, TREES / max(1, len(model.trees_)))
    leaves, after = leaves_in_turn(model.trees_, Xr), _mean(loss, yr, score, wr)
    for t in range(T):
        before, own = after, next(each for each in grown if t < each.until)
        loss_off = float(np.maximum(loss_off, abs(before - model.train_loss_[t]) / max(abs(before), 1e-300)))
        w, left_out = wr, None
        if drawn_from:
            drawn = drawn_rows(int(model.seed_), t, len(rows), own.subsample)
            w, left_out = wr * drawn, wr * (1.0 - drawn)
            left_out = left_out if left_out.any() else None
        if not out_of_bag and left_out is not None:
            out_of_bag.append(_mean(loss, yr, score, left_out))
        # What the steps of a round do to the loss is computed in every round, after a fit as in `certify`.
        exact = thorough() or generator.random() < ROUNDS / T
        judged = exact and (thorough() or generator.random() < chance * T / ROUNDS)
        if exact:
            now = with_delta(loss, yr - score[:, 0], w) if isinstance(loss, HuberLoss) else loss
            g, h = (part.reshape(len(rows), K) for part in slopes(now, yr, score if K > 1 else score[:, 0]))
        for k in range(K):
            tree, step = model.trees_[t * K + k], np.asarray(model.steps_[t * K + k])
            at = next(leaves)
            if judged:
                found, _ = judge(
                    tree,
                    _problem(own, cells.shape[1], len(rows), float(wr.sum()), float(w.sum())),
                    Xr,
                    Node(SquaredError(), -g[:, k], w, 0),
                    np.inf if thorough() else CELLS,
                    generator,
                    at,
                )
                if found.ill_linked:
                    return split_claims(found, False, False)
                worst = worst.or_worse(found)
            if len(step) != tree.node_count or step[~tree.is_leaf].any():
                return [*claims, Claim.at_most("B7", "steps at nodes that are no leaves", 1, 0.0)]
            for leaf in np.flatnonzero(tree.is_leaf) if exact else ():
                here = (at == leaf) & (w > 0.0)
                want = own.learning_rate * _step(now, yr[here] - score[here, k], g[here, k], h[here, k], w[here], K)
                step_off = worst_of(step_off, abs(want - step[leaf]) / max(abs(want), scale))
            score[:, k] += step[at]
            if len(rest):
                against[:, k] += step[leaves_of(tree, cells[rest])]
        if left_out is not None:
            out_of_bag.append(_mean(loss, yr, score, left_out))
        after = _mean(loss, yr, score, wr)
        rise = worst_of(rise, (after - before) / max(abs(before), 1e-300))
        if len(rest):
            stated = model.validation_loss_[t + 1]
            off = abs(_mean(loss, target[rest], against, weight[rest]) - stated)
            valid_off = float(np.maximum(valid_off, off))
    loss_off = np.maximum(  # no number where one of the two is none
        loss_off, abs(after - model.train_loss_[-1]) / max(abs(model.train_loss_[0]), 1e-300)
    )
    named = [
        claim._replace(id="B7", value=beyond_rounding(claim.value, 1e-8)) for claim in split_claims(worst, False, False)
    ]
    claims += named
    claims += [
        Claim.at_most(
            "B7",
            "steps differ from the best of their leaves by (some rounds after a fit, all in `certify`)",
            beyond_rounding(step_off, ROUNDING),
            ROUNDING,
        ),
        Claim.at_most("B7", "mean losses of the rounds differ from those stated by", loss_off, ROUNDING),
    ]
    falls = isinstance(loss, SquaredLoss | AbsoluteLoss | QuantileLoss)
    if falls and all(each.subsample >= 1.0 and each.learning_rate <= 1.0 for each in grown):
        claims.append(Claim.at_most("B7", "the training loss never rises (largest rise)", max(rise, 0.0), 1e-9))
    else:
        claims.append(Claim.disclosure("B7", "largest rise of the training loss in a round", rise))
    all_rows = max((each.until for each in grown if each.subsample >= 1.0), default=0)
    claims += _out_of_bag_claims(model, loss, np.array(out_of_bag), all_rows)
    if len(rest):
        off = abs(_mean(loss, target[rest], first_against, weight[rest]) - model.validation_loss_[0])
        valid_off = float(np.maximum(valid_off, off))
        claims.append(Claim.at_most("B12", "mean validation losses differ from those stated by", valid_off, ROUNDING))
    if thorough():
        claims.append(_prediction_claim(model, X, cells, loss, K))
    return claims


def _first_scores(model: Any, loss: Any, X: np.ndarray) -> np.ndarray:
    """(n, K) the scores before the first round."""
    scores = np.tile(model.start_, (len(X), 1))
    first = getattr(model, "init_", None)
    if first is None or not len(X):
        return scores
    return scores + score_of(loss, first.predict_proba(X) if hasattr(model, "classes_") else first.predict(X))


def _grown(model: Any) -> list[SimpleNamespace]:
    """What the trees were grown with: of rounds before a warm start as kept, of the others what the parameters say."""
    now = {name: vars(model)[name] for name in GROWN_WITH}
    parts = [*getattr(model, "grown_before_", []), (len(model.trees_) // len(model.start_), {})]
    return [SimpleNamespace(until=int(rounds), **{**now, **named}) for rounds, named in parts]


def _out_of_bag_claims(model: Any, loss: Any, again: np.ndarray, all_rows: int) -> list[Claim]:
    """The losses on rows that the rounds left out, computed again; scores count half squares and deviances twice.

    Zeros stand for the rounds, `all_rows` of them, that left none out.
    """
    if not len(again):
        return []
    again, none = again * (2.0 if isinstance(loss, SquaredLoss | BinomialLoss) else 1.0), np.zeros(all_rows)
    improvement, size = np.append(none, -np.diff(again)), float(again[0])
    return [
        reported("B7", "oob_scores_", model.oob_scores_, np.append(none, again[1:]), ROUNDING),
        reported("B7", "oob_improvement_", model.oob_improvement_, improvement, ROUNDING, scale=size),
        reported("B7", "oob_score_", model.oob_score_, again[-1], ROUNDING),
    ]


def _step(loss: Any, residual, g, h, w, K: int) -> float:
    if has_line_search(loss):
        return leaf_constant(loss, residual, w)
    if isinstance(loss, SquaredLoss):
        return float(np.average(residual, weights=w))
    return newton_step(g, h, w, K if isinstance(loss, MultinomialLoss) else 1)


def _problem(model: Any, p: int, n: int, total: float, drawn: float) -> Problem:
    def count(given: Any, least: int) -> int:
        return int(given) if isinstance(given, int | np.integer) else max(least, int(np.ceil(given * n)))

    return Problem(
        SquaredError(), 0, np.inf if model.max_depth is None else model.max_depth, model.max_leaf_nodes,
        count(model.min_samples_split, 2), count(model.min_samples_leaf, 1), model.min_weight_fraction_leaf * total,
        model.min_impurity_decrease * drawn,
        columns_searched(model.max_features, p), False, np.zeros(p, dtype=int), np.zeros(p, dtype=bool), 0.0,
    )  # fmt: skip


def _targets(model: Any, y: Any) -> np.ndarray:
    return (np.searchsorted(model.classes_, y) if hasattr(model, "classes_") else np.asarray(y)).astype(float)


def _loss(model: Any) -> Any:
    if hasattr(model, "classes_"):
        if model.loss == "exponential":
            return ExponentialLoss()
        return BinomialLoss() if len(model.classes_) == 2 else MultinomialLoss(len(model.classes_))
    return {
        "squared_error": SquaredLoss(), "absolute_error": AbsoluteLoss(), "huber": HuberLoss(model.alpha),
        "quantile": QuantileLoss(model.alpha),
    }[model.loss]  # fmt: skip


def _mean(loss: Any, y: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
    return float(np.vdot(loss_values(loss, y, score if score.shape[1] > 1 else score[:, 0]), weight) / weight.sum())


def _prediction_claim(model: Any, X: Any, cells: np.ndarray, loss: Any, K: int) -> Claim:
    score = _first_scores(model, loss, cells)
    for number, (tree, step) in enumerate(zip(model.trees_, model.steps_)):
        score[:, number % K] += np.asarray(step)[leaves_of(tree, cells)]
    mean = mean_of(loss, score if K > 1 else score[:, 0])
    if hasattr(model, "classes_"):
        off = np.abs(said_by(model.predict_proba, X) - (mean if K > 1 else np.column_stack([1.0 - mean, mean]))).max()
    else:
        off = np.abs(said_by(model.predict, X) - mean).max() / max(float(np.abs(mean).max()), 1e-300)
    return Claim.at_most("B7", "predictions differ from the sums of their leaves by", float(off), 1e-9)
