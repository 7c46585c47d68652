"""Plug-in rules: put an estimate of P(Y|X), or of P(Y) and P(X|Y), in the place of the truth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.posterior import checked_distribution
from learnable.theory.bayes_classifier import DiscreteLaw


def generative_law(prior: ArrayLike, likelihood: ArrayLike) -> DiscreteLaw:
    """The joint law P(y) P(x|y) of finitely many points.

    Parameters
    ----------
    prior : array (k,)
        P(y).
    likelihood : array (points, k)
        P(x|y); each column sums to 1.

    Syllabus: C10.

    >>> generative_law([0.4, 0.6], [[0.75, 0.5], [0.25, 0.5]]).posterior.round(3).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    pi = checked_distribution(prior, "generative_law", "prior")
    table = np.array(likelihood, dtype=float)
    if table.ndim != 2 or table.shape[1] != len(pi):
        raise ValueError(
            f"generative_law(likelihood): shape {table.shape}; needs a column for each of {len(pi)} classes"
        )
    for k in range(len(pi)):
        table[:, k] = checked_distribution(table[:, k], "generative_law", f"likelihood of class {k}")
    return DiscreteLaw(table * pi)


def discriminative_law(marginal: ArrayLike, posterior: ArrayLike) -> DiscreteLaw:
    """The joint law P(x) P(y|x) of finitely many points.

    Parameters
    ----------
    marginal : array (points,)
        P(x).
    posterior : array (points, k)
        P(y|x); each row sums to 1.

    Syllabus: C10.

    >>> discriminative_law([0.5, 0.5], [[0.5, 0.5], [0.25, 0.75]]).joint.tolist()
    [[0.25, 0.25], [0.125, 0.375]]
    """
    p = checked_distribution(marginal, "discriminative_law", "marginal")
    table = np.array(posterior, dtype=float)
    if table.ndim != 2 or table.shape[0] != len(p):
        raise ValueError(f"discriminative_law(posterior): shape {table.shape}; needs a row for each of {len(p)} points")
    for x in range(len(p)):
        table[x] = checked_distribution(table[x], "discriminative_law", f"posterior at point {x}")
    return DiscreteLaw(table * p[:, None])


@dataclass(frozen=True)
class PlugInExcess:
    """What plugging in costs: R(f̂) − R* and the bound Σ_x P(x) Σ_y |P̂(y|x) − P(y|x)| on it.

    For two classes the bound is 2 E|η̂ − η|.
    """

    excess: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the excess is within its bound, to rounding."""
        return self.excess <= self.bound + 1e-12


def plug_in_excess(truth: DiscreteLaw, estimate: DiscreteLaw) -> PlugInExcess:
    """The excess risk, under the truth, of the Bayes classifier of an estimated law.

    Only the estimate's P(y|x) matters; a generative estimate may be wrong about P(x) and still be optimal.

    Parameters
    ----------
    truth, estimate : laws on the same points and classes.

    Syllabus: C10.

    >>> truth = DiscreteLaw([[0.3, 0.2], [0.1, 0.4]])
    >>> cost = plug_in_excess(truth, generative_law([0.3, 0.7], [[0.5, 0.5], [0.5, 0.5]]))
    >>> round(cost.excess, 3), round(cost.bound, 3), cost.holds
    (0.1, 0.4, True)
    """
    if truth.joint.shape != estimate.joint.shape:
        raise ValueError(f"plug_in_excess: shapes {truth.joint.shape} and {estimate.joint.shape} differ")
    excess = truth.excess_risk(np.argmax(estimate.posterior, axis=1)).difference
    bound = float(truth.marginal @ np.abs(estimate.posterior - truth.posterior).sum(axis=1))
    return PlugInExcess(excess, bound)
