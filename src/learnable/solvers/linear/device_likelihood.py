"""The categorical likelihood of linear scores, its sums over rows taken on a device."""

from collections.abc import Callable

import numpy as np

from learnable.device import DeviceRows, Place, multinomial_hessian_product, multinomial_newton
from learnable.rows import as_rows
from learnable.solvers.linear.likelihood import CategoricalLikelihood


class DeviceLikelihood(CategoricalLikelihood):
    """`CategoricalLikelihood` of rows that lie on a device; the penalty and the steps are made here.

    Parameters
    ----------
    X, index, weight : dense rows, class indices, weights or None.
    place : the device.
    """

    def __init__(
        self, X: np.ndarray, index: np.ndarray, weight: np.ndarray | None, n_scores: int, intercept: bool, place: Place
    ):
        super().__init__(as_rows(X, index, weight), n_scores, intercept)
        self.on_device, self.classes = DeviceRows(X, place), place.put_index(index)
        self.weights = None if weight is None else place.put(weight, self.on_device.dtype)

    def _loss_sums(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        parts = multinomial_newton(self.on_device, self.classes, *self._classwise(theta), weights=self.weights)
        return parts.loss * self.weight_sum, self._own(parts.gradient) * self.weight_sum

    def _hessian_sums(self, theta: np.ndarray) -> np.ndarray:
        parts = multinomial_newton(
            self.on_device, self.classes, *self._classwise(theta), hessian=True, weights=self.weights
        )
        K, m = max(2, self.n_scores), self.shape[0]
        H = np.asarray(parts.hessian).reshape(K, self.p + 1, K, self.p + 1)[:, :m, :, :m]
        H = H[1:, :, 1:] if self.n_scores == 1 else H
        return H.reshape(m * self.n_scores, -1) * self.weight_sum

    def _product_sums(self, theta: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        coef, intercept = self._classwise(theta)

        def product(v: np.ndarray) -> np.ndarray:
            direction = np.column_stack(self._classwise(v))
            found = multinomial_hessian_product(self.on_device, coef, intercept, direction, self.weights)
            return self._own(found) * self.weight_sum

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
