"""Linear discriminants and logistic regression side by side. Syllabus: C9."""

from typing import Any, NamedTuple

import numpy as np

from learnable.linear.linear_discriminant_analysis import LinearDiscriminantAnalysis
from learnable.linear.logistic_regression import LogisticRegression
from learnable.linear.reports.reference_form import reference_form
from learnable.plain import plain


class LogOddsComparison(NamedTuple):
    """Two estimates of log P(k | x) / P(l | x) = α₀ₖ + αₖ·x, one row for each class k but the reference l.

    Attributes
    ----------
    classes : (K − 1,) labels k.
    reference : label l.
    names : (p,) names of the columns.
    lda_intercept, logistic_intercept : (K − 1,) α₀ₖ.
    lda_coef, logistic_coef : (K − 1, p) αₖ.
    lda, logistic : the fitted models, with their certificates.
    """

    classes: np.ndarray
    reference: Any
    names: np.ndarray
    lda_intercept: np.ndarray
    lda_coef: np.ndarray
    logistic_intercept: np.ndarray
    logistic_coef: np.ndarray
    lda: LinearDiscriminantAnalysis
    logistic: LogisticRegression

    def __str__(self) -> str:
        width = max(len("intercept"), *(len(str(name)) for name in self.names))
        lines = []
        for k, label in enumerate(self.classes):
            lines.append(f"log-odds of {label!s} against {self.reference!s}")
            lines.append(f"  {'':{width}} {'LDA':>12} {'logistic':>12}")
            pairs = [("intercept", self.lda_intercept[k], self.logistic_intercept[k])]
            pairs += list(zip(self.names, self.lda_coef[k], self.logistic_coef[k]))
            lines += [f"  {name!s:{width}} {a:12.6g} {b:12.6g}" for name, a, b in pairs]
        return "\n".join(lines)


def compare_log_odds(X, y, sample_weight=None, *, reference=None, C: float = np.inf) -> LogOddsComparison:
    """Coefficients of the log-odds by linear discriminant analysis and by logistic regression.

    Both say log P(k | x) / P(l | x) = α₀ₖ + αₖ·x. Logistic regression maximises the likelihood of the classes given x.
    Discriminant analysis puts in the Gaussian estimates

        αₖ = Σ⁻¹(μₖ − μ_l),   α₀ₖ = log(πₖ / π_l) − ½ (μₖ + μ_l)ᵀ Σ⁻¹ (μₖ − μ_l),

    with Σ dividing by the number of rows. Where the classes are Gaussian with one covariance both estimate the same
    numbers; where they are not, only the second keeps its meaning.

    Parameters
    ----------
    X : array (n, p) or data frame
    y : array (n,) of class labels
    sample_weight : array (n,), default=None
    reference : label l, default=None for the last class
    C : float, default=inf
        Inverse of the logistic penalty; with separated classes the unpenalised maximum does not exist.

    Returns
    -------
    LogOddsComparison

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import compare_log_odds
    >>> X = np.array([[-1.0], [0.0], [1.5], [0.5], [2.0], [3.0]])
    >>> print(compare_log_odds(X, ["no", "no", "no", "yes", "yes", "yes"], reference="no"))
    log-odds of yes against no
                         LDA     logistic
      intercept     -1.57895     -1.35111
      x0             1.57895      1.35111
    """
    lda = LinearDiscriminantAnalysis(solver="svd").fit(X, y, sample_weight)
    logistic = LogisticRegression(C=C, tol=1e-8).fit(X, y, sample_weight)
    if reference is not None and reference not in lda.classes_:
        raise ValueError(
            f"compare_log_odds(reference={plain(reference)!r}): not one of the classes {lda.classes_.tolist()}"
        )
    by_lda, by_logistic = reference_form(lda, reference), reference_form(logistic, reference)
    names = getattr(lda, "feature_names_in_", np.array([f"x{j}" for j in range(lda.n_features_in_)], dtype=object))
    return LogOddsComparison(
        by_lda.others,
        by_lda.reference,
        names,
        by_lda.intercept,
        by_lda.coef,
        by_logistic.intercept,
        by_logistic.coef,
        lda=lda,
        logistic=logistic,
    )
