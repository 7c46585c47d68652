"""Bagging: votes and means of the members, and members that belong to the draws of their seeds. Syllabus: DT13."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, check_shapes, reported, thorough
from learnable.certificates.core.random_numbers import seed_claims
from learnable.certificates.ensembles.member_links import check_members
from learnable.certificates.ensembles.member_tables import as_members_read, takes_weights
from learnable.certificates.ensembles.out_of_bag import CLOSE, closeness, share_explained, share_right
from learnable.certificates.trees.decision_tree import decision_tree_claims, said_by
from learnable.problems.ensembles.bags import bag_columns, bag_rows, drawn_from, misses_others, most_drawn

TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor")
# What follows from classes, weights, or from rows that were left out of bags and asked for.
SOMETIMES = (
    "n_classes_", "row_shares_", "oob_score_", "oob_interval_", "oob_decision_function_", "oob_prediction_",
)  # fmt: skip


@certifies(
    "BaggingClassifier",
    "BaggingRegressor",
    foreign=False,
    again=lambda model, found: True,
    ledger=Ledger(
        verified=("seeds_", "members_"),
        derived=("n_rows_", "n_drawn_", *SOMETIMES),
        sometimes=SOMETIMES,
    ),
)
def bagging_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a bag of members on its training data."""
    X, y = as_members_read(model, X), np.asarray(y)
    members, (n, p) = model.estimators_, X.shape
    check_shapes(model, seeds_=(max(1, len(members)),))
    classes = getattr(model, "classes_", None)
    mass = None if sample_weight is None else float(np.sum(sample_weight))
    share = None if mass is None else np.asarray(sample_weight, dtype=float) / mass
    n_drawn, p_drawn = drawn_from(n, model.max_samples, mass), drawn_from(p, model.max_features)
    repeats = model.bootstrap and mass is not None and not isinstance(model.max_samples, Integral)
    n_most = most_drawn(n) if repeats else n
    if n_drawn > n_most or p_drawn > p:  # which a fit refuses
        most = max(n_drawn - n_most, p_drawn - p)
        return [Claim.at_most("DT13", "rows or columns drawn beyond those there are", most, 0)]
    draws = []
    for seed in model.seeds_:
        rows = bag_rows(int(seed), n, n_drawn, model.bootstrap, share)
        draws.append((rows, bag_columns(int(seed), p, p_drawn, model.bootstrap_features)))
    K, takes = 0 if classes is None else len(classes), takes_weights(model)
    by_weight = [takes and (mass is not None or misses_others(y, rows, K)) for rows, _ in draws]
    for member, (rows, _), whole in zip(members, draws, by_weight):
        if p_drawn != getattr(member, "n_features_in_", p_drawn):
            raise IndexError(f"a member reads {member.n_features_in_} columns, {p_drawn} are drawn for each")
        n_read = len(np.unique(rows)) if whole else n_drawn
        if type(member).__name__ in TREES and member.tree_.n_node_samples[0] != n_read:
            raise IndexError(f"a member has grown from {member.tree_.n_node_samples[0]} rows, {n_read} are drawn")
    strange = int(not len(model.seeds_) == len(members) == model.n_estimators)
    strange += int(model.n_rows_ != n) + int(model.n_drawn_ != n_drawn)
    strange += int(classes is not None and model.n_classes_ != len(classes))
    if share is not None:
        strange += int(not np.allclose(model.row_shares_, share, rtol=1e-12))
    check_members(members, p_drawn)
    said = [_said(member, X[:, columns], classes) for member, (_, columns) in zip(members, draws)]
    mean = np.sum(said, axis=0) / len(said)
    given = said_by(model.predict if classes is None else model.predict_proba, X).reshape(n, -1)
    off = float(np.abs(given - mean).max()) / max(float(np.abs(mean).max()), 1e-300)
    refuted = 0
    for number, (member, (rows, columns)) in enumerate(zip(members, draws)):
        if type(member).__name__ not in TREES or not (thorough() or number == 0):
            continue
        if by_weight[number]:
            claims = decision_tree_claims(member, X[:, columns], y, np.bincount(rows, minlength=n).astype(float))
        else:
            claims = decision_tree_claims(member, X[rows][:, columns], y[rows])
        refuted += int(not all(claim.holds for claim in claims))
    claims = [
        Claim.at_most("DT13", "predictions differ from the mean of what the members say by (relative)", off, 1e-9),
        Claim.at_most("DT13", "members without a seed, seeds without a member, wrong counts and chances", strange, 0.0),
        Claim.at_most("DT13", "members that do not belong to the draw of their seed", refuted, 0.0),
        *seed_claims("DT13", model),
    ]
    if classes is not None:
        clear = np.abs(mean - mean.max(axis=1, keepdims=True)).min(axis=1) == 0.0
        wrong = int(np.count_nonzero((said_by(model.predict, X) != classes[given.argmax(axis=1)]) & clear))
        claims.append(Claim.at_most("DT13", "predictions unlike the largest mean", wrong, 0.0))
    return claims + (_out_of_bag_claims(model, y, classes, said, draws) if model.oob_score else [])


def _said(member: Any, X: Any, classes: np.ndarray | None) -> np.ndarray:
    if classes is None:
        return np.asarray(said_by(member.predict, X), dtype=float).reshape(X.shape[0], -1)
    if not hasattr(member, "predict_proba"):
        return (np.asarray(said_by(member.predict, X))[:, None] == classes).astype(float)
    shares, said = np.zeros((X.shape[0], len(classes))), np.asarray(said_by(member.predict_proba, X))
    for k, label in enumerate(member.classes_):
        shares[:, np.flatnonzero(classes == label)] = said[:, [k]]
    return shares


def _out_of_bag_claims(model: Any, y: np.ndarray, classes: np.ndarray | None, said: list, draws: list) -> list[Claim]:
    """Rows out of the bag by members whose draw does not hold them."""
    n = len(y)
    outside = np.array([~np.isin(np.arange(n), rows) for rows, _ in draws])
    total, bound = np.einsum("tn,tnk->nk", outside, np.array(said)), CLOSE
    if classes is None:
        mean = total / np.maximum(outside.sum(axis=0), 1)[:, None]
        stated = np.asarray(model.oob_prediction_).reshape(mean.shape)
        spread, bound = closeness(y)
        off = float(np.abs(mean - stated).max()) / spread
        score, interval = share_explained(y.reshape(n, -1), mean, np.ones(n))
    else:
        stated = np.nan_to_num(np.asarray(model.oob_decision_function_), nan=0.0)
        off = float(np.abs(total / np.maximum(total.sum(axis=1, keepdims=True), 1e-300) - stated).max())
        score, interval = share_right(y[:, None], classes[total.argmax(axis=1)][:, None], np.ones(n))
    size = max(1.0, abs(score))
    return [
        Claim.at_most("DT13", "predictions out of the bag differ from those of members without the row by", off, bound),
        reported("DT13", "oob_score_", model.oob_score_, score, bound, scale=size),
        reported("DT13", "oob_interval_", tuple(model.oob_interval_), interval, bound, scale=size),
    ]
