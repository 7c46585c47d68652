"""The categorical likelihood of linear scores, its sums over rows taken on a device."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from learnable.device import DeviceRows, multinomial_hessian_product, multinomial_newton, place_for
from learnable.rows import Block, Rows
from learnable.rows.arrays import ArrayRows
from learnable.solvers.linear.likelihood import CategoricalLikelihood


class DeviceLikelihood(CategoricalLikelihood):
    """`CategoricalLikelihood` whose sums are taken on a device; the penalty and the steps are made here.

    Rows in memory are held on the device. Blocks of files and of a cluster are sent as they come, each to the device
    that the name means where the block is.

    Parameters
    ----------
    rows, n_scores, intercept, encode, n_jobs : as in `CategoricalLikelihood`.
    device : its name.
    """

    def __init__(
        self,
        rows: Rows,
        n_scores: int,
        intercept: bool,
        encode: Callable[[np.ndarray], np.ndarray] | None,
        n_jobs: int | None,
        device: str,
    ):
        super().__init__(rows, n_scores, intercept, encode, n_jobs)
        self.device = device
        self.held = self._sent(rows.whole()) if isinstance(rows, ArrayRows) else None

    def _sent(self, block: Block) -> tuple[DeviceRows, Any]:
        """The rows of a block on the device, and their classes."""
        X = block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X)
        place = place_for(self.device, 2.0 * X.size * self.n_scores, X.nbytes)
        return DeviceRows(X, place, weight=block.weight), place.put_index(self._targets(block))

    def _summed(self, sums: Callable[[DeviceRows, Any], Any]) -> Any:
        if self.held is not None:
            return sums(*self.held)
        return self.rows.reduce(lambda block: sums(*self._sent(block)), n_jobs=self.n_jobs)

    def _loss_sums(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        coef, intercept = self._classwise(theta)

        def sums(rows: DeviceRows, classes: Any) -> tuple[float, np.ndarray]:
            parts = multinomial_newton(rows, classes, coef, intercept)
            return parts.loss * rows.total, self._own(parts.gradient) * rows.total

        return self._summed(sums)

    def _hessian_sums(self, theta: np.ndarray) -> np.ndarray:
        coef, intercept = self._classwise(theta)
        K, m = len(coef), self.shape[0]

        def sums(rows: DeviceRows, classes: Any) -> np.ndarray:
            parts = multinomial_newton(rows, classes, coef, intercept, hessian=True)
            H = np.asarray(parts.hessian).reshape(K, self.p + 1, K, self.p + 1)[:, :m, :, :m]
            H = H[1:, :, 1:] if self.n_scores == 1 else H
            return H.reshape(m * self.n_scores, -1) * rows.total

        return self._summed(sums)

    def _product_sums(self, theta: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        coef, intercept = self._classwise(theta)

        def product(v: np.ndarray) -> np.ndarray:
            direction = np.column_stack(self._classwise(v))
            return self._summed(
                lambda rows, _: self._own(multinomial_hessian_product(rows, coef, intercept, direction)) * rows.total
            )

        return product

    def _classwise(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (K, p) and intercepts (K,) of every class; of two, the first scores 0."""
        intercepts = theta[self.p] if self.intercept else np.zeros(self.n_scores)
        if self.n_scores > 1:
            return theta[: self.p].T, intercepts
        return np.vstack([np.zeros(self.p), theta[: self.p].T]), np.append(0.0, intercepts)

    def _own(self, classwise: np.ndarray) -> np.ndarray:
        """The part of sums (K, p + 1) that belongs to free parameters, in the shape of θ."""
        return (classwise if self.n_scores > 1 else classwise[1:]).T[: self.shape[0]]
