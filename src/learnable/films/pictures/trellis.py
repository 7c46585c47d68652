"""Hidden Markov models: the trellis with its best path, and the probabilities that make it the best."""

import numpy as np

from learnable.films.marks import cells, curve, graph, plane, points
from learnable.films.registry import Picture, Shot, draws

TIMES = 24


@draws("solvers.sequences.baum_welch.BaumWelchState")
def trellis(shot: Shot) -> Picture:
    """The first observations, the states they may have come from, and the best path through these (Viterbi)."""
    model = shot.model
    K = len(model.startprob_)
    observed = _first_sequence(shot)
    states = [f"state {k + 1}" for k in range(K)]
    panels = []
    if observed is not None and not np.isnan(np.asarray(observed, dtype=float)).all():
        path = np.asarray(model.predict(observed))
        T = min(TIMES, len(path))
        at = np.array([[t / max(T - 1, 1), k / max(K - 1, 1)] for t in range(T) for k in range(K)])
        on_path = np.array([k == path[t] for t in range(T) for k in range(K)])
        edges = [
            [t * K + i, (t + 1) * K + j, "line", int(path[t]) % 8, 3.0]
            if (path[t], path[t + 1]) == (i, j)
            else [t * K + i, (t + 1) * K + j, "faint", -1, 0.3 + 1.5 * float(model.transmat_[i, j])]
            for t in range(T - 1)
            for i in range(K)
            for j in range(K)
        ]
        group = np.where(on_path, np.tile(np.arange(K), T) % 8, -1)
        panels.append(
            graph(f"Trellis of the first {T} observations, with the best path", at, [""] * len(at), edges, group)
        )
        if hasattr(model, "means_"):
            panels.append(_seen(model, observed, path))
    panels.append(cells("Transition probabilities", model.transmat_, rows=states, columns=states))
    if hasattr(model, "emissionprob_"):
        signs = [str(v) for v in range(np.shape(model.emissionprob_)[1])]
        panels.append(cells("Emission probabilities", model.emissionprob_, rows=states, columns=signs))
    return Picture(panels, f"The log-likelihood is {model.log_likelihood_:.6g}; start {shot.state.restart + 1}.")


def _first_sequence(shot: Shot):
    X, length = shot.stage.data[0], int(np.ravel(shot.model.lengths_)[0])
    return X[:length] if isinstance(X, np.ndarray) else None


def _seen(model, observed: np.ndarray, path: np.ndarray):
    """The first column over time, in the colours of the best path, with the means of the states."""
    x, y = np.arange(min(len(path), 200)), np.asarray(observed, dtype=float)[:200, 0]
    low, high = float(np.nanmin(y)), float(np.nanmax(y))
    pad = 0.08 * (high - low or 1.0)
    means = [curve([0, len(x) - 1], [mean] * 2, k % 8, dashed=True) for k, mean in enumerate(model.means_[:, 0])]
    box = (-1.0, float(len(x)), low - pad, high + pad)
    marks = [*means, points(np.column_stack([x, y]), path[:200] % 8)]
    return plane(
        "What was seen, coloured by the best path; dashed: means of the states", "time", "first column", box, marks
    )


@draws("solvers.sequences.transition_counts.CountState")
def transitions(shot: Shot) -> Picture:
    """A Markov chain: what follows what."""
    model = shot.model
    names = [str(name) for name in getattr(model, "states_", range(len(model.transmat_)))]
    panels = [
        cells("Transition probabilities", model.transmat_, rows=names, columns=names),
        cells("Transitions counted", model.counts_, rows=names, columns=names),
    ]
    return Picture(panels, f"The log-likelihood is {model.log_likelihood_:.6g}.")
