"""A decision under a posterior: its expected losses, and that no other decision costs less. Syllabus: Y4, Y5."""

from collections.abc import Sequence

import numpy as np

from learnable.certificates.core.claim import Claim

# Of sums in double precision, with room for a million terms.
_ROUNDING = 1e-10


def decision_claims(
    id: str, posterior: np.ndarray, loss: np.ndarray, expected_loss: np.ndarray, choice: int | np.ndarray
) -> Sequence[Claim]:
    """Claims about the decision `choice` from P(outcome) and loss[decision, outcome].

    With one posterior a row, (n, k), there are n choices and (n, decisions) expected losses; the worst row counts.

    >>> zero_one = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> all(c.holds for c in decision_claims("Y5", np.array([0.4, 0.6]), zero_one, np.array([0.6, 0.4]), 1))
    True
    """
    # Sums in another order than the answer's: term by term, smallest first.
    risks = np.stack([np.sort(row * posterior, axis=-1).sum(axis=-1) for row in loss], axis=-1)
    chosen = np.take_along_axis(risks, np.expand_dims(choice, -1), axis=-1)[..., 0]
    # In units of the losses.
    size = _ROUNDING * _largest(np.abs(loss))
    return [
        Claim.at_most(id, "the outcomes have probabilities that sum to 1 (distance)",
                      _largest(np.abs(posterior.sum(axis=-1) - 1.0)), 1e-9),
        Claim.at_most(id, "the expected losses are Σ P(outcome) loss (largest difference)",
                      _largest(np.abs(risks - expected_loss)), size),
        Claim.at_most(id, "no other decision has a lower expected loss (how much lower the best is)",
                      _largest(chosen - risks.min(axis=-1)), size),
    ]  # fmt: skip


def _largest(distances: np.ndarray) -> float:
    return float(np.max(distances, initial=0.0))
