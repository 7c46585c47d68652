"""Penalised categorical likelihood of linear scores as sums over rows: value, gradient, Hessian, Hessian product.

J(B, b) = Σ wᵢ (−log P(yᵢ | Bᵀxᵢ + b)) / W + ½ α ‖B‖². Parameters travel as one array θ of shape (p + 1, K), intercepts
in the last row (absent when the intercept is fixed at zero).
"""

from collections.abc import Callable

import numpy as np

from learnable._jit.linear.likelihood import BernoulliLaw
from learnable.problems.linear.categorical import indicators, losses_and_probabilities, probabilities
from learnable.rows import Block, Rows
from learnable.solvers.linear.beside_look import TargetSums
from learnable.solvers.linear.linear_scores import LinearScores

# So few entries of X are added up by NumPy in half a millisecond more a fit than by a kernel, for which a first fit
# waits seconds.
FEW = 2**11


class CategoricalLikelihood(LinearScores):
    """The objective and its derivatives over `rows`.

    Parameters
    ----------
    rows : data whose y holds class indices, or labels that `encode` turns into indices.
    n_scores : 1 for two classes, K for K ≥ 3.
    intercept : whether the last row of θ is a free intercept.
    encode : labels -> indices.
    seen : what a look at rows that come in blocks has summed up already.

    Attributes
    ----------
    alpha : L2 level in mean-loss scaling, 0 until it is set: it often depends on `weight_sum`.
    weight_sum : W.
    """

    def __init__(
        self,
        rows: Rows,
        n_scores: int,
        intercept: bool,
        encode: Callable[[np.ndarray], np.ndarray] | None = None,
        n_jobs: int | None = None,
        seen: TargetSums | None = None,
    ):
        super().__init__(rows, n_scores, intercept, n_jobs, seen)
        self.encode = encode if encode is not None else lambda index: index

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J(θ) and ∇J(θ)."""
        loss, gradient = self._loss_sums(theta)
        gradient = gradient / self.weight_sum
        gradient[: self.p] += self.alpha * theta[: self.p]
        return float(loss / self.weight_sum + 0.5 * self.alpha * np.sum(theta[: self.p] ** 2)), gradient

    def _targets(self, block: Block) -> np.ndarray:
        return self.encode(np.asarray(block.y))

    def _loss_sums(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Σ of the losses and of their slopes."""
        if self.n_scores == 1 and self.rows.n_rows * self.p > FEW:
            return self._compiled_sums(BernoulliLaw(), theta, self._targets)

        def sums(block):
            scores, index = self._scores(block, theta), self.encode(block.y)
            loss, pull = losses_and_probabilities(index, scores)
            if self.n_scores == 1:
                pull -= index[:, None]
            else:
                pull[np.arange(len(pull)), index] -= 1.0
            if block.weight is not None:
                loss, pull = loss * block.weight, pull * block.weight[:, None]
            return loss.sum(), self._back(block, pull)

        return self.rows.reduce(sums, n_jobs=self.n_jobs)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇²J(θ) as a matrix over θ flattened score by score."""
        return self._penalised(self.loss_hessian(theta))

    def loss_hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇² of the mean loss alone."""
        known_at, known = self._curvature_at
        return (known if known_at is theta else self._hessian_sums(theta)) / self.weight_sum

    def _hessian_sums(self, theta: np.ndarray) -> np.ndarray:
        K, m = self.n_scores, self.shape[0]

        def block_sums(block):
            P = probabilities(self._scores(block, theta))
            weight = 1.0 if block.weight is None else block.weight
            if K == 1:
                h = P[:, 0] * (1.0 - P[:, 0]) * weight
                return self._weighted_gram(block.X, h)
            # Moving all scores alike changes nothing: the matrices of a class add up to zero.
            H = np.zeros((K, m, K, m))
            for k in range(K):
                for l in range(k):
                    shared = self._weighted_gram(block.X, P[:, k] * P[:, l] * weight)
                    H[k, :, l, :] = H[l, :, k, :] = -shared
                    H[k, :, k, :] += shared
                    H[l, :, l, :] += shared
            return H.reshape(K * m, K * m)

        return self.rows.reduce(block_sums, n_jobs=self.n_jobs)

    def _roots(self, block: Block, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        P = probabilities(self._scores(block, theta))
        pull, K = P - indicators(self._targets(block), self.n_scores), self.n_scores
        # diag(p) − ppᵀ is BᵀB, and p − e is Bᵀ (p − e)/√p, with B = diag(√p) (I − 1pᵀ).
        root = np.sqrt(P * (1.0 - P) if K == 1 else P)
        B = root[:, :, np.newaxis] * (np.eye(K) - (P[:, np.newaxis] if K > 1 else 0.0))
        return B, np.divide(pull, root, out=np.zeros_like(pull), where=pull != 0.0)

    def _held(self) -> np.ndarray:
        K, m = self.n_scores, self.shape[0]
        free = np.eye(m)[0 if self.alpha == 0.0 else self.p :] if K > 1 else np.zeros((0, m))
        return np.tile(free, K) / np.sqrt(K)

    def _penalised(self, H: np.ndarray) -> np.ndarray:
        """The Hessian of the mean loss with that of the penalty added, in place."""
        K, m = self.n_scores, self.shape[0]
        ridge = np.zeros((K, m))
        ridge[:, : self.p] = self.alpha
        H[np.diag_indices_from(H)] += ridge.ravel()
        if K > 1:
            # Adding the same vector to every class changes no probability. Curvature put along the directions that
            # nothing else holds keeps them still: the gradient has no part along them.
            held = 0 if self.alpha == 0.0 else self.p
            for row in range(held, m):
                H[row::m, row::m] += 1.0 / K
        return H

    def column_products(self) -> np.ndarray:
        """Σ wᵢ xᵢxᵢᵀ / W, the intercept's ones among the columns."""

        def block_sums(block):
            return self._weighted_gram(block.X, np.ones(block.X.shape[0]) if block.weight is None else block.weight)

        return self.rows.coarser().reduce(block_sums, n_jobs=self.n_jobs) / self.weight_sum

    def score_curvature(self, theta: np.ndarray) -> np.ndarray:
        """(K,) Σ wᵢ π_ik (1 − π_ik) / W."""

        def block_sums(block):
            P = probabilities(self._scores(block, theta))
            bent = P * (1.0 - P)
            return bent.sum(axis=0) if block.weight is None else block.weight @ bent

        return self.rows.coarser().reduce(block_sums, n_jobs=self.n_jobs) / self.weight_sum

    def hessian_product(self, theta: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """v -> ∇²J(θ) v, one pass over the rows each."""
        sums = self._product_sums(theta)

        def product(v: np.ndarray) -> np.ndarray:
            out = sums(v) / self.weight_sum
            out[: self.p] += self.alpha * v[: self.p]
            return out

        return product

    def _product_sums(self, theta: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """v -> Σ of the Hessians of the losses times v."""
        probabilities_of = self._computed_once(lambda block: probabilities(self._scores(block, theta)))
        rows = self.rows.coarser()

        def product(v: np.ndarray) -> np.ndarray:
            def block_sums(block):
                P = probabilities_of(block)
                S = self._scores(block, v)
                pull = P * S if self.n_scores > 1 else P * (1.0 - P) * S
                if self.n_scores > 1:
                    pull -= P * pull.sum(axis=1, keepdims=True)
                if block.weight is not None:
                    pull *= block.weight[:, None]
                return self._back(block, pull)

            return rows.reduce(block_sums, n_jobs=self.n_jobs)

        return product
