"""The averaged perceptron."""

from itertools import islice
from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearClassifier, class_indices
from learnable.linear.stochastic_gradient_model import Problems, objective_values, seed_of
from learnable.problems.linear.losses import PerceptronLoss
from learnable.problems.sparse.penalties import L2
from learnable.solvers.linear import stochastic_gradient
from learnable.solvers.linear.learning_rates import Constant
from learnable.solvers.linear.perceptron import Orders
from learnable.solvers.linear.stochastic_gradient import Averaging, Patience
from learnable.trace import Status, to_the_end


class AveragedPerceptron(LinearClassifier):
    """The perceptron, answering with the mean of (θ, b) after every visit of a row instead of the last point.

    A point that survives many rows counts for many: the answer is steadier where classes overlap, where the perceptron
    itself never settles. A fixed number of passes; more than two classes: one against the rest. Syllabus: P5, P10.

    Parameters
    ----------
    n_passes : int, default=10
    fit_intercept : bool, default=True
    shuffle : bool, default=True
        Visit the rows in a new random order in each pass.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (1, p) for two classes, else (K, p)
    intercept_ : array (1,) or (K,)
    last_coef_, last_intercept_ : where the perceptron itself ended.
    objective_ : array, mean of (−y f)₊ of each binary problem.
    smallest_margin_ : array, smallest y·f of each binary problem.
    n_iter_ : int, passes made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        P10 : the loss reported is that of this answer. P3 : so is the smallest margin. The share of rows on the wrong
        side is disclosed.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import AveragedPerceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> model = AveragedPerceptron().fit(X, y)
    >>> model.predict([[3.0, 3.0]]), model.certificate_.holds
    (array([1]), True)
    """

    _parameter_constraints: ClassVar = {
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, n_passes=10, *, fit_intercept=True, shuffle=True, random_state=0):
        self.n_passes = n_passes
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of class labels
        """
        return self._learn(X, y)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, blocks=False, accept_sparse="csr", dtype=np.float64, order="C")
        self.classes_, _ = class_indices(data.y, type(self).__name__)
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        labels = np.where(data.y == positive[:, None], 1.0, -1.0)
        problems = Problems(labels, np.ones_like(labels))
        generator = np.random.default_rng(seed_of(self.random_state)) if self.shuffle else None
        iterates = stochastic_gradient.iterates(
            data.X,
            *problems,
            PerceptronLoss(),
            L2(0.0),
            Constant(1.0),
            Orders(len(data.y), generator),
            Patience(None, 1),
            float(self.fit_intercept),
            Averaging(1),
        )

        def attributes(state):
            scores = np.asarray(data.X @ state.coef.T) + state.intercept
            return {
                "coef_": state.coef.copy(),
                "intercept_": state.intercept.copy(),
                "last_coef_": state.last_coef.copy(),
                "last_intercept_": state.last_intercept.copy(),
                "objective_": objective_values(PerceptronLoss(), problems, scores, np.zeros(len(labels))),
                "smallest_margin_": np.min(labels * scores.T, axis=1),
                "n_iter_": state.epochs,
            }

        return Fitting(
            islice(iterates, self.n_passes), to_the_end, attributes, data, max_steps=self.n_passes, ended=Status.STOPPED
        )
