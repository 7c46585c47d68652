"""A posterior over finitely many hypotheses: it sums to 1 and obeys Bayes' rule. Syllabus: Y1."""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from learnable.certificates.core.claim import Claim

# Of sums in double precision, with room for a million terms.
_ROUNDING = 1e-10


def posterior_claims(
    log_prior: np.ndarray, log_likelihood: np.ndarray, log_posterior: np.ndarray, log_evidence: float
) -> Sequence[Claim]:
    """Claims about log P(h|D) and log P(D), from the prior and the likelihood of each hypothesis.

    >>> half = np.log([0.5, 0.5])
    >>> all(claim.holds for claim in posterior_claims(half, np.log([0.2, 0.6]), np.log([0.25, 0.75]), np.log(0.4)))
    True
    """
    with np.errstate(invalid="ignore"):
        joint = log_prior + log_likelihood
        possible = joint > -np.inf
        # log P(D|h) P(h) = log P(h|D) P(D), hypothesis by hypothesis; −∞ on one side needs −∞ on the other.
        gaps = np.abs(joint[possible] - log_posterior[possible] - log_evidence)
    size = 1.0 + float(np.max(np.abs(joint[possible]), initial=0.0))
    wrongly = int(np.count_nonzero(log_posterior[~possible] > -np.inf))
    return [
        Claim.at_most("Y1", "the posterior sums to 1 (distance)", abs(np.expm1(logsumexp(log_posterior))), _ROUNDING),
        Claim.at_most(
            "Y1", "P(h|D) P(D) = P(D|h) P(h) for every hypothesis (largest difference of logarithms)",
            float(np.max(gaps, initial=0.0)), _ROUNDING * size,
        ),
        Claim.at_most("Y1", "hypotheses that the data or the prior exclude have probability 0 (how many do not)",
                      wrongly, 0.0),
    ]  # fmt: skip
