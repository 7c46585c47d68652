"""The perceptron that answers a random mistake."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearClassifier, class_indices
from learnable.base.fit_context import fit_context
from learnable.linear.stochastic_gradient_model import seed_of
from learnable.solvers.linear import random_misclassified_perceptron
from learnable.trace import Status, budget


class RandomMisclassifiedPerceptron(LinearClassifier):
    """The perceptron that, as long as rows are misclassified, answers one of them chosen at random.

    Every update costs a look at all rows, but none is spent on rows that are right. Novikoff's bound on the number of
    updates holds as for any order. Two classes. Syllabus: P5, P6, P8.

    Parameters
    ----------
    max_iter : int, default=10000
        Updates at most.
    fit_intercept : bool, default=True
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    classes_ : array (2,)
    coef_ : array (1, p). intercept_ : array (1,)
    mistake_log_ : array, the rows answered, in order.
    n_mistakes_, n_iter_ : int, updates made
    status_ : `trace.Status`; "optimal" when no row is misclassified.
    certificate_ : `certificates.Certificate`, which claims
        P9 : the updates add up to θ. P5 : every one answered a mistake. P8 : when θ separates the rows, their number
        is within Novikoff's bound with θ itself as the witness.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import RandomMisclassifiedPerceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> model = RandomMisclassifiedPerceptron().fit(X, y)
    >>> str(model.status_), model.certificate_.holds
    ('optimal', True)
    """

    _redone = True
    _parameter_constraints: ClassVar = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, max_iter=10000, *, fit_intercept=True, random_state=0):
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of two class labels
        """
        return self._learn(X, y)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, blocks=False, accept_sparse="csr", dtype=np.float64, order="C")
        self.classes_, index = class_indices(data.y, type(self).__name__)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y holds {len(self.classes_)} classes"
            )
        generator = np.random.default_rng(seed_of(self.random_state))
        log: list[int] = []

        def logged():
            steps = random_misclassified_perceptron.iterates(data.X, 2.0 * index - 1.0, generator, self.fit_intercept)
            for state in steps:
                if state.answered >= 0:
                    log.append(state.answered)
                yield state

        def attributes(state):
            return {
                "coef_": state.theta[None, :].copy(),
                "intercept_": np.array([state.offset]),
                "mistake_log_": np.array(log, dtype=np.int64),
                "n_mistakes_": len(log),
                "n_iter_": max(len(log), 1),
            }

        return Fitting(
            logged(),
            budget(self.max_iter + 1),
            attributes,
            data,
            max_steps=self.max_iter + 1,
            advice="raise max_iter; if the classes overlap no separator exists",
            ended=Status.OPTIMAL,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
