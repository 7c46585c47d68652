"""The objective over all rows and its gradient, in double precision, by the code that trains on batches."""

from typing import NamedTuple

import numpy as np

from learnable.problems.neural.network import Architecture, Evaluation, evaluate, penalty
from learnable.rows.stretches import stretches
from learnable.solvers.neural.buffered import BufferedNetwork
from learnable.solvers.neural.packed import Layout
from learnable.solvers.neural.rules import Penalties
from learnable.solvers.neural.targets import Targets


class AllRows:
    """J = Σ w ℓ / Σ w + penalty of a network over all rows, without dropout.

    Parameters
    ----------
    weight : weights of the rows, or None.
    """

    def __init__(self, architecture: Architecture, layout: Layout, X, targets: Targets, weight):
        self.architecture, self.layout, self.X, self.targets = architecture, layout, X, targets
        self.weight = None if weight is None else np.asarray(weight, dtype=float)
        self.total = float(X.shape[0] if self.weight is None else np.sum(self.weight))

    def __call__(self, vector: np.ndarray, running: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """J and ∇J; normalised by the running statistics, or by those of all rows where none are given."""
        if not self.layout.batch_norm:
            loss, gradient = self._by_stretches(vector)
        elif running is None:
            loss, gradient = _flat(self._of_all(vector))
        else:
            loss, gradient = self._normalised(vector, running)
        penalties = Penalties(self.layout.n_weights, self.architecture.l2, self.architecture.l1)
        penalties.add_slope(vector, gradient)
        return loss + float(penalty(self.architecture, self.layout.view(vector))), gradient

    def moments(self, vector: np.ndarray) -> np.ndarray:
        """The moments of the normalised layers over all rows."""
        if not self.layout.batch_norm:
            return np.empty(0)
        return self.layout.pack_moments(self._of_all(vector).moments, float)

    def _by_stretches(self, vector) -> tuple[float, np.ndarray]:
        loss, gradient = 0.0, np.zeros_like(vector)
        for rows, part in stretches(self.X):
            m, w = part.shape[0], None if self.weight is None else self.weight[rows]
            y = self.targets.judged(rows, float)
            network = BufferedNetwork(self.architecture, self.layout, vector, part, y, w, m, 0.0, None)
            loss += m / self.total * network.evaluate(slice(0, m))
            gradient += m / self.total * network.gradient
        return loss, gradient

    def _normalised(self, vector, running) -> tuple[float, np.ndarray]:
        loss, gradient = 0.0, np.zeros_like(vector)
        for rows, part in stretches(self.X):
            found = self._evaluate(vector, rows, part, self.layout.view_moments(running))
            part_loss, part_gradient = _flat(found)
            loss += part_loss
            gradient += part_gradient
        return loss, gradient

    def _of_all(self, vector) -> Evaluation:
        X = self.X if self.X.dtype == float else self.X.astype(float)
        return self._evaluate(vector, slice(None), X, None)

    def _evaluate(self, vector, rows, X, moments) -> Evaluation:
        free = self.architecture._replace(l2=0.0, l1=0.0)
        w = None if self.weight is None else self.weight[rows]
        y = self.targets.values[rows].astype(float)
        return evaluate(free, self.layout.view(vector), X, y, w, moments, weight_sum=self.total)


class Standing(NamedTuple):
    """J of the network as it predicts, and the length of ∂J for each array of parameters."""

    objective: float
    gradient_norms: np.ndarray


def standing(architecture, layout: Layout, vector, running, X, targets: Targets, weight=None) -> Standing:
    """How trained parameters stand."""
    everything = AllRows(architecture, layout, X, targets, weight)
    objective, gradient = everything(np.asarray(vector, dtype=float), np.asarray(running, dtype=float))
    norms = [np.linalg.norm(array) for part in layout.view(gradient) for array in part]
    return Standing(objective, np.array(norms))


def _flat(found: Evaluation) -> tuple[float, np.ndarray]:
    gradient = np.concatenate([np.ravel(array) for part in found.gradient for array in part])
    return float(found.objective), gradient
