"""The perceptron of random mistakes: replay of its log and Novikoff's bound. Syllabus: P5, P8, P9."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.linear.perceptron import log_claims, separation_claim


@certifies(
    "RandomMisclassifiedPerceptron",
    ledger=Ledger(("coef_", "intercept_", "mistake_log_"), derived=("n_mistakes_", "n_iter_")),
    again=lambda model, found: True,  # which rows were drawn
)
def random_misclassified_perceptron_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, log) prove: a separator that the log adds up to; without separation nothing."""
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    check_shapes(model, coef_=(1, X.shape[1]), intercept_=(1,))
    sign = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    theta, offset, log = model.coef_[0], float(model.intercept_[0]), np.asarray(model.mistake_log_)
    finished = str(model.status_) == "optimal"
    return [
        *log_claims(X, sign, np.ones(len(sign)), log, theta, offset, model.fit_intercept, ""),
        separation_claim(X, sign, theta, offset, "", finished),
        reported("P5", "n_mistakes_", model.n_mistakes_, len(log), scale=1.0),
        reported("P5", "n_iter_", model.n_iter_, max(len(log), 1)),
    ]
