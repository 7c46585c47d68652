"""Rows with several targets: the impurity of a set of rows is the mean of those of its outputs."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.trees.candidates import Node


class Several(NamedTuple):
    """As `Node`, for several outputs over the same rows and weights."""

    outputs: tuple[Node, ...]

    def take(self, rows: np.ndarray) -> "Several":
        return Several(tuple(node.take(rows) for node in self.outputs))

    def weighing(self, weight: np.ndarray) -> "Several":
        return Several(tuple(node.weighing(weight) for node in self.outputs))

    @property
    def kind(self) -> Any:
        return self.outputs[0].kind

    @property
    def n_classes(self) -> int:
        """Of the output with the most, 0 for numbers."""
        return max(node.n_classes for node in self.outputs)

    @property
    def weight(self) -> np.ndarray:
        return self.outputs[0].weight

    @property
    def y(self) -> np.ndarray:
        """(n, q)."""
        return np.column_stack([node.y for node in self.outputs])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.outputs), max(self.n_classes, 1)

    @property
    def impurity(self) -> float:
        return float(np.mean([node.impurity for node in self.outputs]))

    @property
    def centres(self) -> np.ndarray:
        """(q, 1) the best constants of the outputs."""
        return np.vstack([node.centres for node in self.outputs])

    @property
    def pure(self) -> bool:
        return all(node.pure for node in self.outputs)

    @property
    def summands(self) -> np.ndarray:
        """(n, c) those of the outputs side by side."""
        return np.hstack([node.summands for node in self.outputs])

    def _parts(self, sums: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum([node.n_classes or 3 for node in self.outputs])
        return np.split(sums, ends[:-1], axis=-1)

    def weight_in(self, sums: np.ndarray) -> np.ndarray:
        return self.outputs[0].weight_in(self._parts(sums)[0])

    def weighted_impurity(self, sums: np.ndarray, W: np.ndarray | None = None) -> np.ndarray:
        each = [node.weighted_impurity(part, W) for node, part in zip(self.outputs, self._parts(sums))]
        return np.mean(each, axis=0)

    def values(self, sums: np.ndarray, W: np.ndarray) -> np.ndarray:
        """(sets, q, K) with zeros beyond the classes of an output."""
        q, K = self.shape
        found = np.zeros((len(W), q, K))
        for output, (node, part) in enumerate(zip(self.outputs, self._parts(sums))):
            found[:, output, : max(node.n_classes, 1)] = node.values(part, W)[:, 0]
        return found

    def has_deviance(self, sides: np.ndarray, whole: np.ndarray) -> Any:
        each = zip(self.outputs, self._parts(sides), self._parts(whole))
        return np.all([node.has_deviance(part, all_of_it) for node, part, all_of_it in each], axis=0)
