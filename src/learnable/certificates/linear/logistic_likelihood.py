"""Sums over rows at one answer of a logistic regression, and the bounds that follow. Syllabus: C5, L21, O6."""

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.one_reading import scores_and_sums
from learnable.certificates.core.sums import sums_over_rows, times_columns
from learnable.certificates.linear.mixture import Mixture, repaired
from learnable.certificates.linear.newton_gain import AFFORDED, TRUSTED, factored_gain, triangle_of
from learnable.certificates.linear.ridge_decrement import ridge_decrement
from learnable.certificates.linear.separability import others
from learnable.problems.core.conventions import l2_from_inverse_strength, logistic_strength
from learnable.problems.core.duality import reach
from learnable.problems.linear.categorical import conjugate, indicators, negative_log_likelihood, probabilities
from learnable.problems.sparse.penalties import EVERY, ElasticNet, total
from learnable.problems.sparse.penalties import conjugate as penalty_conjugate
from learnable.rows import Block

# Shares that a ridge answer misses by no more than this count as met: the dual value moves by so many scores of a row.
MET = 1e-9
# Beyond this much of the loss of the best constant, or of the gap, the entropy of a mixture is added up row by row.
COARSE = 1e-7
# Operations of a Hessian that a fit does not notice.
SMALL = 5e7


class Likelihood:
    """Sums over rows at one fitted answer."""

    # What rounding may add to a decrement, and what cross-products see of it where they do not see all; what a step of
    # Newton's moves the scores by, as `own` measures these.
    turned, seen, moved = 0.0, np.inf, np.inf

    def __init__(self, model, rows, centre=0.0):
        self.rows, self.centre = rows, centre
        self.classes = model.classes_
        self.n_classes = len(model.classes_)
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        self.coef = np.asarray(coef, dtype=float).T
        self.intercept = np.asarray(model.intercept_, dtype=float)
        if self.intercept.size > 1:  # what all scores have in common changes no probability, but takes their digits
            self.intercept = self.intercept - self.intercept.mean()
        self.free_intercept = model.fit_intercept
        self.class_weight = self._class_weights(model.class_weight)
        self.total, self.share = rows.coarser(16).briefly(self._weights)
        self.share = self.share / self.total
        C, l1_ratio = logistic_strength(model.penalty, model.C, getattr(model, "l1_ratio", 0.0))
        self.penalty = ElasticNet(0.0 if np.isinf(C) else l2_from_inverse_strength(C, self.total), l1_ratio)

    def _class_weights(self, class_weight) -> np.ndarray | None:
        if class_weight is None:
            return None
        if class_weight == "balanced":
            counts = self.rows.reduce(self._counts)
            return counts.sum() / (len(counts) * counts)
        return np.array([class_weight.get(label, 1.0) for label in self.classes.tolist()], dtype=float)

    def _index(self, block: Block) -> np.ndarray:
        y = np.asarray(block.y)
        return (y == self.classes[1]).astype(np.intp) if self.n_classes == 2 else np.searchsorted(self.classes, y)

    def _counts(self, block: Block) -> np.ndarray:
        return np.bincount(self._index(block), block.weight, minlength=self.n_classes).astype(float)

    def weights_of(self, index: np.ndarray, weight: Any) -> np.ndarray:
        """Row weights times the weight of the row's class."""
        weight = np.ones(len(index)) if weight is None else np.asarray(weight, dtype=float)
        return weight if self.class_weight is None else weight * self.class_weight[index]

    def _weights(self, block: Block):
        counts = self._counts(block)
        counts = counts if self.class_weight is None else counts * self.class_weight
        return float(counts.sum()), counts

    def _rows_of(self, block: Block):
        index = self._index(block)
        weight = self.weights_of(index, block.weight) / self.total
        return index, times_columns(block.X, self.coef) + self.intercept, weight

    @cached_property
    def null_loss(self) -> float:
        """The loss of the best constant: of the class shares, or of even odds where there is no intercept."""
        if not self.free_intercept:
            return float(np.log(self.n_classes))
        share = self.share[self.share > 0.0]
        return max(float(-share @ np.log(share)), np.finfo(float).tiny)

    def _hessian(self) -> np.ndarray:
        """Of the mean loss in all coefficients and intercepts, score by score; by plain sums."""
        K, m = self.coef.shape[1], self.coef.shape[0] + self.free_intercept

        def sums(block: Block) -> np.ndarray:
            _, scores, weight = self._rows_of(block)
            P = probabilities(scores)
            X = block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X, dtype=float)
            Z = np.column_stack([X, np.ones(len(X))]) if self.free_intercept else X
            H = np.empty((K, m, K, m))
            for k in range(K):
                for l in range(K):
                    h = weight * P[:, k] * ((1.0 - P[:, k]) if k == l else -P[:, l])
                    H[k, :, l] = Z.T @ (h[:, None] * Z)
            return H.reshape(K * m, K * m)

        return self.rows.reduce(sums)

    def balanced(self, at: "Standing") -> tuple[float, "Likelihood"]:
        """(how far the objective falls at most, the same at intercepts that two Newton steps on them alone give)."""

        def bends(block: Block) -> np.ndarray:
            _, scores, weight = near._rows_of(block)
            P = probabilities(scores)
            own = weight @ P
            return (np.diag(own) if len(own) > 1 else own) - (weight[:, np.newaxis] * P).T @ P

        near, misses = copy(self), at.misses
        for _ in range(2):
            H = np.atleast_2d(self.rows.reduce(bends))
            if len(H) > 1:  # the mean of all intercepts moves nothing: any curvature along it serves
                H = H + np.trace(H) / len(H) ** 2
            near.intercept = near.intercept - linalg.lstsq(H, misses)[0]
            misses = near.standing().misses
        return max(0.0, float(at.misses @ (self.intercept - near.intercept))), near

    def _gradient(self, at: "Standing") -> np.ndarray:
        """(p, K) with a last row for free intercepts."""
        slope = at.slope + self.penalty.alpha * (1.0 - self.penalty.l1_ratio) * self.coef
        return np.vstack([slope, at.misses]) if self.free_intercept else slope

    def _bends(self, V: np.ndarray) -> np.ndarray:
        """The Hessian of the mean loss times V, which is like the gradient."""
        p = len(self.coef)

        def sums(block: Block) -> np.ndarray:
            _, scores, weight = self._rows_of(block)
            P, S = probabilities(scores), times_columns(block.X, V[:p]) + (V[p] if self.free_intercept else 0.0)
            others = P * S if P.shape[1] == 1 else np.vecdot(P, S)[:, np.newaxis]
            moved = weight[:, np.newaxis] * P * (S - others)
            found = sums_over_rows(moved.T, block.X).T
            return np.vstack([found, moved.sum(axis=0)]) if self.free_intercept else found

        return self.rows.briefly(sums)

    def own(self) -> float:
        """½ βᵀHβ with the H of the loss alone, intercepts aside: how far the scores differ, in units of the loss."""
        K = self.coef.shape[1]
        whole = np.vstack([self.coef, np.zeros((1, K))]) if self.free_intercept else self.coef
        bent = self._bends(whole)
        found = float(np.vdot(self.coef, bent[: len(self.coef)]))
        if self.free_intercept:
            units = np.zeros((K, *whole.shape))
            units[np.arange(K), -1, np.arange(K)] = 1.0
            constant = np.array([self._bends(unit)[-1] for unit in units])
            found -= float(bent[-1] @ linalg.lstsq(constant, bent[-1])[0])
        return 0.5 * max(found, 0.0)

    def ridge_decrement(self, at: "Standing", enough: float) -> float:
        """½ gᵀH⁻¹g, or a bound a little above it where the Hessian is large."""
        # Its eigenvalues cost ten products of its size.
        if (self.rows.n_rows + 10 * self.coef.size) * self.coef.size**2 <= SMALL:
            return self.decrement(at)
        return ridge_decrement(self._bends, self._gradient(at), self.penalty.alpha, self.free_intercept, enough)

    def decrement(self, at: "Standing") -> float:
        """½ gᵀH⁻¹g, over the directions along which the objective bends; no less than what one coefficient alone gains,
        for where every probability is 0 or 1 nothing bends, however steep it is."""
        H, g = self._hessian(), self._gradient(at).T.ravel()
        bent = np.full((self.coef.shape[1], self.coef.shape[0] + self.free_intercept), self.penalty.alpha)
        bent[:, self.coef.shape[0] :] = 0.0
        bent = bent.ravel()
        H[np.diag_indices_from(H)] += bent
        length = np.sqrt(np.maximum(H.diagonal(), np.finfo(float).tiny))
        values, V = linalg.eigh(H / np.outer(length, length))
        along = V.T @ (g / length)
        keep = values > len(g) * np.finfo(float).eps * values.max(initial=0.0)
        alone = 0.5 * float(np.max((g / length) ** 2, initial=0.0))
        gain = max(0.5 * float(np.sum(along[keep] ** 2 / values[keep])), alone)
        step = V[:, keep] @ (along[keep] / values[keep]) / length
        self.moved = max(gain - 0.5 * float(bent @ step**2), 0.0)
        # What all scores have in common changes no probability.
        K, m = self.coef.shape[1], self.coef.shape[0] + self.free_intercept
        shared = (K > 1) * (self.free_intercept if self.penalty.alpha > 0.0 else m)
        few = self.rows.n_rows * K * len(g) ** 2 <= AFFORDED
        if not few or shared >= len(values) or values[shared] >= TRUSTED * values[-1]:
            return gain
        found, self.turned = factored_gain(self._factor(), self.rows.n_rows * K)
        self.seen = gain
        self.moved = max(found, alone)
        return self.moved

    def _factor(self) -> np.ndarray:
        """The triangular factor of (A, s) with AᵀA the Hessian, score by score, and Aᵀs the gradient."""
        p, K = self.coef.shape

        def of_block(block: Block) -> np.ndarray:
            index, scores, weight = self._rows_of(block)
            P = probabilities(scores)
            X = block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X, dtype=float)
            Z = np.column_stack([X, np.ones(len(X))]) if self.free_intercept else X
            # diag(p) − ppᵀ is BᵀB, and p − e is Bᵀ (p − e)/√p, with B = diag(√p) (I − 1pᵀ).
            own = P * (1.0 - P) if K == 1 else P
            root = np.sqrt(weight[:, np.newaxis] * own)
            pull = weight[:, np.newaxis] * (P - indicators(index, K))
            s = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0.0)
            B = root[:, :, np.newaxis] * (np.eye(K) - (P[:, np.newaxis] if K > 1 else 0.0))
            A = np.einsum("ikl,ij->iklj", B, Z).reshape(len(Z) * K, -1)
            return triangle_of(np.column_stack([A, s.ravel()]))

        held = np.zeros((K, p, K, p + self.free_intercept))
        for k in range(K):
            held[k, :, k, :p] = np.sqrt(self.penalty.alpha) * np.eye(p)
        pulled = np.sqrt(self.penalty.alpha) * self.coef.T.ravel()
        below = np.column_stack([held.reshape(K * p, -1), pulled])
        return triangle_of(self.rows.reduce(of_block, triangle_of), below)

    def rounding(self, dtype: Any) -> float:
        """What a decrement is made of where coefficients of this type round the scores, and the gradient is rounded."""
        p, ridge = len(self.coef), self.penalty.alpha * (1.0 - self.penalty.l1_ratio)
        coef = np.abs(self.coef)
        # The intercept that was kept is further off than this one, by what was taken off the columns.
        away = np.abs(self.intercept) + 2.0 * np.sum(np.abs(np.reshape(self.centre, (-1, 1))) * coef, axis=0)

        def sums(block: Block) -> np.ndarray:
            index, scores, weight = self._rows_of(block)
            P, X = probabilities(scores), abs(block.X)
            size = np.asarray(X @ coef) + away
            bend = weight[:, None] * P * (1.0 - P)
            error = bend * (1.0 + size) + weight[:, None] * np.abs(P - indicators(index, P.shape[1]))
            squares = X.multiply(X) if sparse.issparse(X) else np.square(X, dtype=float)
            of_columns = np.asarray(X.T @ error), np.asarray(squares.T @ bend)
            return np.stack(
                [np.vstack([of_columns[0], error.sum(axis=0)]), np.vstack([of_columns[1], bend.sum(axis=0)])]
            )

        error, bends = self.rows.reduce(sums)
        bends[:p] += ridge
        off = 16.0 * np.finfo(dtype).eps * error / np.sqrt(np.maximum(bends, np.finfo(float).tiny))
        return 0.5 * float(np.sum(off[: p + self.free_intercept] ** 2))

    def coordinate_gain(self, at: "Standing") -> float:
        """The largest ½ g_j²/H_jj: what one coefficient alone could gain."""

        def sums(block: Block) -> np.ndarray:
            _, scores, weight = self._rows_of(block)
            P = probabilities(scores)
            h = weight[:, None] * P * (1.0 - P)
            squares = block.X.multiply(block.X) if sparse.issparse(block.X) else np.square(block.X, dtype=float)
            bends = np.asarray(squares.T @ h)
            return np.vstack([bends, h.sum(axis=0)]) if self.free_intercept else bends

        bends = self.rows.reduce(sums).T.ravel()
        gain = 0.5 * self._gradient(at).T.ravel() ** 2 / np.maximum(bends, np.finfo(float).tiny)
        return float(np.max(gain, initial=0.0))

    def standing(self) -> "Standing":
        """What one pass over the rows tells about the answer."""

        def sums(block):
            index = self._index(block)
            weight = self.weights_of(index, block.weight) / self.total
            observed = indicators(index, self.coef.shape[1])
            pulls = np.empty(observed.shape[::-1])

            def pull(scores, rows):
                found = probabilities(scores)
                found -= observed[rows]
                return np.multiply(weight[rows], found.T, out=pulls[:, rows])

            scores, slope = scores_and_sums(block.X, self.coef, self.intercept, pull, np.empty((0, len(index))))
            return float(np.vdot(pulls.T, scores)), slope, pulls.sum(axis=1)

        moved, slope, misses = self.rows.coarser(16).briefly(sums)
        misses = misses if self.free_intercept else np.zeros_like(misses)
        return Standing(moved, slope.T, misses)

    def _mixed(self, misses: np.ndarray) -> Mixture:
        """How mixing a constant into the probabilities of some rows makes up for the misses: of the first block, which
        does for small ones, else of all rows."""

        def shares(block: Block) -> tuple[int, float, np.ndarray, float]:
            index, scores, weight = self._rows_of(block)
            P = probabilities(scores)
            return block.stop, float(weight.sum()), weight @ P, float(weight @ conjugate(index, P))

        rows = self.rows.coarser(16)
        stop, weight, expected, entropy = rows.of_first(shares)
        full = expected if len(expected) > 1 else np.array([weight - expected[0], expected[0]])
        of_some = weight > 0.0 and full.min() > 4.0 * np.abs(misses).max()
        if not of_some:
            stop, (weight, expected, entropy) = rows.n_rows, rows.briefly(lambda block: shares(block)[1:])
        s, q = repaired((expected - misses) / weight, misses / weight)

        def moves(block: Block) -> np.ndarray:
            _, scores, weight = self._rows_of(block)
            return sums_over_rows(weight * (q - probabilities(scores)).T, block.X)

        moved = rows.of_first(moves) if of_some else rows.briefly(moves)
        return Mixture(stop, s, q, moved.T, weight * float(conjugate(np.zeros(1, dtype=int), q[None])[0]) - entropy)

    def gap(self, at: "Standing") -> float:
        """The objective less the dual one at the fitted probabilities, made exactly feasible, or a bound as good.

        A free intercept asks that the mean expected share of each class equal its observed share c. The fitted
        probabilities miss it by `misses`; mixing a constant q with weight s into those of some rows repairs it, with s
        just large enough for q to be a probability. An L1 penalty bounds the correlations of the columns with
        expected − observed; moving the expected towards the observed, by t, brings them within.

        Loss and negative entropy of the fitted probabilities are `moved` together: neither need be known. Negative
        entropy is convex: that of the mixture is at most the mixture of both, which the first pass knows. Where that is
        too coarse, or t < 1, a second pass adds up loss and entropy.
        """
        share = self.share if len(at.misses) > 1 else self.share[1:]
        met = repaired(share, at.misses)[0] <= (0.0 if self.penalty.l1_ratio else MET)
        mixed = Mixture(0, 0.0, share, at.slope, 0.0) if met else self._mixed(at.misses)
        slope = at.slope if met else at.slope + mixed.share * mixed.slope
        t = float(np.min(reach(self.penalty, -slope, EVERY), initial=1.0)) if self.penalty.l1_ratio else 1.0
        above, penalty = mixed.share * mixed.entropy, total(self.penalty, self.coef)
        if t == 1.0:
            gap = at.moved + above + penalty + float(np.sum(penalty_conjugate(self.penalty, -slope, EVERY)))
            if above <= max(COARSE * self.null_loss, 0.01 * gap):
                return max(gap, 0.0)
        if t < 1.0:
            # Strictly inside, so that rounding cannot push the point out of the domain.
            t *= 1.0 - 8.0 * np.finfo(float).eps
            slope = np.clip(t * slope, -self.penalty.alpha, self.penalty.alpha)

        def apart(block):
            index, scores, weight = self._rows_of(block)
            mixture = probabilities(scores)
            some = mixture[: max(mixed.stop - block.start, 0)]
            some += mixed.share * (mixed.constant - some)
            entropy = conjugate(index, t * mixture + (1.0 - t) * indicators(index, scores.shape[1]))
            return float(weight @ (negative_log_likelihood(index, scores) + entropy))

        gap = self.rows.reduce(apart) + penalty + float(np.sum(penalty_conjugate(self.penalty, -slope, EVERY)))
        return max(gap, 0.0)

    def separates(self) -> bool:
        """Whether the fitted scores classify every row strictly correctly."""

        def worst(block):
            index, scores, _ = self._rows_of(block)
            return np.array([ahead(index, scores).min()])

        return bool(self.rows.reduce(worst, np.minimum)[0] > 0.0)


class Standing(NamedTuple):
    """Sums over rows at an answer, weights summing to one.

    Attributes
    ----------
    moved : Σ (P − observed) · scores, which is the mean loss plus that of Σ P log P.
    slope : (p, K) gradient of the mean loss in the coefficients.
    misses : (K,) gradient in the intercepts, zero where they are fixed.
    """

    moved: float
    slope: np.ndarray
    misses: np.ndarray


def ahead(index: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """How far the score of each row's class is ahead of each other class: (n,), or all the pairs of K ≥ 3 classes."""
    if scores.shape[1] == 1:
        return (2 * index - 1) * scores[:, 0]
    return (scores[np.arange(len(index)), index][:, None] - scores)[others(index, scores.shape[1])]
