"""Shared by support vector machines: the kernel that the parameters mean, and scores through support vectors."""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from learnable.base import Data, Learner, refuse_unreadable, validate_data
from learnable.kernels.cost import without_negative
from learnable.kernels.kernel_parameters import OF_MACHINES
from learnable.kernels.not_semidefinite import refuse_indefinite, refuse_other_rows
from learnable.problems.kernels.basic import FunctionKernel, Precomputed
from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import WITHOUT_WIDTH, as_kernel, width
from learnable.problems.kernels.objects import as_objects, is_objects, values_between
from learnable.solvers.kernels.machines import MachinesState
from learnable.solvers.kernels.scoring import scores
from learnable.trace import Status, StopRule

# Share of a sparse table that is not 0, from which on products of its rows as an array are the faster ones, and cells
# that such an array may have: half a gigabyte.
FULL, MOST_CELLS = 0.1, 2**26


class KernelMachine(Learner):
    """Base of the machines with support vectors. The kernel is a name, a `Kernel`, or a function of two tables."""

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_MACHINES
    _with_extremes = ". Else: The dual coefficients or intercepts are not finite"
    kernel: Any
    degree: float
    gamma: Any
    coef0: float
    tol: float
    cache_size: float
    shrinking: bool
    max_iter: int
    support_: np.ndarray
    support_vectors_: Any
    dual_coef_: Any
    intercept_: np.ndarray
    gamma_: float
    objects_: np.ndarray
    n_features_in_: int

    def _checked_data(self, X, y=None, sample_weight=None, **checks) -> Data:
        """Validated data."""
        refuse_unreadable(sample_weight, "sample_weight")
        sample_weight = without_negative(type(self).__name__, sample_weight)
        objects = as_objects(self.kernel, X)
        data = self._validated(
            X if objects is None else np.zeros((len(objects), 1)),
            y,
            sample_weight,
            blocks=False,
            extremes=False,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            **checks,
        )
        if objects is not None:
            return data._replace(X=objects)
        if self._is_precomputed:
            self._refuse_bad_table(data.X)
        return data

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _refuse_bad_table(self, K: Any) -> None:
        name = type(self).__name__
        if K.shape[0] != K.shape[1]:
            raise ValueError(
                f"{name}(kernel='precomputed'): X must be the square table of kernel values between the training "
                f"rows; its shape is {K.shape}"
            )
        refuse_indefinite(name, K.toarray() if sparse.issparse(K) else K)

    def _to_solve(self, X: Any) -> Any:
        """The rows for the solver: an array of a sparse table that is rather full, or holds kernel values; of objects
        their kernel values.

        The steps, and so the bits of the answer, are then those of the same table given as an array.
        """
        if is_objects(X):
            return values_between(self.kernel, X, X)
        if sparse.issparse(X) and self._is_precomputed:
            return X.toarray()
        return X if callable(self.kernel) else array_if_full(X)

    def _width(self, X: Any) -> float:
        """γ on these data; 1 for a kernel that has none."""
        if callable(self.kernel) or (isinstance(self.kernel, str) and self.kernel in WITHOUT_WIDTH):
            width(self.gamma, X[:1], type(self).__name__)
            return 1.0
        return width(self.gamma, X, type(self).__name__)

    def _kernel(self, gamma: float, X: Any = None) -> Kernel:
        """The kernel that the parameters mean; on objects, whose values are told, a table of values."""
        return Precomputed() if is_objects(X) else as_kernel(self.kernel, gamma, self.degree, self.coef0)

    def _stop(self) -> StopRule:
        """The machines end by themselves; the budget is spent when one of them made all its steps."""

        def rule(step: int, state: MachinesState) -> Status | None:
            spent = self.max_iter != -1 and int(state.pairs[-1]) >= self.max_iter
            return Status.BUDGET_SPENT if spent and not state.reached else None

        return rule

    @property
    def _spent(self) -> str:
        """What to do when the budget ran out."""
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
            "StandardScaler or MinMaxScaler. Else raise max_iter, or allow more slack"
        )

    @property
    def _most(self) -> float:
        return np.inf if self.max_iter == -1 else float(self.max_iter)

    def _support(self, X: Any, support: np.ndarray, gamma: float) -> dict[str, Any]:
        """What is kept of the support vectors; all objects, which a function may ask to see together."""
        if is_objects(X):
            kept = {"support_": support, "support_vectors_": np.empty((0, 0)), "objects_": X.copy()}
            return {**kept, "gamma_": gamma, "shape_fit_": (len(X), len(X))}
        return {
            "support_": support,
            "support_vectors_": np.empty((0, 0)) if self._is_precomputed else X[support],
            "gamma_": gamma,
            "shape_fit_": X.shape,
        }

    def _product(self, X: Any, coefficients: np.ndarray) -> np.ndarray:
        """Σ coefficients k(x, xₛ), (n, m)."""
        if "objects_" in vars(self):
            return scores(Precomputed(), self._values(X), None, coefficients, self.support_)
        refuse_unreadable(X)
        kernel = self._kernel(self.gamma_)
        if isinstance(kernel, Precomputed):
            refuse_other_rows(type(self).__name__, X, self.n_features_in_)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        if isinstance(kernel, FunctionKernel) and sparse.issparse(X) != sparse.issparse(self.support_vectors_):
            X = X.toarray() if sparse.issparse(X) else sparse.csr_array(X)
        anchors = self.support_vectors_
        if not callable(self.kernel):  # as in the fit, so that the same rows have the same scores
            X, anchors = array_if_full(X), array_if_full(anchors)
        return scores(kernel, X, anchors, coefficients, self.support_)

    def _values(self, X: Any) -> np.ndarray:
        """Kernel values of objects with those of the fit."""
        objects = as_objects(self.kernel, X)
        if objects is None:
            kind = type(self.objects_[0, 0]).__name__
            raise ValueError(f"{type(self).__name__}: fitted on objects ({kind}); give a list of such, not a table")
        return values_between(self.kernel, objects, self.objects_)

    @property
    def coef_(self) -> Any:
        """Weights of the columns, for the linear kernel; sparse where the table was.

        Read only: they are made of `dual_coef_` each time, and what is written into them would change no prediction.
        """
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = np.asarray(self._coefficients().T @ self.support_vectors_)
        if not sparse.issparse(self.dual_coef_):
            weights.flags.writeable = False
            return weights
        shown = sparse.csr_matrix(weights)
        shown.data.flags.writeable = False
        return shown

    @staticmethod
    def _kept_dual(dual: np.ndarray, X: Any) -> Any:
        """As scikit-learn keeps them: sparse where the table is."""
        return sparse.csr_matrix(dual) if sparse.issparse(X) else dual

    def _dual(self) -> np.ndarray:
        return self.dual_coef_.toarray() if sparse.issparse(self.dual_coef_) else self.dual_coef_

    def _coefficients(self) -> np.ndarray:
        """(support vectors, machines)."""
        return self._dual().T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not callable(self.kernel) or isinstance(self.kernel, Kernel)
        tags.input_tags.pairwise = self._is_precomputed
        return tags


def array_if_full(X: Any) -> Any:
    """An array of a sparse table that is rather full; else the table itself."""
    cells = X.shape[0] * X.shape[1]
    return X.toarray() if sparse.issparse(X) and cells <= MOST_CELLS and X.nnz >= FULL * cells else X
