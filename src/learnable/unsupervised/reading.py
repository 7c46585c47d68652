"""Tables as the unsupervised learners read them: arrays, sparse matrices, or rows in blocks."""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight

from learnable.base import Data, Learner, refuse_unreadable, validate_data
from learnable.base.validation import squares_are_ordinary
from learnable.rows import Rows, as_rows, canonical, examine, is_streamed, largest_magnitudes


def read_table(
    learner: Learner, X: Any, sample_weight: Any = None, *, at_least: int = 1, reset: bool = True, sparse_too=False,
    allow_nan: bool = False,
) -> Data:  # fmt: skip
    """Check X and the weights once, or wrap data that come in blocks.

    Parameters
    ----------
    at_least : rows needed.
    reset : whether this is the table of the fit, or one to predict.
    sparse_too : whether sparse matrices are welcome.
    allow_nan : whether NaN stands for a missing cell.
    """
    name = type(learner).__name__
    if is_streamed(X):
        return Data(_blocks(learner, X, sample_weight, at_least, reset), None, None)
    for given, what in ((X, "X"), (sample_weight, "sample_weight")):
        refuse_unreadable(given, what)
    checked = partial(
        validate_data, learner, X, accept_sparse="csr" if sparse_too else False, dtype=[np.float64, np.float32],
        order="C", ensure_min_samples=at_least, reset=reset,
    )  # fmt: skip
    X = checked(ensure_all_finite=False)
    if not squares_are_ordinary(X):  # one quick reading, which shows entries that are no numbers too
        X = checked(ensure_all_finite="allow-nan" if allow_nan else True)
        entries = X.data if sparse.issparse(X) else X
        if float(max(np.nanmax(entries, initial=0.0), -np.nanmin(entries, initial=0.0))) > 1e115:
            learner._refuse_extreme_columns(np.nan_to_num(X) if allow_nan else X)
    if sparse.issparse(X):
        X = canonical(X)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not sample_weight.any():
            raise ValueError(f"{name}: all of sample_weight is zero; at least one row must count")
    return Data(X, None, sample_weight)


def _blocks(learner: Learner, X: Any, sample_weight: Any, at_least: int, reset: bool) -> Rows:
    name, rows = type(learner).__name__, as_rows(X, None, sample_weight)
    if rows.n_rows < at_least:
        raise ValueError(f"{name}: the data have {rows.n_rows} rows; at least {at_least} are needed")
    if reset:
        learner.n_features_in_ = rows.n_columns
        examine(rows, name)
        largest = largest_magnitudes(rows).astype(float)
        if np.any(largest > 1e115):
            j = int(np.argmax(largest))
            raise ValueError(
                f"{name}: column {j} has entries of size {largest[j]:.1e}, whose squares cannot be represented; "
                "rescale it"
            )
    elif rows.n_columns != learner.n_features_in_:
        raise ValueError(
            f"X has {rows.n_columns} features, but {name} is expecting {learner.n_features_in_} features as input"
        )
    return rows
