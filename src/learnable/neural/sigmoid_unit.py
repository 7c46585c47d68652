"""A network of one sigmoid unit."""

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from learnable.base import Data, LinearClassifier, class_indices
from learnable.base.fit_context import fit_context
from learnable.neural.unit import Unit


class SigmoidUnit(Unit, LinearClassifier):
    """o = σ(θ·x + b) on squared errors: gradient descent on E(θ, b) = Σᵢ wᵢ ½ (yᵢ − oᵢ)² / Σᵢ wᵢ, y in {0, 1}.

    The step is θ ← θ + η (y − o) o (1 − o) x: the delta rule with the slope of the unit. E is not convex, and flat
    where the unit is sure and wrong; a stationary point is all that is claimed, where one was reached. Two classes.
    Syllabus: NN2, O4.

    Parameters
    ----------
    learning_rate : float or "auto", default="auto"
        η of a step along the mean over a batch; "auto" is the largest that cannot overshoot.
    batch_size : int or None, default=None
        Rows of a step: None for all (gradient descent), 1 for stochastic gradient descent.
    max_iter : int, default=2000
        Passes over the rows at most.
    tol : float, default=1e-5
        Training ends when E has not fallen by this for more than 5 passes.
    random_state : int, RandomState, Generator or None, default=None
        Where the small weights to start from, and the orders of the rows, are drawn from.

    Attributes
    ----------
    coef_, intercept_ : θ (1, p) and b (1,).
    classes_ : the two classes; the second one is y = 1.
    objective_, gradient_norms_ : E, and the lengths of ∂E/∂θ and ∂E/∂b.
    loss_curve_, n_iter_ : E as met by each pass, and how many there were.
    status_ : `trace.Status`.
    certificate_ : claimed are E and its gradient as reported.

    Examples
    --------
    >>> from learnable.neural import SigmoidUnit
    >>> unit = SigmoidUnit(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> unit.predict([[0.5], [2.5]]).tolist()
    ['a', 'b']
    """

    # |d²/du² ½(y − σ)²| ≤ σ'² + |σ''| ≤ 1/16 + 1/(6√3)
    _curvature = 1.0 / 16.0 + 1.0 / (6.0 * np.sqrt(3.0))
    _unit_output = "sigmoid_squared"
    _parameter_constraints: ClassVar[dict[str, Any]] = Unit.shared_constraints

    def __init__(self, *, learning_rate="auto", batch_size=None, max_iter=2000, tol=1e-5, random_state=None):
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the unit.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of two classes
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def predict_proba(self, X) -> np.ndarray:
        """1 − o and o for each row.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        o = expit(self.decision_function(X))
        return np.column_stack([1.0 - o, o])

    def _unit_target(self, data: Data) -> np.ndarray:
        self.classes_, index = class_indices(data.y, type(self).__name__)
        if len(self.classes_) > 2:
            raise ValueError(
                f"SigmoidUnit: Only binary classification is supported. The type of the target is multiclass: "
                f"{len(self.classes_)} classes. MLPClassifier takes any number"
            )
        return index.astype(float)

    def _unit_answer(self, coef: np.ndarray, intercept: np.ndarray) -> dict[str, Any]:
        return {"coef_": coef[None], "intercept_": intercept}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
