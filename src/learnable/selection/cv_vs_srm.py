"""Hold-out choice against structural risk minimisation on the same training part S1."""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from learnable.selection._inputs import require_count, require_fraction, require_vector
from learnable.selection._report import Reported, Table
from learnable.selection.structural_risk import Complexity, structural_risk


@dataclass(frozen=True, repr=False, eq=False)
class CvVersusSrm(Reported):
    """Both sides of the inequality, and which class each rule chose (from 1)."""

    cv_choice: int
    srm_choice: int
    left: float
    index_price: float
    confidence: float
    delta: float

    @property
    def right(self) -> float:
        """2√(log max(k_CV, k_SRM) / n₂) + 2√(log(4/δ) / 2n₂)."""
        return self.index_price + self.confidence

    @property
    def holds(self) -> bool:
        """True with probability at least 1 - δ."""
        return self.left <= self.right

    def table(self) -> Table:
        rows = [
            ("R(h_CV) - R(h_SRM on S1)", self.left),
            ("2√(log max(k_CV, k_SRM)/n₂)", self.index_price),
            ("2√(log(4/δ)/2n₂)", self.confidence),
            ("right side", self.right),
        ]
        notes = [
            f"hold-out takes class {self.cv_choice}, SRM on S1 takes class {self.srm_choice}",
            f"holds: {'yes' if self.holds else 'no'} (with probability >= {1 - self.delta:.4g})",
        ]
        return Table("Hold-out choice against SRM", ("term", "value"), rows, notes)


def cv_vs_srm(
    true_risks: ArrayLike,
    training_errors: ArrayLike,
    validation_errors: ArrayLike,
    complexity: Complexity,
    *,
    n_train: int,
    n_validation: int,
    delta: float = 0.05,
) -> CvVersusSrm:
    """R(h_CV) - R(h_SRM,S1) <= 2√(log max(k_CV, k_SRM) / n₂) + 2√(log(4/δ) / 2n₂), with probability >= 1 - δ.

    Both rules choose among the same h_{S1,k}, the empirical minimisers on S1: the hold-out rule by the error on the
    n₂ pairs of S2, SRM by the structural risk on the n₁ pairs of S1. Syllabus: MS6.

    Parameters
    ----------
    true_risks : true risk of each h_{S1,k}.
    training_errors : error of each on S1.
    validation_errors : error of each on S2.
    complexity : Rad_{n₁}(H_k), as in `structural_risk`.
    n_train, n_validation : sizes of S1 and S2.
    delta : probability with which the inequality may fail.

    >>> cv_vs_srm([0.3, 0.12], [0.3, 0.1], [0.31, 0.13], [0.05, 0.1], n_train=300, n_validation=100).holds
    True
    """
    true = require_vector("true_risks", true_risks)
    validation = require_vector("validation_errors", validation_errors)
    srm = structural_risk(training_errors, complexity, n_train)
    if not len(true) == len(validation) == len(srm.empirical):
        raise ValueError(
            f"true_risks, training_errors, validation_errors have lengths {len(true)}, {len(srm.empirical)}, "
            f"{len(validation)}; one each per class"
        )
    n2 = require_count("n_validation", n_validation)
    # The rule whose guarantee this is minimises R̂_S2 alone; the first of a tie has the smaller index price.
    cv = int(np.argmin(validation))
    price = 2 * sqrt(log(max(cv, srm.best) + 1) / n2)
    confidence = 2 * sqrt(log(4 / require_fraction("delta", delta)) / (2 * n2))
    return CvVersusSrm(cv + 1, srm.best + 1, float(true[cv] - true[srm.best]), price, confidence, float(delta))
