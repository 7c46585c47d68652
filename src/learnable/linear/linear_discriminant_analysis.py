"""Linear discriminant analysis."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import log_expit, log_softmax
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Fitting, LinearClassifier, refuse_unreadable
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
from learnable.problems.linear.categorical import probabilities
from learnable.rows import as_rows, is_streamed
from learnable.solvers.linear import discriminant
from learnable.solvers.linear.discriminant import LinearDiscriminantState
from learnable.trace import Status, to_the_end


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LinearClassifier):
    """Gaussian classes with one covariance: predict the class of the largest δ_k(x).

    δ_k(x) = x·Σ⁻¹μ_k − ½ μ_kᵀΣ⁻¹μ_k + log π_k, with π_k the share and μ_k the mean of class k, and Σ the covariance
    about the class means. Drop-in for `sklearn.discriminant_analysis.LinearDiscriminantAnalysis`, whose Σ divides by
    the number of rows N. With `unbiased=True` it divides by N − K, as in R's `MASS::lda` by default, which multiplies
    the coefficients by (N − K) / N. Syllabus: C1.

    One pass over the rows gives the class moments; the rest is algebra of p × p matrices. Where the within-class
    correlations are too ill-conditioned for that, an orthogonal factorisation of the rows takes their place.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd": coordinates in which Σ = I; directions without variance are left out. "lsqr": Σ B = M, of least norm
        when Σ is singular; no `transform`. "eigen": generalised eigenvectors of between- and within-class covariance.
        The last two weight class covariances by the priors and can shrink them; where columns lie thousands of
        deviations from zero they give δ_k less a term that all classes share, as "svd" always does.
    shrinkage : "auto" or float in [0, 1], default=None
        Σ_k becomes (1 − s) Σ_k + s (tr Σ_k / p) I; "auto" is Ledoit and Wolf's s. Not with "svd".
    priors : array (K,), default=None
        Class probabilities, all positive; the shares of the classes by default.
    n_components : int, default=None
        Columns that `transform` gives, at most min(K − 1, p).
    store_covariance : bool, default=False
        Whether "svd" keeps `covariance_`; the others always do.
    tol : float, default=1e-4
        With "svd", singular values of the rows with columns of unit deviation that count as zero.
    covariance_estimator : object with `fit` and `covariance_`, default=None
        Used for every class in place of the empirical covariance; not with "svd".
    unbiased : bool, default=False
        Whether Σ divides by N − K, the rows (or the sum of their weights) less the classes, instead of N.

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (K, p); (1, p), second class minus first, between two classes
    intercept_ : array (K,) or (1,)
    means_ : array (K, p)
    priors_ : array (K,)
    covariance_ : array (p, p), Σ_k π_k Σ_k
    scalings_ : array (p, r), coordinates in which Σ = I; not with "lsqr"
    explained_variance_ratio_ : array, share of the between-class variance in each; not with "lsqr"
    xbar_ : array (p,), Σ_k π_k μ_k; with "svd"
    rank_ : int, directions with within-class variance
    n_components_ : int, columns that `transform` gives
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        C1 : means and priors are the class averages and shares; Σ coef = means − reference; the log-odds midway
        between two class means are those of the priors; scalingsᵀ Σ scalings = I; posteriors sum to 1; every other
        attribute is what it is said to be. What `covariance_estimator` gave is taken as it is, and not proved.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LinearDiscriminantAnalysis
    >>> X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    >>> model = LinearDiscriminantAnalysis().fit(X, ["low", "low", "high", "high"])
    >>> model.coef_, model.predict([[0.5]]), model.certificate_.holds
    (array([[-4.]]), array(['high'], dtype='<U4'), True)
    """

    _parameter_constraints: ClassVar = {
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
        "unbiased": ["boolean"],
    }
    panel = (Entry("classification", "linear discriminant"),)

    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
        unbiased=False,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.unbiased = unbiased

    # The estimator of covariances is another's object: its parameters are validated when it is fitted.
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x) by Bayes' rule, one column a class in the order of `classes_`.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return probabilities(scores)
        second = probabilities(scores[:, None])
        return np.hstack([1.0 - second, second])

    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x); finite even where the probability is too small for a number.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return log_softmax(scores, axis=1)
        return np.stack([log_expit(-scores), log_expit(scores)], axis=1)

    def transform(self, X) -> np.ndarray:
        """The discriminant coordinates: the directions that set the class means furthest apart, with Σ = I.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        if self.solver == "lsqr":
            raise NotForThisSolver("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        check_is_fitted(self)
        scalings = self.scalings_[:, : self.n_components_]
        origin = self.xbar_ if self.solver == "svd" else np.zeros(len(scalings), dtype=scalings.dtype)

        def project(Z):
            return Z @ scalings - origin @ scalings if sparse.issparse(Z) else (Z - origin) @ scalings

        if is_streamed(X):
            return as_rows(X).concatenate(lambda block: project(block.X))
        refuse_unreadable(X)
        return project(validate_data(self, X, accept_sparse="csr", reset=False))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", ensure_min_samples=2, dtype=[np.float64, np.float32]
        )
        given = numbered(type(self).__name__, data)
        self.classes_ = given.classes
        if given.rows.n_rows == len(given.classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        largest = min(len(given.classes) - 1, given.rows.n_columns)
        if self.n_components is not None and self.n_components > largest:
            raise ValueError(
                "n_components cannot be larger than min(n_features, n_classes - 1) = "
                f"{largest}; got {self.n_components}"
            )
        components = largest if self.n_components is None else self.n_components
        dtype = np.float32 if given.rows.dtype == np.float32 else np.float64

        def attributes(state: LinearDiscriminantState) -> dict[str, Any]:
            coef, intercept = state.coef, state.intercept
            if len(coef) == 2:
                coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
            found = {"coef_": coef, "intercept_": intercept, "means_": state.means, "priors_": state.priors}
            optional = {"covariance_": state.covariance, "scalings_": state.scalings, "xbar_": state.centre}
            optional["explained_variance_ratio_"] = None if state.explained is None else state.explained[:components]
            found |= {name: value for name, value in optional.items() if value is not None}
            kept: dict[str, Any] = {name: value.astype(dtype) for name, value in found.items()}
            return kept | {"rank_": state.rank, "n_components_": components}

        return Fitting(self._iterates(data, given), to_the_end, attributes, data, max_steps=1, ended=Status.OPTIMAL)

    def _iterates(self, data: Data, given: Numbered) -> Iterator[LinearDiscriminantState]:
        name = type(self).__name__
        priors = checked_priors(name, self.priors, given.classes)
        posed = (given.rows, len(given.classes), priors)
        if self.solver == "svd":
            if self.shrinkage is not None:
                raise NotForThisSolver("shrinkage not supported with 'svd' solver.")
            if self.covariance_estimator is not None:
                raise ValueError("covariance estimator is not supported with svd solver. Try another solver")
            return discriminant.by_whitening(*posed, self.tol, self.store_covariance, self.unbiased)
        if self.unbiased and self.covariance_estimator is not None:
            raise ValueError(
                f"{name}(unbiased=True): a covariance_estimator has its own divisor; leave one of them out"
            )
        estimated = estimated_covariances(name, self, data, given.numbers, total=self.solver == "eigen")
        solve = discriminant.by_equations if self.solver == "lsqr" else discriminant.by_canonical_variates
        return solve(*posed, self.shrinkage, estimated, self.unbiased)
