"""What the two bagging learners share."""

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.validation import check_is_fitted

from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.config import config_context
from learnable.ensembles.member_tables import for_members
from learnable.ensembles.warm_start import kept_members
from learnable.problems.ensembles.bags import bag_columns, bag_rows, drawn_from
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.trace import Status, budget

# How tables are read, at the fit and afterwards.
READ: dict[str, Any] = {"accept_sparse": ["csr", "csc"], "dtype": np.float64, "ensure_all_finite": "allow-nan"}


class BaggingState(NamedTuple):
    """What the members so far hold; `objective` is how many are still to come."""

    members: list[dict[str, Any]]
    objective: float


class Bagging(Learner):
    """Copies of an estimator, each on its own draw of the rows and columns."""

    members_: list[dict[str, Any]]
    seeds_: np.ndarray
    n_rows_: int
    n_features_in_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=10,
        *,
        max_samples=None,
        max_features=1.0,
        bootstrap=True,
        bootstrap_features=False,
        oob_score=False,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @abstractmethod
    def _default(self) -> Any:
        """The estimator that is copied where none is given."""

    @abstractmethod
    def _described(self, data: Data) -> None:
        """Set `classes_` where there are any."""

    @abstractmethod
    def _out_of_bag(self, said: list[np.ndarray], rows: list[np.ndarray], y: np.ndarray) -> dict[str, Any]:
        """Score and predictions from what members say of the rows out of their bags."""

    @abstractmethod
    def _say(self, member: Any, X: Any) -> np.ndarray:
        """(n, K) what a member says of rows: shares of classes, or a number."""

    def fit(self, X, y, sample_weight=None):
        """Fit the members.

        Parameters
        ----------
        X : array (n, p), or sparse matrix: members whose tags say that they take one are given it
        y : array (n,)
        sample_weight : array (n,), default=None
            Rows are drawn with chances in proportion to their weights.
        """
        self._validate_params()
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.oob_score and self.warm_start:
            raise ValueError("Out of bag estimate only available if warm_start=False")
        numeric = isinstance(self, RegressorMixin)
        data = self._validated(for_members(self, X), y, sample_weight, blocks=False, y_numeric=numeric, **READ)
        self._described(data)
        base = self._default() if self.estimator is None else self.estimator
        n, p = data.X.shape
        self._check_sizes(n, p)
        described: dict[str, Any] = {"n_rows_": n}
        if data.sample_weight is not None:
            described["row_shares_"] = data.sample_weight / data.sample_weight.sum()
        earlier, seeds = kept_members(self, "members_")
        for name in [name for name in vars(self) if name.startswith("oob_") and name.endswith("_")]:
            delattr(self, name)  # what a warm start would leave of an earlier fit

        def fitted(seed: np.uint64) -> dict[str, Any]:
            member = _seeded(clone(base), int(seed % np.uint64(2**31)))
            rows, columns = self._draw(int(seed), n, p, described.get("row_shares_"))
            with config_context(certificates=False):
                member.fit(data.X[rows][:, columns], data.y[rows])
            return dict(vars(member))

        def states():
            members = list(earlier)
            if len(members) == len(seeds):
                yield BaggingState(members, 0.0)
            with one_blas_thread() as granted:
                new = seeds[len(members) :]
                for member in in_order(fitted, iter(new), worker_count(self.n_jobs or 1, granted, len(new))):
                    members = [*members, member]
                    yield BaggingState(members, float(len(seeds) - len(members)))

        def attributes(state: BaggingState) -> dict[str, Any]:
            found = described | {"members_": state.members, "seeds_": seeds[: len(state.members)]}
            if not self.oob_score:
                return found
            said, left_out = [], []
            for held, seed in zip(state.members, seeds):
                rows, columns = self._draw(int(seed), n, p, described.get("row_shares_"))
                left_out.append(np.setdiff1d(np.arange(n), rows))
                said.append(self._say(self._revived(held), data.X[left_out[-1]][:, columns]))
            return found | self._out_of_bag(said, left_out, data.y)

        return Fitting(
            states(), budget(self.n_estimators + 1), attributes, data, ended=Status.STATIONARY,
            max_steps=self.n_estimators,
        )  # fmt: skip

    def _check_sizes(self, n: int, p: int) -> None:
        for name, given, most in (("max_samples", self.max_samples, n), ("max_features", self.max_features, p)):
            if isinstance(given, Integral) and int(given) > most:
                what = "n_samples" if name == "max_samples" else "n_features"
                raise ValueError(f"{name}={given} must be <= {what}={most}")

    def _draw(self, seed: int, n: int, p: int, share: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the member of a seed."""
        rows = bag_rows(seed, n, drawn_from(n, self.max_samples), self.bootstrap, share)
        return rows, bag_columns(seed, p, drawn_from(p, self.max_features), self.bootstrap_features)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows drawn for each member."""
        check_is_fitted(self)
        share = getattr(self, "row_shares_", None)
        return [self._draw(int(seed), self.n_rows_, self.n_features_in_, share)[0] for seed in self.seeds_]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns of each member."""
        check_is_fitted(self)
        p = self.n_features_in_
        drawn = drawn_from(p, self.max_features)
        return [bag_columns(int(seed), p, drawn, self.bootstrap_features) for seed in self.seeds_]

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        check_is_fitted(self)
        return [self._revived(held) for held in self.members_]

    @property
    def estimator_(self) -> Any:
        """What is copied."""
        check_is_fitted(self)
        return self._default() if self.estimator is None else self.estimator

    def _revived(self, held: dict[str, Any]) -> Any:
        kind: Any = type(self._default() if self.estimator is None else self.estimator)
        member = kind.__new__(kind)  # its parameters are held too
        vars(member).update(held)
        return member

    def _cells(self, X) -> Any:
        check_is_fitted(self)
        refuse_unreadable(X)
        return validate_data(self, for_members(self, X), reset=False, **READ)

    def _mean_said(self, X) -> np.ndarray:
        """(n, K) the mean of what the members say."""
        cells = self._cells(X)
        said = (self._say(member, cells[:, c]) for member, c in zip(self.estimators_, self.estimators_features_))
        total = next(said)
        for shares in said:
            total = total + shares
        return total / len(self.members_)

    def __len__(self) -> int:
        return len(self.members_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(
            self._default() if self.estimator is None else self.estimator
        ).input_tags.allow_nan
        tags.input_tags.sparse = True
        return tags


def _seeded(member: Any, seed: int) -> Any:
    """A member whose random numbers, and those of every estimator inside it, follow from the seed of its draw."""
    inside = [name for name in member.get_params() if name == "random_state" or name.endswith("__random_state")]
    return member.set_params(**dict.fromkeys(inside, seed))
