"""Quadratic discriminant analysis."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import AccuracyScore, Data, Fitting, Learner, refuse_unreadable
from learnable.base.fit_context import fit_context
from learnable.base.validation import validate_data
from learnable.linear.class_inputs import (
    NotForThisSolver,
    Numbered,
    checked_priors,
    estimated_covariances,
    numbered,
)
from learnable.panel import Entry
from learnable.rows import Block, as_rows, is_streamed
from learnable.solvers.linear import quadratic_discriminant
from learnable.solvers.linear.quadratic_discriminant import QuadraticDiscriminantState
from learnable.trace import Status, to_the_end


class QuadraticDiscriminantAnalysis(AccuracyScore, ClassifierMixin, Learner):
    """Gaussian classes, each with its own covariance: predict the class of the largest δ_k(x).

    δ_k(x) = −½ log|Σ_k| − ½ (x − μ_k)ᵀΣ_k⁻¹(x − μ_k) + log π_k, with π_k the share, μ_k the mean and Σ_k the covariance
    of class k, which needs more members than there are columns. Drop-in for
    `sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis`, whose Σ_k divides by the members n_k; R's
    `MASS::qda` divides by n_k − 1 unless told `method = "mle"`. Syllabus: C2.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd": the class covariances, regularised by `reg_param`. "eigen": shrunk by `shrinkage`, or estimated.
    shrinkage : "auto" or float in [0, 1], default=None
        Σ_k becomes (1 − s) Σ_k + s (tr Σ_k / p) I; "auto" is Ledoit and Wolf's s. With "eigen" only.
    priors : array (K,), default=None
        Class probabilities, all positive; the shares of the classes by default.
    reg_param : float in [0, 1], default=0.0
        Σ_k becomes (1 − r) Σ_k + r I. With "svd" only.
    store_covariance : bool, default=False
        Whether `covariance_` is kept.
    tol : float, default=1e-4
        A covariance is refused as singular where its least eigenvalue is at most this, and so is that of its
        correlations, which no unit of a column changes.
    covariance_estimator : object with `fit` and `covariance_`, default=None
        Used for every class in place of the empirical covariance; with "eigen" only.

    Attributes
    ----------
    classes_ : array (K,)
    means_ : array (K, p)
    priors_ : array (K,)
    rotations_ : list of K arrays (p, p), eigenvectors of Σ_k in columns
    scalings_ : list of K arrays (p,), eigenvalues of Σ_k, largest first
    covariance_ : list of K arrays (p, p), if asked for
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        C2 : means and priors are the class averages and shares; rotations are orthogonal and rotation · scaling ·
        rotationᵀ is the class covariance; posteriors sum to 1 and follow Bayes' rule, or, where the condition of a
        class covariance is above 10⁶, the rows of each class have covariance I in the coordinates (x − μ_k) V_k
        Λ_k^(−½). With solver="eigen" and a condition above 10¹⁰ the smallest scalings are not verified, and the
        certificate says so.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1.0], [1.0], [-8.0], [8.0]])
    >>> model = QuadraticDiscriminantAnalysis().fit(X, ["narrow", "narrow", "wide", "wide"])
    >>> model.predict([[0.0], [5.0]]), model.certificate_.holds
    (array(['narrow', 'wide'], dtype='<U6'), True)
    """

    _parameter_constraints: ClassVar = {
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "reg_param": [Interval(Real, 0, 1, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
    }
    panel = (Entry("classification", "quadratic discriminant", {"reg_param": [0.001, 0.01, 0.1, 0.3, 0.6]}),)

    def __init__(
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=1.0e-4,
        covariance_estimator=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def decision_function(self, X) -> np.ndarray:
        """δ_k(x), one column a class; between two classes the difference, second minus first.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        scores = self._discriminants(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X) -> np.ndarray:
        """Predicted classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        best = self._discriminants(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x) by Bayes' rule, one column a class in the order of `classes_`.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x); finite even where the probability is too small for a number.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return log_softmax(self._discriminants(X), axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _discriminants(self, X) -> np.ndarray:
        check_is_fitted(self)
        triangles = [_triangular_whitener(V, values) for V, values in zip(self.rotations_, self.scalings_)]
        constants = [
            np.log(prior) - 0.5 * np.sum(np.log(scaling)) for prior, scaling in zip(self.priors_, self.scalings_)
        ]

        def discriminants(block: Block) -> np.ndarray:
            Z = block.X.toarray() if sparse.issparse(block.X) else block.X
            squares = [_squared_lengths(Z - mean, R) for mean, R in zip(self.means_, triangles)]
            return np.stack(constants) - 0.5 * np.stack(squares, axis=1)

        if is_streamed(X):
            rows = as_rows(X)
            if rows.n_columns != self.n_features_in_:
                raise ValueError(
                    f"X has {rows.n_columns} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
        else:
            refuse_unreadable(X)
            rows = as_rows(validate_data(self, X, accept_sparse="csr", reset=False))
        return rows.concatenate(discriminants)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, accept_sparse="csr", dtype=[np.float64, np.float32])
        given = numbered(type(self).__name__, data)
        self.classes_ = given.classes
        dtype = np.float32 if given.rows.dtype == np.float32 else np.float64

        def attributes(state: QuadraticDiscriminantState) -> dict[str, Any]:
            self._refuse_singular(state, given.rows.n_columns)
            found: dict[str, Any] = {
                "means_": state.means.astype(dtype),
                "priors_": state.priors,
                "rotations_": [rotation.astype(dtype) for rotation in state.rotations],
                "scalings_": [scaling.astype(dtype) for scaling in state.scalings],
            }
            if self.store_covariance:
                found["covariance_"] = [covariance.astype(dtype) for covariance in state.covariances]
            return found

        return Fitting(self._iterates(data, given), to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)

    def _iterates(self, data: Data, given: Numbered) -> Iterator[QuadraticDiscriminantState]:
        name = type(self).__name__
        posed = (given.rows, len(given.classes), checked_priors(name, self.priors, given.classes))
        if self.solver == "svd":
            if self.shrinkage is not None:
                raise NotForThisSolver("shrinkage not supported with 'svd' solver.")
            if self.covariance_estimator is not None:
                raise ValueError("covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.")
            return quadratic_discriminant.regularised(*posed, self.reg_param, self.tol)
        estimated = estimated_covariances(name, self, data, given.numbers, total=False)
        return quadratic_discriminant.shrunken(*posed, self.shrinkage, estimated, self.tol)

    def _refuse_singular(self, state: QuadraticDiscriminantState, p: int) -> None:
        """A class without a density: too few members, or columns that are tied together among them."""
        for label, count, rotation, scaling in zip(self.classes_, state.members, state.rotations, state.scalings):
            if count == 1:
                raise ValueError(
                    f"y has only 1 sample in class {label}, covariance is ill defined; drop the class or add rows"
                )
            svd = self.solver == "svd"
            too_few = svd and count < p
            if not too_few and ((scaling > self.tol).all() or _least_of_correlations(rotation, scaling) > self.tol):
                continue
            problem = f"The covariance matrix of class {label} is not full rank."
            if svd and count <= p:
                raise linalg.LinAlgError(
                    f"{problem} When using `solver='svd'` the number of samples in each class should be more than "
                    f"the number of features, but class {label} has {count} samples and {p} features. Try using "
                    "`solver='eigen'` and setting the parameter `shrinkage` for regularization."
                )
            remedy = "reg_param" if svd else "shrinkage"
            raise linalg.LinAlgError(f"{problem} Increase the value of `{remedy}` to reduce the collinearity.")


def _least_of_correlations(V: np.ndarray, values: np.ndarray) -> float:
    """The least eigenvalue of the correlations of V diag(values) Vᵀ, which no unit of a column changes; 0 without."""
    deviation = np.sqrt(np.square(V) @ values)
    if not np.all(deviation > 0.0):
        return 0.0
    A = V * np.sqrt(np.maximum(values, 0.0)) / deviation[:, np.newaxis]
    return float(linalg.svdvals(A)[-1] ** 2)


def _triangular_whitener(V: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The upper triangular R with RᵀR = V diag(1/values) Vᵀ; the longest rows of Λ^(−½)Vᵀ first, which keeps digits."""
    (R,) = linalg.qr((V / np.sqrt(values)).T[::-1], mode="r")
    return np.asfortranarray(R)


def _squared_lengths(Z: np.ndarray, R: np.ndarray) -> np.ndarray:
    """‖R z‖² of the rows z, which are overwritten: half the work of a product with a full matrix."""
    (multiply,) = linalg.get_blas_funcs(("trmm",), (R, Z))
    whitened = multiply(1.0, R, Z.T, overwrite_b=True).T
    return np.vecdot(whitened, whitened)
