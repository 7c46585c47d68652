"""A film of a comparison: scores and intervals as the folds arrive."""

from typing import Any

import numpy as np

from learnable.certificates import Certificate, Claim
from learnable.evaluation import Comparison
from learnable.films.frames import Film, Frame
from learnable.films.marks import cells, plane, points, segments, six_digits
from learnable.films.registry import Picture


def film_of_comparison(comparison: Comparison, *, frames: int = 200) -> Film:
    """A film of a comparison: what could be said after 2 folds, after 3, and so on to all of them.

    The bars are the adjusted p-values of the pairs; two learners are told apart where theirs ends before α. Peeking at
    each fold and stopping when a pair looks different would not have the level α: only the last frame has.

    Parameters
    ----------
    comparison : what `learnable.evaluation.compare` returned.
    frames : frames at most; of more folds evenly spaced ones, always the last.

    Examples
    --------
    >>> from learnable.evaluation import Comparison
    >>> from learnable.films import film_of_comparison
    >>> folds = {"tree": [0.90, 0.93, 0.88, 0.91], "stump": [0.70, 0.66, 0.71, 0.69]}
    >>> film_of_comparison(Comparison.from_scores(folds, n_train=300, n_test=100))
    Film(Comparison of 2 learners: 3 frames, 4 states, all folds, proved)
    """
    if frames < 2:
        raise ValueError(f"film_of_comparison(frames={frames}): a film has at least 2 frames")
    folds = len(comparison.scores)
    seen = np.unique(np.linspace(2, folds, min(frames, folds - 1)).astype(int))
    shots = [_frame(comparison, int(k), last=k == folds) for k in seen]
    thinned = "" if len(seen) == folds - 1 else f"{len(seen)} of {folds} folds"
    return Film(f"Comparison of {len(comparison.names)} learners", shots, comparison, thinned)


def _frame(whole: Comparison, k: int, last: bool) -> Frame:
    part = Comparison.from_scores(
        whole.scores[:k], whole.n_train[:k], whole.n_test[:k], names=whole.names, alpha=whole.alpha,
        metric=whole.metric, greater_is_better=whole.greater_is_better, bounds=whole.bounds,
    )  # fmt: skip
    groups = _told_apart(part)
    picture = Picture(*six_digits(list(Picture([_intervals(whole, part), _folds(part)], f"{k} folds: {groups}."))))
    claims = [
        Claim.reached("MS7", f"{pair.first} is better than {pair.second}: adjusted p-value", pair.p_adjusted,
                      part.alpha, asked=1.0, kind="with probability", delta=part.alpha)
        for pair in part.pairs
    ]  # fmt: skip
    certificate = Certificate("Comparison", claims)
    means = {name: interval.estimate for name, interval in sorted(part.means.items())[:4]}
    frame = Frame.of(k, None, certificate, picture, six_digits(means))
    return frame._replace(status="all folds", sentence=groups) if last else frame


def _told_apart(part: Comparison) -> str:
    """The groups of learners in words."""
    alike = [group for group in part.groups if len(group) > 1]
    if not alike:
        return "all can be told apart"
    return "; ".join(f"{', '.join(group)} cannot be told apart" for group in alike)


def _intervals(whole: Comparison, part: Comparison) -> dict[str, Any]:
    """One row a learner, the order that of the whole comparison: fold scores as dots, the interval as a bar."""
    rows = {name: len(whole.names) - 1 - k for k, name in enumerate(whole.ranking)}
    low, high = float(whole.scores.min()), float(whole.scores.max())
    pad = 0.25 * (high - low) or 0.5
    at = np.array([[score, rows[name]] for name, column in zip(part.names, part.scores.T) for score in column])
    group = np.repeat([part.names.index(name) % 8 for name in part.names], len(part.scores))
    bars = [
        [interval.low, rows[name] + 0.18, interval.high, rows[name] + 0.18] for name, interval in part.means.items()
    ]
    means = [[interval.estimate, rows[name] + 0.18] for name, interval in part.means.items()]
    colours = [part.names.index(name) % 8 for name in part.means]
    box = (low - pad, high + pad, -0.6, len(rows) - 0.3)
    order = ", ".join(f"{row} {name}" for name, row in sorted(rows.items(), key=lambda item: item[1]))
    marks = [points(at, group, size=np.full(len(at), 0.7)), segments(bars, colours, width=4.0),
             points(means, colours, size=np.full(len(means), 1.6))]  # fmt: skip
    title = f"Scores of the folds, and means with their {1 - part.alpha:.0%} intervals"
    return plane(title, part.metric, "learner", box, marks, note=f"rows: {order}")


def _folds(part: Comparison) -> dict[str, Any]:
    """The scores themselves, the newest folds first."""
    newest = part.scores[::-1][:10]
    names = [f"fold {len(part.scores) - i}" for i in range(len(newest))]
    return cells("The newest folds", newest, rows=names, columns=list(part.names))
