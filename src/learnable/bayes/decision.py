"""The Bayes decision rule: the decision of least expected loss under a posterior."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.posterior import checked_distribution
from learnable.certificates import Certificate
from learnable.certificates.bayes.decision import decision_claims
from learnable.problems.bayes.decision import expected_losses, least


@dataclass(frozen=True, eq=False)
class Decision:
    """A decision, or one for each of n posteriors, with the table it came from.

    Syllabus: Y5.

    Attributes
    ----------
    actions : tuple
        What may be decided: the labels, and whatever else the loss matrix has a row for.
    posterior : array (k,) or (n, k)
        P(y|x).
    loss : array (actions, k)
        loss[a, y], the cost of deciding a when the outcome is y.
    expected_loss : array (actions,) or (n, actions)
        Σ_y P(y|x) loss[a, y], the posterior risk of each action.
    index : int or array (n,)
        The row of the decision in the loss matrix, the first of equals.
    certificate : `certificates.Certificate`, which claims
        Y5 : the expected losses are what they are said to be, and no other action has a lower one.
    """

    actions: tuple[Hashable, ...]
    posterior: np.ndarray
    loss: np.ndarray
    expected_loss: np.ndarray
    index: Any

    @property
    def action(self) -> Any:
        """The decision; a list of n for n posteriors."""
        if np.ndim(self.index) == 0:
            return self.actions[self.index]
        return [self.actions[index] for index in self.index]

    @property
    def risk(self) -> Any:
        """Its expected loss, the least there is: a float, or an array (n,)."""
        chosen = np.take_along_axis(self.expected_loss, np.expand_dims(self.index, -1), axis=-1)[..., 0]
        return float(chosen) if chosen.ndim == 0 else chosen

    @property
    def certificate(self) -> Certificate:
        claims = decision_claims("Y5", self.posterior, self.loss, self.expected_loss, self.index)
        return Certificate("Decision", claims)


def bayes_decision(posterior: ArrayLike, loss: ArrayLike, *, actions: Sequence[Hashable] | None = None) -> Decision:
    """argmin_a Σ_y P(y|x) loss[a, y].

    With 0-1 loss it is the most probable label; with a row for "reject" (`zero_one_loss(k, reject=c)`) it abstains
    where no label has probability above 1 − c.

    Parameters
    ----------
    posterior : array (k,) or (n, k)
        P(y|x), summing to 1; n of them, one a row, for n decisions at once, as `predict_proba` gives them.
    loss : array (m, k)
        The cost of each of m actions under each of k outcomes; finite.
    actions : sequence of m names, default: 0, 1, …

    Returns
    -------
    Decision

    Syllabus: Y5.

    >>> ill = bayes_decision([0.9, 0.1], [[0, 50], [1, 0]], actions=["send home", "treat"])
    >>> ill.action, ill.expected_loss.tolist(), ill.certificate.holds
    ('treat', [5.0, 0.9], True)
    >>> unsure = zero_one_loss(2, reject=0.2)
    >>> bayes_decision([0.7, 0.3], unsure, actions=["no", "yes", "ask again"]).action
    'ask again'
    >>> bayes_decision([[0.7, 0.3], [0.05, 0.95]], unsure, actions=["no", "yes", "ask again"]).action
    ['ask again', 'yes']
    """
    p = _checked_posterior(posterior)
    table = np.array(loss, dtype=float)
    k = p.shape[-1]
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] != k:
        raise ValueError(f"bayes_decision(loss): shape {table.shape}; needs a row an action and {k} columns")
    if not np.all(np.isfinite(table)):
        raise ValueError("bayes_decision(loss): losses must be finite; forbid an action by a large loss")
    names = tuple(range(len(table))) if actions is None else tuple(actions)
    if len(names) != len(table):
        raise ValueError(f"bayes_decision(actions): {len(names)} names for {len(table)} rows of the loss matrix")
    risks = expected_losses(p, table)
    best = least(risks)
    return Decision(names, p, table, risks, int(best) if best.ndim == 0 else best)


def _checked_posterior(posterior: ArrayLike) -> np.ndarray:
    """One distribution, or one a row; the first row that is none is named."""
    p = np.array(posterior, dtype=float)
    if p.ndim != 2:
        return checked_distribution(p, "bayes_decision", "posterior")
    sums = p.sum(axis=1, keepdims=True)
    wrong = ~(np.all(p >= 0, axis=1) & (np.abs(sums[:, 0] - 1) <= 1e-9))
    for row in np.flatnonzero(wrong):
        checked_distribution(p[row], "bayes_decision", f"posterior, row {row}")
    return p / sums


def zero_one_loss(k: int, *, reject: float | None = None) -> np.ndarray:
    """The loss matrix that counts mistakes among k labels, with a last row for abstaining at cost `reject`.

    >>> zero_one_loss(2, reject=0.3).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.3, 0.3]]
    """
    if k < 1:
        raise ValueError(f"zero_one_loss(k={k}): k must be >= 1")
    mistakes = 1.0 - np.eye(k)
    if reject is None:
        return mistakes
    if not 0 <= reject < np.inf:
        raise ValueError(f"zero_one_loss(reject={reject}): the cost must be finite and >= 0")
    return np.vstack([mistakes, np.full(k, float(reject))])
