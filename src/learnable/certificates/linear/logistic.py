"""Logistic regression: optimality conditions, duality gap, separation. Syllabus: C5, C8, L21, O6."""

from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.one_reading import scores_and_sums
from learnable.certificates.core.origin import asked_of, is_ours
from learnable.certificates.core.sums import sums_over_rows, times_columns
from learnable.certificates.linear.class_sums import sum_claim
from learnable.certificates.linear.mixture import Mixture, repaired
from learnable.certificates.linear.ridge_decrement import ridge_decrement
from learnable.certificates.linear.separability import (
    Separability,
    about_means,
    decide,
    differences,
    others,
    refutes,
    shaped_weights,
)
from learnable.certificates.sparse.answer import brought_near
from learnable.problems.core.conventions import l2_from_inverse_strength, logistic_strength
from learnable.problems.core.duality import reach
from learnable.problems.linear.categorical import conjugate, indicators, negative_log_likelihood, probabilities
from learnable.problems.sparse.penalties import EVERY, ElasticNet, total
from learnable.problems.sparse.penalties import conjugate as penalty_conjugate
from learnable.rows import Block, as_rows, is_streamed

# Entries of the data up to which weak separation is looked for too.
EXAMINED = 2_000_000
# How far above its minimum an objective may be, in units of the loss of the best constant: scores are off by about the
# square root of this.
RELATIVE_GAP = 1e-6
# The same of a Newton step, which bounds more closely and costs more: `certify` asks it of the fits of this library.
# Scores are off by about the square root of this; by more where there are too many parameters for a Hessian.
# Between the two an answer is neither proved nor refuted.
CLOSE, CLOSE_OF_MANY, MANY = 1e-12, 1e-8, 1200
# Where rounding alone is a larger share than this, it is not made allowance for.
MOST_ROUNDING = 1e-6
# Shares that a ridge answer misses by no more than this count as met: the dual value moves by so many scores of a row.
MET = 1e-9
# Beyond this much of the loss of the best constant, or of the gap, the entropy of a mixture is added up row by row.
COARSE = 1e-7
# Operations of a Hessian that a fit does not notice, and parameters beyond which none is formed.
SMALL = 5e7
MOST_PARAMETERS = 3000


@certifies("LogisticRegression", ledger=Ledger(("coef_", "intercept_"), unverified=("n_iter_",)))
def logistic_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, coefficients, C, l1_ratio) prove about a logistic regression.

    Everything is relative to the loss of the best constant, which has no units. With a penalty the duality gap bounds
    how far the objective is above its minimum; without, the Newton decrement says how much a step would gain.
    """
    if _penalises_its_intercept(model):
        return list(logistic_claims(*_with_a_column_for_the_intercept(model, X), y, sample_weight))
    claims = _likelihood_claims(model, X, y, sample_weight)
    if is_ours(model) and len(model.classes_) > 2:
        claims.append(sum_claim("C5", model, not np.isinf(logistic_strength(model.penalty, model.C, 0.0)[0])))
    return claims


def _likelihood_claims(model: Any, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    likelihood = _Likelihood(*_near(model, X, y, sample_weight))
    penalty = likelihood.penalty
    at = likelihood.standing()
    row = "L21" if penalty.l1_ratio else "C5"
    asked = asked_of(model)
    if penalty.alpha > 0.0:
        gap = likelihood.gap(at)
        above, how = gap, "duality gap"
        if gap > allowed(RELATIVE_GAP) * likelihood.null_loss and not penalty.l1_ratio:
            # A weak penalty makes a wide gap of a small gradient; twice the Newton decrement is then the better bound.
            newton = 2.0 * likelihood.ridge_decrement(at, 0.5 * allowed(RELATIVE_GAP) * likelihood.null_loss)
            above, how = min((gap, how), (newton, "twice the Newton decrement"))
        claims = [
            Claim.reached(
                row,
                f"the convex objective is above its minimum by at most ({how}, of the loss of the best constant)",
                above / likelihood.null_loss,
                allowed(RELATIVE_GAP),
                asked,
            ),
            likelihood.intercept_claim(row, at, asked),
            Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", gap),
        ]
        return claims if penalty.l1_ratio else claims + _close_claims(model, likelihood, at, asked)
    whole = thorough() or likelihood.rows.n_rows * at.slope.size**2 <= SMALL
    whole = whole and at.slope.size <= MOST_PARAMETERS
    gain = likelihood.decrement(at) if whole else likelihood.coordinate_gain(at)
    return [
        Claim.reached(
            row,
            f"what {'a Newton step' if whole else 'a Newton step of one coefficient'} would take off the convex "
            "objective (of the loss of the best constant)",
            gain / likelihood.null_loss,
            allowed(RELATIVE_GAP),
            asked,
        ),
        _separation_claim(model, likelihood, X, y, sample_weight),
        *_close_claims(model, likelihood, at, asked),
    ]


def _close_claims(model: Any, likelihood: "_Likelihood", at: "_Standing", asked: float) -> list[Claim]:
    """That the probabilities are near their own, of a fit that goes on until they are."""
    if not (thorough() and is_ours(model) and at.slope.size <= MOST_PARAMETERS):
        return []
    null = likelihood.null_loss
    few = at.slope.size + at.misses.size <= MANY
    rounding = min(likelihood.rounding(np.asarray(model.coef_).dtype) / null, MOST_ROUNDING)
    bound = max(allowed(CLOSE if few else CLOSE_OF_MANY), rounding)
    statement = "what one more Newton step would take off (of the loss of the best constant)"
    return [Claim.reached("C5", statement, likelihood.decrement(at) / null, bound, max(asked, CLOSE_OF_MANY))]


def _penalises_its_intercept(model: Any) -> bool:
    """Whether it is scikit-learn's by liblinear, to which the intercept is the coefficient of one more column."""
    theirs = type(model).__module__.startswith("sklearn.")
    return theirs and getattr(model, "solver", "") == "liblinear" and bool(model.fit_intercept)


def _with_a_column_for_the_intercept(model: Any, X: Any) -> tuple[Any, Any]:
    size = float(model.intercept_scaling)
    column = np.full((X.shape[0], 1), size)
    X = sparse.hstack([X, column], format="csr") if sparse.issparse(X) else np.hstack([np.asarray(X, float), column])
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_, dtype=float)
    offset = np.asarray(model.intercept_, dtype=float)
    stated = {
        "coef_": np.column_stack([coef, offset / size]),
        "intercept_": np.zeros(len(coef)),
        "fit_intercept": False,
    }
    return SimpleNamespace(**vars(model) | stated), X


def _near(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
    """(model, rows, what was taken off the columns): those far from zero are about their means, and the intercept is
    then another."""
    shape = (1 if len(model.classes_) == 2 else len(model.classes_), X.shape[1]) if hasattr(X, "shape") else ()
    if is_streamed(X) or not isinstance(X, np.ndarray) or X.dtype.kind not in "fiu" or np.shape(model.coef_) != shape:
        return model, as_rows(X, y, sample_weight)
    near, centre = brought_near(X, None, model.fit_intercept)
    if near is X:
        return model, as_rows(X, y, sample_weight)
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
    moved = np.asarray(model.intercept_, dtype=float) + np.asarray(coef, dtype=float) @ centre
    return SimpleNamespace(**vars(model) | {"intercept_": moved}), as_rows(near, y, sample_weight), centre


def _separation_claim(model: Any, likelihood: "_Likelihood", X: Any, y: Any, sample_weight: Any) -> Claim:
    rows, K = likelihood.rows, likelihood.n_classes
    if is_streamed(X) or rows.n_rows * rows.n_columns * (K - 1) > EXAMINED:
        return Claim.at_most(
            "C8",
            "the fitted scores do not separate the classes (1 when they do); weak separation was not looked for, the "
            "data being large",
            float(likelihood.separates()),
            0.0,
        )
    found = separation(model, X, y, sample_weight)
    return Claim.at_most(
        "C8",
        "no direction separates the classes, even weakly: a maximum likelihood estimate exists (1 when one does)",
        float(not found.likelihood_has_maximum),
        0.0,
    )


def separation(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Separability:
    """Whether the classes are separated, from a fitted unpenalised logistic regression where that is proof enough.

    Scores that classify every row correctly are a separating direction. Near a finite maximum the residual weights
    λ = w(1 − P) are positive and nearly make Σ λz = 0; if a small correction that keeps them positive makes it exact,
    they refute separation. Otherwise a linear program decides.
    """
    index = np.searchsorted(model.classes_, np.asarray(y))
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    weight = _Likelihood(model, as_rows(X, y, sample_weight)).weights_of(index, sample_weight)
    counted = weight > 0.0
    X, index, weight = X[counted], index[counted], weight[counted]
    K = len(model.classes_)
    theta, theta0 = np.asarray(model.coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    scores = np.asarray(X @ theta.T) + theta0
    lead = ahead(index, scores)
    if lead.min() > 0.0:
        if K > 2:
            return Separability("separated", model.classes_, theta, theta0, 0.0, None)
        margin = float(lead.min() / np.linalg.norm(theta))
        return Separability("separated", model.classes_, theta[0], float(theta0[0]), margin, None)
    Z, _ = differences(about_means(X, model.fit_intercept)[0], index, K, model.fit_intercept)
    if K == 2:
        weights = _corrected(Z, weight * probabilities(-lead[:, None])[:, 0])
    else:
        weights = _corrected(Z, (weight[:, None] * probabilities(scores))[others(index, K)])
    if weights is not None and refutes(Z, weights, strictly=True):
        return Separability("overlapping", model.classes_, None, None, 0.0, shaped_weights(weights, index, K))
    return decide(X, index, model.classes_, model.fit_intercept)


def _corrected(Z: Any, weights: np.ndarray) -> np.ndarray | None:
    """λ∘(1 − Zδ) with Σ λᵢ(1 − zᵢ·δ)zᵢ = 0: the smallest relative change that makes the sum vanish, or None."""
    # Below this the curvature of a row drowns in rounding and the correction cannot be trusted.
    if weights.min() < 1e-8 * weights.mean():
        return None
    for _ in range(2):
        weighted = Z.multiply(np.sqrt(weights)[:, None])
        M = (weighted.T @ weighted).toarray()
        weights = weights * (1.0 - Z @ linalg.lstsq(M, weights @ Z)[0])
        if weights.min() <= 0.0:
            return None
    return weights


class _Likelihood:
    """Sums over rows at one fitted answer."""

    def __init__(self, model, rows, centre=0.0):
        self.rows, self.centre = rows, centre
        self.classes = model.classes_
        self.n_classes = len(model.classes_)
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        self.coef = np.asarray(coef, dtype=float).T
        self.intercept = np.asarray(model.intercept_, dtype=float)
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

    def intercept_claim(self, row: str, at: "_Standing", asked: float) -> Claim:
        """With a free intercept the predicted shares of the classes are the observed ones: an objective that bends by a
        quarter at most is at least 2 m² above its minimum where they differ by m."""
        bound = 1e-3 if self.coef.size and np.asarray(self.intercept).dtype == np.float32 else 1e-4
        miss = float(np.abs(at.misses).max(initial=0.0))
        statement = "predicted shares of the classes differ from the observed ones by at most"
        return Claim.reached(row, statement, miss, bound, float(np.sqrt(0.5 * asked * self.null_loss)))

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

    def _gradient(self, at: "_Standing") -> np.ndarray:
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

    def ridge_decrement(self, at: "_Standing", enough: float) -> float:
        """½ gᵀH⁻¹g, or a bound a little above it where the Hessian is large."""
        # Its eigenvalues cost ten products of its size.
        if (self.rows.n_rows + 10 * self.coef.size) * self.coef.size**2 <= SMALL:
            return self.decrement(at)
        return ridge_decrement(self._bends, self._gradient(at), self.penalty.alpha, self.free_intercept, enough)

    def decrement(self, at: "_Standing") -> float:
        """½ gᵀH⁻¹g, over the directions along which the objective bends; no less than what one coefficient alone gains,
        for where every probability is 0 or 1 nothing bends, however steep it is."""
        H, g = self._hessian(), self._gradient(at).T.ravel()
        bent = np.full((self.coef.shape[1], self.coef.shape[0] + self.free_intercept), self.penalty.alpha)
        bent[:, self.coef.shape[0] :] = 0.0
        H[np.diag_indices_from(H)] += bent.ravel()
        length = np.sqrt(np.maximum(H.diagonal(), np.finfo(float).tiny))
        values, V = linalg.eigh(H / np.outer(length, length))
        along = V.T @ (g / length)
        keep = values > len(g) * np.finfo(float).eps * values.max(initial=0.0)
        alone = float(np.max((g / length) ** 2, initial=0.0))
        return 0.5 * max(float(np.sum(along[keep] ** 2 / values[keep])), alone)

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

    def coordinate_gain(self, at: "_Standing") -> float:
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

    def standing(self) -> "_Standing":
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
        return _Standing(moved, slope.T, misses)

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

    def gap(self, at: "_Standing") -> float:
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


class _Standing(NamedTuple):
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
