"""The perceptron in the features of a kernel. Syllabus: P9."""

import numpy as np
from sklearn.base import ClassifierMixin

from learnable.base import Fitting, class_indices
from learnable.kernels.kernel_expansion import KernelExpansion
from learnable.solvers.kernels import kernel_perceptron
from learnable.solvers.kernels.kernel_rows import KernelRows
from learnable.trace import Status, budget


class KernelPerceptron(ClassifierMixin, KernelExpansion):
    """f(x) = Σ αᵢ yᵢ k(xᵢ, x), αᵢ the mistakes made on row i. Two classes.

    The rows are visited in order; where yᵢ f(xᵢ) ≤ 0 a mistake is counted on i. It ends after a pass without mistakes,
    which comes exactly when the features of the kernel separate the classes.

    Parameters
    ----------
    kernel : as in `KernelRidge`
    gamma, degree, coef0 : of the named kernels; gamma is 1/p where None, 1 for "chi2"
    max_iter : int, default=1000
        Passes.
    cache_size : float, default=200
        Megabytes of kernel values kept.

    Attributes
    ----------
    dual_coef_ : (n,) yα.
    mistake_log_ : rows on which mistakes were made, in order.
    n_mistakes_ : how many.
    X_fit_ : the training rows.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        P9 the coefficients count the log, and every logged mistake was one; P5 every row is on its side.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> model = KernelPerceptron("poly", degree=2, gamma=1.0).fit(X, [1, -1, -1, 1])
    >>> model.dual_coef_, str(model.certificate_.verdict)
    (array([ 1., -1., -1.,  1.]), 'proved')
    """

    def __init__(self, kernel="rbf", *, gamma=None, degree=3, coef0=1, max_iter=1000, cache_size=200):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.cache_size = cache_size

    def fit(self, X, y):
        """Fit.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,) of two classes
        """
        return self._learn(X, y)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, blocks=False, extremes=False, accept_sparse="csr", dtype=np.float64, order="C")
        classes, index = class_indices(data.y, "KernelPerceptron")
        if len(classes) != 2:
            raise ValueError(
                f"Only binary classification is supported: KernelPerceptron got {len(classes)} classes; "
                "OneVsRestClassifier fits one a class"
            )
        z = np.where(index == 1, 1.0, -1.0)
        self._refuse_bad_table(data.X)
        rows = KernelRows(self._kernel_on(data.X), data.X, self.cache_size)
        return Fitting(
            iterates=kernel_perceptron.iterates(rows, z),
            stop=budget(self.max_iter),
            attributes=lambda state: {
                "classes_": classes, "dual_coef_": z * state.alpha, "mistake_log_": np.array(state.log, dtype=np.intp),
                "n_mistakes_": len(state.log), "X_fit_": data.X.copy(),
            },
            data=data,
            ended=Status.OPTIMAL,
            advice="the classes may not be separated by this kernel: try another one, or SVC",
            counts_steps=True,
        )  # fmt: skip

    def decision_function(self, X) -> np.ndarray:
        """f(x).

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return self._expansion(X)[:, 0]

    def predict(self, X) -> np.ndarray:
        """The second class where f(x) ≥ 0.

        Parameters
        ----------
        X : as for `decision_function`
        """
        found = self.decision_function(X)
        return self.classes_[(found >= 0.0).astype(np.intp)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
