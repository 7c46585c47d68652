"""What a fitted two-class SVC tells of its rows, its margin and its errors to come.

Syllabus: S3, S6, S12, S13, S14. Bounds are those of `learnable.theory`.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnable.kernels.span import span_bound, span_share

# Shares of C within which a multiplier counts as 0 or as C.
AT_BOUND = 1e-9


class SVMReport(NamedTuple):
    """Two classes, as the fit sees them.

    Attributes
    ----------
    alpha : (n,) dual coefficients.
    margins : (n,) yf.
    slack : (n,) ξ = (1 − yf)₊.
    slack_class : (n,) of str: "outside" (ξ = 0 beyond the margin), "on the margin", "inside" (0 < ξ ≤ 1), "wrong side".
    support_class : (n,) of str: "none" (α = 0), "free" (0 < α < C), "bounded" (α = C).
    margin : half the width, 1/‖w‖.
    norm : ‖w‖.
    radius : R, radius of the ball round the mean of the features that holds all rows.
    mean_score : f at that mean, its offset there.
    loo_by_support : share of support vectors among the rows that count: leave-one-out errors are at most as many.
    loo_by_span : the same by the span of the support vectors: bounded rows, and free ones with α S max(D, 1/√C) ≥ 1.
    loo_estimate : share of rows with α S² ≥ yf, which is what leave-one-out errors are if no other row changes its
        class of support; no bound. None if no row is free.
    """

    alpha: np.ndarray
    margins: np.ndarray
    slack: np.ndarray
    slack_class: np.ndarray
    support_class: np.ndarray
    margin: float
    norm: float
    radius: float
    mean_score: float
    loo_by_support: float
    loo_by_span: float
    loo_estimate: float | None

    @property
    def full_width(self) -> float:
        """2/‖w‖."""
        return 2.0 * self.margin

    def shattering_bound(self, dimension: int | None = None) -> float:
        """Most points that hyperplanes of this margin can shatter: min((R/γ)², d) + 1, γ half the width."""
        from learnable.theory import margin_shattering

        return float(margin_shattering(radius=self.radius, gamma=self.margin, k=dimension or 10**9).value)

    def rho_margin_bound(self, rho: float, delta: float = 0.05):
        """The margin bound on the error to come at a margin rho fixed beforehand, with probability 1 − delta.

        As for `margin_bound`, the norm and the offset count as fixed before the data were seen, too.
        """
        from learnable.theory import margin_bound, margin_risk

        m = len(self.margins)
        return margin_bound(
            margin_risk=margin_risk(self.margins, rho), complexity=self._largest_score / np.sqrt(m), rho=rho, m=m,
            delta=delta,
        )  # fmt: skip

    def margin_bound(self, delta: float = 0.05):
        """The best margin bound on the error to come, uniform over the margin, with probability 1 − delta.

        It is for the class of functions of this norm and this size of the offset, as if these and the radius had been
        fixed before the data were seen.
        """
        from learnable.theory import best_margin_bound

        r = self._largest_score
        return best_margin_bound(self.margins, r / np.sqrt(len(self.margins)), r, delta)

    @property
    def _largest_score(self) -> float:
        """‖w‖R + |f(mean)|: bounds |f|, and over √m the Rademacher complexity of such functions."""
        return self.norm * self.radius + abs(self.mean_score)


def svm_report(model: Any, X: Any, y: Any, sample_weight: Any = None) -> SVMReport:
    """The report of a fitted `SVC` (ours or scikit-learn's) with two classes.

    Parameters
    ----------
    model : fitted SVC
    X, y, sample_weight : the training data

    Returns
    -------
    SVMReport

    Examples
    --------
    >>> from learnable.kernels import SVC
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> report = svm_report(SVC(kernel="linear", C=10.0).fit(X, [0, 0, 1, 1]), X, [0, 0, 1, 1])
    >>> round(report.margin, 4), report.support_class.tolist()
    (1.0, ['none', 'free', 'free', 'none'])
    """
    check_is_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(f"svm_report: two classes are needed, the model has {len(model.classes_)}; fit a pair of them")
    from learnable.certificates.kernels.reading import as_given, costs, kernel_of, on_values
    from learnable.certificates.kernels.svc import one_against_one, row_weights

    model, X, _ = on_values(model, X)
    model, y = as_given(model, X, sample_weight), np.asarray(y)
    found = one_against_one(model, X, np.searchsorted(model.classes_, y))
    z = np.where(y == model.classes_[1], 1.0, -1.0)
    C = costs(model.C, row_weights(model, y, sample_weight), found.beta)[:, 0]
    alpha = z * found.beta[:, 0]
    margins = z * (found.product[:, 0] + found.offset[0])
    slack = np.maximum(1.0 - margins, 0.0)
    near = 10.0 * max(float(model.tol), 1e-12)
    slack_class = np.select(
        [slack > 1.0, slack > near, np.abs(1.0 - margins) <= near], ["wrong side", "inside", "on the margin"], "outside"
    )
    support_class = np.select([alpha <= AT_BOUND * C, alpha < C * (1.0 - AT_BOUND)], ["none", "free"], "bounded")
    norm = float(np.sqrt(max(float(found.beta[:, 0] @ found.product[:, 0]), 0.0)))
    kernel = kernel_of(model, X)
    X = np.asarray(X, dtype=float) if not hasattr(X, "tocsr") else X.tocsr()
    table = kernel(X)
    # ‖Φ(x) − mean‖² = k(x, x) − 2 mean k(x, ·) + mean of all.
    away = np.diagonal(table) - 2.0 * table.mean(axis=1) + table.mean()
    radius = float(np.sqrt(max(float(away.max()), 0.0)))
    counts = C > 0.0  # a row of weight 0 is left out already
    kind, K = support_class[counts], table[np.ix_(counts, counts)]
    return SVMReport(
        alpha, margins, slack, slack_class, support_class, 1.0 / norm if norm > 0.0 else np.inf, norm, radius,
        float(np.mean(z * margins)), float(np.mean(kind != "none")),
        span_bound(K, z[counts], alpha[counts], C[counts], kind, 2.0 * radius),
        span_share(K, alpha[counts], margins[counts], kind),
    )  # fmt: skip
