"""What all hidden Markov models share: the three problems of likelihood, decoding and learning."""

from abc import abstractmethod
from copy import deepcopy
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.certificates.core.certificate import Certificate
from learnable.certificates.sequences.hidden_markov import path_claims
from learnable.problems.core.information import aic, bic
from learnable.seeds import generator_from
from learnable.sequences.distributions import checked_mask, checked_prior, checked_rows
from learnable.sequences.drawing import drawn_chain, seed_of
from learnable.sequences.forward_backward import ForwardBackward
from learnable.sequences.reading import (
    Reader,
    SequenceData,
    checked_lengths,
    checked_states,
    is_bag,
    lengths_of,
    refuse_misplaced_lengths,
)
from learnable.solvers.core.restarts import best_of, verdict
from learnable.solvers.sequences import baum_welch, viterbi
from learnable.solvers.sequences.forward_backward import HiddenMarkov, log_likelihoods, log_variables, smoothed
from learnable.solvers.sequences.probability_rows import RowRule
from learnable.solvers.sequences.sequence_blocks import LocalSequences, Sequences
from learnable.trace import Status, budget, first_of, reached


class HiddenMarkovModel(Learner):
    """Base of the hidden Markov models λ = (Π, A, B). A subclass says what its states emit. Syllabus: H2–H8."""

    _row_by_row: ClassVar[bool] = False
    _redone: ClassVar[bool] = True
    # Letter of `params` and `init_params` -> name of what it stands for.
    _letters: ClassVar[dict[str, str]] = {"s": "startprob", "t": "transmat"}

    n_features_in_: int
    startprob_: np.ndarray
    transmat_: np.ndarray

    _parameter_constraints: ClassVar = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "startprob_prior": [Interval(Real, 1, None, closed="left"), "array-like"],
        "transmat_prior": [Interval(Real, 1, None, closed="left"), "array-like"],
        "algorithm": [StrOptions({"viterbi", "map"})],
        "random_state": ["random_state"],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "params": [str],
        "init_params": [str],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "startprob_init": ["array-like", None],
        "transmat_init": ["array-like", None],
        "startprob_fixed": ["array-like", None],
        "transmat_fixed": ["array-like", None],
        "emission_groups": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    # A subclass says which letters it learns; the rest is the same for all of them.
    def __init__(
        self, n_components=2, *, startprob_prior=1.0, transmat_prior=1.0, algorithm="viterbi", random_state=None,
        n_iter=500, tol=1e-4, params="st", init_params="st", n_init=1, startprob_init=None, transmat_init=None,
        startprob_fixed=None, transmat_fixed=None, emission_groups=None, n_jobs=None,
    ):  # fmt: skip
        self.n_components = n_components
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.init_params = init_params
        self.n_init = n_init
        self.startprob_init = startprob_init
        self.transmat_init = transmat_init
        self.startprob_fixed = startprob_fixed
        self.transmat_fixed = transmat_fixed
        self.emission_groups = emission_groups
        self.n_jobs = n_jobs

    @abstractmethod
    def _reader(self) -> Reader:
        """How observations are read."""

    @abstractmethod
    def _emission_at(self, values: dict[str, Any], width: int) -> Any:
        """The emission with these values (by name, without underscore) and the rules of the parameters."""

    @abstractmethod
    def _emission_values(self, sequences: Sequences, given: dict[str, Any], generator: Any, width: int) -> dict:
        """Values to start from, those of `given` as they are and the others drawn from the data."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, lengths=None, states=None, sequence_weight=None):
        """Learn λ by Baum–Welch.

        Parameters
        ----------
        X : array (n, d), list of arrays (T_s, d), dask bag of such arrays, or dask array (n, d)
            The observations; NaN for a missing one.
        y : ignored
        lengths : whole numbers, one for each sequence, default=None
            Where the sequences of one table end; None for a single sequence.
        states : array (n,) or list of arrays, default=None
            States that are known, −1 where they are not.
        sequence_weight : array, one number >= 0 for each sequence, default=None
        """
        held = self._start_among(self._fitted_attributes())
        return self._learn(X, y, lengths=lengths, states=states, sequence_weight=sequence_weight, held=held)

    def _start_among(self, held: dict[str, Any]) -> dict[str, Any]:
        names = [f"{name}_" for letter, name in self._letters.items() if self._is_held(letter)]
        return {name: deepcopy(held[name]) for name in names if name in held}

    def _is_held(self, letter: str) -> bool:
        """Whether the fit begins with what the estimator holds, instead of a parameter or a draw from the data."""
        return letter not in self.init_params and getattr(self, f"{self._letters[letter]}_init") is None

    def _fit_as_judged(self, X, y=None, *, sample_weight=None, states=None, sequence_weight=None, lengths=None):
        known, weight = states if y is None else y, sequence_weight if sample_weight is None else sample_weight
        return self.fit(X, lengths=lengths, states=known, sequence_weight=weight)

    def _pose(self, X, y=None, lengths=None, states=None, sequence_weight=None, held=None) -> Fitting:
        name, K = type(self).__name__, self.n_components
        for option in ("params", "init_params"):
            if strange := set(getattr(self, option)) - set(self._letters):
                raise ValueError(
                    f"{name}({option}={getattr(self, option)!r}): {sorted(strange)} stands for nothing; "
                    f"the letters are {''.join(self._letters)}"
                )
        sequences, table = self._reader().sequences(
            self, X, lengths, states=states, n_states=K, weights=sequence_weight, reset=True
        )
        known, weights = None, None
        if isinstance(sequences, LocalSequences):
            refuse_misplaced_lengths(y, len(table), name)
            known, weights = sequences.states, None if sequence_weight is None else sequences.weights
        self.lengths_ = sequences.lengths
        width = self.n_features_in_
        given = self._given(held or {})
        seed = seed_of(self.random_state)
        rules = self._rules(K)
        n_parameters = 0

        def run(restart: int):
            nonlocal n_parameters
            generator = np.random.default_rng([seed, restart])
            values = self._emission_values(sequences, given, generator, width)
            uniform = np.full(K, 1.0 / K)
            start = checked_rows(given.get("startprob", uniform), (K,), "startprob_init")
            # Half of each row is even, so that no transition starts out as good as forbidden.
            drawn = 0.5 * generator.dirichlet(np.ones(K), size=K) + 0.5 * uniform
            transition = checked_rows(given.get("transmat", drawn), (K, K), "transmat_init")
            model = HiddenMarkov(start, transition, self._emission_at(values, width))
            n_parameters = self._n_free(model)
            return baum_welch.iterates(sequences, model, rules, self.n_jobs, restart)

        # A gain is a sum over sequences: with weights it is measured at an average weight of 1.
        least = self.tol * (1.0 if weights is None else float(np.mean(weights)))

        def stop():
            return first_of(reached("gain", least, Status.STATIONARY), budget(self.n_iter))

        runs = (run(restart) for restart in range(self.n_init))
        return Fitting(
            best_of(runs, stop),
            verdict,
            lambda state: self._attributes(state) | {"n_parameters_": n_parameters},
            SequenceData(table, known, weights, None if is_bag(table) else sequences.lengths),
            max_steps=self.n_init * self.n_iter + 1,
            advice="raise n_iter or tol",
            ended=Status.STATIONARY,
        )

    def _attributes(self, state: baum_welch.BaumWelchState) -> dict[str, Any]:
        return {
            "startprob_": state.model.start.copy(),
            "transmat_": state.model.transition.copy(),
            **{name: value.copy() for name, value in state.model.emission.answers().items()},
            "log_likelihood_": state.log_likelihood,
            "history_": state.history.copy(),
            "n_iter_": len(state.history) - 1,
        }

    def _given(self, held: dict[str, Any]) -> dict[str, Any]:
        """Values the user wants to start from: the `…_init` parameters, or what the estimator holds."""
        given = {}
        for letter, name in self._letters.items():
            value = getattr(self, f"{name}_init")
            if self._is_held(letter):
                if f"{name}_" not in held:
                    raise ValueError(
                        f"{type(self).__name__}(init_params={self.init_params!r}): {letter!r} is missing, so {name} is "
                        f"not drawn from the data; give {name}_init, or set {name}_ before fit"
                    )
                value = held[f"{name}_"]
            if value is not None:
                given[name] = value
            elif getattr(self, f"{name}_fixed", None) is not None:
                raise ValueError(
                    f"{type(self).__name__}: {name}_fixed says which entries to keep; give {name}_init too"
                )
        return given

    def _rules(self, K: int) -> baum_welch.Rules:
        return baum_welch.Rules(self._row_rule("s", (K,)), self._row_rule("t", (K, K)))

    def _row_rule(self, letter: str, shape: tuple[int, ...]) -> RowRule:
        name = self._letters[letter]
        return RowRule(
            letter in self.params,
            checked_prior(getattr(self, f"{name}_prior"), shape, f"{name}_prior"),
            checked_mask(getattr(self, f"{name}_fixed"), shape, f"{name}_fixed"),
        )

    def _model(self) -> HiddenMarkov:
        """λ from the fitted attributes, or from attributes the user has set, checked."""
        check_is_fitted(self, [f"{name}_" for name in self._letters.values()])
        K = self.n_components
        values = {name: getattr(self, f"{name}_") for name in self._letters.values()}
        return HiddenMarkov(
            checked_rows(values.pop("startprob"), (K,), "startprob_"),
            checked_rows(values.pop("transmat"), (K, K), "transmat_"),
            self._emission_at(values, self._width()),
        )

    @abstractmethod
    def _width(self) -> int:
        """Columns of X that the fitted attributes fit."""

    def _read(self, X, lengths, y=None) -> Sequences:
        sequences, _ = self._reader().sequences(self, X, lengths)
        if isinstance(sequences, LocalSequences):
            refuse_misplaced_lengths(y, len(sequences.rows), type(self).__name__)
        return sequences

    def score(self, X, y=None, *, lengths=None) -> float:
        """log P(O), summed over the sequences; −inf when one of them cannot happen. Scaled forward procedure, O(TK²).

        Parameters
        ----------
        X : as in `fit`. y : ignored. lengths : as in `fit`.
        """
        return float(np.sum(self.score_sequences(X, lengths=lengths, y=y)))

    def score_sequences(self, X, y=None, *, lengths=None) -> np.ndarray:
        """log P(O) of each sequence."""
        model = self._model()
        sequences = self._read(X, lengths, y)
        return np.concatenate(sequences.results(partial(log_likelihoods, model), self.n_jobs))

    def score_samples(self, X, lengths=None) -> tuple[float, np.ndarray]:
        """(log P(O) over all sequences, posteriors γ (n, K))."""
        model = self._model()
        sequences = self._read(X, lengths)
        found = sequences.results(partial(_posteriors, model), self.n_jobs)
        values = np.concatenate([part[0] for part in found])
        self._refuse_impossible(values, "its states have no posterior")
        return float(values.sum()), np.concatenate([part[1] for part in found])

    def forward_backward(self, X, lengths=None) -> ForwardBackward:
        """The forward variables α_t(i) and the backward variables β_t(i), in logarithms. Syllabus: H4, H5.

        Parameters
        ----------
        X, lengths : as in `fit`.

        Examples
        --------
        >>> from learnable.sequences import CategoricalHMM
        >>> model = CategoricalHMM(2)
        >>> model.startprob_, model.transmat_ = [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]
        >>> model.emissionprob_ = [[0.75, 0.25], [0.25, 0.75]]
        >>> found = model.forward_backward([0, 0, 1])
        >>> np.exp(found.log_alpha[0]), np.exp(found.log_beta[2])
        (array([0.375, 0.125]), array([1., 1.]))
        >>> np.exp(found.log_alpha + found.log_beta).sum(axis=1).round(6)
        array([0.103906, 0.103906, 0.103906])
        """
        found = self._read(X, lengths).results(partial(log_variables, self._model()), self.n_jobs)
        return ForwardBackward(*(np.concatenate(parts) for parts in zip(*found)))

    def predict_proba(self, X, lengths=None) -> np.ndarray:
        """γ_t(i) = P(q_t = i | O), (n, K): forward and backward procedure."""
        return self.score_samples(X, lengths)[1]

    def decode(self, X, lengths=None, algorithm=None) -> tuple[float, np.ndarray]:
        """(logarithm of what is maximised, states (n,)).

        Parameters
        ----------
        X, lengths : as in `fit`.
        algorithm : {"viterbi", "map"}, default=None for the parameter `algorithm`
            "viterbi": the most probable path of each sequence, and log P(q, O). "map": the most probable state of each
            step, and Σ log γ_t(q_t); such states need not follow one another, see `impossible_transitions`.
        """
        algorithm = self.algorithm if algorithm is None else algorithm
        if algorithm == "map":
            posterior = self.predict_proba(X, lengths)
            return float(np.log(posterior.max(axis=1)).sum()), posterior.argmax(axis=1)
        if algorithm != "viterbi":
            raise ValueError(f"{type(self).__name__}: algorithm={algorithm!r}; it must be 'viterbi' or 'map'")
        model = self._model()
        found = self._read(X, lengths).results(partial(viterbi.best_paths, model), self.n_jobs)
        values = np.concatenate([part[0] for part in found])
        self._refuse_impossible(values, "no path of states can emit it")
        return float(values.sum()), np.concatenate([part[1] for part in found])

    def _refuse_impossible(self, log_likelihoods: np.ndarray, consequence: str) -> None:
        impossible = np.isneginf(log_likelihoods)
        if impossible.any():
            raise ValueError(
                f"{type(self).__name__}: sequence {int(np.argmax(impossible))} has probability 0 under this model: "
                f"{consequence}"
            )

    def predict(self, X, lengths=None) -> np.ndarray:
        """The states (n,) found by `decode`."""
        return self.decode(X, lengths)[1]

    def log_joint(self, X, states, lengths=None) -> float:
        """log P(q, O) = Σ log π_{q1} + Σ log a_{q_{t−1} q_t} + Σ log b_{q_t}(O_t) of given states. Syllabus: H3."""
        model = self._model()
        sequences = self._in_memory(X, lengths)
        q = self._known(states, sequences.lengths)
        with np.errstate(divide="ignore"):
            log_start, log_A = np.log(model.start), np.log(model.transition)
        steps = log_A[q[:-1], q[1:]]
        firsts = sequences.offsets[:-1]
        steps = np.delete(steps, firsts[1:] - 1)
        emitted = model.emission.log_density(sequences.rows, None)[np.arange(len(q)), q]
        return float(log_start[q[firsts]].sum() + steps.sum() + emitted.sum())

    def impossible_transitions(self, states, lengths=None) -> np.ndarray:
        """Rows t at which a path does what the model forbids: a_{q_{t−1} q_t} = 0, or π_{q_t} = 0 at a start.

        The states that are most probable one by one (`algorithm="map"`) may well contain some. Syllabus: H6.
        """
        model = self._model()
        if (own := lengths_of(states)) is not None:
            lengths = own if lengths is None else lengths
        n = len(states) if own is None else sum(own)
        lengths = checked_lengths(lengths, n, type(self).__name__)
        q = self._known(states, lengths)
        firsts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        forbidden = np.zeros(n, dtype=bool)
        forbidden[1:] = model.transition[q[:-1], q[1:]] == 0.0
        forbidden[firsts] = model.start[q[firsts]] == 0.0
        return np.flatnonzero(forbidden)

    def _known(self, states, lengths) -> np.ndarray:
        """A whole path: every state of every sequence."""
        q = checked_states(states, lengths, self.n_components, type(self).__name__)
        if q is None or np.any(q < 0):
            raise ValueError(
                f"{type(self).__name__}: every state of a path must be known; -1 stands for an unknown one"
            )
        return q

    def certify_path(self, X, states, lengths=None) -> Certificate:
        """What can be proved of a path: its probability, and that no other path has a larger one. Syllabus: H7."""
        sequences = self._in_memory(X, lengths)
        q = self._known(states, sequences.lengths)
        log_B = self._model().emission.log_density(sequences.rows, None)
        claims = path_claims(self.startprob_, self.transmat_, log_B, q, sequences.lengths)
        return Certificate(f"path of {type(self).__name__}", claims)

    def sample(self, n_samples=1, random_state=None, currstate=None) -> tuple[np.ndarray, np.ndarray]:
        """(observations (n, d), states (n,)) drawn from the model.

        Parameters
        ----------
        n_samples : int
        random_state : int, RandomState or None, default=None for the model's own.
        currstate : int, default=None
            First state; drawn from `startprob_` when None.
        """
        model = self._model()
        chosen = self.random_state if random_state is None else random_state
        generator = generator_from(chosen, f"{type(self).__name__}.sample")
        states = drawn_chain(model.start, model.transition, n_samples, generator, currstate)
        return model.emission.drawn(states, generator), states

    def _n_free(self, model: HiddenMarkov) -> int:
        """Numbers learned: free entries of Π, A and B, where a zero is structure."""
        rules = self._rules(self.n_components)
        return rules.start.n_free(model.start) + rules.transition.n_free(model.transition) + model.emission.n_free()

    def _n_parameters(self) -> int:
        return vars(self)["n_parameters_"] if "n_parameters_" in vars(self) else self._n_free(self._model())

    def aic(self, X, lengths=None) -> float:
        """−2 log P(O) + 2 · parameters; smaller is better."""
        return aic(self.score(X, lengths=lengths), self._n_parameters())

    def bic(self, X, lengths=None) -> float:
        """−2 log P(O) + parameters · log(number of rows); smaller is better."""
        values, n = self.score(X, lengths=lengths), int(self._read(X, lengths).lengths.sum())
        return float(bic(values, self._n_parameters(), n))

    def _in_memory(self, X, lengths) -> LocalSequences:
        sequences = self._read(X, lengths)
        if not isinstance(sequences, LocalSequences):
            raise TypeError(f"{type(self).__name__}: this needs the sequences in memory, not a {type(X).__name__}")
        return sequences

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _posteriors(model: HiddenMarkov, block) -> tuple[np.ndarray, np.ndarray]:
    found = smoothed(model, block)
    return found.log_likelihoods, found.gamma
