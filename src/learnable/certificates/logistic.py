"""Logistic regression: vanishing gradient, duality gap, separation. Syllabus: C5, C8, O6."""

from typing import Any

import numpy as np

from learnable.certificates.certify import certifies
from learnable.certificates.claim import Claim
from learnable.problems.categorical import conjugate, indicators, negative_log_likelihood, probabilities
from learnable.problems.conventions import l2_from_inverse_strength
from learnable.rows import Block, as_rows


@certifies("LogisticRegression")
def logistic_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, coefficients, C) prove about a logistic regression with an L2 penalty or none."""
    if getattr(model, "l1_ratio", 0.0) or model.penalty in ("l1", "elasticnet"):
        raise TypeError("certify(LogisticRegression): only the L2 penalty or none is certified")
    likelihood = _Likelihood(model, as_rows(X, y, sample_weight))
    loss, gradient, misses = likelihood.first_pass()
    claims = [
        Claim.at_most(
            "C5",
            "the gradient of mean loss + penalty vanishes (largest entry), so the convex objective is minimal",
            float(np.abs(gradient).max(initial=0.0)),
            model.tol,
        )
    ]
    if likelihood.alpha > 0.0:
        primal = loss + 0.5 * likelihood.alpha * float(np.sum(likelihood.coef**2))
        claims.append(
            Claim.disclosure(
                "O6",
                "duality gap: the objective is above its minimum by at most",
                max(primal - likelihood.dual_value(misses), 0.0),
            )
        )
    elif likelihood.n_classes == 2:
        claims.append(
            Claim.at_most(
                "C8",
                "the classes are not separated by the fitted scores, so a maximum likelihood estimate can exist"
                " (1 when separated)",
                float(likelihood.separates()),
                0.0,
            )
        )
    return claims


class _Likelihood:
    """Sums over rows at one fitted answer."""

    def __init__(self, model, rows):
        self.rows = rows
        self.classes = model.classes_
        self.n_classes = len(model.classes_)
        self.coef = np.asarray(model.coef_, dtype=float).T
        self.intercept = np.asarray(model.intercept_, dtype=float)
        self.free_intercept = model.fit_intercept
        self.class_weight = self._class_weights(model.class_weight)
        self.total, self.share = rows.reduce(self._weights)
        self.share = self.share / self.total
        unpenalised = model.penalty is None or np.isinf(model.C)
        self.alpha = 0.0 if unpenalised else l2_from_inverse_strength(model.C, self.total)

    def _class_weights(self, class_weight) -> np.ndarray | None:
        if class_weight is None:
            return None
        if class_weight == "balanced":
            counts = self.rows.reduce(self._counts)
            return counts.sum() / (len(counts) * counts)
        return np.array([class_weight.get(label, 1.0) for label in self.classes.tolist()], dtype=float)

    def _counts(self, block: Block) -> np.ndarray:
        weight = None if block.weight is None else block.weight
        return np.bincount(np.searchsorted(self.classes, block.y), weight, minlength=self.n_classes).astype(float)

    def _row_weights(self, block: Block, index: np.ndarray) -> np.ndarray:
        weight = np.ones(len(index)) if block.weight is None else np.asarray(block.weight, dtype=float)
        return weight if self.class_weight is None else weight * self.class_weight[index]

    def _weights(self, block: Block):
        index = np.searchsorted(self.classes, block.y)
        weight = self._row_weights(block, index)
        return float(weight.sum()), np.bincount(index, weight, minlength=self.n_classes)

    def _rows_of(self, block: Block):
        index = np.searchsorted(self.classes, block.y)
        return index, np.asarray(block.X @ self.coef) + self.intercept, self._row_weights(block, index) / self.total

    def first_pass(self) -> tuple[float, np.ndarray, np.ndarray]:
        """(mean loss, gradient with the intercepts' part in the last row, the latter alone)."""

        def sums(block):
            index, scores, weight = self._rows_of(block)
            pull = (probabilities(scores) - indicators(index, scores.shape[1])) * weight[:, None]
            return weight @ negative_log_likelihood(index, scores), np.asarray(block.X.T @ pull), pull.sum(axis=0)

        loss, slope, misses = self.rows.reduce(sums)
        slope = slope + self.alpha * self.coef
        if not self.free_intercept:
            return float(loss), slope, np.zeros_like(misses)
        return float(loss), np.vstack([slope, misses]), misses

    def dual_value(self, misses: np.ndarray) -> float:
        """Dual objective at the fitted probabilities, made exactly feasible.

        A free intercept asks that the mean expected share of each class equal its observed share c. The fitted
        probabilities miss it by `misses`; mixing in a constant q with weight s, (1 − s)(c + misses) + s q = c,
        repairs it, with s just large enough for q to be a probability.
        """
        share = self.share if len(misses) > 1 else self.share[1:]
        s, q = _repair(share, misses)

        def sums(block):
            index, scores, weight = self._rows_of(block)
            expected = (1.0 - s) * probabilities(scores) + s * q
            pull = (expected - indicators(index, scores.shape[1])) * weight[:, None]
            return weight @ conjugate(index, expected), np.asarray(block.X.T @ pull)

        entropy, slope = self.rows.reduce(sums)
        return float(-entropy - np.sum(slope**2) / (2.0 * self.alpha))

    def separates(self) -> bool:
        """Whether the fitted scores classify every row strictly correctly (two classes)."""

        def worst(block):
            index, scores, _ = self._rows_of(block)
            return np.array([np.min((2 * index - 1) * scores[:, 0])])

        return bool(self.rows.reduce(worst, np.minimum)[0] > 0.0)


def _repair(share: np.ndarray, misses: np.ndarray) -> tuple[float, np.ndarray]:
    """(s, q) with (1 − s)(share + misses) + s q = share and q a probability vector (its first entry, if binary)."""
    if not np.any(misses):
        return 0.0, share
    full_share = share if len(share) > 1 else np.array([1.0 - share[0], share[0]])
    full_miss = misses if len(misses) > 1 else np.array([-misses[0], misses[0]])
    ratio = float(np.max(full_miss / np.maximum(full_share, 1e-300)))
    s = min(1.0, 2.0 * ratio / (1.0 + 2.0 * ratio))
    q = np.clip((share - (1.0 - s) * (share + misses)) / s, 0.0, 1.0) if s > 0.0 else share
    return s, q
