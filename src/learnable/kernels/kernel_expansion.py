"""Shared by learners that keep every training row: f(x) = Σ cᵢ k(x, xᵢ)."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnable.base import Learner, refuse_unreadable, validate_data
from learnable.kernels.kernel_parameters import OF_KERNELS
from learnable.kernels.not_semidefinite import refuse_indefinite, refuse_other_rows
from learnable.problems.kernels.basic import Precomputed
from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import as_kernel, width
from learnable.rows.memory import check_square_fits
from learnable.solvers.kernels.kernel_rows import KernelRows
from learnable.solvers.kernels.scoring import scores


class KernelExpansion(Learner):
    """Base of learners with a coefficient for every training row."""

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_KERNELS
    kernel: Any
    gamma: Any
    degree: float
    coef0: float
    X_fit_: Any
    dual_coef_: np.ndarray

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _kernel_on(self, X: Any) -> Kernel:
        """The kernel that the parameters mean for tables with as many columns as X."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        gamma = width(self.gamma, X, type(self).__name__, self.kernel)
        of_pairs = callable(self.kernel)
        function = self.kernel
        given = getattr(self, "kernel_params", None)
        if of_pairs and given:
            function = _with_parameters(self.kernel, given)
        return as_kernel(function, gamma, self.degree, self.coef0, of_pairs)

    def _table(self, X: Any) -> np.ndarray:
        """All kernel values between the training rows; MemoryError before they are formed where they cannot fit."""
        self._refuse_bad_table(X)
        check_square_fits(X.shape[0], f"{type(self).__name__}: the kernel values between rows, as")
        return KernelRows(self._kernel_on(X), X, np.inf).whole()

    def _refuse_bad_table(self, X: Any) -> None:
        if not self._is_precomputed:
            return
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"{type(self).__name__}(kernel='precomputed'): X must be the square table of kernel values between "
                f"the training rows; its shape is {X.shape}. Precomputed kernels need a square matrix"
            )
        refuse_indefinite(type(self).__name__, Precomputed()(X))

    def _expansion(self, X: Any) -> np.ndarray:
        """Σ cᵢ k(x, xᵢ), (n, q)."""
        check_is_fitted(self)
        refuse_unreadable(X)
        if self._is_precomputed:
            refuse_other_rows(type(self).__name__, X, self.n_features_in_)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        dual = self.dual_coef_.reshape(self.dual_coef_.shape[0], -1)
        return scores(self._kernel_on(X), X, self.X_fit_, dual)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed
        return tags


def _with_parameters(function, given):
    def of_two(x, z):
        return function(x, z, **given)

    return of_two
