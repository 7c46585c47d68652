"""Back-propagation over mini-batches on NumPy: buffers made once, products written into them, the rest compiled.

The formulas are those of `problems.neural.network`, which this agrees with to rounding; here no array is made anew.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from learnable._jit.neural import layers as kernels
from learnable.problems.neural.network import Architecture
from learnable.problems.neural.outputs import OUTPUTS
from learnable.solvers.neural.packed import Layout

_BACK = {
    "relu": kernels.relu_back,
    "tanh": kernels.tanh_back,
    "logistic": kernels.logistic_back,
    "identity": kernels.identity_back,
}
_NO_WEIGHT = np.empty(0)


class BufferedNetwork:
    """A network without batch normalisation, with room for batches of up to `largest` rows.

    Parameters
    ----------
    architecture : activation, output; penalties are left to the rule of descent.
    layout, vector : the parameters, changed by whoever owns the vector.
    X : array or CSR matrix (n, inputs).
    y : targets (n, outputs), or the index of each row's class for the softmax output.
    weight : weights of the rows of mean 1, or None.
    dropout : probability that a hidden unit is dropped.
    random : where masks come from.
    """

    def __init__(self, architecture: Architecture, layout: Layout, vector, X, y, weight, largest, dropout, random):
        self.architecture, self.X, self.y, self.weight = architecture, X, y, weight
        self.vector, self.theta = vector, layout.view(vector)
        self.gradient = np.empty_like(vector)
        self.slopes = layout.view(self.gradient)
        self.dropout, self.random = dropout, random
        self.sparse = sparse.issparse(X)
        self.index = np.asarray

        def room(size):
            return np.empty((largest, size), dtype=vector.dtype)

        self.batch: Any = None if self.sparse else np.empty((largest, X.shape[1]), dtype=X.dtype)
        self.targets = np.empty((largest, *y.shape[1:]), dtype=y.dtype)
        self.left = [room(size) for size in layout.sizes[1:]]
        self.deltas = [room(size) for size in layout.hidden]
        self.masks = [room(size) for size in layout.hidden] if dropout else []
        self.masked = [room(size) for size in layout.hidden] if dropout else self.left

    def evaluate(self, rows: np.ndarray | slice) -> float:
        """Mean loss of these rows; `gradient` becomes its gradient."""
        entered, targets, weight = self._rows(rows)
        m = targets.shape[0]
        for k in range(len(self.deltas)):
            h = self._product(entered[k], self.theta.coefs[k], self.left[k][:m])
            self._activate(h, self.theta.intercepts[k])
            if self.dropout:
                self.random.random(out=self.masks[k][:m], dtype=h.dtype)
                kernels.drop(h, self.masks[k][:m], h.dtype.type(self.dropout), self.masked[k][:m])
            entered.append(self.masked[k][:m])
        u = self._product(entered[-1], self.theta.coefs[-1], self.left[-1][:m])
        loss = self._judge(u, targets, weight)
        self._back(entered, u)
        return loss

    def _rows(self, rows) -> tuple[list[Any], np.ndarray, Any]:
        if isinstance(rows, slice):
            return [self.X[rows]], self.y[rows], _NO_WEIGHT if self.weight is None else self.weight[rows]
        m = len(rows)
        # With mode="clip" the rows are written where they belong without a copy in between; all are within range.
        batch = self.X[rows] if self.sparse else np.take(self.X, rows, axis=0, out=self.batch[:m], mode="clip")
        targets = np.take(self.y, rows, axis=0, out=self.targets[:m], mode="clip")
        return [batch], targets, _NO_WEIGHT if self.weight is None else self.weight[rows]

    def _product(self, entered, W, out):
        if sparse.issparse(entered):
            out[...] = entered @ W
            return out
        return np.matmul(entered, W, out=out)

    def _activate(self, u, bias) -> None:
        name = self.architecture.activation
        if name == "relu":
            kernels.bias_relu(u, bias)
            return
        u += bias
        if name == "tanh":
            np.tanh(u, out=u)
        elif name == "logistic":
            expit(u, out=u)

    def _judge(self, u, targets, weight) -> float:
        """The mean loss; u becomes δ, and the slope of the last bias is its sum."""
        share = 1.0 / len(u)
        bias, slope = self.theta.intercepts[-1], self.slopes.intercepts[-1]
        if self.architecture.output == "softmax":
            return share * kernels.softmax_nll(u, bias, targets, weight, share, slope)
        u += bias
        output = OUTPUTS[self.architecture.output]
        losses = output.loss(np, targets, u)
        delta = output.slope(np, targets, output.value(np, u))
        delta *= share if self.weight is None else (share * weight)[:, None]
        u[...] = delta
        np.sum(u, axis=0, out=slope)
        return share * float(losses.sum() if self.weight is None else weight @ losses)

    def _back(self, entered, delta) -> None:
        for k in reversed(range(len(entered))):
            W, slope, h = self.theta.coefs[k], self.slopes.coefs[k], entered[k]
            if sparse.issparse(h):
                slope[...] = h.T @ delta
            else:
                np.matmul(h.T, delta, out=slope)
            if k == 0:
                return
            m = len(delta)
            before = np.matmul(delta, W.T, out=self.deltas[k - 1][:m])
            if self.dropout:
                before *= self.masks[k - 1][:m]
            _BACK[self.architecture.activation](before, self.left[k - 1][:m], self.slopes.intercepts[k - 1])
            delta = before
