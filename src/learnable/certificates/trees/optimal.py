"""Optimal trees: the least number of mistakes of any tree of that depth, found again without bounds or bits.

All pairs of questions are counted by products of matrices, and every tree is covered by plain recursion. Syllabus: DT7.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.trees.decision_tree import prediction_claim
from learnable.certificates.trees.splits import ill_written, well_linked
from learnable.problems.trees.questions import questions_about
from learnable.problems.trees.tree import LEAF, goes_left, leaves_of

# Sums of products that a certificate at the end of a fit may need.
WORK = 2e7


@certifies(
    "OptimalTreeClassifier", ledger=Ledger(verified=("tree_", "questions_"), derived=("mistakes_", "n_classes_"))
)
def optimal_tree_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """No tree of that depth makes fewer mistakes."""
    X = np.asarray(X, dtype=float)
    label = np.searchsorted(model.classes_, np.asarray(y))
    tree, K = model.tree_, len(model.classes_)
    ill = well_linked(tree) or ill_written(tree)
    claims = [Claim.at_most("DT7", "nodes that are not in the tree, or ill written", ill, 0.0)]
    if ill:
        return claims
    questions = questions_about(X, model.max_thresholds)
    other = int(
        not np.array_equal(questions.feature, model.questions_.feature)
        or not np.array_equal(questions.threshold, model.questions_.threshold)
    )
    claims.append(Claim.at_most("DT7", "the questions are those of the rule (1 if not)", other, 0.0))
    asked = set(zip(questions.feature.tolist(), questions.threshold.tolist()))
    rows = {0: np.arange(len(X))}
    wrong, mistakes, off = 0, 0, 0.0
    for node in _order(tree):
        here = rows[node]
        counts = np.bincount(label[here], minlength=K)
        share = counts / max(1, len(here))
        off = max(off, float(np.abs(tree.value[node, 0] - share).max()), abs(tree.impurity[node] - (1.0 - share.max())))
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
    answers = questions.answers(X)
    F = answers.shape[1]
    if thorough() or len(X) * F**2 * (2.0 * F) ** min(max(0, model.max_depth - 2), 32) <= WORK:
        least = least_mistakes(answers.astype(float), np.eye(K)[label], model.max_depth)
        claims.append(
            Claim.at_most("DT7", "mistakes beyond the least of any tree of that depth", mistakes - least, 0.0)
        )
    return claims


def _order(tree: Any) -> list[int]:
    order = [0]
    for node in order:
        if tree.children_left[node] != LEAF:
            order += [int(tree.children_left[node]), int(tree.children_right[node])]
    return order


def least_mistakes(answers: np.ndarray, onehot: np.ndarray, depth: int) -> int:
    """The least mistakes of a tree of at most this depth, by recursion over all questions."""
    counts = onehot.sum(axis=0)
    least = round(float(counts.sum() - counts.max(initial=0.0)))
    if depth == 0 or least == 0 or not answers.shape[1]:
        return least
    if depth <= 2:
        return min(least, _two_levels(answers, onehot, counts, depth))
    for f in range(answers.shape[1]):
        yes = answers[:, f] > 0.5
        if yes.any() and not yes.all():
            no = least_mistakes(answers[~yes], onehot[~yes], depth - 1)
            if no < least:
                least = min(least, no + least_mistakes(answers[yes], onehot[yes], depth - 1))
    return least


def _two_levels(answers: np.ndarray, onehot: np.ndarray, counts: np.ndarray, depth: int) -> int:
    yes = answers.T @ onehot
    no = counts - yes

    def wrong(table: np.ndarray) -> np.ndarray:
        return table.sum(axis=-1) - table.max(axis=-1)

    side_yes, side_no = wrong(yes), wrong(no)
    if depth == 2:
        both = np.stack([answers.T @ (answers * column[:, None]) for column in onehot.T], axis=-1)
        side_yes = np.minimum(side_yes, (wrong(both) + wrong(yes[:, None, :] - both)).min(axis=1))
        only_second = yes[None, :, :] - both
        side_no = np.minimum(side_no, (wrong(only_second) + wrong(no[:, None, :] - only_second)).min(axis=1))
    return round(float((side_yes + side_no).min()))
