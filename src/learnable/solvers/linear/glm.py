"""Penalised likelihood of a generalised linear model as sums over rows: value, gradient, Hessian, Hessian product.

J(β, b) = Σ wᵢ ℓ(yᵢ, xᵢ·β + b + oᵢ) / W + ½ α ‖β‖². Parameters travel as θ of shape (p + 1, 1), the intercept last.
Syllabus: C7, O8.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy import linalg

from learnable._jit.linear.likelihood import PoissonLaw
from learnable.problems.linear import families, links, losses
from learnable.problems.linear.glm import GLM, PoissonLog, expected_curvature
from learnable.rows import Block, Rows
from learnable.rows.triangle import triangle_of
from learnable.solvers.linear.beside_look import TargetSums
from learnable.solvers.linear.linear_scores import LinearScores


class GeneralizedLikelihood(LinearScores):
    """The objective and its derivatives over `rows`.

    Parameters
    ----------
    rows : data with numbers as y.
    model : family, link and loss.
    intercept : whether the last entry of θ is a free intercept.
    alpha : L2 level.
    offset : (n,) known part of every linear predictor, or None.
    n_jobs : threads over blocks of rows.
    seen : what a look at rows that come in blocks has summed up already.
    """

    def __init__(
        self,
        rows: Rows,
        model: GLM,
        intercept: bool,
        alpha: float,
        offset: np.ndarray | None = None,
        n_jobs: int | None = None,
        seen: TargetSums | None = None,
    ):
        super().__init__(rows, 1, intercept, n_jobs, seen)
        self.model, self.alpha, self.offset = model, alpha, offset
        self.curvature, self.scale = self._at_the_mean()

    def _at_the_mean(self) -> tuple[float, float]:
        """(curvature of the loss where all predictions are the mean of y, the slope that half the null deviance makes).

        A gradient g lowers the objective by about g²/2h: relative to the null deviance this does not change with the
        units of y.
        """

        rows, family = self.rows.coarser(), self.model.family
        with np.errstate(all="ignore"):
            self.mean = mean = np.divide(self.target_sum, self.weight_sum)
            null = rows.reduce(lambda block: _sum(block, families.unit_deviance(family, _targets(block), mean)))
            h = float(expected_curvature(self.model.loss, mean, links.predictor(self.model.link, mean)))
            slope = float(np.sqrt(h * np.divide(null, self.weight_sum)))
        if not (np.isfinite(h) and np.isfinite(slope) and h > 0.0 and slope > 0.0):
            return 1.0, 1.0
        return h, slope

    def _block_totals(self, block: Block) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            return super()._block_totals(block)[0], _sum(block, _targets(block))

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J(θ) and ∇J(θ); J is +∞ where a linear predictor belongs to no mean of the family."""
        if isinstance(self.model.loss, PoissonLog):
            loss, gradient = self._compiled_sums(PoissonLaw(), theta, _targets, self.offset)
        else:
            loss, gradient = self.rows.reduce(self._block_sums(theta), n_jobs=self.n_jobs)
        gradient = gradient / self.weight_sum
        gradient[: self.p] += self.alpha * theta[: self.p]
        return float(loss / self.weight_sum + 0.5 * self.alpha * np.sum(theta[: self.p] ** 2)), gradient

    def _predictor(self, block: Block, theta: np.ndarray) -> np.ndarray:
        f = self._scores(block, theta)[:, 0]
        return f if self.offset is None else f + self.offset[block.start : block.stop]

    def _block_sums(self, theta: np.ndarray):
        def sums(block):
            # A step too long overflows on its way to being halved; that is its ordinary fate.
            with np.errstate(over="ignore", invalid="ignore"):
                f, y = self._predictor(block, theta), np.asarray(block.y, dtype=float)
                loss, pull = losses.value(self.model.loss, y, f), losses.gradient(self.model.loss, y, f)
                if block.weight is not None:
                    loss, pull = loss * block.weight, pull * block.weight
                return loss.sum(), self._back(block, pull[:, None])

        return sums

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇²J(θ) where that is sure to be positive semidefinite or turns out positive definite, else the expected one.

        Without a penalty, directions that leave every score as it is are held still: as if by an infinitely small
        ridge, so that coefficients that start at zero stay the shortest ones with their scores.
        """
        H = self._penalised(self.loss_hessian(theta))
        if self.model.convex or _is_positive_definite(H):
            return H
        return self._penalised(self._gram(theta, expected_curvature))

    def loss_hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇² of the mean loss alone."""
        known_at, known = self._curvature_at
        return known / self.weight_sum if known_at is theta else self._gram(theta, losses.curvature)

    def expected_hessian(self, theta: np.ndarray) -> np.ndarray:
        """Fisher information of the mean loss, without the penalty."""
        return self._gram(theta, expected_curvature)

    def _gram(self, theta: np.ndarray, curvature: Callable) -> np.ndarray:
        def sums(block):
            h = curvature(self.model.loss, np.asarray(block.y, dtype=float), self._predictor(block, theta))
            h = h if block.weight is None else h * block.weight
            return (self._weighted_gram if h.min() >= 0.0 else self._signed_gram)(block.X, h)

        return self.rows.reduce(sums, n_jobs=self.n_jobs) / self.weight_sum

    def _roots(self, block: Block, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f, y = self._predictor(block, theta), np.asarray(block.y, dtype=float)
        curvature = losses.curvature if self.model.convex else expected_curvature
        root, pull = np.sqrt(curvature(self.model.loss, y, f)), losses.gradient(self.model.loss, y, f)
        u = np.divide(pull, root, out=np.zeros_like(pull), where=pull != 0.0)
        return root[:, np.newaxis, np.newaxis], u[:, np.newaxis]

    def _held(self) -> np.ndarray:
        if self.alpha > 0.0:
            return super()._held()
        return np.pad(self.unidentified.T, ((0, 0), (0, self.shape[0] - self.p)))

    def _penalised(self, H: np.ndarray) -> np.ndarray:
        if not np.isfinite(H).all():
            j = int(np.argmin(np.isfinite(H.diagonal())))
            raise ArithmeticError(f"the squares of column {j} of X overflow; rescale that column")
        if self.alpha > 0.0:
            H.flat[: self.p * (len(H) + 1) : len(H) + 1] += self.alpha
        elif self.unidentified.size:
            H[: self.p, : self.p] += H.diagonal().max() * (self.unidentified @ self.unidentified.T)
        return H

    @cached_property
    def unidentified(self) -> np.ndarray:
        """(p, k): the coefficients' part of a basis of the directions θ that leave every score as it is."""

        def sums(block):
            weight = np.ones(block.X.shape[0]) if block.weight is None else np.asarray(block.weight, dtype=float)
            return self._weighted_gram(block.X, weight)

        G = self.rows.reduce(sums, n_jobs=self.n_jobs)
        # Columns are compared at equal length, so that a column in small units is not taken for none at all.
        length = np.sqrt(G.diagonal())
        scale = np.where(length > 0.0, length, 1.0)
        eigenvalues, V = linalg.eigh(G / np.outer(scale, scale))
        eps = np.finfo(float).eps
        none = eigenvalues <= eigenvalues.max(initial=0.0) * len(G) * eps
        if none.any() and self._are_few():
            # Squares tell nothing of columns that are 1e-8 from each other, the rows do.
            _, d, Vt = linalg.svd(triangle_of(self._weighted_rows() / scale))
            d, V = np.pad(d, (0, len(G) - len(d))), Vt.T
            none = d <= max(self.rows.n_rows, len(G)) * eps * d[0]
        null = V[:, none] / scale[:, None]
        return linalg.qr(null, mode="economic")[0][: self.p]

    def _weighted_rows(self) -> np.ndarray:
        """√w [X 1]."""

        def of_block(block: Block) -> np.ndarray:
            Z = self._with_ones(block)
            return Z if block.weight is None else Z * np.sqrt(block.weight)[:, np.newaxis]

        return self.rows.concatenate(of_block, n_jobs=self.n_jobs)

    def hessian_product(self, theta: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """v -> H v, one pass over the rows each, with the expected curvature where the loss is not convex."""
        curvature = losses.curvature if self.model.convex else expected_curvature

        def weighted(block: Block) -> np.ndarray:
            h = curvature(self.model.loss, np.asarray(block.y, dtype=float), self._predictor(block, theta))
            return h if block.weight is None else h * block.weight

        curvature_of = self._computed_once(weighted)

        def product(v: np.ndarray) -> np.ndarray:
            def sums(block):
                return self._back(block, curvature_of(block)[:, None] * self._scores(block, v))

            out = self.rows.reduce(sums, n_jobs=self.n_jobs) / self.weight_sum
            out[: self.p] += self.alpha * v[: self.p]
            return out

        return product

    def start(self) -> np.ndarray:
        """A point of finite J: no effects and the intercept at the mean target; least squares without an intercept.

        Raises
        ------
        ValueError
            When the mean target is none of the family's means, so that no intercept is best, or when no start is found.
        """
        theta = np.zeros(self.shape)
        if self.intercept:
            theta[self.p] = links.predictor(self.model.link, self._mean_target()) - self._usual_offset()
            return theta
        if np.isfinite(self.value_and_gradient(theta)[0]):
            return theta
        theta = self._least_squares_start()
        if not np.isfinite(self.value_and_gradient(theta)[0]):
            raise ValueError(
                f"no coefficients were found for which every mean is one of family {_name(self.model.family)} with "
                f"link {_name(self.model.link)}; use fit_intercept=True or link='log'"
            )
        return theta

    def _mean_target(self) -> float:
        mean = self.mean
        (low, high), (low_link, high_link) = families.mean_range(self.model.family), links.domain(self.model.link)
        if not max(low, low_link) < mean < min(high, high_link):
            raise ValueError(
                f"the mean of y is {mean:g}, which no finite intercept gives in family {_name(self.model.family)} with "
                f"link {_name(self.model.link)}; use fit_intercept=False with alpha > 0, or another link"
            )
        return mean

    def _usual_offset(self) -> float:
        if self.offset is None:
            return 0.0
        # Where the predictor must be positive, the intercept alone makes it so for the smallest offset.
        return float(self.offset.min() if self.model.positive else self.offset.mean())

    def _least_squares_start(self) -> np.ndarray:
        """Least squares on the predictors of targets that are pulled a little to their mean, into the link's domain."""
        mean = self._mean_target()

        def sums(block):
            f = links.predictor(self.model.link, 0.9 * np.asarray(block.y, dtype=float) + 0.1 * mean)
            if self.offset is not None:
                f = f - self.offset[block.start : block.stop]
            weight = np.ones(len(f)) if block.weight is None else np.asarray(block.weight, dtype=float)
            return self._weighted_gram(block.X, weight), self._back(block, (weight * f)[:, None])

        G, right = self.rows.reduce(sums, n_jobs=self.n_jobs)
        return linalg.lstsq(G, right)[0]


def _targets(block: Block) -> np.ndarray:
    return np.asarray(block.y)


def _is_positive_definite(H: np.ndarray) -> bool:
    return linalg.lapack.dpotrf(H, lower=1)[1] == 0


def _name(kind) -> str:
    return repr(type(kind).__name__.lower())


def _sum(block: Block, values: np.ndarray) -> float:
    return float(values.sum() if block.weight is None else np.dot(block.weight, values))
