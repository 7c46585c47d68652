"""The brute-force MAP learner: hypotheses without noise, each tried on every example."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.posterior import Posterior, checked_distribution, posterior_from_logs


def brute_force_map(
    hypotheses: Mapping[Hashable, Callable[[Any], Any]],
    X: Any,
    y: ArrayLike,
    *,
    prior: Mapping[Hashable, float] | None = None,
) -> Posterior:
    """The posterior when P(D|h) is 1 for a hypothesis that agrees with every example and 0 for any other.

    Under a uniform prior it is uniform on the version space: 1/|VS| for each consistent hypothesis, and the evidence
    is |VS|/|H|. Every consistent hypothesis is then a MAP hypothesis.

    Parameters
    ----------
    hypotheses : name -> function of X that returns one label a row.
    X : the examples, as the functions take them.
    y : array (n,) of labels.
    prior : name -> P(h), default: uniform.

    Returns
    -------
    Posterior

    Syllabus: Y1, Y2.

    >>> import numpy as np
    >>> thresholds = {t: (lambda X, t=t: X >= t) for t in range(5)}
    >>> belief = brute_force_map(thresholds, np.array([1, 3]), [False, True])
    >>> belief.probabilities.tolist(), belief.map_ties, belief.evidence.__round__(3)
    ([0.0, 0.0, 0.5, 0.5, 0.0], (2, 3), 0.4)
    """
    if not hypotheses:
        raise ValueError("brute_force_map(hypotheses): the set is empty; give at least one hypothesis")
    target = np.asarray(y)
    if target.ndim != 1:
        raise ValueError(f"brute_force_map(y): shape {target.shape}; one label an example is needed")
    names = tuple(hypotheses)
    weights = np.full(len(names), 1.0 / len(names))
    if prior is not None:
        if set(prior) != set(names):
            raise ValueError(f"brute_force_map(prior): names {sorted(map(str, set(prior) ^ set(names)))} do not match")
        weights = checked_distribution([prior[name] for name in names], "brute_force_map", "prior")
    agrees = np.array([_agrees(name, hypotheses[name], X, target) for name in names])
    if not agrees.any():
        raise ValueError(
            f"brute_force_map: none of the {len(names)} hypotheses agrees with all {len(target)} examples; the target "
            "is not among them or the labels are noisy: use `posterior` with a likelihood that allows errors"
        )
    with np.errstate(divide="ignore"):
        return posterior_from_logs(np.log(weights), np.log(agrees.astype(float)), hypotheses=names)


def _agrees(name: Hashable, hypothesis: Callable[[Any], Any], X: Any, y: np.ndarray) -> bool:
    labels = np.asarray(hypothesis(X))
    if labels.shape != y.shape:
        raise ValueError(f"brute_force_map: hypothesis {name!r} returned shape {labels.shape} for {len(y)} examples")
    return bool(np.all(labels == y))
