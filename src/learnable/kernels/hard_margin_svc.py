"""The widest margin of separable classes. Syllabus: S1, S2, S5, S11."""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.base import ClassifierMixin

from learnable.base import Fitting, class_indices
from learnable.certificates.linear.separability import Separability, separability
from learnable.kernels.kernel_expansion import KernelExpansion
from learnable.problems.kernels.basic import RBF, Laplacian, Linear
from learnable.solvers.kernels import hard_margin
from learnable.solvers.kernels.empirical_map import empirical_map
from learnable.trace import Status, budget, first_of, reached

# A hundredth of what the certificate asks for.
ENOUGH = 1e-6


class NotSeparable(ValueError):
    """No hyperplane has every row strictly on its side; `refutation` holds the weights that prove it."""

    def __init__(self, message: str, refutation: Separability):
        super().__init__(message)
        self.refutation = refutation


class HardMarginSVC(ClassifierMixin, KernelExpansion):
    """min ½‖w‖² with yᵢ(w·Φ(xᵢ) + b) ≥ 1: the hyperplane furthest from both classes. Two classes.

    The empirical risk of the 0/∞ loss plus (λ/2)‖w‖², whatever λ. Where no hyperplane separates the classes the fit
    raises `NotSeparable`, with the weights of a point common to both convex hulls.

    Parameters
    ----------
    kernel : as in `KernelRidge`, default="rbf"
        A radial kernel separates any rows that differ.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    gamma, degree, coef0 : of the named kernels; gamma is 1/p where None
    max_iter : int, default=100
        Stretches of 10,000 steps.

    Attributes
    ----------
    dual_coef_ : (n,) yα; not 0 only on the margin.
    intercept_ : b, −½ (largest score of the first class + least of the second).
    margin_ : half the width, 1/‖w‖.
    X_fit_ : the training rows.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S1 (through the origin) or S2 the relative duality gap; every row at least 1 from the boundary; S5 the offset.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    >>> model = HardMarginSVC("linear").fit(X, [0, 0, 1, 1])
    >>> round(model.margin_, 6), model.coef_.round(6) + 0.0
    (1.0, array([1., 0.]))
    >>> HardMarginSVC("linear").fit(X, [0, 1, 0, 1])
    Traceback (most recent call last):
    learnable.kernels.hard_margin_svc.NotSeparable: HardMarginSVC: no hyperplane separates the classes ...
    """

    def __init__(self, kernel="rbf", *, fit_intercept=True, gamma=None, degree=3, coef0=1, max_iter=100):
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter

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
        classes, index = class_indices(data.y, "HardMarginSVC")
        if len(classes) != 2:
            raise ValueError(
                f"Only binary classification is supported: HardMarginSVC got {len(classes)} classes; "
                "OneVsRestClassifier fits one a class"
            )
        K = self._table(data.X)
        linear = isinstance(self._kernel_on(data.X), Linear)
        alike = _same_values(K)
        given = self.kernel == "precomputed" or sparse.issparse(data.X)
        which = alike if given else np.unique(data.X, axis=0, return_inverse=True)[1]
        # Rows that are one point are one in feature space too, where rounding would part them.
        one_each = np.unique(which, return_index=True)[1]
        found = empirical_map(K[np.ix_(one_each, one_each)])
        points = Linear().feature_map(data.X) if linear else found.points[which]
        # Points in general position, with room to spare, are separated, however they are labelled.
        independent = len(one_each) == len(K) and found.least > 1e-8 * float(np.trace(K)) / max(len(K), 1)
        verdict = None if independent else self._decided(points, index)
        if not linear and len(one_each) > alike.max() + 1 and (pair := _mixed(alike, which, index)) is not None:
            raise ValueError(
                f"HardMarginSVC: rows {pair[0]} and {pair[1]} of X are of different classes and differ, but by too "
                "little for this kernel, whose values are the same for both; rescale X, or raise gamma"
            )
        strict = isinstance(self._kernel_on(data.X), RBF | Laplacian) and len(np.unique(K)) > 1
        if verdict is not None and not verdict.separated and strict and not _shared(which, index):
            raise ValueError(
                "HardMarginSVC: this kernel separates any points, but rows of different classes differ by too little: "
                "rounding hides what separates them; rescale X, or raise gamma"
            )
        if verdict is not None and not verdict.separated:
            raise NotSeparable(
                f"HardMarginSVC: no hyperplane separates the classes (they are {verdict.kind}); the weights in "
                "`refutation` prove it. Use SVC, which allows slack, or another kernel",
                verdict,
            )
        z = np.where(index == 1, 1.0, -1.0)
        return Fitting(
            iterates=hard_margin.iterates(K, None if self.fit_intercept else np.ascontiguousarray(points), z),
            stop=first_of(reached("relative_gap", ENOUGH), budget(self.max_iter)),
            attributes=lambda state: {
                "classes_": classes, "dual_coef_": state.beta.copy(), "intercept_": float(state.offset),
                "margin_": float(state.margin), "X_fit_": data.X.copy(),
            },
            data=data,
            ended=Status.OPTIMAL,
            counts_steps=True,
        )  # fmt: skip

    def _decided(self, points: np.ndarray, index: np.ndarray) -> Separability | None:
        """Whether the classes are separated, with its proof; None where rounding hides it and the fit must show."""
        try:
            return separability(points, index, fit_intercept=self.fit_intercept)
        except ArithmeticError:
            return None

    @property
    def coef_(self) -> np.ndarray:
        """w, for the linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self.dual_coef_ @ self.X_fit_)

    def decision_function(self, X) -> np.ndarray:
        """w·Φ(x) + b, ±1 on the margin.

        Parameters
        ----------
        X : array or sparse matrix (n, p); kernel values with the training rows for a precomputed kernel.
        """
        return self._expansion(X)[:, 0] + self.intercept_

    def predict(self, X) -> np.ndarray:
        """The second class where the score is ≥ 0.

        Parameters
        ----------
        X : as for `decision_function`
        """
        found = self.decision_function(X)
        return self.classes_[(found >= 0.0).astype(np.intp)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def _same_values(K: np.ndarray) -> np.ndarray:
    """(n,) the point of each row, by kernel values: those whose distance is nothing but rounding are one."""
    square = np.diagonal(K)
    reach = square[:, None] + square
    near = reach - 2.0 * K <= 8.0 * np.finfo(float).eps * reach
    return csgraph.connected_components(near, directed=False)[1]


def _shared(which: np.ndarray, index: np.ndarray) -> bool:
    """Whether some point has rows of both classes."""
    return bool(np.any(np.bincount(which, index == 0) * np.bincount(which, index == 1)))


def _mixed(alike: np.ndarray, which: np.ndarray, index: np.ndarray) -> tuple[int, int] | None:
    """Two rows of either class that are not one point, and are alike; None if there are none such."""
    pairs = (alike[:, None] == alike) & (index[:, None] != index) & (which[:, None] != which)
    found = np.argwhere(np.triu(pairs))
    return (int(found[0, 0]), int(found[0, 1])) if len(found) else None
