"""Tables as the unsupervised learners read them: arrays, sparse matrices, or rows in blocks."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.base import Data, Learner, refuse_unreadable, validate_data
from learnable.base.validation import block_squares, checked_weights, squares_are_ordinary
from learnable.rows import Block, Rows, as_rows, canonical, examine, is_streamed
from learnable.rows.examine import announce


def read_table(
    learner: Learner, X: Any, sample_weight: Any = None, *, at_least: int = 1, reset: bool = True, sparse_too=False,
    allow_nan: bool = False, unseen: bool = False, weighted: bool = True,
) -> Data:  # fmt: skip
    """Check X and the weights once, or wrap data that come in blocks.

    Parameters
    ----------
    at_least : rows needed.
    reset : whether this is the table of the fit, or one to predict.
    sparse_too : whether sparse matrices are welcome.
    allow_nan : whether NaN stands for a missing cell.
    unseen : whether the entries of an array are not looked at here: the caller does, and tells `refuse_unusual`.
        Nor are those of rows in blocks, if they are not `weighted`.
    weighted : whether weights count that rows in blocks may carry.
    """
    name = type(learner).__name__
    if is_streamed(X):
        rows = _blocks(learner, X, sample_weight, at_least, reset)
        if not weighted and isinstance(X, Rows) and rows.of_first(_has_weights):
            raise ValueError(f"{name}: the rows carry weights, which it does not take; make them without")
        if reset and (weighted or not unseen):
            _examine_blocks(learner, rows)
        elif reset:
            announce(rows, name)
        return Data(rows, None, None)
    for given, what in ((X, "X"), (sample_weight, "sample_weight")):
        refuse_unreadable(given, what)
    given = X
    X = _checked(learner, given, at_least=at_least, reset=reset, sparse_too=sparse_too, finite=False)
    looked_at = unseen and isinstance(X, np.ndarray)
    if not looked_at and not squares_are_ordinary(X):  # one quick reading, which shows entries that are no numbers too
        refuse_unusual(learner, given, X, at_least=at_least, reset=reset, sparse_too=sparse_too, allow_nan=allow_nan)
    if sparse.issparse(X):
        X = canonical(X)
    if sample_weight is not None:
        sample_weight = checked_weights(sample_weight, X)
        if not sample_weight.any():
            raise ValueError(f"{name}: all of sample_weight is zero; at least one row must count")
    return Data(X, None, sample_weight)


def _has_weights(block: Block) -> bool:
    return block.weight is not None


def refuse_unusual(learner: Learner, given: Any, X: Any, *, allow_nan: bool = False, **checks: Any) -> None:
    """The error about entries that are no numbers, or have no squares, if there are such.

    Parameters
    ----------
    given : what the caller gave, with the names of its columns. X : the same as it was read.
    allow_nan, **checks : as for `read_table`.
    """
    if isinstance(X, Rows):
        return _examine_blocks(learner, X)
    _checked(learner, given, finite="allow-nan" if allow_nan else True, **checks)
    entries = X.data if sparse.issparse(X) else X
    largest = float(max(np.nanmax(entries, initial=0.0), -np.nanmin(entries, initial=0.0)))
    if not _has_squares(largest) and (largest > 1.0 or checks.get("reset", True)):  # rows to predict may be near zero
        learner._refuse_extreme_columns(np.nan_to_num(X) if allow_nan else X)


def _has_squares(largest: float) -> bool:
    """Whether the squares of a table are numbers, neither infinite nor all zero, by the size of its largest entry."""
    return largest == 0.0 or 1e-115 < largest < 1e115


def _checked(
    learner: Learner, X: Any, *, at_least: int = 1, reset: bool = True, sparse_too: bool = False,
    finite: bool | str = True,
) -> Any:  # fmt: skip
    return validate_data(
        learner, X, accept_sparse="csr" if sparse_too else False, dtype=[np.float64, np.float32], order="C",
        ensure_min_samples=at_least, reset=reset, ensure_all_finite=finite,
    )  # fmt: skip


def ordinary(mean: np.ndarray, squares: np.ndarray | float, n: int) -> bool:
    """Whether n rows hold numbers that have squares, by a point and the sums of squares about it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(1e-230 < (squares + n * mean**2).max() < 1e230)  # False for NaN


def plain_table(X: Any, owner: str) -> np.ndarray:
    """X as an array of numbers whose squares can be represented, for functions that are no learners."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2:
        raise ValueError(f"{owner}: X has shape {X.shape}; a table of rows is needed")
    if not np.all(np.isfinite(X)):
        i, j = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"{owner}: X holds {X[i, j]} in column {j}, row {i}; drop or impute it first")
    size = np.abs(X).max(axis=0, initial=0.0)
    if not _has_squares(size.max(initial=0.0)):
        j = int(np.argmax(size))
        raise ValueError(
            f"{owner}: column {j} of X has entries of size {size[j]:.1e}, whose squares cannot be represented; "
            "rescale it"
        )
    return X


def _blocks(learner: Learner, X: Any, sample_weight: Any, at_least: int, reset: bool) -> Rows:
    name, rows = type(learner).__name__, as_rows(X, None, sample_weight)
    if rows.n_rows < at_least:
        raise ValueError(f"{name}: the data have {rows.n_rows} rows; at least {at_least} are needed")
    if reset:
        learner.n_features_in_ = rows.n_columns
        learner._keep_names(rows)
    elif rows.n_columns != learner.n_features_in_:
        raise ValueError(
            f"X has {rows.n_columns} features, but {name} is expecting {learner.n_features_in_} features as input"
        )
    return rows


def _examine_blocks(learner: Learner, rows: Rows) -> None:
    name = type(learner).__name__
    largest = examine(rows, name, squares=block_squares)
    if not _has_squares(largest.max(initial=0.0)):
        j = int(np.argmax(largest))
        raise ValueError(
            f"{name}: {learner._column(j)} of X has entries of size {largest[j]:.1e}, whose squares cannot be "
            "represented; rescale it"
        )
