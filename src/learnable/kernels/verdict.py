"""Is a kernel positive semidefinite on these points? A verdict with its witness. Syllabus: K1, K2."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.proof import Proof
from learnable.solvers.kernels import empirical_map as maps
from learnable.theory import semidefinite_test
from learnable.theory.algebra.semidefinite import SemidefiniteTest


class KernelVerdict(NamedTuple):
    """What the rules prove and what the sample shows.

    Attributes
    ----------
    proof : by the rules that built the kernel; None for a table of values.
    on_sample : verdict on the matrix of kernel values, with a factor or a witness c with cᵀKc < 0.
    """

    proof: Proof | None
    on_sample: SemidefiniteTest

    def __bool__(self) -> bool:
        return self.on_sample.holds

    def __str__(self) -> str:
        lines = [] if self.proof is None else [str(self.proof)]
        if self.on_sample.witness is None:
            lines.append(f"on this sample: positive semidefinite, least eigenvalue {self.on_sample.smallest:.3g}")
        else:
            c = np.round(self.on_sample.witness, 4).tolist()
            lines.append(f"on this sample: NOT positive semidefinite, cᵀKc = {self.on_sample.smallest:.3g} for c = {c}")
        return "\n".join(lines)


def verdict(kernel: Any, X: ArrayLike | None = None) -> KernelVerdict:
    """The verdict on a kernel and a sample, or on a table of kernel values.

    Parameters
    ----------
    kernel : a `Kernel`, or an array (n, n) of values
    X : array (n, p), for a `Kernel`

    Returns
    -------
    KernelVerdict

    Examples
    --------
    >>> from learnable.kernels import RBF, Sigmoid
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> bool(verdict(RBF(1.0), X)), bool(verdict(Sigmoid(1.0, -1.0), X))
    (True, False)
    """
    if isinstance(kernel, Kernel):
        if X is None:
            raise ValueError("verdict(kernel): a sample X is needed")
        return KernelVerdict(kernel.proof(), semidefinite_test(kernel(X)))
    return KernelVerdict(None, semidefinite_test(kernel))


def empirical_map(K: ArrayLike) -> np.ndarray:
    """Φ with ΦΦᵀ = K: row i is (√λ₁ uᵢ₁, √λ₂ uᵢ₂, …) of K = Σ λₘ uₘuₘᵀ.

    Parameters
    ----------
    K : array (n, n), positive semidefinite; ValueError with the eigenvalue where it is not

    Examples
    --------
    >>> from learnable.kernels import RBF
    >>> K = RBF(0.5)(np.array([[0.0], [1.0], [3.0]]))
    >>> Phi = empirical_map(K)
    >>> bool(np.allclose(Phi @ Phi.T, K))
    True
    """
    return maps.points(np.asarray(K, dtype=float))
