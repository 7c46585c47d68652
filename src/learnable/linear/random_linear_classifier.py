"""The best of many random hyperplanes."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting, LinearClassifier, class_indices
from learnable.base.fit_context import fit_context
from learnable.linear.stochastic_gradient_model import seed_of
from learnable.solvers.linear import random_directions
from learnable.trace import Status, to_the_end


class RandomLinearClassifier(LinearClassifier):
    """Draw k random hyperplanes and keep the one with the smallest training error.

    Directions are uniform on the unit sphere; the offset is uniform over the range of the data along the direction, so
    that every hyperplane meets the data. Two classes. It learns nothing from its failures: the yardstick for
    algorithms that do. Syllabus: P4.

    Parameters
    ----------
    n_draws : int, default=1000
        k.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    classes_ : array (2,)
    coef_ : array (1, p), of length one. intercept_ : array (1,)
    errors_ : array (k,), training error of every draw.
    best_draw_ : int, number of the draw kept, the first of equals. seed_ : int, seed of the stream of draws.
    n_iter_ : int, draws made
    status_ : `trace.Status`; "stopped", since nothing says that no better hyperplane exists.
    certificate_ : `certificates.Certificate`, which claims
        P4 : the answer is the draw it says it is, with the training error it says, and no listed draw has a smaller
        one.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import RandomLinearClassifier
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
    >>> model = RandomLinearClassifier(n_draws=50, random_state=0).fit(X, y)
    >>> float(model.errors_.min()), model.certificate_.holds
    (0.0, True)
    """

    _parameter_constraints: ClassVar = {
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_draws=1000, *, random_state=0):
        self.n_draws = n_draws
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Draw and keep the best.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of two class labels
        sample_weight : array (n,), default=None
            What an error on each row counts.
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(X, y, sample_weight, blocks=False, accept_sparse="csr", dtype=np.float64)
        self.classes_, index = class_indices(data.y, type(self).__name__)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y holds {len(self.classes_)} classes"
            )
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight
        # A row of weight 0 has no say in the range of offsets either.
        counted = np.flatnonzero(weight)
        X, y, weight = data.X[counted], 2.0 * index[counted] - 1.0, weight[counted]
        seed = seed_of(self.random_state)
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        errors: list[float] = []

        def noted():
            for state in random_directions.iterates(X, y, weight, seed, self.n_draws):
                errors.append(state.error)
                yield state

        def attributes(state):
            return {
                "coef_": state.theta[None, :].copy(),
                "intercept_": np.array([state.offset]),
                "errors_": np.array(errors[: state.draws]),
                "best_draw_": state.best,
                "seed_": seed,
                "n_iter_": state.draws,
            }

        return Fitting(noted(), to_the_end, attributes, data, max_steps=self.n_draws, ended=Status.STOPPED)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags
