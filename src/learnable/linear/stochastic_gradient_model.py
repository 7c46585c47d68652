"""What `SGDClassifier` and `SGDRegressor` share: how stochastic gradient descent is posed, driven and continued."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, LinearPredictor
from learnable.problems.linear import losses
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import L1, L2, ElasticNet
from learnable.rows import Block, Rows, as_rows
from learnable.solvers.linear import stochastic_gradient
from learnable.solvers.linear.learning_rates import (
    Constant,
    InverseScaling,
    Optimal,
    PassiveAggressiveCapped,
    PassiveAggressiveDamped,
)
from learnable.solvers.linear.perceptron import Orders
from learnable.solvers.linear.stochastic_gradient import Averaging, Descent, EpochState, Memory, Patience, Start
from learnable.trace import Status, budget, to_the_end

# With sparse rows the intercept moves at a hundredth of the rate, as in scikit-learn: it is met in every row, most
# columns in few.
SPARSE_INTERCEPT_RATE = 0.01
DEFAULT_EPSILON = 0.1

Begin = Callable[[Start | Memory | None], Iterator[EpochState]]
Judged = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class Problems(NamedTuple):
    """K problems over the same rows: targets and row weights, one row of the arrays a problem."""

    targets: np.ndarray
    weight: np.ndarray

    def of(self, rows: np.ndarray) -> "Problems":
        return Problems(np.ascontiguousarray(self.targets[:, rows]), np.ascontiguousarray(self.weight[:, rows]))


class StochasticGradientModel(LinearPredictor):
    """A linear model fitted by stochastic gradient descent on Σ w ℓ(y, x·θ + b) / n + α φ(θ)."""

    _draws_as_given = True

    loss_functions: ClassVar[dict[str, tuple]]
    shared_constraints: ClassVar[dict[str, list]] = {
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "learning_rate": [StrOptions({"constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"})],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, None, None, closed="neither")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "average": [Interval(Integral, 0, None, closed="neither"), "boolean"],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
    }

    @abstractmethod
    def _problems(self, data: Data) -> Problems:
        """The problems that the data pose; also says what is known of the data (the classes)."""

    @abstractmethod
    def _problems_of_blocks(self, rows: Rows) -> tuple[int, Callable[[Block], Problems]]:
        """(K, the problems of a block) of rows that come in blocks; also says what is known of them (the classes)."""

    @abstractmethod
    def _split(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        """(rows to learn from, rows set aside), both sorted."""

    @abstractmethod
    def _error(self, target: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
        """The error on rows set aside that early stopping watches."""

    @abstractmethod
    def _answer(self, coef: np.ndarray, intercept: np.ndarray) -> dict[str, np.ndarray]:
        """`coef_` and `intercept_` in the shapes users know, from (K, p) and (K,)."""

    @abstractmethod
    def _reported(self, objective: np.ndarray, margin: np.ndarray) -> dict[str, Any]:
        """Numbers about the answer that the certificate finds again, from J and the smallest y·f of each problem."""

    def _pose(self, X, y=None, coef_init=None, intercept_init=None, sample_weight=None) -> Fitting:
        self._refuse_combinations()
        before = getattr(self, "classes_", None)
        data = self._checked(X, y, sample_weight)
        if isinstance(data.X, Rows):
            K, begin, judged = self._in_blocks(data.X)
        else:
            problems = self._problems(data)
            K = len(problems.targets)
            begin, judged = self._in_memory(data, problems)
        start = self._start(coef_init, intercept_init, K, before)
        dtype = np.float32 if data.X.dtype == np.float32 else np.float64

        def attributes(state: EpochState) -> dict[str, Any]:
            answer = self._answer(state.coef.astype(dtype), state.intercept.astype(dtype))
            kept = answer | {"n_iter_": state.epochs, "t_": state.t} | self._last_point(state, dtype)
            coef, intercept = (np.asarray(part, dtype=float) for part in answer.values())
            coef = coef.reshape(K, -1)
            penalty = np.array([penalties.total(self._penalty(), each) for each in coef])
            # Rows set aside were not learnt from: on them the loss may be infinite where it was finite before.
            with np.errstate(over="ignore"):
                lost, margin = judged(coef, intercept)
                return kept | self._reported(lost + penalty, margin)

        return Fitting(
            begin(start),
            # Without a tolerance the algorithm ends by itself, after as many epochs as were asked for.
            to_the_end if self.tol is None else budget(self.max_iter),
            attributes,
            data,
            max_steps=self.max_iter,
            ended=Status.STOPPED,
            advice="Maximum number of iteration reached before convergence. Consider increasing max_iter to improve "
            "the fit.",
            resumed=lambda state: chain([state], begin(state.memory)),
        )

    def _in_memory(self, data: Data, problems: Problems) -> tuple[Begin, Judged]:
        """(where to begin -> states; answer -> mean loss and smallest margin of each problem)."""
        learn_from, measure = self._set_aside(data, problems)
        seed = self._seed()
        training = data.X[learn_from] if self.early_stopping else data.X
        learnt = problems.of(learn_from)

        def judged(coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            scores = data.rows.concatenate(lambda block: np.asarray(block.X @ coef.T) + intercept)
            lost, margin = judged_scores(self._loss(), problems, scores)
            return lost / len(scores), margin

        return lambda start: self._iterates(training, learnt, seed, start, measure, self.max_iter), judged

    def _in_blocks(self, rows: Rows) -> tuple[int, Begin, Judged]:
        """K, and the same as `_in_memory`, of rows that come in blocks."""
        if self.early_stopping:
            raise ValueError(
                f"{type(self).__name__}(early_stopping=True) sets rows aside and needs all of them in memory; leave it "
                "at False for rows in blocks"
            )
        K, problems_of = self._problems_of_blocks(rows)
        decay = SPARSE_INTERCEPT_RATE if rows.of_first(_is_sparse) else 1.0
        descent = Descent(
            self._loss(), self._penalty(), decay if self.fit_intercept else 0.0, Averaging(int(self.average)),
            int(self.batch_size),
        )  # fmt: skip
        begin = partial(
            stochastic_gradient.iterates_in_blocks, rows, problems_of, K, descent, self._schedule(), self._patience(),
            self._seed(), most=self.max_iter,
        )  # fmt: skip

        def judged(coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            of_block = partial(_judged_block, self._loss(), problems_of, coef, intercept)
            lost, margin = rows.reduce(of_block, _joined)
            return lost / rows.n_rows, margin

        return K, begin, judged

    def _through_blocks(self, X, y, sample_weight, **named):
        """One epoch over rows that come in blocks, in their order; within a block as rows in memory."""
        for load in as_rows(X, y, sample_weight).blocks():
            block = load()
            self.partial_fit(block.X, block.y, sample_weight=block.weight, **named)
        return self

    def _continue(self, X, problems: Problems, first: bool) -> None:
        """One epoch from where the last call ended, or from zero."""
        start = None if first else self._where_it_ended()
        state = next(self._iterates(X, problems, self._seed(), start, None, 1))
        dtype = self.coef_.dtype if not first else X.dtype
        # What was proved or counted over other rows does not hold for these.
        self._drop({"certificate_", "status_", "objective_", "smallest_margin_"} & vars(self).keys())
        answer = self._answer(state.coef.astype(dtype), state.intercept.astype(dtype))
        self._keep(answer | {"n_iter_": 1, "t_": state.t} | self._last_point(state, dtype))

    def _seed(self) -> int | None:
        """Of the orders of rows; None where they stay in theirs, or for fresh numbers."""
        return seed_of(self.random_state) if self.shuffle else None

    def _iterates(self, X, problems: Problems, seed: int | None, start: Start | Memory | None, measure, most: int):
        n = problems.targets.shape[1]
        generator = np.random.default_rng(seed) if self.shuffle else None
        decay = SPARSE_INTERCEPT_RATE if sparse.issparse(X) else 1.0
        return stochastic_gradient.iterates(
            X,
            problems.targets,
            problems.weight,
            self._loss(),
            self._penalty(),
            self._schedule(),
            Orders(n, generator),
            self._patience(measure),
            decay if self.fit_intercept else 0.0,
            Averaging(int(self.average)),
            start,
            min(int(self.batch_size), n),
            most,
        )

    def _patience(self, measure=None) -> Patience:
        return Patience(self.tol, self.n_iter_no_change, measure, divide_rate=self.learning_rate == "adaptive")

    def _loss(self) -> Any:
        kind, *defaults = self.loss_functions[self.loss]
        return kind(float(self.epsilon)) if defaults else kind()

    def _penalty(self) -> ElasticNet:
        if self.penalty == "elasticnet":
            return ElasticNet(float(self.alpha), float(self.l1_ratio))
        if self.penalty == "l1":
            return L1(float(self.alpha))
        return L2(float(self.alpha) if self.penalty == "l2" else 0.0)

    def _schedule(self) -> Any:
        if self.learning_rate == "optimal":
            # Begins at the rate √(1/√α), the size that θ typically has.
            return Optimal(float(self.alpha), float(self.alpha) ** -0.75)
        return {
            "constant": Constant(float(self.eta0)),
            "adaptive": Constant(float(self.eta0)),
            "invscaling": InverseScaling(float(self.eta0), float(self.power_t)),
            "pa1": PassiveAggressiveCapped(float(self.eta0)),
            "pa2": PassiveAggressiveDamped(float(self.eta0)),
        }[self.learning_rate]

    def _set_aside(self, data: Data, problems: Problems):
        """(rows to learn from, measure of progress on the rows set aside, or None for the objective)."""
        if not self.early_stopping:
            return np.arange(problems.targets.shape[1]), None
        learn_from, aside = self._split(data)
        held_out, X = problems.of(aside), data.X[aside]
        if not held_out.weight.any():
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different random state."
            )

        def measure(k: int, coef: np.ndarray, intercept: float) -> float:
            score = np.asarray(X @ coef).ravel() + intercept
            return self._error(held_out.targets[k], score, held_out.weight[k])

        return learn_from, measure

    def _checked(self, X, y, sample_weight, reset: bool = True) -> Data:
        return self._validated(
            X,
            y,
            sample_weight,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            y_numeric=is_regressor(self),
            reset=reset,
        )

    def _refuse_combinations(self, streaming: bool = False) -> None:
        name = type(self).__name__
        if self.early_stopping and streaming:
            raise ValueError("early_stopping should be False with partial_fit")
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise ValueError(f"{name}(alpha=0, learning_rate='optimal'): alpha must be > 0, since the rate is 1/(αt)")
        exact = "epsilon_insensitive" if is_regressor(self) else "hinge"
        if self.learning_rate in ("pa1", "pa2") and self.loss != exact:
            raise ValueError(
                f"{name}(learning_rate={self.learning_rate!r}, loss={self.loss!r}): this rate needs loss={exact!r}"
            )
        if self.learning_rate in ("pa1", "pa2") and self.batch_size > 1:
            raise ValueError(
                f"{name}(learning_rate={self.learning_rate!r}, batch_size={self.batch_size}): this rate suits one row; "
                "use batch_size=1"
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be set when penalty is 'elasticnet'")
        if self.power_t < 0:
            warnings.warn(
                f"Negative values for `power_t` are deprecated ({name}(power_t={self.power_t})); use values >= 0",
                FutureWarning,
                stacklevel=6,
            )

    def _start(self, coef_init, intercept_init, K: int, classes_before) -> Start | None:
        p = self.n_features_in_
        now = getattr(self, "classes_", None)
        same = now is None or (classes_before is not None and np.array_equal(classes_before, now))
        if self.warm_start and same and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        if coef_init is None and intercept_init is None:
            return None
        coef = np.zeros((K, p)) if coef_init is None else np.asarray(_dense(coef_init), dtype=float)
        intercept = np.zeros(K) if intercept_init is None else np.asarray(intercept_init, dtype=float)
        if coef.shape != (K, p) and not (K == 1 and coef.size == p):
            raise ValueError(f"Provided coef_init does not match dataset: its shape is {coef.shape}, not {(K, p)}")
        if intercept.shape != (K,) and not (K == 1 and intercept.shape == ()):
            raise ValueError(
                f"Provided intercept_init does not match dataset: its shape is {intercept.shape}, not {(K,)}"
            )
        return Start(coef.reshape(K, p), intercept.reshape(K))

    def _where_it_ended(self) -> Start:
        answer = _dense(self.coef_).reshape(-1, self.n_features_in_), np.atleast_1d(self.intercept_)
        if not self.average:
            return Start(*answer, self.t_)
        last = self.standard_coef_.reshape(answer[0].shape), self.standard_intercept_
        return Start(*last, self.t_, *answer)

    def _last_point(self, state: EpochState, dtype) -> dict[str, np.ndarray]:
        """With averaging, the last point is kept beside the mean, to go on from."""
        if not self.average:
            return {}
        names = {"coef_": "standard_coef_", "intercept_": "standard_intercept_"}
        last = self._answer(state.last_coef.astype(dtype), state.last_intercept.astype(dtype))
        return {names[name]: value for name, value in last.items()}


def judged_scores(loss: Any, problems: Problems, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Σ w ℓ(y, f), smallest y·f) of each problem, scores (n, K)."""
    each = list(zip(problems.targets, problems.weight, scores.T))
    lost = np.array([w @ losses.value(loss, target, score) for target, w, score in each])
    return lost, np.array([np.min(target * score) for target, _, score in each])


def _judged_block(
    loss: Any, problems_of: Callable[[Block], Problems], coef: np.ndarray, intercept: np.ndarray, block: Block
) -> tuple[np.ndarray, np.ndarray]:
    return judged_scores(loss, problems_of(block), np.asarray(block.X @ coef.T) + intercept)


def _joined(one: tuple[np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return one[0] + two[0], np.minimum(one[1], two[1])


def _is_sparse(block: Block) -> bool:
    return sparse.issparse(block.X)


def seed_of(random_state) -> int | None:
    """A seed for a NumPy generator from scikit-learn's `random_state`."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return random_state


def _dense(coef) -> np.ndarray:
    return coef.toarray() if sparse.issparse(coef) else np.asarray(coef)
