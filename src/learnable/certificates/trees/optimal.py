"""Optimal trees: no tree of that depth makes fewer mistakes than the one judged. Syllabus: DT7."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.core.worst import worst_of
from learnable.certificates.trees.decision_tree import prediction_claim
from learnable.certificates.trees.least_mistakes import OutOfWork, least_mistakes
from learnable.certificates.trees.links import ill_written, well_linked
from learnable.problems.trees.questions import questions_about
from learnable.problems.trees.tree import LEAF, goes_left, leaves_of

# Products that the search for a better tree may take at the end of a fit, and in `certify`.
WORK, MOST_WORK = 2e7, 1e11


@certifies(
    "OptimalTreeClassifier", ledger=Ledger(verified=("tree_", "questions_"), derived=("mistakes_", "n_classes_"))
)
def optimal_tree_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """No tree of that depth makes fewer mistakes."""
    X = np.asarray(X, dtype=float)
    label = np.searchsorted(model.classes_, np.asarray(y))
    tree, K = model.tree_, len(model.classes_)
    ill = well_linked(tree, X.shape[1]) or ill_written(tree)
    claims = [Claim.at_most("DT7", "nodes that are not in the tree, or ill written", ill, 0.0)]
    if ill:
        return claims
    questions = questions_about(X, model.max_thresholds)
    other = int(
        not np.array_equal(questions.feature, model.questions_.feature)
        or not np.array_equal(questions.threshold, model.questions_.threshold)
    )
    claims.append(Claim.at_most("DT7", "the questions are those of the rule (1 if not)", other, 0.0))
    if other:
        return claims
    asked = set(zip(questions.feature.tolist(), questions.threshold.tolist()))
    rows = {0: np.arange(len(X))}
    wrong, mistakes, off = 0, 0, 0.0
    for node in _order(tree):
        here = rows[node]
        counts = np.bincount(label[here], minlength=K)
        share = counts / max(1, len(here))
        off = worst_of(
            off, float(np.abs(tree.value[node, 0] - share).max()), abs(tree.impurity[node] - (1.0 - share.max()))
        )
        wrong += int(tree.n_node_samples[node] != len(here) or tree.weighted_n_node_samples[node] != len(here))
        if tree.children_left[node] == LEAF:
            mistakes += len(here) - int(counts.max(initial=0))
            continue
        f, threshold = int(tree.feature[node]), float(tree.threshold[node])
        left = goes_left(tree, node, X[here, f])
        wrong += int((f, threshold) not in asked or left.all() or not left.any())
        wrong += int(tree.missing_go_to_left[node] != int(2 * np.count_nonzero(left) > len(left)))
        rows[int(tree.children_left[node])], rows[int(tree.children_right[node])] = here[left], here[~left]
    wrong += int(tree.max_depth > model.max_depth) + int(model.n_classes_ != K)
    claims += [
        Claim.at_most("DT7", "nodes with other rows, questions or directions than allowed", wrong, 0.0),
        Claim.at_most("DT7", "shares and impurities of nodes differ from those of their rows by", off, 1e-9),
        Claim.at_most("DT7", "mistakes differ from those stated by", abs(mistakes - model.mistakes_), 0.0),
        prediction_claim(model, X, tree, leaves_of(tree, X)),
    ]
    if not all(claim.holds for claim in claims):
        return claims
    beyond = "mistakes beyond the least of any tree of that depth"
    try:
        work = MOST_WORK if thorough() else WORK
        least = least_mistakes(questions.answers(X), np.eye(K)[label], model.max_depth, mistakes, work)
    except OutOfWork:
        if thorough():
            given_up = "; not found out within the work of a check, lower max_depth or max_thresholds"
            claims.append(Claim.at_most("DT7", beyond + given_up, mistakes, 0.0)._replace(open=True))
        return claims
    return [*claims, Claim.at_most("DT7", beyond, mistakes - least, 0.0)]


def _order(tree: Any) -> list[int]:
    order = [0]
    for node in order:
        if tree.children_left[node] != LEAF:
            order += [int(tree.children_left[node]), int(tree.children_right[node])]
    return order
