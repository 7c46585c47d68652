"""Codes of a value through its parts."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from learnable.base.validation import validate_data


class FactoredEncoder(TransformerMixin, BaseEstimator):
    """Map each value to a tuple of parts and code every part one-hot.

    A make-and-model becomes (make, model), a playing card (rank, suit): values that share a part share a bit, so what
    is learnt of one carries over to the other. The map must be one-to-one, so that decoding after coding is the
    identity.

    Syllabus: D8.

    Parameters
    ----------
    parts : mapping value -> tuple, or list of such mappings, or None, default=None
        How values come apart; a single mapping serves every feature. None codes each value by itself (plain one-hot).
    handle_unknown : {"error", "ignore"}, default="error"
        What `transform` does with a value outside the map (or, with None, outside the training values): refuse it, or
        code it by zeros.

    Attributes
    ----------
    parts_ : list of dict, value -> tuple, one a feature.
    part_levels_ : list of list of tuple, the sorted levels of each part of each feature.

    >>> cards = {"AH": ("A", "H"), "AS": ("A", "S"), "KH": ("K", "H")}
    >>> encoder = FactoredEncoder(cards).fit([["AH"], ["KH"]])
    >>> encoder.transform([["AS"]])
    array([[1., 0., 0., 1.]])
    >>> encoder.get_feature_names_out(["card"])
    array(['card[0]=A', 'card[0]=K', 'card[1]=H', 'card[1]=S'], dtype=object)
    >>> encoder.inverse_transform(encoder.transform([["AS"]]))
    array([['AS']], dtype=object)
    """

    def __init__(self, parts: Any = None, handle_unknown: str = "error"):
        self.parts = parts
        self.handle_unknown = handle_unknown

    def fit(self, X, y=None) -> "FactoredEncoder":
        """Learn the parts of every feature and check the map."""
        if self.handle_unknown not in ("error", "ignore"):
            raise ValueError(f"FactoredEncoder(handle_unknown={self.handle_unknown!r}): choose 'error' or 'ignore'")
        X = self._validated(X, reset=True)
        self.parts_ = [_checked(mapping, j) for j, mapping in enumerate(self._mappings(X))]
        self.part_levels_ = [
            [tuple(_ordered({parts[i] for parts in mapping.values()})) for i in range(_n_parts(mapping))]
            for mapping in self.parts_
        ]
        self._refuse_unknown(X)
        return self

    def transform(self, X) -> np.ndarray:
        """The bits, float64: feature after feature, part after part."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        self._refuse_unknown(X)
        blocks = []
        for j, (mapping, part_levels) in enumerate(zip(self.parts_, self.part_levels_)):
            codes = _codes(mapping, part_levels)
            zeros = np.zeros(sum(len(levels) for levels in part_levels))
            blocks.append(np.array([codes.get(value, zeros) for value in X[:, j].tolist()]))
        return np.hstack(blocks)

    def inverse_transform(self, X) -> np.ndarray:
        """The values back from the bits; zeros give None, bits that code no value of the map are refused."""
        check_is_fitted(self)
        bits = np.asarray(X, dtype=float)
        widths = [sum(len(levels) for levels in part_levels) for part_levels in self.part_levels_]
        if bits.ndim != 2 or bits.shape[1] != sum(widths):
            raise ValueError(f"inverse_transform: expected {sum(widths)} columns of bits, got shape {bits.shape}")
        decoded = np.empty((len(bits), len(widths)), dtype=object)
        for j, block in enumerate(np.split(bits, np.cumsum(widths)[:-1], axis=1)):
            value_of = {tuple(code): value for value, code in _codes(self.parts_[j], self.part_levels_[j]).items()}
            value_of[(0.0,) * widths[j]] = None
            for row, code in enumerate(map(tuple, block.tolist())):
                if code not in value_of:
                    raise ValueError(f"inverse_transform: row {row}: the bits of feature {j} code no value of its map")
                decoded[row, j] = value_of[code]
        return decoded

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """`feature[part]=level`, bit after bit."""
        check_is_fitted(self, "part_levels_")
        names = _check_feature_names_in(self, input_features)
        bits = [
            f"{name}[{i}]={level}"
            for name, part_levels in zip(names, self.part_levels_)
            for i, levels in enumerate(part_levels)
            for level in levels
        ]
        return np.array(bits, dtype=object)

    def _validated(self, X, reset: bool) -> np.ndarray:
        X = validate_data(self, X, reset=reset, dtype=None)
        return X if X.dtype.kind in "fiu" else X.astype(object)

    def _mappings(self, X: np.ndarray) -> list[Mapping]:
        if self.parts is None:
            return [{value: (value,) for value in X[:, j].tolist()} for j in range(X.shape[1])]
        mappings = [self.parts] * X.shape[1] if isinstance(self.parts, Mapping) else list(self.parts)
        if len(mappings) != X.shape[1]:
            raise ValueError(f"FactoredEncoder(parts=...): {len(mappings)} maps for {X.shape[1]} features")
        return mappings

    def _refuse_unknown(self, X: np.ndarray) -> None:
        if self.handle_unknown == "ignore":
            return
        for j, mapping in enumerate(self.parts_):
            for row, value in enumerate(X[:, j].tolist()):
                if value not in mapping:
                    raise ValueError(
                        f"FactoredEncoder: row {row}, feature {j}: {value!r} is not in the map; add its parts, or set "
                        "handle_unknown='ignore'"
                    )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _checked(mapping: Mapping, j: int) -> dict[Hashable, tuple]:
    """The map as a plain dict of tuples of one length, refused when two values have the same parts."""
    if not isinstance(mapping, Mapping) or not mapping:
        raise TypeError(f"FactoredEncoder(parts=...): feature {j} needs a non-empty mapping value -> tuple")
    checked: dict[Hashable, tuple] = {}
    owner: dict[tuple, Hashable] = {}
    for value, parts in mapping.items():
        if not isinstance(parts, tuple) or not parts:
            raise TypeError(
                f"FactoredEncoder(parts=...): the parts of {value!r} must be a non-empty tuple, got {parts!r}"
            )
        if len(parts) != len(next(iter(checked.values()), parts)):
            raise ValueError(
                f"FactoredEncoder(parts=...): {value!r} has {len(parts)} parts, others have another number"
            )
        if parts in owner:
            raise ValueError(
                f"FactoredEncoder(parts=...): {owner[parts]!r} and {value!r} have the same parts {parts!r}; "
                "they could not be told apart"
            )
        owner[parts] = value
        checked[value] = parts
    return checked


def _n_parts(mapping: dict[Hashable, tuple]) -> int:
    return len(next(iter(mapping.values())))


def _ordered(levels: set) -> list:
    """Sorted where the levels compare, else by type and spelling."""
    try:
        return sorted(levels)
    except TypeError:
        return sorted(levels, key=lambda level: (type(level).__name__, repr(level)))


def _codes(mapping: dict[Hashable, tuple], part_levels: list[tuple]) -> dict[Hashable, np.ndarray]:
    return {
        value: np.concatenate([[float(part == level) for level in levels] for part, levels in zip(parts, part_levels)])
        for value, parts in mapping.items()
    }
