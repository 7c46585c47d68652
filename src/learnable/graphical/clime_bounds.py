"""How far CLIME can be from the truth, and how far it is. Syllabus: G5."""

from typing import NamedTuple

import numpy as np

from learnable.problems.graphical.clime import l1_bound, l1_norm, sparsity, sup_bound


class ClimeErrors(NamedTuple):
    """Errors of an estimate of a known precision, and what bounds them.

    Attributes
    ----------
    applies : whether alpha ≥ ‖Θ₀‖_{L1} ‖S − Σ₀‖∞, so that the bounds hold.
    least_alpha : that product.
    sup_error, sup_bound : largest error of an entry, and 4 ‖Θ₀‖_{L1} alpha.
    l1_error, l1_bound : largest sum of errors in a column, and its bound.
    M, s0 : the class U_q(M, s₀) of which Θ₀ is the extreme member: ‖Θ₀‖_{L1} and max over rows of Σ |θᵢⱼ|^q.
    """

    applies: bool
    least_alpha: float
    sup_error: float
    sup_bound: float
    l1_error: float
    l1_bound: float
    M: float
    s0: float


def clime_errors(precision, truth, S, alpha: float, q: float = 0.0) -> ClimeErrors:
    """Compare an estimate with the truth, and with the bounds of Cai, Liu and Luo (2011). Syllabus: G5.

    Parameters
    ----------
    precision : array (p, p), the estimate `CLIME.precision_`.
    truth : array (p, p), Θ₀, positive definite.
    S : array (p, p), the covariance that the estimate was made of.
    alpha : its level. q : 0 ≤ q < 1, which kind of sparsity Θ₀ has.

    Examples
    --------
    >>> from learnable.graphical import CLIME
    >>> truth = np.array([[1.0, 0.4], [0.4, 1.0]])
    >>> S = np.linalg.inv(truth) + 0.01
    >>> estimate = CLIME(alpha=0.02, covariance="precomputed").fit(S)
    >>> errors = clime_errors(estimate.precision_, truth, S, alpha=0.02)
    >>> errors.applies, errors.sup_error <= errors.sup_bound
    (True, True)
    """
    theta0, estimate = np.asarray(truth, dtype=float), np.asarray(precision, dtype=float)
    if not 0.0 <= q < 1.0:
        raise ValueError(f"clime_errors(q={q}): needs 0 <= q < 1")
    if np.linalg.eigvalsh(theta0)[0] <= 0.0:
        raise ValueError("clime_errors: the truth must be positive definite")
    size = l1_norm(theta0)
    least = size * float(np.abs(np.asarray(S, dtype=float) - np.linalg.inv(theta0)).max())
    error = np.abs(estimate - theta0)
    s0 = sparsity(theta0, q)
    return ClimeErrors(
        bool(alpha >= least), least, float(error.max()), sup_bound(size, alpha),
        float(error.sum(axis=0).max()), l1_bound(size, alpha, q, s0), size, s0,
    )  # fmt: skip


def in_clime_class(theta, q: float, M: float, s0: float) -> bool:
    """Whether Θ is in U_q(M, s₀): positive definite, ‖Θ‖_{L1} ≤ M, and Σⱼ |θᵢⱼ|^q ≤ s₀ in every row.

    >>> in_clime_class(np.eye(3), q=0.0, M=1.0, s0=1.0)
    True
    """
    theta = np.asarray(theta, dtype=float)
    return bool(np.linalg.eigvalsh(theta)[0] > 0.0 and l1_norm(theta) <= M and sparsity(theta, q) <= s0)
