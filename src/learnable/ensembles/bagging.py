"""What the two bagging learners share."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _raise_for_params, process_routing
from sklearn.utils.validation import check_is_fitted, column_or_1d

from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.certificates.ensembles.member_tables import takes_weights
from learnable.config import config_context
from learnable.ensembles.member_copies import unfitted_copies
from learnable.ensembles.member_tables import for_members
from learnable.ensembles.warm_start import kept_members
from learnable.problems.ensembles.bags import bag_columns, bag_rows, drawn_from, misses_others, most_drawn
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.trace import Status, budget

# How tables are read, at the fit and afterwards.
READ: dict[str, Any] = {"accept_sparse": ["csr", "csc"], "dtype": np.float64}
# No metadata, for no method.
NOTHING: Mapping[str, Any] = {}


class BaggingState(NamedTuple):
    """What the members so far hold; `objective` is how many are still to come."""

    members: list[dict[str, Any]]
    objective: float


class Bagging(Learner):
    """Copies of an estimator, each on its own draw of the rows and columns."""

    members_: list[dict[str, Any]]
    seeds_: np.ndarray
    n_rows_: int
    n_drawn_: int
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
    def _say(self, member: Any, X: Any, routed: Mapping[str, Any] = NOTHING) -> np.ndarray:
        """(n, K) what a member says of rows: shares of classes, or numbers; `routed` holds metadata for its methods."""

    @abstractmethod
    def _asked(self) -> dict[str, str]:
        """Which method of the members answers each of ours that takes metadata."""

    def fit(self, X, y, sample_weight=None):
        """Fit the members.

        Parameters
        ----------
        X : array (n, p), or sparse matrix: members whose tags say that they take one are given it
            Missing and infinite cells are handed on to the members of an `estimator` that is given, which take or
            refuse them; trees, which are the default, take missing ones.
        y : array (n,); numbers may have several columns where the members take that
        sample_weight : array (n,), default=None
            Rows are drawn with chances in proportion to their weights, and a share `max_samples` is one of their sum:
            a row of weight 2 counts as two rows. Members that take weights are given all rows, weighted by how often
            each was drawn; others, and all members of a fit without weights, the rows drawn. Where these are of one
            class of several, members that take weights are given all rows even so, that they know of the others.
        """
        self._validate_params()
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.oob_score and self.warm_start:
            raise ValueError("Out of bag estimate only available if warm_start=False")
        numeric = isinstance(self, RegressorMixin)
        several = numeric and not hasattr(y, "toarray")  # scikit-learn says what to do about a sparse one
        data = self._validated(
            for_members(self, X), y, sample_weight, blocks=False, y_numeric=numeric, multi_output=several,
            ensure_all_finite=self._finite, **READ,
        )  # fmt: skip
        if numeric and data.y.ndim == 2 and data.y.shape[1] == 1:
            data = data._replace(y=column_or_1d(data.y, warn=True))
        self._described(data)
        base = self._default() if self.estimator is None else self.estimator
        n, p = data.X.shape
        described: dict[str, Any] = {"n_rows_": n, "n_drawn_": self._rows_to_draw(n, data.sample_weight)}
        self._check_sizes(n, p, described["n_drawn_"])
        if data.sample_weight is not None:
            described["row_shares_"] = data.sample_weight / data.sample_weight.sum()
        takes, weighted, classes = takes_weights(self), data.sample_weight is not None, vars(self).get("classes_", ())
        earlier, seeds = kept_members(self, "members_")
        for name in [name for name in vars(self) if name.startswith("oob_") and name.endswith("_")]:
            delattr(self, name)  # what a warm start would leave of an earlier fit

        copied = unfitted_copies(base)

        def fitted(seed: np.uint64) -> dict[str, Any]:
            member = _seeded(copied(), int(seed % np.uint64(2**31)))
            rows, columns = self._draw(int(seed), described)
            with config_context(certificates=False):
                if takes and (weighted or misses_others(data.y, rows, len(classes))):
                    member.fit(data.X[:, columns], data.y, sample_weight=np.bincount(rows, minlength=n).astype(float))
                else:
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
                rows, columns = self._draw(int(seed), described)
                left_out.append(np.setdiff1d(np.arange(n), rows))
                said.append(self._say(self._revived(held), data.X[left_out[-1]][:, columns]))
            return found | self._out_of_bag(said, left_out, data.y)

        return Fitting(
            states(), budget(self.n_estimators + 1), attributes, data, ended=Status.STATIONARY,
            max_steps=self.n_estimators,
        )  # fmt: skip

    def _rows_to_draw(self, n: int, weight: np.ndarray | None) -> int:
        """How many rows a bag holds; warns where weights make it something else than it seems."""
        mass = None if weight is None else float(weight.sum())
        drawn, owner = drawn_from(n, self.max_samples, mass), type(self).__name__
        if mass is None:
            return drawn
        if not self.bootstrap:
            warnings.warn(
                f"When fitting {owner} with sample_weight it is recommended to use bootstrap=True, got "
                f"{self.bootstrap}: a row is drawn once at most, whatever its weight",
                stacklevel=4,
            )
        if isinstance(self.max_samples, float) and drawn < max(10, n ** (1 / 3)):
            warnings.warn(
                f"{owner}: Using the fractional value max_samples={self.max_samples} when the total sum of sample "
                f"weights is {mass} results in a low number ({drawn}) of bootstrap samples. We recommend passing "
                "`max_samples` as an integer.",
                stacklevel=4,
            )
        return drawn

    def _check_sizes(self, n: int, p: int, drawn: int) -> None:
        for name, given, most in (("max_samples", self.max_samples, n), ("max_features", self.max_features, p)):
            if isinstance(given, Integral) and int(given) > most:
                what = "n_samples" if name == "max_samples" else "n_features"
                raise ValueError(f"{name}={given} must be <= {what}={most}")
        if drawn > (most := most_drawn(n) if self.bootstrap else n):
            why = "in memory" if self.bootstrap else "to be able to sample without replacement"
            raise ValueError(
                f"{type(self).__name__}: Effective max_samples={drawn} must be <= n_samples={most} {why}. "
                f"max_samples={self.max_samples} is a share of the sum of the weights; give a number of rows"
            )

    def _draw(self, seed: int, drawn_as: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the member of a seed, from the numbers and chances of rows that a fit states."""
        n, drawn, share = drawn_as["n_rows_"], drawn_as["n_drawn_"], drawn_as.get("row_shares_")
        return bag_rows(seed, n, drawn, self.bootstrap, share), self._columns_of(seed)

    def _columns_of(self, seed: int) -> np.ndarray:
        p = self.n_features_in_
        return bag_columns(seed, p, drawn_from(p, self.max_features), self.bootstrap_features)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows drawn for each member."""
        check_is_fitted(self)
        return [self._draw(int(seed), vars(self))[0] for seed in self.seeds_]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns of each member."""
        check_is_fitted(self)
        return [self._columns_of(int(seed)) for seed in self.seeds_]

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
        return validate_data(self, for_members(self, X), reset=False, ensure_all_finite=self._finite, **READ)

    @property
    def _finite(self) -> bool | str:
        """Which cells are refused here: none that a member given by the user may know how to take."""
        return "allow-nan" if self.estimator is None else False

    def get_metadata_routing(self) -> MetadataRouter:
        """What is asked for here, and of the members that predict."""
        answers = MethodMapping()
        for caller, callee in self._asked().items():
            answers.add(caller=caller, callee=callee)
        base = self._default() if self.estimator is None else self.estimator
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=base, method_mapping=answers)

    def _routed(self, method: str, metadata: dict[str, Any]) -> Mapping[str, Any]:
        """Metadata given to a method, by the method of the members that asks for them; an error where none does."""
        _raise_for_params(metadata, self, method)
        return process_routing(self, method, **metadata).estimator if metadata else NOTHING

    def _mean_said(self, X, routed: Mapping[str, Any] = NOTHING) -> np.ndarray:
        """(n, K) the mean of what the members say."""
        cells, columns = self._cells(X), self.estimators_features_
        said = (self._say(member, cells[:, c], routed) for member, c in zip(self.estimators_, columns))
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
