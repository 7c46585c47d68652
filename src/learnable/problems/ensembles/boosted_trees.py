"""The trees of a boosted model, all in one set of arrays."""

from typing import NamedTuple

import numpy as np

# Categories of fewer rows at a node go one way there, all together: alone, each would follow its noise.
ENOUGH_ROWS = 10
# Categories are ordered by gradient / (curvature + this): steps of small ones are drawn to zero.
SMOOTHING = 10.0
# One side of a split has at most so many categories: of many, some cut in their order fits the noise of the node.
FEWER_SIDE = 16


class BoostedTrees(NamedTuple):
    """Trees one after the other; node numbers count through all of them.

    Attributes
    ----------
    first : (rounds, K) the root of each tree.
    children_left, children_right : (m,), −1 at leaves.
    feature : (m,), −2 at leaves.
    threshold : (m,) rows with x ≤ threshold go left; infinite where all that is not missing does; 0 at leaves.
    missing_go_to_left : (m,) 0 or 1.
    category_row : (m,) row of `category_left`, −1 elsewhere.
    category_left : (s, 256) whether a category goes left.
    value : (m,) what a leaf adds to the score, learning rate included; 0 at splits.
    n_samples : (m,) training rows.
    """

    first: np.ndarray
    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    category_row: np.ndarray
    category_left: np.ndarray
    value: np.ndarray
    n_samples: np.ndarray

    @property
    def n_rounds(self) -> int:
        return len(self.first)

    @classmethod
    def none(cls, n_scores: int) -> "BoostedTrees":
        """No tree yet."""
        whole = np.zeros(0, dtype=np.int32)
        return cls(
            np.zeros((0, n_scores), dtype=np.int64), whole, whole, whole, np.zeros(0), np.zeros(0, dtype=np.uint8),
            whole, np.zeros((0, 256), dtype=np.uint8), np.zeros(0), np.zeros(0, dtype=np.int64),
        )  # fmt: skip

    def rounds(self, number: int) -> "BoostedTrees":
        """The trees of the first rounds."""
        if number >= self.n_rounds:
            return self
        end = int(self.first[number, 0])
        rows = self.category_row[:end]
        parts = [array[:end] for array in self[1:6]]
        ends = [array[:end] for array in self[8:]]
        return BoostedTrees._make(
            [self.first[:number], *parts, rows, self.category_left[: rows.max(initial=-1) + 1], *ends]
        )
