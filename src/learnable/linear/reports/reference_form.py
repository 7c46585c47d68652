"""Log-odds against a reference class: K − 1 vectors instead of K. Syllabus: C6."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from learnable.plain import plain


class ReferenceForm(NamedTuple):
    """log P(k | x) / P(l | x) = α₀ₖ + αₖ·x, one row for each class k but the reference l.

    Attributes
    ----------
    classes : (K,) all labels, in the order of the columns of `predict_proba`.
    reference : label l.
    coef : (K − 1, p) αₖ, in the order of `classes` without l.
    intercept : (K − 1,) α₀ₖ.
    """

    classes: np.ndarray
    reference: Any
    coef: np.ndarray
    intercept: np.ndarray

    @property
    def others(self) -> np.ndarray:
        """The K − 1 labels that have a row."""
        return self.classes[self.classes != self.reference]

    def against(self, reference: Any) -> "ReferenceForm":
        """The same law with another reference m: each row less the row of m, and the row of l is minus that of m.

        Parameters
        ----------
        reference : label m
        """
        l = _place(self.classes, self.reference)
        coef, intercept = np.insert(self.coef, l, 0.0, axis=0), np.insert(self.intercept, l, 0.0)
        return _against(self.classes, coef, intercept, reference)

    def predict_proba(self, X) -> np.ndarray:
        """P(k | x), one column a class: exp(α₀ₖ + αₖ·x) / (1 + Σ exp(α₀ⱼ + αⱼ·x)), and 1 / (1 + Σ …) for l.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        scores = np.asarray(X @ self.coef.T) + self.intercept
        return softmax(np.insert(scores, _place(self.classes, self.reference), 0.0, axis=1), axis=1)


def reference_form(model: Any, reference: Any = None) -> ReferenceForm:
    """The log-odds of a fitted `LogisticRegression` or `LinearDiscriminantAnalysis` against one class.

    The K vectors of the softmax form are known up to a common vector; their differences from the vector of the
    reference are what the data determine. The probabilities do not depend on the reference.

    Parameters
    ----------
    model : fitted classifier whose log-odds are linear, with `classes_`, `coef_` and `intercept_`
    reference : label l, default=None for the last class

    Returns
    -------
    ReferenceForm

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LogisticRegression, reference_form
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array(["a", "b", "a", "c", "b", "c"])
    >>> model = LogisticRegression(tol=1e-10).fit(X, y)
    >>> form = reference_form(model, "a")
    >>> form.others, form.coef.shape
    (array(['b', 'c'], dtype='<U1'), (2, 1))
    >>> bool(np.allclose(form.predict_proba(X), form.against("c").predict_proba(X)))
    True
    """
    check_is_fitted(model)
    coef, intercept = np.asarray(model.coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    coef, intercept = np.atleast_2d(coef), np.broadcast_to(intercept, len(np.atleast_2d(coef)))
    if len(coef) == 1:
        coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.append(0.0, intercept)
    return _against(model.classes_, coef, intercept, model.classes_[-1] if reference is None else reference)


def _against(classes: np.ndarray, coef: np.ndarray, intercept: np.ndarray, reference: Any) -> ReferenceForm:
    l = _place(classes, reference)
    others = np.delete(np.arange(len(classes)), l)
    return ReferenceForm(classes, classes[l], coef[others] - coef[l], intercept[others] - intercept[l])


def _place(classes: np.ndarray, reference: Any) -> int:
    found = np.flatnonzero(classes == reference)
    if not len(found):
        raise ValueError(f"reference={plain(reference)!r}: not one of the classes {classes.tolist()}")
    return int(found[0])
