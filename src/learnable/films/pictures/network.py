"""Neural networks: weights as edges, and the surface they make."""

from typing import Any

import numpy as np

from learnable.films.marks import graph
from learnable.films.pictures.regression import regression
from learnable.films.pictures.separating_line import regions
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import classifies_numbers, fits_numbers

MOST = 16
"""Units of a layer that are drawn."""


@draws(
    "solvers.neural.epochs.EpochState", "solvers.neural.lbfgs.DescentState",
    when=lambda shot: hasattr(shot.model, "coefs_"),
)  # fmt: skip
def network(shot: Shot) -> Picture:
    """Layers from left to right; wider edges are larger weights, blue positive, red negative."""
    below = Picture([])
    if classifies_numbers(shot):
        below = regions(shot)
    elif fits_numbers(shot):
        below = regression(shot)
    return below._replace(panels=[*below.panels, _layers(shot)])


def _layers(shot: Shot) -> dict[str, Any]:
    weights = [np.asarray(layer) for layer in shot.model.coefs_]
    sizes = [len(weights[0]), *(layer.shape[1] for layer in weights)]
    shown = [min(size, MOST) for size in sizes]
    starts = np.concatenate([[0], np.cumsum(shown)])
    at = np.array([[k / (len(sizes) - 1), (i + 0.5) / n] for k, n in enumerate(shown) for i in range(n)])
    largest = max(float(np.abs(layer).max(initial=0.0)) for layer in weights) or 1.0
    edges = [
        [int(starts[k] + i), int(starts[k + 1] + j), "line", 0 if w[i, j] > 0 else 5,
         round(0.2 + 4.0 * abs(float(w[i, j])) / largest, 2)]
        for k, w in enumerate(weights)
        for i in range(shown[k])
        for j in range(shown[k + 1])
    ]  # fmt: skip
    hidden = any(a < b for a, b in zip(shown, sizes))
    note = f"the first {MOST} units of each layer" if hidden else ""
    return graph("Weights: blue positive, red negative", at, [""] * len(at), edges, np.full(len(at), -1), note=note)
