"""The thermometer code of an ordered feature."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from learnable.base.validation import validate_data
from learnable.datasets.column import is_none
from learnable.plain import plain


class ThermometerEncoder(TransformerMixin, BaseEstimator):
    """Code the j-th of k ordered levels by k bits of which the first j are on.

    Bit i of level j is [j ≥ i]: a linear score can then give each step up its own weight, where one-hot coding forgets
    the order and a number assumes equal steps. No bit at all is the code of a level that is not known.

    Syllabus: D8.

    Parameters
    ----------
    levels : "auto" or list of lists, default="auto"
        Levels of each feature from lowest to highest; "auto" takes the sorted values seen in training.
    handle_unknown : {"error", "ignore"}, default="error"
        What `transform` does with a level that is not listed: refuse it, or code it by zeros.

    Attributes
    ----------
    levels_ : list of ndarray
    n_features_in_ : int

    Notes
    -----
    A missing cell (None or NaN) is refused unless `handle_unknown="ignore"`, which codes it by zeros; the all-zero code
    is then its indicator, since every listed level has its first bit on.

    >>> encoder = ThermometerEncoder(levels=[["low", "mid", "high"]]).fit([["mid"]])
    >>> encoder.transform([["low"], ["high"]])
    array([[1., 0., 0.],
           [1., 1., 1.]])
    >>> encoder.get_feature_names_out(["heat"])
    array(['heat>=low', 'heat>=mid', 'heat>=high'], dtype=object)
    """

    def __init__(self, levels: Any = "auto", handle_unknown: str = "error"):
        self.levels = levels
        self.handle_unknown = handle_unknown

    def fit(self, X, y=None) -> "ThermometerEncoder":
        """Learn, or check, the levels."""
        if self.handle_unknown not in ("error", "ignore"):
            raise ValueError(f"ThermometerEncoder(handle_unknown={self.handle_unknown!r}): choose 'error' or 'ignore'")
        X = self._validated(X, reset=True)
        if isinstance(self.levels, str):
            if self.levels != "auto":
                raise ValueError(f"ThermometerEncoder(levels={self.levels!r}): give 'auto' or a list of lists")
            self.levels_ = [_sorted_levels(X[:, j], j) for j in range(X.shape[1])]
        else:
            if len(self.levels) != X.shape[1]:
                raise ValueError(
                    f"ThermometerEncoder(levels=...): {len(self.levels)} lists of levels for {X.shape[1]} features"
                )
            self.levels_ = [_listed_levels(levels, j) for j, levels in enumerate(self.levels)]
        self._ranks(X)
        return self

    def transform(self, X) -> np.ndarray:
        """The bits, float64, feature after feature."""
        check_is_fitted(self)
        ranks = self._ranks(self._validated(X, reset=False))
        return np.hstack([ranks[:, [j]] >= np.arange(1, len(k) + 1) for j, k in enumerate(self.levels_)]).astype(float)

    def inverse_transform(self, X) -> np.ndarray:
        """The levels back from the bits; a row of zeros gives None, bits that are no thermometer code are refused."""
        check_is_fitted(self)
        bits = np.asarray(X, dtype=float)
        widths = [len(levels) for levels in self.levels_]
        if bits.ndim != 2 or bits.shape[1] != sum(widths):
            raise ValueError(f"inverse_transform: expected {sum(widths)} columns of bits, got shape {bits.shape}")
        decoded = []
        for j, block in enumerate(np.split(bits, np.cumsum(widths)[:-1], axis=1)):
            ranks = block.sum(axis=1).astype(int)
            if not np.array_equal(block, ranks[:, None] > np.arange(widths[j])):
                raise ValueError(f"inverse_transform: the bits of feature {j} are no thermometer code")
            decoded.append(np.array([None, *self.levels_[j].tolist()], dtype=object)[ranks])
        out = np.column_stack(decoded)
        numeric = all(levels.dtype.kind in "fiu" for levels in self.levels_) and not is_none(out).any()
        return out.astype(np.result_type(*self.levels_)) if numeric else out

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """`feature>=level`, bit after bit."""
        check_is_fitted(self, "levels_")
        names = _check_feature_names_in(self, input_features)
        bits = [f"{name}>={level}" for name, levels in zip(names, self.levels_) for level in levels]
        return np.array(bits, dtype=object)

    def _validated(self, X, reset: bool) -> np.ndarray:
        finite = True if self.handle_unknown == "error" else "allow-nan"
        X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=finite)
        return X if X.dtype.kind in "fiu" else X.astype(object)

    def _ranks(self, X: np.ndarray) -> np.ndarray:
        """Rank 1..k of each cell among its levels; 0 when it is not among them."""
        ranks = np.zeros(X.shape, dtype=np.intp)
        for j, levels in enumerate(self.levels_):
            rank = {level: i for i, level in enumerate(levels.tolist(), start=1)}
            ranks[:, j] = [rank.get(cell, 0) for cell in X[:, j].tolist()]
        if self.handle_unknown == "error" and not ranks.all():
            row, j = np.argwhere(ranks == 0)[0]
            raise ValueError(
                f"ThermometerEncoder: row {row}, feature {j}: {plain(X[row, j])!r} is not among the levels "
                f"{self.levels_[j].tolist()[:10]}; list it, or set handle_unknown='ignore'"
            )
        return ranks

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.handle_unknown == "ignore"
        return tags


def _sorted_levels(cells: np.ndarray, j: int) -> np.ndarray:
    present = [cell for cell in cells.tolist() if cell is not None and cell == cell]
    if not present:
        raise ValueError(f"ThermometerEncoder: feature {j} has no level at all")
    try:
        levels = sorted(set(present))
    except TypeError as fault:
        raise TypeError(f"ThermometerEncoder: feature {j} mixes words and numbers; list its levels in order") from fault
    return np.array(levels, dtype=cells.dtype)


def _listed_levels(levels: Any, j: int) -> np.ndarray:
    listed = list(levels)
    if not listed or len(set(listed)) != len(listed):
        raise ValueError(f"ThermometerEncoder(levels=...): feature {j} needs each level once, got {listed}")
    array = np.array(listed)
    return array if array.dtype.kind in "fiu" else np.array(listed, dtype=object)
