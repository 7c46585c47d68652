"""What the two bagging learners share."""

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.config import config_context
from learnable.problems.ensembles.bags import bag_rows
from learnable.seeds import seed_from
from learnable.trace import Status, budget


class BaggingState(NamedTuple):
    """The members so far; `objective` is how many are still to come."""

    members: list[Any]
    objective: float


class Bagging(Learner):
    """Copies of an estimator, each on its own bootstrap draw of the rows."""

    members_: list[dict[str, Any]]
    seeds_: np.ndarray

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, n_estimators=10, *, max_samples=None, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.random_state = random_state

    @abstractmethod
    def _default(self) -> Any:
        """The estimator that is copied where none is given."""

    @abstractmethod
    def _described(self, data: Data) -> None:
        """Set `classes_` where there are any."""

    def fit(self, X, y):
        """Fit the members.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,)
        """
        self._validate_params()
        return self._learn(X, y)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, blocks=False, dtype=np.float64, ensure_all_finite="allow-nan")
        self._described(data)
        base = self._default() if self.estimator is None else self.estimator
        n = len(data.y)
        share = self.max_samples
        drawn = n if share is None else int(share) if isinstance(share, Integral) else max(1, round(n * share))
        seeds = seed_from(self.random_state, type(self).__name__).generate_state(self.n_estimators, np.uint64)

        def states():
            members: list[Any] = []
            for number, seed in enumerate(seeds, start=1):
                member = clone(base)
                if "random_state" in member.get_params():
                    member.set_params(random_state=int(seed % np.uint64(2**31)))
                rows = bag_rows(int(seed), n, drawn)
                with config_context(certificates=False):
                    members = [*members, member.fit(data.X[rows], data.y[rows])]
                yield BaggingState(members, float(len(seeds) - number))

        def attributes(state: BaggingState) -> dict[str, Any]:
            return {"members_": [dict(vars(member)) for member in state.members], "seeds_": seeds[: len(state.members)]}

        return Fitting(
            states(), budget(self.n_estimators + 1), attributes, data, ended=Status.STATIONARY,
            max_steps=self.n_estimators,
        )  # fmt: skip

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        check_is_fitted(self)
        base = self._default() if self.estimator is None else self.estimator
        found = []
        for state in self.members_:
            member = clone(base)
            vars(member).update(state)
            found.append(member)
        return found

    def _said(self, X) -> np.ndarray:
        """(T, n) what the members predict."""
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return np.array([member.predict(X) for member in self.estimators_])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is None
        return tags
