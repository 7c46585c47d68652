"""Generalised linear regression: vanishing gradient, balance, duality gap, existence. Syllabus: C7, C8, O6, R1."""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.certify import certifies
from learnable.certificates.claim import Claim
from learnable.problems import links, losses
from learnable.problems.glm import GLM, model_of, slope_range
from learnable.rows import Block, as_rows, weighted_sums

# The rank of more columns than this is not looked for.
MOST_COLUMNS = 1200


@certifies("GeneralizedLinearRegressor", "PoissonRegressor", "GammaRegressor")
def glm_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, coefficients, family, link, alpha) prove; an offset of the fit is read from `offset_`."""
    fit = _Fit(model, as_rows(X, y, sample_weight))
    at = fit.first_pass()
    gradient = fit.gradient(at)
    largest = float(np.abs(gradient).max(initial=0.0)) if np.isfinite(at.loss) else np.inf
    # Beyond the tolerance, what the rounding of scores and coefficients alone may leave is granted.
    bound = model.tol if largest <= model.tol or not np.isfinite(largest) else max(model.tol, fit.rounding())
    claims = [
        Claim.at_most(
            "C7",
            "the gradient of mean deviance / 2 + penalty vanishes (largest entry), so "
            + ("the convex objective is minimal" if fit.glm.convex else "the point is stationary; there may be others"),
            largest,
            bound,
        )
    ]
    if fit.glm.canonical and fit.free_intercept:
        # With the canonical link a slope is prediction minus target.
        claims.append(Claim.at_most("C7", "balance: mean prediction minus mean target", abs(at.miss), bound))
    if fit.has_dual:
        primal = at.loss + 0.5 * fit.alpha * float(fit.coef @ fit.coef)
        claims.append(
            Claim.disclosure(
                "O6",
                "duality gap: the objective is above its minimum by at most",
                max(primal - fit.dual_value(at), 0.0),
            )
        )
    if fit.alpha == 0.0:
        claims += fit.existence()
    return claims


class _Pass(NamedTuple):
    """Weighted means over the rows at the answer, and the slope u of every row's loss."""

    loss: float
    miss: float
    edges: np.ndarray
    slopes: np.ndarray
    by_row: list[np.ndarray]

    @property
    def slope(self) -> np.ndarray:
        return self.slopes[:, 0]


class _Fit:
    """Sums over rows at one fitted answer."""

    def __init__(self, model, rows):
        self.rows, self.glm, self.alpha = rows, _glm_of(model), float(model.alpha)
        self.eps = np.finfo(np.asarray(model.coef_).dtype).eps
        self.coef = np.asarray(model.coef_, dtype=float)
        self.intercept = float(model.intercept_)
        self.free_intercept = model.fit_intercept
        self.offset = getattr(model, "offset_", None)
        self.total = rows.coarser().reduce(lambda block: float(_weights(block).sum()))
        self.has_dual = self.alpha > 0.0 and type(self.glm.loss) in losses.conjugate.bodies

    def _rows_of(self, block: Block):
        """(targets, linear predictors, offsets, weights that sum to one over all rows)."""
        offset = 0.0 if self.offset is None else self.offset[block.start : block.stop]
        f = np.asarray(block.X @ self.coef) + self.intercept + offset
        return np.asarray(block.y, dtype=float), f, offset, _weights(block) / self.total

    def first_pass(self) -> _Pass:
        """Everything that needs X. The slopes Xᵀ(w∘v) for v = u, 1 and the edges of the range of u serve the dual."""

        def sums(block):
            y, f, _, weight = self._rows_of(block)
            with np.errstate(all="ignore"):
                loss, u = losses.value(self.glm.loss, y, f), losses.gradient(self.glm.loss, y, f)
            pull, edges = [u], np.zeros(2)
            if self.has_dual:
                # An open side is open for every row, whatever its weight.
                ranges = [edge if np.isfinite(edge[0]) else None for edge in slope_range(self.glm.loss, y)]
                edges = np.array([np.inf if edge is None else weight @ edge for edge in ranges])
                pull += [np.ones_like(u), *(np.zeros_like(u) if edge is None else edge for edge in ranges)]
            slopes = weighted_sums(weight * np.array(pull), block.X).T
            return float(weight @ loss), weight @ u, edges, slopes, [u]

        return _Pass(*self.rows.coarser().reduce(sums, _merge))

    def gradient(self, at: _Pass) -> np.ndarray:
        slope = at.slope + self.alpha * self.coef
        return np.append(slope, at.miss) if self.free_intercept else slope

    def rounding(self) -> float:
        """How far from zero the gradient may be when scores and coefficients are good to a few rounding units."""

        def sums(block):
            y, f, offset, weight = self._rows_of(block)
            X = abs(block.X)
            size = np.asarray(X @ np.abs(self.coef)) + abs(self.intercept) + np.abs(offset)
            error = np.abs(losses.curvature(self.glm.loss, y, f)) * (1.0 + size)
            error = (error + np.abs(losses.gradient(self.glm.loss, y, f))) * weight
            return weighted_sums(error, X), float(error.sum())

        by_column, overall = self.rows.reduce(sums)
        return 8.0 * self.eps * max(float((by_column + self.alpha * np.abs(self.coef)).max(initial=0.0)), overall)

    def dual_value(self, at: _Pass) -> float:
        """Dual objective at the slopes of the fitted losses, made exactly feasible.

        A free intercept asks that the slopes u sum to zero. They miss it a little; moving each towards the edge of its
        range, or away from it where the other side is open, or by a shift where both are, repairs that.
        """
        towards, factor, shift = self._repair(at)
        edge_slope = 0.0 if towards is None else at.slopes[:, 2 + towards]
        slope = edge_slope + factor * (at.slope - edge_slope) - shift * at.slopes[:, 1]
        slopes = np.concatenate(at.by_row)

        def sums(block):
            y, weight = np.asarray(block.y, dtype=float), _weights(block) / self.total
            u = slopes[block.start : block.stop]
            edge = 0.0 if towards is None else slope_range(self.glm.loss, y)[towards]
            u = edge + factor * (u - edge) - shift
            offset = 0.0 if self.offset is None else self.offset[block.start : block.stop]
            return float(weight @ (losses.conjugate(self.glm.loss, y, u) - u * offset))

        return float(-self.rows.coarser().reduce(sums) - np.sum(slope**2) / (2.0 * self.alpha))

    def _repair(self, at: _Pass) -> tuple[int | None, float, float]:
        """(which edge, factor, shift) with mean of edge + factor (u − edge) − shift equal to zero."""
        if not self.free_intercept or at.miss == 0.0:
            return None, 1.0, 0.0
        near, far = (0, 1) if at.miss > 0.0 else (1, 0)
        for side in (near, far):
            if np.isfinite(at.edges[side]) and at.miss != at.edges[side]:
                return side, at.edges[side] / (at.edges[side] - at.miss), 0.0
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
        eigenvalues = linalg.eigvalsh(G / np.outer(scale, scale))
        return int(np.count_nonzero(eigenvalues <= eigenvalues.max() * len(G) * np.finfo(float).eps))


def _glm_of(model: Any) -> GLM:
    """Family and link of an estimator, by its parameters or by its name."""
    if hasattr(model, "family"):
        return model_of(model.family, model.link)
    names = [ancestor.__name__ for ancestor in type(model).__mro__]
    return model_of("poisson" if "PoissonRegressor" in names else "gamma", "log")


def _merge(total: tuple, part: tuple) -> tuple:
    """Sums add up, lists follow each other."""
    return (*(a + b for a, b in zip(total, part)),)


def _weights(block: Block) -> np.ndarray:
    return np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)
