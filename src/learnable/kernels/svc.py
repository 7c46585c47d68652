"""Support vector classification. Syllabus: S2, S3, S5, S6, S7, S8, S10."""

from functools import cache

import numpy as np

from learnable.base import Fitting, class_indices
from learnable.kernels.cost import fitted_cost, refuse_cost, without_bounds
from learnable.kernels.pair_probabilities import PairProbabilities
from learnable.panel import Entry
from learnable.solvers.kernels import machines, smo
from learnable.trace import Status


class SVC(PairProbabilities):
    """The widest margin in the features of a kernel, with slack: ½‖w‖² + C Σ (1 − yᵢ(w·Φ(xᵢ) + b))₊.

    One machine a pair of classes. Its dual, max Σα − ½ Σ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ) with 0 ≤ α ≤ C and Σ αy = 0, is solved by
    sequential minimal optimisation on working sets; kernel values are kept up to `cache_size` megabytes and never all
    n² beyond it.

    Parameters
    ----------
    C : float > 0, default=1.0
        What slack costs; infinity allows none, and is refused where the classes cannot be separated.
    kernel : "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", "precomputed", a
        `Kernel`, or a function of two tables, or of two lists of objects of any kind (words, graphs) where X is one
    degree, gamma, coef0 : of the named kernels; gamma "scale" is 1/(p · variance of X), "auto" 1/p
    shrinking : bool, default=True
        Where kernel rows no longer fit under `cache_size`: whether rows at a bound that no violating pair could have
        are set aside until the others are solved for. The minimum is the same.
    probability : bool, default=False
        Whether `predict_proba` is wanted: a sigmoid fitted to scores of rows left out, at the cost of five more fits.
        A machine itself has scores and no probabilities.
    tol : float > 0, default=1e-3
        Largest violation of the optimality conditions at the end; the fit also goes on to a relative gap of 1e-3.
    cache_size : float, default=200
        Megabytes of kernel values kept.
    class_weight : dict, "balanced" or None
    max_iter : int, default=-1
        Steps of one machine, -1 for no limit.
    decision_function_shape : "ovr" or "ovo"
    break_ties : bool, default=False
    random_state : kept for compatibility; nothing is drawn.
    verbose : ignored; set a callback to watch the fit.

    Attributes
    ----------
    support_, support_vectors_, n_support_ : the rows with α > 0, by class.
    dual_coef_ : (K − 1, n support) yα of each pair a row takes part in.
    intercept_ : offset of each pair.
    class_weight_, gamma_, shape_fit_, fit_status_ : accounts of the data.
    objects_ : (n, 1) the rows of the fit, where they are objects; there are no support vectors then.
    probA_, probB_ : of each pair, with `probability=True`: P = 1/(1 + e^{A f + B}).
    left_out_scores_ : (n, pairs) scores of the rows by machines that were fitted without them.
    n_iter_ : steps of each pair.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S6 α in its box and in balance, every row in its class; S7 the relative duality gap; S5 the offset; with
        `probability=True` C5 that each sigmoid fits the scores left out best (where these come from is not proved).

    References
    ----------
    Cortes and Vapnik (1995), "Support-vector networks". Fan, Chen and Lin (2005), "Working set selection using second
    order information for training support vector machines".

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> model = SVC(kernel="poly", degree=2, coef0=1.0, gamma=1.0, C=10.0).fit(X, [1, -1, -1, 1])
    >>> model.predict(X), str(model.certificate_.verdict)
    (array([ 1, -1, -1,  1]), 'proved')
    >>> model.dual_coef_.round(6)
    array([[-0.125, -0.125,  0.125,  0.125]])
    """

    # The time grows with the square of the rows and more: at 2,000 rows a fit takes a tenth of a second.
    panel = (Entry("classification", "support vectors", {"C": [0.3, 3.0, 30.0]}, most_rows=2000),)

    def __init__(
        self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, probability=False, tol=1e-3,
        cache_size=200, class_weight=None, verbose=False, max_iter=-1, decision_function_shape="ovr", break_ties=False,
        random_state=None,
    ):  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit one machine a pair of classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,) of classes
        sample_weight : array (n,) that multiplies C; rows of a weight ≤ 0 are left out
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        refuse_cost("SVC", self.C, without_slack=True)
        data = self._checked_data(X, y, sample_weight)
        classes, index = class_indices(data.y, "SVC")
        each = self._class_weights(classes, data.y)
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight
        C = fitted_cost(self.C) * each[index] * weight
        self._refuse_empty_class(index, C, len(classes))
        table = self._to_solve(data.X)
        gamma = self._width(table)
        posed = []
        for rows, z in self._pairs(index, len(classes)):
            upper = C[rows]
            dual = smo.BoxDual(
                z, np.where(z > 0.0, 0.0, -upper), np.where(z > 0.0, upper, 0.0), 0.0, np.zeros(len(z), dtype=np.int8)
            )
            posed.append(machines.Posed(rows, dual, np.zeros(len(z))))

        calibration = cache(lambda: self._calibration(data, index, len(classes), gamma))

        def attributes(state: machines.MachinesState):
            support, counts, dual = self._layout(index, len(classes), [each.rows for each in posed], state.betas)
            return {
                "classes_": classes, "class_weight_": each, **self._support(data.X, support, gamma),
                "n_support_": counts, "dual_coef_": self._kept_dual(dual, data.X),
                "intercept_": state.offsets[:, 0].copy(),
                "fit_status_": int(not state.reached), "n_iter_": state.pairs.astype(np.int32),
                **calibration(),
            }  # fmt: skip

        iterates = machines.iterates(
            self._kernel(gamma, data.X), table, posed, self.tol, self.cache_size, self._most, bool(self.shrinking)
        )
        return Fitting(
            iterates=iterates if np.isfinite(self.C) else without_bounds("SVC", iterates, posed),
            stop=self._stop(),
            attributes=attributes,
            data=data,
            ended=Status.OPTIMAL,
            advice=self._spent,
        )

    @staticmethod
    def _refuse_empty_class(index: np.ndarray, C: np.ndarray, K: int) -> None:
        counted = np.bincount(index[C > 0.0], minlength=K) > 0
        if counted.sum() == 1:
            raise ValueError(
                "SVC: Invalid input - all samples with positive weights belong to the same class; "
                "give each class a row that counts"
            )
        if not counted.all():
            raise ValueError(
                "SVC: Invalid input - all samples of one class have zero or negative weights; "
                "give each class a row that counts"
            )
