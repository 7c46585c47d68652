"""Classification with any convex margin loss in the features of a kernel. Syllabus: K11, S10."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from learnable.base import Fitting, class_indices
from learnable.kernels.representer_machine import MARGIN, RepresenterMachine
from learnable.problems.linear.losses import Logistic


class KernelClassifier(ClassifierMixin, RepresenterMachine):
    """½‖f‖² + C Σ ℓ(yᵢ f(xᵢ)) over the functions of a kernel, one class against the rest.

    With the hinge it is the support vector machine in its RKHS form, Σ hinge + (λ/2) αᵀKα with λ = 1/C, without an
    offset; with the logistic loss, kernel logistic regression.

    Parameters
    ----------
    loss : "hinge", "squared_hinge", "logistic", "modified_huber", or such a loss of `learnable.problems`
    kernel : as in `KernelRidge`; there is no offset, add a constant kernel for one
    C : float > 0, default=1.0
    gamma, degree, coef0 : of the named kernels; gamma is 1/p where None, 1 for "chi2"
    max_iter : int, default=10000
        Newton steps or passes.

    Attributes
    ----------
    dual_coef_ : (n, 1) between two classes, else (n, K): β of each function.
    X_fit_ : the training rows.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K11 the relative duality gap; for a smooth loss β = −C ∂ℓ.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> model = KernelClassifier("logistic", "poly", degree=2, gamma=1.0).fit(X, [1, -1, -1, 1])
    >>> model.predict(X), model.predict_proba(X).round(2)[0]
    (array([ 1, -1, -1,  1]), array([0.19, 0.81]))
    """

    def __init__(self, loss="logistic", kernel="rbf", *, C=1.0, gamma=None, degree=3, coef0=1, max_iter=10_000):
        self.loss = loss
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,) of classes
        sample_weight : array (n,) that multiplies C
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        loss = self._loss(MARGIN)
        data = self._validated(
            X, y, sample_weight, blocks=False, extremes=False, accept_sparse="csr", dtype=np.float64, order="C"
        )
        classes, index = class_indices(data.y, "KernelClassifier")
        sides = [1] if len(classes) == 2 else range(len(classes))
        targets = [np.where(index == k, 1.0, -1.0) for k in sides]
        return self._machines(data, targets, loss, {"classes_": classes}, flat=False)

    def decision_function(self, X) -> np.ndarray:
        """f(x): one number a row between two classes, else one column a class.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        found = self._expansion(X)
        return found[:, 0] if found.shape[1] == 1 else found

    def predict(self, X) -> np.ndarray:
        """The class of the largest score.

        Parameters
        ----------
        X : as for `decision_function`
        """
        found = self.decision_function(X)
        index = (found >= 0.0).astype(np.intp) if found.ndim == 1 else found.argmax(axis=1)
        return self.classes_[index]

    @available_if(lambda model: isinstance(model._loss(MARGIN), Logistic))
    def predict_proba(self, X) -> np.ndarray:
        """1/(1 + e^{−f(x)}), scaled to sum to one over several classes; for the logistic loss.

        Parameters
        ----------
        X : as for `decision_function`
        """
        found = self.decision_function(X)
        each = 1.0 / (1.0 + np.exp(-np.clip(found, -700.0, 700.0)))
        if each.ndim == 1:
            return np.column_stack([1.0 - each, each])
        return each / each.sum(axis=1, keepdims=True)
