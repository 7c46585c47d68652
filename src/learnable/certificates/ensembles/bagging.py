"""Bagging: votes and means of the members, and members that belong to the draws of their seeds. Syllabus: DT13."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.trees.decision_tree import decision_tree_claims, said_by
from learnable.problems.ensembles.bags import bag_rows

TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor")


@certifies(
    "BaggingClassifier",
    "BaggingRegressor",
    foreign=False,
    ledger=Ledger(verified=("seeds_", "members_")),
)
def bagging_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a bag of members on its training data."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    members = model.estimators_
    said = [said_by(member.predict, X) for member in members]
    given = said_by(model.predict, X)
    if hasattr(model, "classes_"):
        table = np.array([[sum(one[i] == label for one in said) for label in model.classes_] for i in range(len(X))])
        unlike = int(np.count_nonzero(given != model.classes_[table.argmax(axis=1)]))
    else:
        mean = sum(said) / len(said)
        unlike = int(np.count_nonzero(np.abs(given - mean) > 1e-9 * max(float(np.abs(mean).max()), 1e-300)))
    n, share = len(X), model.max_samples
    drawn = n if share is None else int(share) if isinstance(share, int | np.integer) else max(1, round(n * share))
    refuted, strange = 0, int(len(model.seeds_) != len(members))
    for number, (member, seed) in enumerate(zip(members, model.seeds_)):
        rows = bag_rows(int(seed), n, drawn)
        if type(member).__name__ in TREES and (thorough() or number == 0):
            part = member.tree_.n_node_samples[0]
            claims = decision_tree_claims(member, X[rows], y[rows])
            refuted += int(part != drawn or not all(claim.holds for claim in claims))
        elif type(member).__name__ not in TREES and thorough():
            refuted += int(not _again(member, X[rows], y[rows], X))
    return [
        Claim.at_most("DT13", "predictions unlike the vote or the mean of the members", unlike, 0.0),
        Claim.at_most("DT13", "members without a seed, or seeds without a member", strange, 0.0),
        Claim.at_most("DT13", "members that do not belong to the draw of their seed", refuted, 0.0),
    ]


def _again(member: Any, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> bool:
    """Whether a member fitted again on its draw says the same."""
    from sklearn.base import clone

    other = clone(member).fit(X, y)
    one, two = said_by(member.predict, rows), said_by(other.predict, rows)
    if one.dtype.kind == "f":
        return bool(np.allclose(one, two, rtol=1e-6, atol=1e-9 * max(1e-300, float(np.abs(one).max()))))
    return bool(np.array_equal(one, two))
