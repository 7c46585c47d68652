"""How often each edge comes back when the rows are drawn again. Syllabus: G13."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from learnable.config import config_context
from learnable.evaluation.proportion import wilson_interval
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.seeds import seed_from


class EdgeFrequency(NamedTuple):
    """One pair of columns over all resamples.

    Attributes
    ----------
    x, y : the pair.
    joined : share of resamples in which an edge of any kind joins them; low, high : its Wilson interval.
    forward, backward, undirected : shares of x → y, y → x and x — y.
    """

    x: Any
    y: Any
    joined: float
    low: float
    high: float
    forward: float
    backward: float
    undirected: float


def bootstrap_edges(
    model: Any, X: Any, repeats: int = 100, level: float = 0.95, random_state: Any = 0, n_jobs: int | None = None
) -> list[EdgeFrequency]:
    """Fit a structure learner on resampled rows and count its edges, the most frequent first.

    Parameters
    ----------
    model : unfitted learner with `graph_`, e.g. `PC()`.
    X : array or data frame (n, p).
    repeats : how often the rows are drawn with replacement.
    level : coverage of the intervals, over draws of resamples.
    random_state : seed. n_jobs : threads; the answer is the same for any number.

    Examples
    --------
    >>> from learnable.graphical import PC
    >>> noise = np.random.default_rng(0).standard_normal((300, 2))
    >>> X = np.column_stack([noise[:, 0], noise[:, 0] + noise[:, 1]])
    >>> bootstrap_edges(PC(), X, repeats=20, random_state=0)[0].joined
    1.0
    """
    if repeats < 1:
        raise ValueError(f"bootstrap_edges(repeats={repeats}): at least 1 is needed")
    n = len(X)
    seeds = seed_from(random_state, "bootstrap_edges").spawn(repeats)

    def graph(seed: np.random.SeedSequence) -> Any:
        rows = np.random.default_rng(seed).integers(n, size=n)
        drawn = X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
        with config_context(certificates=False):
            return clone(model).fit(drawn).graph_

    with one_blas_thread() as granted:
        graphs = list(in_order(graph, iter(seeds), worker_count(n_jobs, granted, repeats)))
    arrows = np.mean([each.arrows for each in graphs], axis=0)
    lines = np.mean([each.lines for each in graphs], axis=0)
    nodes = graphs[0].nodes
    found = []
    for i in range(len(nodes)):
        for j in range(i + 1, len(nodes)):
            joined = arrows[i, j] + arrows[j, i] + lines[i, j]
            low, high = wilson_interval(round(joined * repeats), repeats, level)
            shares = (joined, low, high, arrows[i, j], arrows[j, i], lines[i, j])
            found.append(EdgeFrequency(nodes[i], nodes[j], *(float(share) for share in shares)))
    return sorted(found, key=lambda edge: -edge.joined)
