"""The posterior over a finite set of hypotheses, in the log domain."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from learnable.certificates import Certificate
from learnable.certificates.bayes.posterior import posterior_claims
from learnable.plain import plain


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed about finitely many hypotheses after seeing data D.

    Syllabus: Y1, Y2.

    Attributes
    ----------
    hypotheses : tuple
        Their names.
    log_prior, log_likelihood : arrays
        log P(h) and log P(D|h).
    log_probabilities : array
        log P(h|D) = log P(D|h) + log P(h) − log P(D).
    log_evidence : float
        log P(D) = log Σ_h P(D|h) P(h).
    certificate : `certificates.Certificate`, which claims
        Y1 : the posterior sums to 1, and Bayes' rule holds for every hypothesis.

    >>> belief = posterior([0.5, 0.25, 0.25], [0.1, 0.4, 0.0], hypotheses=["fair", "loaded", "broken"])
    >>> belief.probabilities.round(3).tolist(), round(belief.evidence, 3)
    ([0.333, 0.667, 0.0], 0.15)
    >>> belief.map, belief.maximum_likelihood, belief.certificate.holds
    ('loaded', 'loaded', True)
    """

    hypotheses: tuple[Hashable, ...]
    log_prior: np.ndarray
    log_likelihood: np.ndarray
    log_probabilities: np.ndarray
    log_evidence: float

    @property
    def probabilities(self) -> np.ndarray:
        """P(h|D)."""
        return np.exp(self.log_probabilities)

    @property
    def evidence(self) -> float:
        """P(D); 0 when it is too small for a number, which `log_evidence` never is."""
        return float(np.exp(self.log_evidence))

    @property
    def map(self) -> Any:
        """The most probable hypothesis argmax P(h|D), the first of equals."""
        return self.hypotheses[int(np.argmax(self.log_probabilities))]

    @property
    def map_ties(self) -> tuple[Any, ...]:
        """Every hypothesis that is as probable as the most probable one, to rounding."""
        return self._ties(self.log_probabilities)

    @property
    def maximum_likelihood(self) -> Any:
        """argmax P(D|h), the first of equals; the most probable hypothesis under a uniform prior."""
        return self.hypotheses[int(np.argmax(self.log_likelihood))]

    @property
    def maximum_likelihood_ties(self) -> tuple[Any, ...]:
        """Every hypothesis with the largest likelihood, to rounding."""
        return self._ties(self.log_likelihood)

    def updated(self, likelihood: ArrayLike) -> "Posterior":
        """The posterior after further data, with this one as the prior; what was excluded stays excluded."""
        return _from_logs(self.hypotheses, self.log_probabilities, _log_likelihood(likelihood, len(self.hypotheses)))

    @property
    def certificate(self) -> Certificate:
        """The claims, computed from prior, likelihood and posterior alone."""
        answer = (self.log_prior, self.log_likelihood, self.log_probabilities, self.log_evidence)
        return Certificate("Posterior", posterior_claims(*answer))

    def _ties(self, scores: np.ndarray) -> tuple[Any, ...]:
        best = float(np.max(scores))
        near = scores >= best - 1e-12 * max(1.0, abs(best))
        return tuple(h for h, tied in zip(self.hypotheses, near) if tied)


def posterior(prior: ArrayLike, likelihood: ArrayLike, *, hypotheses: Sequence[Hashable] | None = None) -> Posterior:
    """P(h|D) = P(D|h) P(h) / Σ P(D|h') P(h') for finitely many hypotheses.

    Parameters
    ----------
    prior : array (k,)
        P(h), summing to 1.
    likelihood : array (k,) or (n, k)
        P(D|h); or one row for each of n independent observations, whose product is taken as a sum of logarithms, so
        that no number of observations underflows.
    hypotheses : sequence of k names, default: 0, 1, …

    Returns
    -------
    Posterior

    Syllabus: Y1, Y2.

    >>> posterior([0.5, 0.5], [[0.9, 0.5]] * 3).probabilities.round(3).tolist()      # three heads
    [0.854, 0.146]
    """
    pi = checked_distribution(prior, "posterior", "prior")
    names = tuple(range(len(pi))) if hypotheses is None else tuple(hypotheses)
    if len(names) != len(pi):
        raise ValueError(f"posterior: {len(names)} hypotheses, but {len(pi)} prior probabilities")
    refuse_twice("posterior", "hypothesis", names)
    with np.errstate(divide="ignore"):
        return _from_logs(names, np.log(pi), _log_likelihood(likelihood, len(pi)))


def posterior_from_logs(
    log_prior: ArrayLike, log_likelihood: ArrayLike, *, hypotheses: Sequence[Hashable] | None = None
) -> Posterior:
    """`posterior` from log P(h), up to an additive constant, and log P(D|h): for numbers too small to be written.

    Syllabus: Y1, Y2.

    >>> posterior_from_logs([0.0, 0.0], [-100000.0, -100001.0]).probabilities.round(3).tolist()
    [0.731, 0.269]
    """
    prior, loglik = np.array(log_prior, dtype=float), np.array(log_likelihood, dtype=float)
    for name, logs in (("log_prior", prior), ("log_likelihood", loglik)):
        if logs.ndim != 1 or len(logs) == 0 or logs.shape != prior.shape:
            raise ValueError(f"posterior_from_logs({name}): shape {logs.shape}; one number a hypothesis is needed")
        if np.any(np.isnan(logs)) or np.any(logs == np.inf):
            raise ValueError(f"posterior_from_logs({name}): {logs}; logarithms must be numbers or -inf")
    if not np.any(prior > -np.inf):
        raise ValueError("posterior_from_logs(log_prior): every hypothesis has prior probability 0")
    names = tuple(range(len(prior))) if hypotheses is None else tuple(hypotheses)
    if len(names) != len(prior):
        raise ValueError(f"posterior_from_logs: {len(names)} hypotheses, but {len(prior)} prior probabilities")
    refuse_twice("posterior_from_logs", "hypothesis", names)
    return _from_logs(names, prior - logsumexp(prior), loglik)


def refuse_twice(where: str, what: str, names: tuple[Hashable, ...]) -> None:
    """ValueError for a name that stands for two things."""
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{where}: the {what} {plain(twice)!r} is listed more than once; give each its own name")


def checked_distribution(given: ArrayLike, where: str, what: str) -> np.ndarray:
    """The array as probabilities that sum to 1; ValueError says by how much they do not."""
    p = np.array(given, dtype=float)
    if p.ndim != 1 or len(p) == 0:
        raise ValueError(f"{where}({what}): shape {p.shape}; a list of probabilities is needed")
    if not np.all(np.isfinite(p)) or np.any(p < 0):
        raise ValueError(f"{where}({what}={p.tolist()}): probabilities must be finite and >= 0")
    if not np.any(p):
        raise ValueError(
            f"{where}({what}={p.tolist()}): every probability is 0; give those that are possible their share"
        )
    if abs(p.sum() - 1) > 1e-9:
        raise ValueError(
            f"{where}({what}): the probabilities sum to {p.sum():.9g}, which is {abs(p.sum() - 1):.3g} "
            f"{'more' if p.sum() > 1 else 'less'} than 1; divide by their sum if that is what is meant"
        )
    return p / p.sum()


def _log_likelihood(likelihood: ArrayLike, k: int) -> np.ndarray:
    table = np.array(likelihood, dtype=float)
    if table.ndim not in (1, 2) or table.shape[-1] != k:
        raise ValueError(
            f"posterior(likelihood): shape {table.shape}; needs ({k},) or (n, {k}), a column for each hypothesis"
        )
    if not np.all(np.isfinite(table)) or np.any(table < 0):
        raise ValueError("posterior(likelihood): likelihoods must be finite and >= 0")
    with np.errstate(divide="ignore"):
        return np.atleast_2d(np.log(table)).sum(axis=0)


def _from_logs(hypotheses: tuple[Hashable, ...], log_prior: np.ndarray, log_likelihood: np.ndarray) -> Posterior:
    joint = log_prior + log_likelihood
    if not np.any(joint > -np.inf):
        impossible = "the likelihood is 0 for every hypothesis"
        if np.any(log_likelihood > -np.inf):
            possible = [h for h, l in zip(hypotheses, log_likelihood) if l > -np.inf]
            impossible = f"only hypotheses of prior probability 0 allow these data: {possible[:5]}"
        raise ValueError(f"posterior: {impossible}, so there is no posterior; add a hypothesis or widen the prior")
    evidence = float(logsumexp(joint))
    return Posterior(hypotheses, log_prior, log_likelihood, joint - evidence, evidence)
