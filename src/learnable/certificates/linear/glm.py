"""Generalised linear regression: vanishing gradient, balance, duality gap, existence. Syllabus: C7, C8, O6, R1."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.one_reading import scores_and_sums
from learnable.certificates.core.origin import asked_of, is_ours
from learnable.certificates.core.reported import reported
from learnable.certificates.linear.newton_gain import AFFORDED, MOST_LOST, TRUSTED, factored_gain, triangle_of
from learnable.certificates.sparse.answer import brought_near
from learnable.problems.linear import families, links, losses
from learnable.problems.linear.glm import ENTROPIC, GLM, PoissonLog, expected_curvature, model_of, slope_range
from learnable.rows import Block, as_rows
from learnable.rows.arrays import ArrayRows

# How far above its minimum the objective may be, in units of the deviance of the mean.
RELATIVE_GAP = 1e-7
# The same of a Newton step, which bounds more closely and costs more: `certify` asks it of the fits of this library.
# Linear predictors are off by about the square root of this. Between the two an answer is neither proved nor refuted.
CLOSE, NOT_CLOSE = 1e-12, 1e-8
# The same beside how far scores differ, and what rounding may be of that: a hundredth.
BESIDE_OWN, MOST_LOST_SCORES = 1e-6, 1e-4
# Where rounding alone is a larger share of that than this, it is not made allowance for.
MOST_ROUNDING = 1e-3
# The rank of more columns than this is not looked for.
MOST_COLUMNS = 1200
# Units in the last place by which scores that say the same may differ.
FEW, EPS = 64.0, float(np.finfo(float).eps)
# Whole numbers below this are counted before a logarithm is taken of each.
SMALL_COUNTS = 1000


@certifies(
    "GeneralizedLinearRegressor", "PoissonRegressor", "GammaRegressor",
    ledger=Ledger(("coef_", "intercept_"), derived=("offset_",), unverified=("n_iter_",), sometimes=("offset_",)),
)  # fmt: skip
def glm_claims(model: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> list[Claim]:
    """What (data, coefficients, family, link, alpha, offset) prove, in units of the deviance of the mean.

    With a penalty and a dual, the duality gap bounds how far the objective is above its minimum; otherwise the Newton
    decrement says how much a step would gain.
    """
    if offset is None and hasattr(model, "offset_"):
        statement = "the offset of the fit is part of its data: give it to certify(..., offset=...) (1: missing)"
        return [Claim.reached("C7", statement, 1.0, 0.0, asked=1.0)]
    centre = np.zeros(np.shape(model.coef_))
    # scikit-learn's Newton steps keep in double what losses in single precision told.
    single = not is_ours(model) and {_dtype(X), _dtype(y)} == {np.dtype(np.float32)}
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiu" and np.shape(model.coef_) == X.shape[1:]:
        X, centre = brought_near(X, None, model.fit_intercept)
    fit = _Fit(model, as_rows(X, y, sample_weight), offset, centre, single)
    at = fit.first_pass()
    if not np.isfinite(at.loss):
        return [Claim.at_most("C7", "the objective at the answer", np.inf, 0.0)]
    null = fit.unit(at)
    bound, asked = allowed(RELATIVE_GAP), asked_of(model)
    if not is_ours(model) and fit.eps > EPS:
        asked = max(asked, MOST_ROUNDING)
    claims, above, how = [], np.inf, "what a Newton step would take off"
    if fit.has_dual:
        primal = at.loss + 0.5 * fit.alpha * float(fit.coef @ fit.coef)
        above, how = max(primal - fit.dual_value(at), 0.0), "duality gap"
        claims.append(Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", above))
    # Rounding of scores and coefficients leaves a gradient, and that a decrement, of its own.
    few = thorough() and len(fit.coef) < MOST_COLUMNS
    closely = few and is_ours(model)
    gain, rounding = np.inf, 0.0
    if few or not above <= bound * null:
        gain, floor = fit.decrement(at)
        rounding = min(floor / null, MOST_ROUNDING)
        # What is lost in rounding is left open; and what cross-products do not see, of our fits up to the first bound.
        if fit.seen <= max(asked, NOT_CLOSE) * null:
            asked = max(asked, RELATIVE_GAP) if is_ours(model) else np.inf
        asked = max(asked, min(fit.turned / null, MOST_LOST))
    if not above <= bound * null:
        if gain < above:
            above, how = gain, "what a Newton step would take off"
        bound = max(bound, rounding)
    what = "the convex objective is minimal" if fit.glm.convex else "the point is stationary, and there may be others"
    claims.insert(0, Claim.reached("C7", f"{what}: {how} (of the deviance of the mean)", above / null, bound, asked))
    if closely:
        statement = "what one more Newton step would take off (of the deviance of the mean)"
        claims.append(Claim.reached("C7", statement, gain / null, max(allowed(CLOSE), rounding), max(asked, NOT_CLOSE)))
    if few and (own := fit.own + fit.moved) > floor:
        # A strong penalty leaves scores that differ by next to nothing beside the deviance of the mean.
        statement = "what one more Newton step would move the scores, beside how far they differ"
        most = max(BESIDE_OWN, min(floor / own, MOST_LOST_SCORES))
        claims.append(Claim.reached("C7", statement, fit.moved / own, most, asked=np.inf))
    if not fit.glm.convex and fit.free_intercept and offset is None:
        # Where a link levels off, every slope vanishes, however bad the fit.
        above, statement = fit.above_the_mean(at), "the objective is above that of the mean alone by"
        claims.append(Claim.reached("C7", f"{statement} (of its deviance)", above / null, bound, asked=np.inf))
    if fit.glm.canonical and fit.free_intercept:
        # With the canonical link a slope is prediction minus target.
        size = max(fit.mean_size, np.finfo(float).tiny)
        claims.append(
            Claim.reached(
                "C7", "balance: mean prediction minus mean target (relative)", abs(at.miss) / size, 1e-3, asked
            )
        )
    if fit.alpha == 0.0:
        claims += fit.existence()
    if hasattr(model, "offset_") or (is_ours(model) and offset is not None and np.any(offset)):
        claims.append(reported("C7", "offset_", model.offset_, offset))
    if hasattr(model, "_base_loss"):
        other = type(model._base_loss) is not type(model._get_loss())
        claims.append(Claim.at_most("C7", "the loss whose link predicts is another (1: it is)", other, 0.0))
    return claims


class _Pass(NamedTuple):
    """Weighted means over the rows at the answer, and the slope u of every row's loss.

    Attributes
    ----------
    loss, miss : means of the losses and of u.
    null : half the mean deviance of the best constant.
    reach : without an intercept, half the mean deviance of the answer, or its mean curvature if that is less; else 0.
    conjugate : mean of ℓ*(u) = u f − ℓ, u being the slope at f.
    edges : means of the ends of the range of u, infinite where it is open.
    slopes : (k, p) Xᵀ(w∘v) for v = u and then, where a dual needs them, the finite ends, or 1 where there are none.
    by_row : u, of rows in memory; of others it is computed again where they are.
    """

    loss: float
    null: float
    reach: float
    miss: float
    conjugate: float
    edges: np.ndarray
    slopes: np.ndarray
    by_row: np.ndarray | None


class _Fit:
    """Sums over rows at one fitted answer."""

    def __init__(self, model, rows, offset, centre, single):
        self.rows, self.glm, self.alpha = rows, _glm_of(model), float(model.alpha)
        self.eps = np.finfo(np.float32 if single else np.asarray(model.coef_).dtype).eps
        self.coef = np.asarray(model.coef_, dtype=float)
        # That of the columns about their centre; the one that was kept is further off, and rounded by as much.
        self.intercept = float(model.intercept_) + float(centre @ self.coef)
        self.away = abs(self.intercept) + 2.0 * float(np.abs(centre) @ np.abs(self.coef))
        self.free_intercept = model.fit_intercept
        self.offset = None if offset is None else np.asarray(offset, dtype=float)
        self.total, self.mean, self.mean_size = self._targets()
        self.has_dual = self.alpha > 0.0 and type(self.glm.loss) in losses.conjugate.bodies
        # Of a decrement: what rounding may add to it, and what cross-products see where they do not see all.
        self.turned, self.seen = 0.0, np.inf
        # ½ βᵀHβ with the H of the loss alone, the intercept aside, and what a step of Newton's moves of it.
        self.own, self.moved = 0.0, np.inf

    def _targets(self) -> tuple[float, float, float]:
        """(sum of the weights, weighted mean of the targets, that of their sizes)."""

        def sums(block):
            y, weight = _numbers(block), _weights(block)
            signed = weight @ y
            return np.array([weight.sum(), signed, signed if y.min(initial=0.0) >= 0.0 else weight @ np.abs(y)])

        total, signed, sizes = self.rows.coarser(16).briefly(sums)
        return total, signed / total, sizes / total

    def _rows_of(self, block: Block):
        """(targets, linear predictors, offsets, weights that sum to one over all rows)."""
        offset = self._offset_of(block)
        f = np.asarray(block.X @ self.coef) + self.intercept + offset
        return np.asarray(block.y, dtype=float), f, offset, _weights(block) / self.total

    def _offset_of(self, block: Block) -> np.ndarray | float:
        return 0.0 if self.offset is None else self.offset[block.start : block.stop]

    def first_pass(self) -> _Pass:
        """Everything that needs X."""
        by_row = np.empty(self.rows.n_rows) if isinstance(self.rows, ArrayRows) else None

        def sums(block):
            y, weight = _numbers(block), _weights(block) / self.total
            known, edges = [], np.full(2, np.inf)
            if self.has_dual and self.free_intercept:
                ends = slope_range(self.glm.loss, y)
                # An open side is open for every row, whatever its weight.
                for side in (side for side in (0, 1) if np.isfinite(ends[side][0])):
                    known.append(weight * ends[side])
                    edges[side] = weight @ ends[side]
                known = known or [weight]
            u = np.empty(len(y)) if by_row is None else by_row[block.start : block.stop]
            pulls = np.empty_like(u)

            def pull(scores, rows):
                u[rows] = losses.gradient(self.glm.loss, y[rows], scores)
                return np.multiply(weight[rows], u[rows], out=pulls[rows])

            with np.errstate(all="ignore"):
                fixed = self.intercept + self._offset_of(block)
                f, slopes = scores_and_sums(block.X, self.coef, fixed, pull, np.reshape(known, (-1, len(y))))
                loss = float(weight @ self._values(y, f, u))
                conjugate = float(pulls @ f) - loss
                null = 0.5 * self._deviance_of_mean(y, weight)
                reach = np.zeros(2) if self.free_intercept else self._reach(y, f, weight)
            return loss, null, reach, float(pulls.sum()), conjugate, edges, slopes

        loss, null, reach, miss, conjugate, edges, slopes = self.rows.coarser(16).briefly(sums)
        return _Pass(loss, null, float(reach.min()), miss, conjugate, edges, slopes, by_row)

    def _deviance_of_mean(self, y: np.ndarray, weight: np.ndarray) -> float:
        """Σ w d(y, mean); of small whole numbers, such as counts, once for each of them."""
        if y.min(initial=0.0) >= 0.0 and y.max(initial=0.0) < SMALL_COUNTS:
            whole = y.astype(np.intp)
            if np.array_equal(whole, y):
                weight = np.bincount(whole, weight)
                y = np.flatnonzero(weight).astype(float)
                weight = weight[weight != 0.0]
        return float(weight @ families.unit_deviance(self.glm.family, y, self.mean))

    def _reach(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Sums of half the deviances at the answer, and of its curvatures."""
        deviance = families.unit_deviance(self.glm.family, y, links.mean(self.glm.link, f))
        return np.array([0.5 * float(weight @ deviance), float(weight @ expected_curvature(self.glm.loss, y, f))])

    def _values(self, y: np.ndarray, f: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The losses, given their slopes: an exponential is not taken twice."""
        return u + y * (1.0 - f) if isinstance(self.glm.loss, PoissonLog) else losses.value(self.glm.loss, y, f)

    def _design(self, block: Block) -> np.ndarray:
        """The columns, and ones where there is an intercept."""
        X = block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X, dtype=float)
        return np.column_stack([X, np.ones(len(X))]) if self.free_intercept else X

    def above_the_mean(self, at: _Pass) -> float:
        """By how much the objective is above that of the best constant."""

        def deviances(block):
            y, f, _, weight = self._rows_of(block)
            with np.errstate(all="ignore"):
                return 0.5 * float(weight @ families.unit_deviance(self.glm.family, y, links.mean(self.glm.link, f)))

        found = self.rows.reduce(deviances) + 0.5 * self.alpha * float(self.coef @ self.coef)
        return max(found - at.null, 0.0)

    def gradient(self, at: _Pass) -> np.ndarray:
        slope = at.slopes[0] + self.alpha * self.coef
        return np.append(slope, at.miss) if self.free_intercept else slope

    def decrement(self, at: _Pass) -> tuple[float, float]:
        """(½ gᵀH⁻¹g with the expected curvature H, what rounding alone may make of it)."""

        def sums(block):
            y, f, offset, weight = self._rows_of(block)
            Z = self._design(block)
            with np.errstate(all="ignore"):
                h = weight * expected_curvature(self.glm.loss, y, f)
                size = np.abs(Z[:, : len(self.coef)]) @ np.abs(self.coef) + self.away + np.abs(offset)
                error = h * (1.0 + size) + weight * np.abs(losses.gradient(self.glm.loss, y, f))
            return Z.T @ (h[:, None] * Z), error @ np.abs(Z)

        H, error = self.rows.reduce(sums)
        p = len(self.coef)
        self.own = 0.5 * float(self.coef @ H[:p, :p] @ self.coef)
        if self.free_intercept and H[p, p] > 0.0:
            self.own = max(self.own - 0.5 * float(H[p, :p] @ self.coef) ** 2 / float(H[p, p]), 0.0)
        H[np.diag_indices(p)] += self.alpha
        length = np.sqrt(np.maximum(H.diagonal(), np.finfo(float).tiny))
        values, V = linalg.eigh(H / np.outer(length, length))
        keep = values > len(H) * np.finfo(float).eps * values.max(initial=0.0)

        g = self.gradient(at) / length
        along = V[:, keep].T @ g
        # One coefficient alone gains no more, but where nothing bends.
        alone = 0.5 * float(np.max(g**2, initial=0.0))
        gain = max(0.5 * float(np.sum(along**2 / values[keep])), alone)
        step = (V[:, keep] @ (along / values[keep]) / length)[:p]
        self.moved = max(gain - 0.5 * self.alpha * float(step @ step), 0.0)
        floor = float(0.5 * np.sum((16.0 * self.eps * error / length) ** 2))
        if values[0] >= TRUSTED * values[-1] or self.rows.n_rows * len(H) ** 2 > AFFORDED:
            return gain, floor
        found, self.turned = factored_gain(self._factor(), self.rows.n_rows)
        self.seen, self.moved = gain, max(found, alone)
        return self.moved, floor + self.turned

    def _factor(self) -> np.ndarray:
        """The triangular factor of (A, s) with AᵀA the expected curvature and Aᵀs the gradient."""

        def of_block(block: Block) -> np.ndarray:
            y, f, _, weight = self._rows_of(block)
            Z = self._design(block)
            with np.errstate(all="ignore"):
                root = np.sqrt(weight * expected_curvature(self.glm.loss, y, f))
                pull = weight * losses.gradient(self.glm.loss, y, f)
                s = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0.0)
            return triangle_of(np.column_stack([root[:, None] * Z, s]))

        p = len(self.coef)
        held = np.zeros((p, p + self.free_intercept + 1))
        held[:, :p], held[:, -1] = np.sqrt(self.alpha) * np.eye(p), np.sqrt(self.alpha) * self.coef
        return triangle_of(self.rows.reduce(of_block, triangle_of), held)

    def unit(self, at: _Pass) -> float:
        """What the loss is measured by: half the mean deviance of the best constant.

        Without an intercept no constant need be within reach: where more is left than that, its own share counts.
        """
        # Targets that hardly vary: rounding of their own size, or that of scores in the type of the coefficients, is
        # all there is to explain; zeros have no size. A gamma deviance has no unit.
        size = 1.0 if isinstance(self.glm.family, families.Gamma) else abs(self.mean)
        with np.errstate(all="ignore"):
            far = 1.0 + abs(float(links.predictor(self.glm.link, np.float64(self.mean))))
        blurred = 0.5 * (FEW * self.eps * far) ** 2 if np.isfinite(far) else 0.0
        null = max(at.null, max(EPS, blurred) * size)
        if np.isfinite(at.reach):
            null = max(null, at.reach)
        return null if 0.0 < null < np.inf else 1.0

    def dual_value(self, at: _Pass) -> float:
        """The dual objective, or −∞ where the slopes cannot be made feasible."""
        known, conjugates, slope = self._conjugates(at)
        if slope is None:
            return -np.inf
        with np.errstate(all="ignore"):
            rest = 0.0 if conjugates is None else self.rows.coarser(16).briefly(conjugates) / self.total
        return float(-known - rest - np.sum(slope**2) / (2.0 * self.alpha))

    def _conjugates(self, at: _Pass) -> tuple[float, Callable[[Block], float] | None, np.ndarray | None]:
        """The mean of ℓ*(u) and Xᵀ(w∘u), None if there is none, at slopes of the fitted losses made exactly feasible.

        The mean is the sum of what is known of it already and of Σ w ℓ*(u) of all blocks, where there still is that.

        A free intercept asks that the slopes u sum to zero. They miss it a little; moving each towards the edge of its
        range, or away from it where the other side is open, or by a shift where both are, repairs that.
        """
        towards, factor, shift = self._repair(at)
        slope = at.slopes[0]
        if towards is not None:
            # The open side before it has no row of its own.
            edge_slope = at.slopes[1 + np.count_nonzero(np.isfinite(at.edges[:towards]))]
            slope = edge_slope + factor * (slope - edge_slope)
        elif shift:
            if np.isfinite(at.edges).any():
                return (
                    0.0,
                    None,
                    None,
                )  # the slopes lie on the one edge there is: no move along their range repairs them
            slope = slope - shift * at.slopes[1]
        entropic = isinstance(self.glm.loss, ENTROPIC) and factor > 0.0
        if self.offset is None and shift == 0.0 and (entropic or factor == 1.0):
            apart = 0.0 if towards is None else abs(at.edges[towards] - at.miss)
            return factor * (at.conjugate + np.log(factor) * apart), None, slope

        def sums(block: Block) -> float:
            y = _numbers(block)
            if at.by_row is None:
                u = losses.gradient(self.glm.loss, y, self._rows_of(block)[1])
            else:
                u = at.by_row[block.start : block.stop]
            edge = 0.0 if towards is None else slope_range(self.glm.loss, y)[towards]
            u = edge + factor * (u - edge) - shift
            return float(_weights(block) @ (losses.conjugate(self.glm.loss, y, u) - u * self._offset_of(block)))

        return 0.0, sums, slope

    def _repair(self, at: _Pass) -> tuple[int | None, float, float]:
        """(which edge, factor, shift) with mean of edge + factor (u − edge) − shift equal to zero."""
        if not self.free_intercept or at.miss == 0.0:
            return None, 1.0, 0.0
        near, far = (0, 1) if at.miss > 0.0 else (1, 0)
        for side in (near, far):
            edge = at.edges[side]
            # Slopes that lie all but on the edge would have to be stretched beyond what rounding leaves of them.
            if np.isfinite(edge) and abs(edge - at.miss) > 1e-8 * abs(edge):
                return side, edge / (edge - at.miss), 0.0
        return None, 1.0, at.miss

    def existence(self) -> list[Claim]:
        """Without a penalty: whether an estimate exists, and whether it is the only one."""
        claims = []
        if links.domain(self.glm.link) == (0.0, 1.0):
            claims.append(
                Claim.at_most(
                    "C8",
                    "the classes are not separated by the fitted scores, so a maximum likelihood estimate can exist"
                    " (1 when separated)",
                    float(self._separates()),
                    0.0,
                )
            )
        if self.rows.n_columns <= MOST_COLUMNS:
            claims.append(
                Claim.disclosure(
                    "R1",
                    "directions of the coefficients that the data leave open (the shortest coefficients are meant)",
                    self._open_directions(),
                )
            )
        return claims

    def _separates(self) -> bool:
        """Whether the fitted scores classify every row that counts strictly correctly."""

        def worst(block):
            y, f, offset, weight = self._rows_of(block)
            margin = np.where((y == 0.0) | (y == 1.0), (2.0 * y - 1.0) * (f - offset), -np.inf)
            return np.array([np.min(margin[weight > 0.0], initial=np.inf)])

        return bool(self.rows.reduce(worst, np.minimum)[0] > 0.0)

    def _open_directions(self) -> int:
        def gram(block):
            weight = np.sqrt(_weights(block))[:, None]
            Z = block.X.multiply(weight).tocsr() if sparse.issparse(block.X) else block.X * weight
            inner = Z.T @ Z
            inner = inner.toarray() if sparse.issparse(inner) else inner
            if not self.free_intercept:
                return inner
            side = np.asarray(Z.T @ weight)
            return np.block([[inner, side], [side.T, np.sum(weight**2, keepdims=True)]])

        G = self.rows.reduce(gram)
        length = np.sqrt(G.diagonal())
        scale = np.where(length > 0.0, length, 1.0)
        eigenvalues, eps = linalg.eigvalsh(G / np.outer(scale, scale)), np.finfo(float).eps
        least = eigenvalues.max() * len(G) * eps
        if eigenvalues[0] > least or self.rows.n_rows * len(G) ** 2 > AFFORDED:
            return int(np.count_nonzero(eigenvalues <= least))

        def of_block(block: Block) -> np.ndarray:
            return triangle_of(self._design(block) * np.sqrt(_weights(block))[:, None] / scale)

        d = linalg.svdvals(self.rows.reduce(of_block, triangle_of))
        return len(G) - int(np.count_nonzero(d > max(self.rows.n_rows, len(G)) * eps * d[0]))


def _glm_of(model: Any) -> GLM:
    """Family and link of an estimator, by its parameters or by its name."""
    if hasattr(model, "family"):
        return model_of(model.family, model.link)
    names = [ancestor.__name__ for ancestor in type(model).__mro__]
    return model_of("poisson" if "PoissonRegressor" in names else "gamma", "log")


def _dtype(given: Any) -> Any:
    return getattr(given, "dtype", None)


def _numbers(block: Block) -> np.ndarray:
    return np.asarray(block.y, dtype=float)


def _weights(block: Block) -> np.ndarray:
    return np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)
