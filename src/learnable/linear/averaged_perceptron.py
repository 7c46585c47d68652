"""The averaged perceptron."""

from itertools import islice
from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearClassifier, class_indices
from learnable.base.fit_context import fit_context
from learnable.linear.stochastic_gradient_model import Problems, judged_scores, seed_of
from learnable.problems.linear.losses import PerceptronLoss
from learnable.solvers.linear.averaged_perceptron import iterates
from learnable.solvers.linear.perceptron import Orders
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
    mistake_log_, mistake_visits_ : lists of arrays, the rows on which mistakes were made and the numbers of those
        visits, from 1; one array a binary problem. n_mistakes_ : int.
    n_iter_ : int, passes made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        P9 : the answer is the mean of the points that the log of mistakes passes through. P5 : every update answered
        a mistake, and no row is on the wrong side; where one is, nothing is proved. P10, P3 : loss and smallest
        margin are those of this answer.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import AveragedPerceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> model = AveragedPerceptron().fit(X, y)
    >>> model.predict([[3.0, 3.0]]), model.certificate_.holds
    (array([1]), True)
    """

    _redone = True
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

    @fit_context(prefer_skip_nested_validation=True)
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
        logs: list[list[np.ndarray]] = [[] for _ in labels]
        visits: list[list[np.ndarray]] = [[] for _ in labels]

        def logged():
            for state in iterates(data.X, labels, Orders(len(data.y), generator), self.fit_intercept):
                for k in range(len(labels)):
                    logs[k].append(state.log[k])
                    visits[k].append(state.visits[k])
                yield state

        def attributes(state):
            scores = np.asarray(data.X @ state.coef.T) + state.intercept
            lost, margin = judged_scores(PerceptronLoss(), problems, scores)
            return {
                "coef_": state.coef.copy(),
                "intercept_": state.intercept.copy(),
                "last_coef_": state.last_coef.copy(),
                "last_intercept_": state.last_intercept.copy(),
                "objective_": lost / len(scores),
                "smallest_margin_": margin,
                "mistake_log_": [np.concatenate(log) for log in logs],
                "mistake_visits_": [np.concatenate(when) for when in visits],
                "n_mistakes_": sum(len(part) for log in logs for part in log),
                "n_iter_": state.passes,
            }

        return Fitting(
            islice(logged(), self.n_passes), to_the_end, attributes, data, max_steps=self.n_passes, ended=Status.STOPPED
        )
