"""The four orientations of x — y — z and their joint laws. Syllabus: G7."""

from typing import NamedTuple

import numpy as np

from learnable.graphical.dag import DAG

CHAIN, REVERSED, FORK, COLLIDER = "x → y → z", "x ← y ← z", "x ← y → z", "x → y ← z"


class Orientation(NamedTuple):
    """One orientation, and the law that it makes of a given one.

    Attributes
    ----------
    name : e.g. "x → y → z".
    graph : DAG.
    factorisation : the product it stands for.
    law : (a, b, c) the product of the conditional laws of the given joint law.
    distance : total variation between the given joint law and this product; 0 if the law factorises so.
    """

    name: str
    graph: DAG
    factorisation: str
    law: np.ndarray
    distance: float


def four_orientations(law) -> dict[str, Orientation]:
    """What the graphs x → y → z, x ← y ← z, x ← y → z and x → y ← z make of a joint law of three discrete variables.

    The first three give the same product, P(x, y) P(y, z) / P(y); only the collider differs. Syllabus: G7.

    Parameters
    ----------
    law : array (a, b, c) of probabilities P(x, y, z) that sum to one.

    Examples
    --------
    >>> noise = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> chain = np.einsum("x,xy,yz->xyz", [0.3, 0.7], noise, noise)
    >>> for name, orientation in four_orientations(chain).items():
    ...     print(name, orientation.factorisation, round(orientation.distance, 6))
    x → y → z f(x) f(y | x) f(z | y) 0.0
    x ← y ← z f(z) f(y | z) f(x | y) 0.0
    x ← y → z f(y) f(x | y) f(z | y) 0.0
    x → y ← z f(x) f(z) f(y | x, z) 0.2058
    """
    law = np.asarray(law, dtype=float)
    if law.ndim != 3 or np.any(law < 0.0) or not np.isclose(law.sum(), 1.0):
        raise ValueError(f"four_orientations: needs probabilities (a, b, c) that sum to one, got shape {law.shape}")
    edges = {
        CHAIN: [("x", "y"), ("y", "z")],
        REVERSED: [("y", "x"), ("z", "y")],
        FORK: [("y", "x"), ("y", "z")],
        COLLIDER: [("x", "y"), ("z", "y")],
    }
    found = {}
    for name, pairs in edges.items():
        graph = DAG(pairs, nodes=["x", "y", "z"])
        product = graph.joint({node: _conditional(law, graph, i) for i, node in enumerate(graph.nodes)})
        distance = 0.5 * float(np.abs(product - law).sum())
        found[name] = Orientation(name, graph, graph.factorisation(), product, distance)
    return found


def _conditional(law: np.ndarray, graph: DAG, i: int) -> np.ndarray:
    """P(node i | its parents); where the parents have probability zero, any law will do: the uniform one."""
    above = np.flatnonzero(graph.arrows[:, i]).tolist()
    others = tuple(k for k in range(3) if k != i and k not in above)
    table = np.moveaxis(law.sum(axis=others, keepdims=True), [*above, i], range(len(above) + 1))
    table = table.reshape(table.shape[: len(above) + 1])
    total = table.sum(axis=-1, keepdims=True)
    return np.where(total > 0.0, table / np.where(total > 0.0, total, 1.0), 1.0 / table.shape[-1])
