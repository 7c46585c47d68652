"""How a fitted support vector machine is read: kernel, coefficients of every training row, offsets.

Read alike from ours and from scikit-learn's, whose attributes ours keep.
"""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core import Claim
from learnable.certificates.kernels.conditions import ASKED, MOST_ASKED
from learnable.certificates.kernels.rough import rough_sums
from learnable.certificates.kernels.tiles import own_sums, pair_sums, weighted_sums
from learnable.problems.kernels.basic import RBF, FunctionKernel, Linear, Precomputed
from learnable.problems.kernels.chi_squared import AdditiveChiSquared
from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import WITHOUT_WIDTH, as_kernel, width
from learnable.problems.kernels.objects import is_objects, values_between

# LIBSVM keeps kernel values in single precision; ours are doubles throughout.
SINGLE, DOUBLE = 1e-6, 1e-9
# Products of kernel values and coefficients beyond which those of the rows of a pair alone are formed.
MANY = 2**22
# Kernel values up to which it takes longer to tell those that serve two rows from others than to compute all.
AT_ONCE = 2**18


# (rows, their scores, what these may be off by) -> for which of them the conditions hold whatever the scores are.
Settled = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Machine(NamedTuple):
    """A fitted machine.

    Attributes
    ----------
    kernel : as the parameters say.
    beta : (n, m) coefficients of the training rows, one column a machine.
    offset : (m,) b of each.
    product : (n, m) Kβ, in double precision; of pairs of many classes at the rows of the pair.
    diagonal : (n,) k(xᵢ, xᵢ).
    rounding : what one unit of Σ|β|k may be off by.
    tol : the violation that the fit was asked for.
    foreign : whether LIBSVM fitted it, which ends at a violation whatever the gap, and counts rows as free that are
        off their bound by rounding: where no other row is, b is anywhere in its interval.
    unit : how much one unit of a score is in those of a violation.
    """

    kernel: Kernel
    beta: np.ndarray
    offset: np.ndarray
    product: np.ndarray
    diagonal: np.ndarray
    rounding: float
    tol: float
    foreign: bool
    unit: float = 1.0

    @property
    def resolution(self) -> np.ndarray:
        """(m,) how far a score may be off: rounding · Σ|β| max k."""
        return self.rounding * (1.0 + np.abs(self.beta).sum(axis=0) * np.abs(self.diagonal).max(initial=0.0))

    @property
    def asked(self) -> float:
        """The violation that the fit was asked for, or that LIBSVM's kernel values in single precision do not show."""
        blurred = float(self.resolution.max(initial=0.0)) * self.unit if self.foreign else 0.0
        return ASKED * self.tol + blurred

    @property
    def slack(self) -> float | None:
        """How far b may be from an interval that no row inside its box narrows down; None where it is in the middle."""
        return ASKED * min(self.tol, MOST_ASKED) if self.foreign else None

    def assumptions(self) -> tuple[str, ...]:
        # Coefficients of a machine sum to a number that is given, so that conditionally is enough: the dual is concave.
        if self.kernel.is_semidefinite or isinstance(self.kernel, AdditiveChiSquared):
            return ()
        return ("the matrix of kernel values is positive semidefinite, which the kernel's rules do not prove",)


def is_foreign(model: Any) -> bool:
    """Whether scikit-learn fitted it."""
    return type(model).__module__.partition(".")[0] == "sklearn"


def kernel_of(model: Any, X: Any) -> Kernel:
    """The kernel that the parameters mean on these data."""
    named = isinstance(model.kernel, str) and model.kernel in WITHOUT_WIDTH
    gamma = 1.0 if named or isinstance(model.kernel, Kernel) else width(model.gamma, X, type(model).__name__)
    return as_kernel(model.kernel, gamma, model.degree, model.coef0)


def scores(
    kernel: Kernel, X: Any, support: np.ndarray, coefficients: np.ndarray, settled: Settled | None = None
) -> np.ndarray:
    """Σ over the support of k(x, xₛ) coefficients, for every training row.

    Of rows without a coefficient that are `settled` whatever the rounding of single precision is, only so many digits.
    """
    if isinstance(kernel, Precomputed):
        return np.asarray(X[:, support] @ coefficients)
    anchors = X[support]
    if X.shape[0] * len(support) <= AT_ONCE and not isinstance(kernel, FunctionKernel | Linear):
        return np.asarray(kernel(X, anchors) @ coefficients)
    rest = np.ones(X.shape[0], dtype=bool)
    rest[support] = False
    out = np.empty((X.shape[0], coefficients.shape[1]))
    out[support] = own_sums(kernel, anchors, coefficients)
    others = np.flatnonzero(rest)
    if (
        settled is not None
        and isinstance(kernel, RBF)
        and isinstance(X, np.ndarray)
        and X.shape[0] * len(support) > MANY
    ):
        found, off = rough_sums(kernel, X[others], anchors, coefficients[:, 0])
        out[others, 0] = found
        others = others[~settled(others, found, off)]
    if len(others):
        out[others] = weighted_sums(kernel, X[others], anchors, coefficients)[0]
    return out


def machine(
    model: Any, X: Any, beta: np.ndarray, offset: np.ndarray, index: np.ndarray | None = None,
    settled: Settled | None = None,
) -> Machine:  # fmt: skip
    """The machine with its scores on the training rows, computed anew; `index` names the classes of many."""
    kernel = kernel_of(model, X)
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    support = np.flatnonzero((beta != 0.0).any(axis=1))
    diagonal = (
        np.diagonal(X)
        if isinstance(kernel, Precomputed) and not sparse.issparse(X)
        else (X.diagonal() if isinstance(kernel, Precomputed) else kernel.diagonal(X[support]))
    )
    many = X.shape[0] * len(support) * len(offset) > MANY
    if index is not None and many and not isinstance(kernel, FunctionKernel | Linear | Precomputed):
        product = pair_sums(kernel, X, index, support, beta)
    else:
        product = scores(kernel, X, support, beta[support], settled)
    foreign = is_foreign(model)
    rounding = SINGLE if foreign else DOUBLE
    return Machine(kernel, beta, offset, product, diagonal, rounding, float(model.tol), foreign)


def as_given(model: Any, X: Any, sample_weight: Any) -> Any:
    """The model with `support_` in terms of the rows given.

    LIBSVM leaves out rows of weight 0 and names the others by their number among the rest, which scikit-learn hands on.
    With a table of values it then predicts from the wrong columns, and is read as it is.
    """
    if not is_foreign(model) or sample_weight is None or isinstance(kernel_of(model, X), Precomputed | FunctionKernel):
        return model
    counted, support = np.flatnonzero(np.asarray(sample_weight, dtype=float) > 0.0), np.asarray(model.support_)
    if len(counted) == X.shape[0] or np.any((support < 0) | (support >= len(counted))):
        return model
    if not np.array_equal(_dense(model.support_vectors_), _dense(X[counted[support]])):
        return model
    read = copy(model)
    read.support_ = counted[support]
    return read


def on_values(model: Any, X: Any) -> tuple[Any, Any, list[Claim]]:
    """(model, X, claims): of rows that are objects, the same machine on the table of their values, and that the objects
    kept are these."""
    what = "objects kept that are not those of the fit (1 if so)"
    if not is_objects(X) or is_foreign(model):
        return model, X, [Claim.at_most("S6", what, 1.0, 0.0)] if "objects_" in vars(model) else []
    read, kept = copy(model), model.objects_
    read.kernel = "precomputed"
    same = np.shape(kept) == X.shape and all(a == b for a, b in zip(kept[:, 0], X[:, 0]))
    return read, values_between(model.kernel, X, X), [Claim.at_most("S6", what, float(not same), 0.0)]


def support_of(model: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(`support_`, `dual_coef_` as an array); an error that refutes where not every support vector is one of n rows."""
    support = np.asarray(model.support_)
    given = model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else np.asarray(model.dual_coef_)
    if support.shape != given.shape[1:] or not ((support >= 0) & (support < n)).all():
        raise IndexError(f"support_ names no {given.shape[1:]} of {n} rows")
    return support, given


def support_claims(model: Any, X: Any, kernel: Kernel) -> Iterator[Claim]:
    """That the vectors kept are the training rows named, each once, and that what predicts is what is shown."""
    support = np.asarray(model.support_)
    n = X.shape[0]
    bad = int(len(set(support.ravel().tolist())) != len(support) or ((support < 0) | (support >= n)).any())
    if not bad and not isinstance(kernel, Precomputed):
        kept, named = _dense(model.support_vectors_), _dense(X[support])
        if is_foreign(model) and isinstance(kernel, FunctionKernel):
            kept, named = _dense(model._BaseLibSVM__Xfit), _dense(X)  # it asks its function for the values of all rows
        bad = max(len(kept), 1) if kept.shape != named.shape else int(np.count_nonzero((kept != named).any(axis=1)))
    yield Claim.at_most("S6", "support vectors that are not the training rows named", bad, 0.0)
    shown = {"dual_coef_": "_dual_coef_", "intercept_": "_intercept_"} if is_foreign(model) else {}
    # Between two classes scikit-learn shows the negatives of what LIBSVM has.
    sign = -1.0 if len(getattr(model, "classes_", ())) == 2 else 1.0
    for public, used in shown.items():
        one, two = _dense(getattr(model, public)), sign * _dense(getattr(model, used))
        differs = one.shape != two.shape or not np.array_equal(one, two)
        yield Claim.at_most("S6", f"what predicts is not the {public} that is shown", float(differs), 0.0)
    gamma = model._gamma if is_foreign(model) else model.gamma_
    if hasattr(kernel, "gamma") or not is_foreign(model):
        meant = getattr(kernel, "gamma", 1.0) if not isinstance(model.kernel, Kernel) else 1.0
        away = abs(float(gamma) - meant) / max(abs(meant), np.finfo(float).tiny)
        yield Claim.at_most("S6", "width of the kernel that predicts, off what the parameters say", away, 1e-9)


def weights(n: int, sample_weight: Any) -> np.ndarray:
    """One weight a row."""
    return np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)


def counted_weights(n: int, sample_weight: Any) -> np.ndarray:
    """One weight a row; 0 for those below, which LIBSVM's machines leave out."""
    return np.maximum(weights(n, sample_weight), 0.0)


def costs(C: float, weight: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """(n, m) what bounds the coefficients of each row, of weights (n,), in each machine.

    Where C is infinite, twice the largest coefficient: an answer that is optimal under bounds which none of its
    coefficients meets is optimal without them.
    """
    if np.isfinite(C):
        return np.repeat((C * weight)[:, None], beta.shape[1], axis=1)
    most = 2.0 * np.abs(beta).max(axis=0, initial=0.0)
    return np.where(weight[:, None] > 0.0, np.where(most > 0.0, most, 1.0), 0.0)


def _dense(a: Any) -> np.ndarray:
    return a.toarray() if sparse.issparse(a) else np.asarray(a, dtype=float)
