"""Scores [X 1] θ over rows, and the products with [X 1] that the derivatives of any function of them need."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property, partial

import numpy as np
from scipy import sparse

from learnable._jit.core.sparse_gram import bordered_sparse_gram, sparse_gram
from learnable._jit.core.vectors import read_only, rows_of
from learnable._jit.linear.likelihood import BernoulliLaw, PoissonLaw, slopes, thin_sums
from learnable.rows import Block, Rows, weighted_sums
from learnable.rows.arrays import ArrayRows
from learnable.rows.numbers import weight_sum
from learnable.rows.partition import ONE_THREAD_ELEMENTS
from learnable.solvers.linear.beside_look import TargetSums
from learnable.solvers.linear.column_spread import column_spread
from learnable.solvers.linear.newton import WeightedDesign

# Operations of a triangular factor of weighted rows that make a step.
AFFORDED = 1e8
# Up to this many parameters a compiled pass over dense rows gives the Hessian for little more than the gradient.
THIN = 20


class LinearScores(ABC):
    """What objectives of linear scores share; θ has one column a score, intercepts in its last row.

    Parameters
    ----------
    rows : the data.
    n_scores : columns of θ.
    intercept : whether the last row of θ is a free intercept.
    n_jobs : threads over blocks of rows.
    seen : what a look at rows that come in blocks has summed up already.

    Attributes
    ----------
    alpha : L2 level in mean-loss scaling, 0 until it is set: it often depends on `weight_sum`.
    curvature, scale : curvature of the loss at the mean, and the slope in units of which gradients are measured.
    weight_sum, target_sum : Σ w, and Σ w y where the targets are numbers.
    p, shape : number of columns of X, shape of θ.
    """

    curvature, scale = 0.25, 1.0

    def __init__(
        self, rows: Rows, n_scores: int, intercept: bool, n_jobs: int | None = None, seen: TargetSums | None = None
    ):
        self.rows, self.n_scores, self.intercept, self.alpha = rows, n_scores, intercept, 0.0
        self.n_jobs = n_jobs
        self.p = rows.n_columns
        self.shape = (self.p + intercept, n_scores)
        self._first_columns = None if seen is None else seen.columns
        if seen is None:
            self.weight_sum, self.target_sum = rows.coarser().reduce(self._block_totals, n_jobs=1)
        else:
            self.weight_sum, self.target_sum = seen.weight, seen.target
        # The last point at which a compiled pass met the Hessian on the way, and what it was.
        self._curvature_at: tuple[np.ndarray | None, np.ndarray] = (None, np.empty(0))

    @property
    def cells(self) -> int:
        """Numbers that one look at the data reads."""
        return self.rows.n_rows * self.p

    @cached_property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """(origin, spread) of every column, roughly."""
        return column_spread(self.rows, self.intercept, self._first_columns)

    @cached_property
    def _units(self) -> tuple[np.ndarray, np.ndarray]:
        """(origin of every column, size of its slope at which the objective is 1 above its minimum, roughly)."""
        origin, spread = self.columns
        return origin[:, None], np.sqrt(spread**2 + self.alpha / self.curvature)[:, None]

    def weighted_design(self, theta: np.ndarray) -> WeightedDesign | None:
        """That of tables of few cells in memory; None where nothing bends that is steep."""
        parameters = theta.size
        if not self._are_few():
            return None

        def of_block(block: Block) -> np.ndarray:
            weight = 1.0 if block.weight is None else block.weight[:, None]
            roots, s = self._roots(block, theta)
            Z = self._with_ones(block)
            A = np.einsum("ikl,ij->iklj", roots, Z).reshape(len(Z), self.n_scores, parameters)
            share = np.sqrt(weight / self.weight_sum)
            return np.reshape(share, (-1, 1, 1)) * np.concatenate([A, s[..., np.newaxis]], axis=2)

        with np.errstate(all="ignore"):
            found = self.rows.concatenate(of_block, n_jobs=self.n_jobs).reshape(-1, parameters + 1)
        if not np.isfinite(found).all():
            return None
        held = self._held()
        ridge = np.zeros((self.n_scores, self.shape[0]))
        ridge[:, : self.p] = np.sqrt(self.alpha)
        penalised = np.diag(ridge.ravel())[ridge.ravel() > 0.0]
        A = np.vstack([found[:, :-1], penalised, held])
        s = np.concatenate([found[:, -1], penalised @ theta.T.ravel(), np.zeros(len(held))])
        return WeightedDesign(A, s, held)

    def bend(self, theta: np.ndarray, direction: np.ndarray) -> float:
        """dᵀ∇²J(θ) d as a sum of squares."""

        def squares(block: Block) -> float:
            moved = np.einsum("ikl,il->ik", self._roots(block, theta)[0], self._scores(block, direction))
            each = np.einsum("ik,ik->i", moved, moved)
            return float(each.sum() if block.weight is None else block.weight @ each)

        loss = self.rows.reduce(squares, n_jobs=self.n_jobs) / self.weight_sum
        return loss + self.alpha * float(np.sum(direction[: self.p] ** 2))

    @abstractmethod
    def _roots(self, block: Block, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """B (n, K, K) and u (n, K): BᵀB is the Hessian of a loss in its scores and Bᵀu its gradient."""

    def _are_few(self) -> bool:
        """Whether a triangular factor of the rows is affordable."""
        few = self.rows.n_rows * self.n_scores * int(np.prod(self.shape)) ** 2 <= AFFORDED
        return few and isinstance(self.rows, ArrayRows)

    def _with_ones(self, block: Block) -> np.ndarray:
        """[X 1]."""
        X = block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X, dtype=float)
        return np.column_stack([X, np.ones(len(X))]) if self.intercept else X

    def _held(self) -> np.ndarray:
        """Orthonormal rows that hold still what neither the losses nor the penalty do."""
        return np.zeros((0, int(np.prod(self.shape))))

    def norm(self, gradient: np.ndarray) -> float:
        """The largest slope, measured as if every column had mean 0 and deviation 1: it does not change with units."""
        origin, unit = self._units
        slopes = gradient[: self.p] - origin * gradient[self.p] if self.intercept else gradient
        largest = float(np.abs(slopes / unit).max(initial=0.0))
        return (
            max(largest, float(np.abs(gradient[self.p]).max())) / self.scale if self.intercept else largest / self.scale
        )

    def norm_of_gain(self, gain: float) -> float:
        """The norm of a gradient along which a Newton step takes this much off the objective."""
        return float(np.sqrt(2.0 * self.curvature * max(gain, 0.0))) / self.scale

    def least(self, norm: float) -> float:
        """A size of the raw gradient that is sure to have at most this norm."""
        return norm * self.scale * min(1.0, float(self._units[1].min(initial=1.0)))

    def _block_totals(self, block: Block) -> tuple[float, float]:
        """(Σ w, Σ w y) of a block."""
        return weight_sum(block), 0.0

    def __getstate__(self) -> dict:
        """A copy sent to another process takes no rows along: the blocks it will meet are there already."""
        return vars(self) | {"rows": None}

    def _computed_once(self, function: Callable[[Block], np.ndarray]) -> Callable[[Block], np.ndarray]:
        """The same function, whose results, of one entry a row, are computed now and kept for rows in memory."""
        if not isinstance(self.rows, ArrayRows):
            return function
        kept = self.rows.concatenate(function, n_jobs=self.n_jobs)
        return lambda block: kept[block.start : block.stop]

    def _compiled_sums(
        self,
        law: BernoulliLaw | PoissonLaw,
        theta: np.ndarray,
        targets: Callable[[Block], np.ndarray],
        offset: np.ndarray | None = None,
    ) -> tuple[float, np.ndarray]:
        """(Σ w ℓ, its gradient) of one score, every row read once; keeps the Hessian where that comes with it."""
        of_block = _thin_block if self.shape[0] <= THIN else _block_slopes
        sums = partial(of_block, law=law, theta=theta[:, 0].copy(), targets=targets, offset=offset)
        n_jobs = 1 if self.rows.n_rows * self.p <= ONE_THREAD_ELEMENTS else self.n_jobs
        loss, gradient, *curvature = self.rows.coarser().reduce(sums, n_jobs=n_jobs)
        if curvature:
            self._curvature_at = theta, curvature[0]
        return loss, gradient[:, None]

    def _scores(self, block: Block, theta: np.ndarray) -> np.ndarray:
        coef = theta[: self.p]
        # BLAS is quicker with the few scores first.
        scores = np.asarray(block.X @ coef) if sparse.issparse(block.X) else (coef.T @ block.X.T).T
        return scores + theta[self.p] if self.intercept else scores

    def _back(self, block: Block, pull: np.ndarray) -> np.ndarray:
        """[X 1]ᵀ pull."""
        gradient = np.empty((self.shape[0], pull.shape[1]))
        gradient[: self.p] = weighted_sums(pull.T, block.X).T
        if self.intercept:
            gradient[self.p] = pull.sum(axis=0)
        return gradient

    def _weighted_gram(self, X, h: np.ndarray) -> np.ndarray:
        """[X 1]ᵀ diag(h) [X 1] for h ≥ 0: scaled by √h so that a symmetric product serves."""
        if sparse.issparse(X):
            return self._signed_gram(X, h)
        Z = X * np.sqrt(h)[:, None]
        return self._bordered(Z.T @ Z, X, h)

    def _signed_gram(self, X, h: np.ndarray) -> np.ndarray:
        if not sparse.issparse(X):
            return self._bordered(X.T @ (X * h[:, None]), X, h)
        gram = np.zeros((self.shape[0], self.shape[0]))
        add_up = bordered_sparse_gram if self.intercept else sparse_gram
        add_up(rows_of(X.astype(float, copy=False)), np.ascontiguousarray(h, dtype=float), gram)
        return gram

    def _bordered(self, inner: np.ndarray, X, h: np.ndarray) -> np.ndarray:
        if not self.intercept:
            return inner
        gram = np.empty(self.shape[:1] * 2)
        gram[:-1, :-1] = inner
        gram[:-1, -1] = gram[-1, :-1] = weighted_sums(h, X)
        gram[-1, -1] = h.sum()
        return gram


def _thin_block(block: Block, law, theta: np.ndarray, targets, offset) -> tuple[float, np.ndarray, np.ndarray]:
    """Σ w ℓ over a block, its gradient and its Hessian."""
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    X = read_only(np.ascontiguousarray(X, dtype=float))
    gradient, hessian = np.zeros(len(theta)), np.zeros((len(theta), len(theta)))
    return thin_sums(law, X, *_by_row(block, targets, offset), theta, gradient, hessian), gradient, hessian


def _block_slopes(block: Block, law, theta: np.ndarray, targets, offset) -> tuple[float, np.ndarray]:
    """Σ w ℓ over a block and its gradient; kernels read single precision as it is, and add up in double."""
    rows = rows_of(block.X if block.X.dtype == np.float32 else block.X.astype(float, copy=False))
    gradient = np.zeros(len(theta))
    return slopes(law, rows, *block.X.shape, *_by_row(block, targets, offset), theta, gradient), gradient


def _by_row(block: Block, targets, offset: np.ndarray | None) -> Iterator[np.ndarray]:
    """Targets, weights and offsets as kernels read them; empty where there are none."""
    nothing = np.empty(0)
    weight = nothing if block.weight is None else block.weight
    known = nothing if offset is None else offset[block.start : block.stop]
    return (read_only(np.ascontiguousarray(part, dtype=float)) for part in (targets(block), weight, known))
