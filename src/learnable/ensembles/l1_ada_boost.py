"""ℓ1-regularised AdaBoost."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from learnable._jit.core.vectors import read_only
from learnable._jit.ensembles.stumps import vote
from learnable.base import Fitting, Learner, class_indices, validate_data
from learnable.problems.ensembles.votes import Stumps
from learnable.solvers.ensembles import l1_ada_boost
from learnable.solvers.ensembles.ada_boost import counted, presort
from learnable.trace import Status, budget, first_of, reached


class L1AdaBoost(ClassifierMixin, Learner):
    """Votes of stumps that minimise Σ wᵢ e^{−yᵢ f(xᵢ)}/Σ wᵢ + λ ‖α‖₁ over α ≥ 0 for all stumps at once.

    The problem is convex; at the optimum every stump has edge Σ wᵢ yᵢ h(xᵢ) e^{−yᵢ f(xᵢ)} ≤ λ, with equality where it
    has a vote. For λ at or above the largest edge at f = 0 no stump votes. Syllabus: B13.

    Parameters
    ----------
    penalty : float, default=0.01
        λ.
    max_iter : int, default=1000
        Stumps that enter at most.
    tol : float, default=1e-8
        The fit ends once no edge exceeds λ by more than this share of it.

    Attributes
    ----------
    classes_ : array (2,)
    stumps_ : `problems.ensembles.votes.Stumps`; alpha_ : array (T,), their votes > 0
    objective_ : float
    n_iter_ : int
    certificate_ : `certificates.Certificate`, which claims
        B13 : no stump of all has an edge above λ, those with a vote have edge λ; the objective and a lower bound on it.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import L1AdaBoost
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> model = L1AdaBoost(penalty=0.05).fit(X, X[:, 0] > 0)
    >>> model.score(X, X[:, 0] > 0), model.certificate_.holds
    (1.0, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "penalty": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, penalty=0.01, *, max_iter=1000, tol=1e-8):
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit the votes.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,), two classes
        sample_weight : array (n,), default=None
        """
        self._validate_params()
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, blocks=False, dtype=np.float64)
        self.classes_, index = class_indices(data.y, type(self).__name__)
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. L1AdaBoost got {len(self.classes_)} classes")
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight.astype(float)
        rows = counted(weight)
        sign, share = 2.0 * index[rows] - 1.0, weight[rows] / weight.sum()
        states = l1_ada_boost.iterates(presort(data.X[rows]), sign, share, float(self.penalty))

        def attributes(state: l1_ada_boost.L1State) -> dict[str, Any]:
            feature, threshold, sign = zip(*state.stumps) if state.stumps else ((), (), ())
            return {
                "stumps_": Stumps(
                    np.array(feature, dtype=np.int64), np.array(threshold, dtype=float), np.array(sign, dtype=np.int64)
                ),
                "alpha_": state.alpha,
                "objective_": state.objective,
            }

        rule = first_of(reached("violation", self.tol), budget(self.max_iter))
        return Fitting(
            states, rule, attributes, data, ended=Status.OPTIMAL, max_steps=self.max_iter, counts_steps=True,
            advice="raise max_iter or penalty",
        )  # fmt: skip

    def decision_function(self, X) -> np.ndarray:
        """f(x) = Σ α h(x)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        out = np.empty(len(X))
        vote(*map(read_only, (X, *self.stumps_, self.alpha_)), out)
        return out

    def predict(self, X) -> np.ndarray:
        """The second class where f ≥ 0."""
        score = self.decision_function(X)
        return self.classes_[(score >= 0.0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
