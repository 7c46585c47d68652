"""Back-propagation over mini-batches by the core as it is written: any network, on NumPy arrays or on tensors."""

from typing import Any

from learnable.problems.neural.layers import follow, keep_mask
from learnable.problems.neural.network import Architecture, evaluate, namespace
from learnable.solvers.neural.packed import Layout


class PlainNetwork:
    """A network whose every option the core knows; `running` follows the moments of the batches.

    Parameters
    ----------
    architecture : activation, output; penalties are left to the rule of descent.
    layout, vector, running : the parameters and running statistics, changed in place.
    X, y, weight : arrays or tensors of the same kind; weights have mean 1.
    dropout : probability that a hidden unit is dropped.
    random : has `random(shape)`, uniform on [0, 1), of the same kind as the arrays.
    index : turns an order of rows into what the arrays are indexed by.
    """

    def __init__(
        self, architecture: Architecture, layout: Layout, vector, running, X, y, weight, dropout, random, index
    ):
        self.architecture = architecture._replace(l2=0.0, l1=0.0)
        self.layout, self.vector, self.theta = layout, vector, layout.view(vector)
        self.running = running
        self.X, self.y, self.weight = X, y, weight
        self.dropout, self.random, self.index = dropout, random, index
        self.xp = namespace(vector)
        self.gradient: Any = vector

    def evaluate(self, rows: Any) -> Any:
        """Mean loss of these rows; `gradient` becomes its gradient."""
        X, y = self.X[rows], self.y[rows]
        weight = None if self.weight is None else self.weight[rows]
        m = y.shape[0]
        masks = [self._mask((m, size)) for size in self.layout.hidden] if self.dropout else ()
        found = evaluate(self.architecture, self.theta, X, y, weight, masks=masks, weight_sum=m)
        self.gradient = self.xp.concat([self.xp.reshape(array, (-1,)) for part in found.gradient for array in part])
        for running, batch in zip(self.layout.view_moments(self.running), found.moments):
            after = follow(running, batch, m)
            running.mean[...], running.variance[...] = after.mean, after.variance
        return found.objective

    def _mask(self, shape: tuple[int, int]) -> Any:
        return keep_mask(self.xp, self.random(shape), self.dropout)
