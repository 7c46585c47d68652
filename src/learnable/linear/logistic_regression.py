"""Logistic regression, binary and multinomial."""

import warnings
from collections.abc import Iterator
from functools import partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from learnable.base import Data, Fitting, LinearClassifier, SparseCoefficients, class_indices, class_weights
from learnable.base.classes import class_numbers
from learnable.base.fit_context import fit_context
from learnable.base.kept import kept_as_data
from learnable.certificates.linear.logistic import separation
from learnable.config import get_config
from learnable.device import place_for
from learnable.linear.reports.summarised import Summarised
from learnable.panel import Entry
from learnable.problems.core.conventions import (
    gradient_target,
    l2_from_inverse_strength,
    logistic_strength,
    violation_target,
)
from learnable.problems.linear.categorical import probabilities
from learnable.problems.sparse.penalties import ElasticNet
from learnable.rows import is_streamed
from learnable.rows.examine import Beside, seen_beside
from learnable.rows.labels import labels
from learnable.rows.mapped import with_class_numbers
from learnable.rows.numbers import weight_sum
from learnable.solvers.linear import newton, newton_cg, newton_over_rows, own_units, sampled_newton
from learnable.solvers.linear.beside_look import merged_sums, weight_sums
from learnable.solvers.linear.column_metric import ColumnMetric
from learnable.solvers.linear.column_spread import column_spread
from learnable.solvers.linear.device_likelihood import DeviceLikelihood
from learnable.solvers.linear.likelihood import CategoricalLikelihood
from learnable.solvers.linear.linear_scores import THIN
from learnable.solvers.linear.metric import KeptCurvature
from learnable.solvers.linear.newton import NewtonState
from learnable.solvers.sparse import newton_in_blocks, proximal_newton
from learnable.solvers.sparse.proximal_newton import ProximalState
from learnable.trace import Status, all_of, budget, first_of, reached, unmoved

# A Hessian with more rows than this is not formed; its products with vectors are.
LARGEST_HESSIAN = 1200
# Nor is one that takes as long as so many of its products, which end a fit: `benchmarks small`, LogisticRegression on
# digits, 136 ms and 316 with the Hessian.
MANY_PRODUCTS = 60.0
# The words by which programs recognise that the solver they asked for ran out of iterations.
_NOT_CONVERGED = {
    "lbfgs": "lbfgs failed to converge",
    "liblinear": "Liblinear failed to converge, increase the number of iterations",
    "newton-cg": "newton-cg failed to converge. Increase the number of iterations",
    "newton-cholesky": "Newton solver did not converge after {max_iter} iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}
# What a fit wants to know of rows in blocks before it begins.
BESIDE = Beside(weight_sums, merged_sums)


class LogisticRegression(Summarised, SparseCoefficients, LinearClassifier):
    """Logistic regression: min over (B, b) of C Σ wᵢ (−log P(yᵢ | xᵢ)) + ρ ‖B‖₁ + ½ (1 − ρ) ‖B‖², ρ = `l1_ratio`.

    Two classes: P(second class | x) = 1 / (1 + e^{−(x·β + b)}). More: P(k | x) = e^{x·β_k + b_k} / Σ_l e^{x·β_l + b_l}.
    The objective is convex, so a vanishing (sub)gradient is a global minimum. Without an L1 part it is found by
    Newton's method (iteratively reweighted least squares) with step halving; with the curvature of a sample of the
    rows when there are very many rows, and by conjugate gradients when there are very many parameters, or many classes
    (over the rows instead of the columns where the table is wide). With an L1 part, by proximal Newton steps.
    Drop-in for `sklearn.linear_model.LogisticRegression`.
    Syllabus: C5, C6, C7, C8, L21.

    Without a penalty (C=inf) and with classes that some direction separates, even weakly, there is no maximum of the
    likelihood: its supremum lies at infinity along that direction. The fit then ends at a finite point with
    `status_` "diverged", a failed claim C8 and a warning that names the direction; any finite C has a solution.

    Parameters
    ----------
    penalty : deprecated; "l1", "l2", "elasticnet" or None (which means C=inf).
    C : float, default=1.0
        Inverse of the penalty; `np.inf` for none.
    l1_ratio : float, default=0.0
        Share ρ of the L1 penalty: 0 for L2 alone, 1 for L1 alone.
    dual, intercept_scaling, random_state, verbose : kept for compatibility; without effect. Intercepts are never
        penalised.
    tol : float, default=1e-4
        The fit ends once the largest entry of the gradient of mean loss + penalty is at most this; with an L1 part,
        once no optimality condition is violated by more than this times the level 1/(C Σ wᵢ) of the penalty. Above
        1e-4 under the names "sag" and "saga" also not before a step moves no parameter by more than this times the
        largest one, which is what these stop by in scikit-learn.
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None, default=None
    solver : default="lbfgs"
        Every name of scikit-learn's is accepted, with every penalty; the minimum is the same. Data that the solver of
        that name refuses there are refused here too: "lbfgs" takes them all.
    max_iter : int, default=100
        Newton steps at most.
    warm_start : bool, default=False
        Start from the last solution.
    n_jobs : int, default=None
        Threads over blocks of rows; the answer is the same for any number.

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (1, p) for two classes, else (K, p)
    intercept_ : array (1,) or (K,)
    n_iter_ : array (1,), Newton steps made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        C5 : the gradient vanishes to `tol`; L21 : the same of the optimality conditions with an L1 part.
        O6 : with a penalty, a duality gap that bounds the distance to the minimum.
        C8 : without a penalty, the classes are not separated, so that the maximum likelihood estimate exists.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LogisticRegression
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict([[3.0]]), model.certificate_.holds
    (array(['yes'], dtype='<U3'), True)
    """

    _explained = frozenset({"C8"})
    _parameter_constraints: ClassVar = {
        "penalty": [StrOptions({"l1", "l2", "elasticnet"}), None, Hidden(StrOptions({"deprecated"}))],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "dual": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "solver": [StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
    }
    panel = (Entry("classification", "logistic regression", {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}),)

    def __init__(
        self,
        penalty="deprecated",
        *,
        C=1.0,
        l1_ratio=0.0,
        dual=False,
        tol=1e-4,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="lbfgs",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        sample_weight : array (n,), default=None
        """
        self._learn(X, y, sample_weight=sample_weight)
        separated = any(claim.id == "C8" and not claim.holds for claim in self.certificate_)
        if np.isinf(self._strength()[0]) and separated:
            self._report_separation(X, y, sample_weight)
        return self

    def predict(self, X) -> np.ndarray:
        """The most probable class of each row; of two as probable, the first.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x), one column a class in the order of `classes_`.

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
        """log P(class | x).

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return np.log(self.predict_proba(X))

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        self._warn_of_old_arguments()
        self._refuse_as_the_solver_named(X)
        data = self._validated(
            X,
            y,
            sample_weight,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=True,
            extremes=False,
            beside=BESIDE,
        )
        if data.y is None:
            self.classes_ = labels(data.rows, type(self).__name__)
            class_indices(self.classes_, type(self).__name__)
            if self.class_weight is not None:
                raise ValueError("class_weight is not available for rows read in blocks; give the rows weights instead")
            encoded = data
        else:
            self.classes_, index = class_indices(data.y, type(self).__name__)
            weight = class_weights(self.class_weight, self.classes_, data.y, data.sample_weight)
            encoded = Data(data.X, index, weight)
        p, K = self.n_features_in_, 1 if len(self.classes_) == 2 else len(self.classes_)
        if self.solver == "liblinear" and K > 1:
            raise ValueError(
                f"LogisticRegression: The 'liblinear' solver does not support multiclass classification (y has {K} "
                "classes); leave solver at 'lbfgs', whose minimum is found here whatever the name"
            )
        # As scikit-learn's, the solver of that name answers in double precision.
        single = encoded.rows.dtype == np.float32 and self.solver != "liblinear"
        dtype = np.float32 if single else np.float64

        sparse_answer = self._strength()[1] > 0.0

        def attributes(state):
            coef, intercept = state.theta[:p], state.theta[p] if self.fit_intercept else np.zeros(K)
            if single and sparse_answer:
                coef, intercept = kept_as_data(coef, intercept, encoded.rows, self.fit_intercept)
            else:
                coef, intercept = coef.astype(dtype), intercept.astype(dtype)
            # One number added to the scores of all classes changes no probability.
            intercept = intercept - intercept.mean() if K > 1 else intercept
            if K > 1 and np.isinf(self._strength()[0]):
                coef = coef - coef.mean(axis=1, keepdims=True)
            return {"coef_": coef.T, "intercept_": intercept, "n_iter_": np.array([state.steps], dtype=np.int32)}

        if sparse_answer:
            iterates: Iterator[NewtonState | ProximalState]
            penalty = self._sparse_penalty(encoded)
            enough = reached("relative_violation", violation_target(self.tol))
            iterates = self._sparse_iterates(encoded, penalty, K)
        else:
            enough = reached("gradient_norm", gradient_target(self.tol))
            # A smaller tol asks for a gradient that is small wherever the minimum is.
            if self.solver in ("sag", "saga") and self.tol > 1e-4 and np.isfinite(self._strength()[0]):
                enough = all_of(enough, unmoved("theta", self.tol))
            iterates = self._iterates(self._likelihood(encoded), encoded)
        return Fitting(
            iterates,
            first_of(enough, budget(self.max_iter + 1)),
            attributes,
            data,
            max_steps=self.max_iter + 1,
            ended=Status.STATIONARY,
            advice=_NOT_CONVERGED[self.solver].format(max_iter=self.max_iter)
            + ". Raise max_iter or tol, or bring the columns of X to one scale",
        )

    def _refuse_as_the_solver_named(self, X) -> None:
        """What scikit-learn's solver of that name cannot read: programs that name it are told so here as well."""
        compressed = sparse.issparse(X) and X.format in ("csr", "csc")
        if compressed and self.solver in ("liblinear", "sag", "saga") and np.int64 in (X.indices.dtype, X.indptr.dtype):
            raise ValueError(
                f"LogisticRegression(solver={self.solver!r}): Only sparse matrices with 32-bit integer indices are "
                "accepted under this name, as in scikit-learn; solver='lbfgs' reads longer ones"
            )
        if self.solver == "liblinear" and isinstance(X, np.ndarray) and X.dtype.kind == "f" and np.any(X > 1e30):
            raise ValueError(
                "LogisticRegression: in scikit-learn, Using the 'liblinear' solver while X contains a maximum value > "
                "1e30 results in a frozen fit. Please choose another solver or rescale the input X."
            )

    def _strength(self) -> tuple[float, float]:
        return logistic_strength(self.penalty, self.C, self.l1_ratio)

    def _likelihood(self, data: Data) -> CategoricalLikelihood:
        classes = self.classes_
        n_scores = 1 if len(classes) == 2 else len(classes)
        encode = partial(class_numbers, classes) if data.y is None else None
        posed = (data.rows, n_scores, self.fit_intercept, encode, self.n_jobs)
        device = self._device(data)
        seen = seen_beside(data.X, BESIDE)
        objective = CategoricalLikelihood(*posed, seen) if device == "cpu" else DeviceLikelihood(*posed, device)
        C, _ = self._strength()
        if np.isfinite(C):
            objective.alpha = l2_from_inverse_strength(C, objective.weight_sum)
        return objective

    def _device(self, data: Data) -> str:
        """What the setting `device` comes to. Blocks on a cluster find the device of that name where they are."""
        device, streamed = get_config()["device"], is_streamed(data.X)
        if sparse.issparse(data.X):
            return "cpu"
        if streamed and device != "auto":
            return device
        rows = data.rows
        operations = 2.0 * rows.n_rows * rows.n_columns * len(self.classes_)
        return place_for(device, operations, 0 if streamed else data.X.nbytes).name

    def _iterates(self, objective: CategoricalLikelihood, data: Data) -> Iterator[NewtonState]:
        """Newton's method in the form that the numbers of rows and parameters call for."""
        start = self._start(objective.shape)
        parameters, enough = int(np.prod(objective.shape)), gradient_target(self.tol)
        if parameters > LARGEST_HESSIAN and objective.alpha > 0.0 and newton_over_rows.pays(data.X):
            return newton_over_rows.iterates(
                objective,
                data.X,
                lambda table: self._likelihood(data._replace(X=table)),
                start,
                enough,
            )
        units = None
        if parameters <= LARGEST_HESSIAN:
            units = own_units.needed_units(data.X, self.fit_intercept, *objective.columns)
        if units is not None:
            return own_units.iterates(
                lambda table: self._likelihood(data._replace(X=table)),
                data.X, units, objective.alpha, self.fit_intercept, start, enough,
            )  # fmt: skip
        on_device = isinstance(objective, DeviceLikelihood)
        crossed = isinstance(data.X, np.ndarray) and not on_device and _products_pay(objective)
        if parameters > LARGEST_HESSIAN:
            return newton_cg.iterates(objective, start, enough, ColumnMetric(objective) if crossed else None)
        places = [] if on_device else sampled_newton.sample_places(objective.rows.n_rows, parameters)
        samples = data.samples(places)
        if data.y is None:  # the labels of rows in blocks are as they were given
            samples = [sample._replace(y=class_numbers(self.classes_, sample.y)) for sample in samples]
        if samples and all(np.bincount(sample.y, minlength=len(self.classes_)).min() >= 10 for sample in samples):
            over_samples = [self._likelihood(sample) for sample in samples]
            for over_sample in over_samples:
                over_sample.alpha = objective.alpha
            return sampled_newton.iterates(objective, over_samples, start, enough)
        if crossed:
            return newton_cg.iterates(objective, start, enough, ColumnMetric(objective))
        return newton.iterates(objective, start, KeptCurvature(objective) if parameters > THIN else None, enough)

    def _sparse_penalty(self, data: Data) -> ElasticNet:
        C, l1_ratio = self._strength()
        total = float(data.rows.coarser().reduce(weight_sum, n_jobs=1))
        return ElasticNet(l2_from_inverse_strength(C, total), float(l1_ratio))

    def _sparse_iterates(self, data: Data, penalty: ElasticNet, n_scores: int) -> Iterator[ProximalState]:
        start = self._start((self.n_features_in_ + self.fit_intercept, n_scores))
        if data.y is None:
            rows = with_class_numbers(data.rows, self.classes_)
            return newton_in_blocks.categorical_iterates(rows, len(self.classes_), penalty, self.fit_intercept, start)
        # The penalty does not know where columns lie: those far from zero are read about their means.
        units = own_units.needed_units(data.X, True, *column_spread(data.rows, True)) if self.fit_intercept else None
        X = data.X
        if units is not None:
            units = units._replace(scale=np.ones_like(units.scale))
            X = (X - units.origin).astype(X.dtype)
            start = None if start is None else units.forth(start, True)
        states = proximal_newton.iterates(X, data.y, n_scores, data.sample_weight, penalty, self.fit_intercept, start)
        return states if units is None else (s._replace(theta=units.back(s.theta, True)) for s in states)

    def _start(self, shape: tuple[int, int]) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        if coef.T.shape != (self.n_features_in_, shape[1]):
            return None
        return np.vstack([coef.T, self.intercept_]) if self.fit_intercept else coef.T

    def _report_separation(self, X, y, sample_weight) -> None:
        """No maximum of the likelihood exists: say so, and along which direction it runs off."""
        self._keep({"status_": Status.DIVERGED})
        kind, theta = "separated", self.coef_
        if not is_streamed(X):
            found = separation(self, *self._validated(X, y, sample_weight, accept_sparse="csr"))
            kind, theta = found.kind, np.asarray(found.theta)
        warnings.warn(
            f"LogisticRegression(C=inf): the classes are {kind} along the direction "
            f"{np.array2string(theta, precision=3, threshold=8)}, so that no maximum likelihood estimate "
            "exists and coef_ is only a point on the way to infinity; give a penalty, e.g. C=1.0",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _warn_of_old_arguments(self) -> None:
        """What scikit-learn says about arguments that are on their way out or contradict each other."""
        penalty, l1_ratio = self.penalty, self.l1_ratio
        said: list[tuple[str, type[Warning]]] = []
        if penalty == "deprecated" and l1_ratio is None:
            said.append(("'l1_ratio=None' was deprecated; use a number between 0 and 1", FutureWarning))
        if penalty != "deprecated":
            said.append(
                (
                    "'penalty' was deprecated; use l1_ratio=0 for 'l2', 1 for 'l1', a number between for 'elasticnet', "
                    "and C=np.inf for None",
                    FutureWarning,
                )
            )
        if penalty == "elasticnet" and l1_ratio is None:
            raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
        if penalty in ("l1", "l2", None) and l1_ratio is not None and 0.0 < l1_ratio < 1.0:
            said.append(
                (f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={penalty})", UserWarning)
            )
        if penalty in ("l1", "l2") and l1_ratio != {"l1": 1.0, "l2": 0.0}[penalty]:
            said.append(
                (f"Inconsistent values: penalty={penalty} with l1_ratio={l1_ratio}; use l1_ratio alone", UserWarning)
            )
        if penalty is None and self.C != 1.0:
            said.append(("Setting penalty=None will ignore the C and l1_ratio parameters", UserWarning))
        for message, category in said:
            warnings.warn(f"LogisticRegression: {message}", category, stacklevel=5)


def _products_pay(objective: CategoricalLikelihood) -> bool:
    """Whether the Hessian of several scores takes longer than its products with all the vectors that a fit asks for.

    Of a row a parameter it is a sum of K (K − 1) / 2 symmetric products of the columns, and is factored. Where there
    are more columns than rows, their cross-products cost more than they save.
    """
    (m, K), n = objective.shape, objective.rows.n_rows
    products = (K - 1) * m / 8.0 + (K * m) ** 2 / (12.0 * n)
    return K > 2 and m <= min(n, LARGEST_HESSIAN) and objective.alpha > 0.0 and products > MANY_PRODUCTS
