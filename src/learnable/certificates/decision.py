"""A decision under a posterior: its expected losses, and that no other decision costs less. Syllabus: Y4, Y5."""

from collections.abc import Sequence

import numpy as np

from learnable.certificates.claim import Claim

_ROUNDING = 1e-10


def decision_claims(
    id: str, posterior: np.ndarray, loss: np.ndarray, expected_loss: np.ndarray, choice: int
) -> Sequence[Claim]:
    """Claims about the decision `choice` from P(outcome) and loss[decision, outcome].

    >>> zero_one = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> all(c.holds for c in decision_claims("Y5", np.array([0.4, 0.6]), zero_one, np.array([0.6, 0.4]), 1))
    True
    """
    # Sums in another order than the answer's: term by term, smallest first.
    risks = np.array([np.sort(row * posterior).sum() for row in loss])
    size = _ROUNDING * (1.0 + float(np.abs(risks).max()))
    return [
        Claim.at_most(id, "the outcomes have probabilities that sum to 1 (distance)", abs(posterior.sum() - 1), 1e-9),
        Claim.at_most(id, "the expected losses are Σ P(outcome) loss (largest difference)",
                      float(np.abs(risks - expected_loss).max()), size),
        Claim.at_most(id, "no other decision has a lower expected loss (how much lower the best is)",
                      float(risks[choice] - risks.min()), size),
    ]  # fmt: skip
