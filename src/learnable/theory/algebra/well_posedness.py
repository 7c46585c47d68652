"""Whether a least-squares problem has one stable answer: rank, what is not identified, condition numbers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.validation import check_array

from learnable.base import refuse_unreadable
from learnable.base.validation import checked_weights
from learnable.rows import Rows, as_rows, is_streamed, largest_magnitudes, moments, one_blas_thread, triangular_factor


class WellPosedness(NamedTuple):
    """Existence, uniqueness and stability of min ‖y − Xβ − b‖² + α ‖β‖².

    Attributes
    ----------
    n_rows, n_columns, rank : of the (centred) design.
    null_space : (p, p − rank) orthonormal basis of the changes of β that change no prediction (up to the intercept).
    not_identified : names of the columns whose coefficient is not determined by the data.
    condition : κ of the design on its row space, columns scaled to unit length.
    condition_normal : κ(XᵀX + αI) in the units of the data; infinite when singular.
    alpha : the penalty α.
    """

    n_rows: int
    n_columns: int
    rank: int
    null_space: np.ndarray
    not_identified: tuple[str, ...]
    condition: float
    condition_normal: float
    alpha: float

    @property
    def unique(self) -> bool:
        """Whether there is one minimiser: always with α > 0, otherwise at full column rank."""
        return self.alpha > 0.0 or self.rank == self.n_columns

    def __str__(self) -> str:
        free = self.n_columns - self.rank
        lines = [
            f"least squares with {self.n_rows} rows, {self.n_columns} columns, rank {self.rank}, alpha {self.alpha:g}",
            "existence:  a minimiser exists for every y",
            "uniqueness: "
            + ("one minimiser" if self.unique else f"the minimisers form an affine space of dimension {free}"),
            f"stability:  condition number {self.condition:.3g} (columns of unit length, row space)",
            f"            condition number of XᵀX + αI {self.condition_normal:.3g}",
        ]
        if self.not_identified:
            lines.append("not identified by the data: " + ", ".join(self.not_identified))
        return "\n".join(lines)


def well_posedness(
    X, *, fit_intercept: bool = True, sample_weight=None, alpha: float = 0.0, names: Sequence[str] | None = None
) -> WellPosedness:
    """Is the least-squares problem of this design well posed, and what does a ridge penalty change?

    A minimiser always exists; it is unique when the columns are linearly independent; it is stable when the condition
    number is moderate. Tikhonov's α > 0 makes it unique, with κ(XᵀX + αI) = (d₁² + α)/(d_p² + α). Syllabus: A8.

    Parameters
    ----------
    X : array or sparse matrix (n, p), data frame, or rows read in blocks
    fit_intercept : bool, default=True
        Whether columns are judged after centring.
    sample_weight : array (n,), default=None
    alpha : float, default=0.0
    names : column names; default those of a data frame, or x0, x1, …

    Returns
    -------
    WellPosedness

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 1.0, 3.0]])
    >>> report = well_posedness(X)
    >>> report.rank, report.unique, report.not_identified
    (2, False, ('x0', 'x1', 'x2'))
    >>> well_posedness(X, alpha=0.1).unique
    True
    """
    if not (np.isfinite(alpha) and alpha >= 0.0):
        raise ValueError(f"well_posedness(alpha={alpha}): alpha must be a finite number >= 0")
    if not is_streamed(X):
        names = column_names(X) if names is None else names
        refuse_unreadable(X)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, X, dtype=None)
    rows = as_rows(X, None, sample_weight)
    p = rows.n_columns
    names = [f"x{j}" for j in range(p)] if names is None else list(names)
    if len(names) != p:
        raise ValueError(f"well_posedness: {len(names)} names for {p} columns; give one for each")
    with one_blas_thread():
        R, scale = scaled_triangle(rows, fit_intercept)
        return posedness(R[:p, :p], scale[:p], rows.n_rows, float(alpha), names)


def posedness(R: np.ndarray, scale: np.ndarray, n_rows: int, alpha: float, names: Sequence[str]) -> WellPosedness:
    """The report on a design of `n_rows` rows whose triangular factor is R diag(scale)."""
    p, eps = len(R), np.finfo(float).eps
    length = np.linalg.norm(R, axis=0)
    # What centring leaves of a constant column is rounding: below it, a column is zero.
    dead = length <= np.sqrt(n_rows) * eps
    unit = np.where(dead, 1.0, length)
    _, d, Vt = linalg.svd(np.where(dead, 0.0, R / unit))
    rank = int(np.count_nonzero(d > d.max(initial=0.0) * max(n_rows, p) * eps))
    units = unit * scale
    null = Vt[rank:].T * (units.min() / units)[:, None]
    null = linalg.qr(null, mode="economic")[0] if rank < p else null
    # A coefficient is free when some null direction, in units of equal effect, moves it beyond rounding.
    free = np.linalg.norm(Vt[rank:], axis=0) > np.sqrt(eps)
    singular = linalg.svdvals(R * scale) ** 2 + alpha
    singular[rank:] = alpha if rank < p else singular[rank:]
    return WellPosedness(
        n_rows,
        p,
        rank,
        null,
        tuple(name for name, is_free in zip(names, free) if is_free),
        float(d[0] / d[rank - 1]) if rank else 1.0,
        float(singular[0] / singular[-1]) if singular[-1] > 0.0 else np.inf,
        alpha,
    )


def scaled_triangle(rows: Rows, fit_intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """(R, scale): the triangular factor of [X y], centred if asked, each column divided by its power of two."""
    found = moments(rows, centre=True) if fit_intercept else None
    largest = largest_magnitudes(rows)
    scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
    mean = np.concatenate([found.mean_x, found.mean_y]) if found is not None else None
    return triangular_factor(rows, centre_at=mean, scale=scale), scale


def column_names(X) -> list[str]:
    """The names of a data frame's columns, or x0, x1, …"""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    n_columns = X.shape[1] if sparse.issparse(X) else np.atleast_2d(np.asarray(X)).shape[1]
    return [f"x{j}" for j in range(n_columns)]
