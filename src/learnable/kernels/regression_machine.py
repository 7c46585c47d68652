"""Shared by machines with one function and no classes."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Fitting
from learnable.kernels.kernel_machine import KernelMachine
from learnable.solvers.kernels import machines
from learnable.trace import Status


class SingleMachine(KernelMachine):
    """One function f(x) = Σ βₛ k(x, xₛ) + b."""

    def _fitting(self, data: Data, posed: machines.Posed, enough: float, read: Any) -> Fitting:
        """The fit; `read` makes (β over the rows of X, b, further attributes) of a state."""
        rows = self._to_solve(data.X)
        gamma = self._width(rows)

        def attributes(state: machines.MachinesState) -> dict[str, Any]:
            beta, offset, more = read(state)
            support = np.flatnonzero(beta).astype(np.int32)
            return {
                **self._support(data.X, support, gamma), "n_support_": np.array([len(support)], dtype=np.int32),
                "dual_coef_": self._kept_dual(beta[support][None, :], data.X), "intercept_": np.array([offset]),
                "fit_status_": int(not state.reached), "n_iter_": int(state.pairs[0]), **more,
            }  # fmt: skip

        return Fitting(
            iterates=machines.iterates(
                self._kernel(gamma, data.X), rows, [posed], enough, self.cache_size, self._most, bool(self.shrinking)
            ),
            stop=self._stop(),
            attributes=attributes,
            data=data,
            ended=Status.OPTIMAL,
            advice=self._spent,
        )

    def _function(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._product(X, self._coefficients())[:, 0] + self.intercept_[0]
