"""Finite Markov decision processes."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from learnable.plain import plain
from learnable.reinforcement import mdp_arrays, mdp_observed, mdp_tables
from learnable.reinforcement.mdp_arrays import Pairs


class MDP:
    """A finite Markov decision process: states s, actions a, P(s′ | s, a), mean rewards r(s, a), discount γ.

    Kept as a list of state-action pairs in the order of the states, so that each state has its own actions and P may
    be dense or sparse. An episode ends in a state without actions, whose value is 0, or on a step of a pair with an
    ending probability; a row of P and its ending probability add up to 1. Syllabus: RL1.

    Parameters
    ----------
    transitions : P as an array (S, A, S), a sequence of A matrices (S, S), dense or sparse, or one sparse matrix
        (S·A, S) whose row s·A + a belongs to state s and action a. Nested lists are P[state][action][next state], or
        A matrices where only that fits; with S = A a warning says that both would, unless they are the same.
    rewards : array (S, A), (S,) for rewards of a state, (S, A, S), a sequence of A matrices (S, S), or a number.
    discount : γ in [0, 1]; with γ = 1 planners ask for a proof that every endless policy loses without bound.
    available : bool array (S, A), default=None
        Actions that may be taken; all by default. Rows of P of the others are not read.
    terminal : states in which the episode is over, by name; their rows are not read.
    ending : array (S, A), default=None
        Probability that the step ends the episode.
    start : a state, or probabilities (S,), default=None
        Where episodes begin; by default anywhere, with equal probabilities.
    states, actions : names; numbers by default.

    Attributes
    ----------
    transitions : array or CSR matrix (K, S), one row a pair.
    rewards : array (K,), the mean reward of each pair.
    ending : array (K,), the probability that the step ends the episode.
    first : array (S + 1,); the pairs of state s are first[s], …, first[s + 1] − 1.
    pair_states, pair_actions : arrays (K,).
    outcome_rewards : array aligned with the entries of `transitions`, or None when rewards depend on the pair alone.
    start : array (S,).
    counts : array (K,), how often each pair was seen; None unless the model was estimated.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.reinforcement import MDP, PolicyIteration
    >>> P = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.9, 0.1]]])
    >>> mdp = MDP(P, rewards=[[0.0, -1.0], [2.0, 0.0]], discount=0.9, actions=["stay", "go"])
    >>> mdp
    MDP(2 states, 2 actions, 4 pairs, discount 0.9)
    >>> plan = PolicyIteration().fit(mdp)
    >>> [mdp.actions[a] for a in plan.policy_], plan.certificate_.holds
    (['go', 'stay'], True)
    """

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        discount: float,
        *,
        available: Any = None,
        terminal: Iterable[Hashable] = (),
        ending: Any = None,
        start: Any = None,
        states: Sequence[Hashable] | None = None,
        actions: Sequence[Hashable] | None = None,
    ):
        pairs, n_states, n_actions = mdp_arrays.read(transitions, rewards, available, terminal, ending, states)
        self._adopt(pairs, n_states, n_actions, discount, start, states, actions)

    @classmethod
    def from_pairs(
        cls,
        pair_states: Any,
        pair_actions: Any,
        transitions: Any,
        rewards: Any,
        discount: float,
        *,
        ending: Any = None,
        start: Any = None,
        states: Sequence[Hashable] | None = None,
        actions: Sequence[Hashable] | None = None,
    ) -> "MDP":
        """From one row for each available pair, in any order.

        Parameters
        ----------
        pair_states, pair_actions : ints (K,).
        transitions : array or sparse matrix (K, S).
        rewards : array (K,).
        discount, ending (K,), start, states, actions : as of the class.
        """
        pairs, n_states, n_actions = mdp_arrays.read_pairs(pair_states, pair_actions, transitions, rewards, ending)
        return cls._of(pairs, n_states, n_actions, discount, start, states, actions)

    @classmethod
    def from_table(cls, table: Any, discount: float, *, start: Any = None) -> "MDP":
        """From rows (state, action, next state, probability, reward): a sequence of such tuples or a data frame.

        States and actions are named by whatever stands there, in order of appearance. A next state of None ends the
        episode; states that never act are terminal. A frame has the columns state, action, next_state, probability
        and reward.

        >>> from learnable.reinforcement import MDP
        >>> rows = [("up", "run", "up", 0.9, 1.0), ("up", "run", "down", 0.1, 1.0), ("up", "rest", "up", 1.0, 0.5)]
        >>> MDP.from_table(rows, discount=0.9)
        MDP(2 states, 2 actions, 2 pairs, 1 terminal, discount 0.9)
        """
        pairs, states, actions = mdp_tables.read_table(table)
        return cls._of(pairs, len(states), len(actions), discount, start, states, actions)

    @classmethod
    def from_gymnasium(cls, environment: Any, discount: float) -> "MDP":
        """From an environment that shows its model as `env.unwrapped.P`, as FrozenLake, Taxi and CliffWalking do.

        Numbers of states and actions are the environment's. A transition flagged as done ends the episode.

        >>> import gymnasium
        >>> from learnable.reinforcement import MDP
        >>> MDP.from_gymnasium(gymnasium.make("FrozenLake-v1"), discount=0.99)
        MDP(16 states, 4 actions, 64 pairs, 5 terminal, 5 unreachable, discount 0.99)
        """
        pairs, n_states, n_actions, start = mdp_tables.read_gymnasium(environment)
        return cls._of(pairs, n_states, n_actions, discount, start, None, None)

    @classmethod
    def from_transitions(cls, observed: Iterable[tuple], discount: float, *, prior: float = 0.0) -> "MDP":
        """The maximum-likelihood model of observed steps (state, action, reward, next state, ended).

        P(s′ | s, a) = (N(s, a, s′) + prior) / (N(s, a) + prior·S), rewards are means, `counts` tells how much stands
        behind each pair. Pairs that were never tried are not available; states that were only arrived at have no
        actions, and count as terminal. `ended` may be left out.

        Parameters
        ----------
        observed : tuples of four or five.
        prior : pseudo-count of every next state; 0 for maximum likelihood.

        >>> from learnable.reinforcement import MDP
        >>> mdp = MDP.from_transitions([(0, 0, 1.0, 0), (0, 0, 0.0, 1), (0, 0, 1.0, 0)], discount=0.9)
        >>> mdp.transitions.toarray(), mdp.rewards, mdp.counts
        (array([[0.66666667, 0.33333333]]), array([0.66666667]), array([3]))
        """
        pairs, states, actions, counts, start = mdp_observed.read_observed(observed, prior)
        made = cls._of(pairs, len(states), len(actions), discount, start, states, actions)
        made.counts = counts
        return made

    @classmethod
    def _of(cls, pairs: Pairs, n_states: int, n_actions: int, discount, start, states, actions) -> "MDP":
        made = cls.__new__(cls)
        made._adopt(pairs, n_states, n_actions, discount, start, states, actions)
        return made

    def _adopt(self, pairs: Pairs, n_states: int, n_actions: int, discount, start, states, actions) -> None:
        self.states = mdp_arrays.names(states, n_states, "states")
        self.actions = mdp_arrays.names(actions, n_actions, "actions")
        self.discount = mdp_arrays.check_discount(discount, "MDP")
        pairs = mdp_arrays.checked(pairs, self.states, self.actions)
        self.transitions, self.rewards, self.ending = pairs.transitions, pairs.rewards, pairs.ending
        self.pair_states, self.pair_actions = pairs.states, pairs.actions
        self.outcome_rewards, self.ending_rewards = pairs.outcome_rewards, pairs.ending_rewards
        self.first = np.searchsorted(pairs.states, np.arange(n_states + 1)).astype(np.int64)
        self.counts: np.ndarray | None = None
        self._state_numbers: Mapping[Hashable, int] = {name: i for i, name in enumerate(self.states)}
        self.start = self._start(start)

    @property
    def n_states(self) -> int:
        return len(self.states)

    @property
    def n_actions(self) -> int:
        return len(self.actions)

    @property
    def n_pairs(self) -> int:
        return len(self.rewards)

    def state_number(self, state: Hashable) -> int:
        """The number of a state given by its name."""
        if state not in self._state_numbers:
            raise ValueError(f"MDP: no state is called {plain(state)!r}; the names are {mdp_arrays.shown(self.states)}")
        return self._state_numbers[state]

    def with_discount(self, discount: float) -> "MDP":
        """The same process with another γ."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.discount = mdp_arrays.check_discount(discount, "MDP")
        return copy

    def stopped(self) -> "MDP":
        """The same process with no action in terminal states, whose value is then 0 for γ = 1 too."""
        kept = np.flatnonzero(~self.terminal[self.pair_states])
        if len(kept) == self.n_pairs:
            return self
        copy = self.with_discount(self.discount)
        for name in ("rewards", "ending", "pair_states", "pair_actions", "transitions"):
            setattr(copy, name, getattr(self, name)[kept])
        copy.first = np.searchsorted(copy.pair_states, np.arange(self.n_states + 1)).astype(np.int64)
        copy.outcome_rewards = copy.ending_rewards = copy.counts = None
        for cached in ("available", "terminal", "unreachable", "can_end"):
            copy.__dict__.pop(cached, None)
        return copy

    @cached_property
    def available(self) -> np.ndarray:
        """(S, A): which actions may be taken."""
        allowed = np.zeros((self.n_states, self.n_actions), dtype=bool)
        allowed[self.pair_states, self.pair_actions] = True
        return allowed

    @cached_property
    def terminal(self) -> np.ndarray:
        """(S,): states in which nothing more can be won or lost: no action, or only actions that end or stay, for 0."""
        stays = np.asarray(self.transitions[np.arange(self.n_pairs), self.pair_states]).ravel()
        idle = (self.rewards == 0.0) & (np.abs(stays + self.ending - 1.0) < 1e-12)
        busy = np.zeros(self.n_states, dtype=bool)
        busy[self.pair_states[~idle]] = True
        return ~busy

    @cached_property
    def unreachable(self) -> np.ndarray:
        """(S,): states that no policy can reach from the start."""
        P = sparse.csr_matrix(self.transitions)
        # One more state that leads to every possible start.
        starts = np.flatnonzero(self.start)
        places = np.concatenate([P.indices, starts]).astype(np.int32)
        ends = np.append(P.indptr[self.first], len(places)).astype(np.int32)
        likely = np.concatenate([P.data, np.ones(len(starts))])
        graph = sparse.csr_matrix((likely, places, ends), shape=(self.n_states + 1,) * 2)
        graph.sum_duplicates()
        graph.eliminate_zeros()
        seen = np.zeros(self.n_states + 1, dtype=bool)
        seen[sparse.csgraph.breadth_first_order(graph, self.n_states, return_predecessors=False)] = True
        return ~seen[:-1]

    @cached_property
    def can_end(self) -> bool:
        """Whether an episode can end at all."""
        return bool(np.any(self.ending > 0.0) or np.any(np.diff(self.first) == 0))

    def pair_matrix(self, values: np.ndarray) -> np.ndarray:
        """Numbers of pairs (K,) as an array (S, A), NaN where an action is not available."""
        table = np.full((self.n_states, self.n_actions), np.nan)
        table[self.pair_states, self.pair_actions] = values
        return table

    def _start(self, start: Any) -> np.ndarray:
        acting = np.diff(self.first) > 0
        if start is None:
            return acting / acting.sum()
        if isinstance(start, Hashable) and not isinstance(start, np.ndarray):
            begin = np.zeros(self.n_states)
            begin[self.state_number(start)] = 1.0
            return begin
        begin = np.array(start, dtype=float)
        if begin.shape != (self.n_states,):
            raise ValueError(f"MDP(start=...): {begin.shape} probabilities for {self.n_states} states")
        if not np.all(begin >= 0.0) or abs(begin.sum() - 1.0) > 1e-8:
            raise ValueError(f"MDP(start=...): probabilities must be >= 0 and sum to 1; they sum to {begin.sum():.9g}")
        return begin / begin.sum()

    def __repr__(self) -> str:
        terminal, unreachable = int(self.terminal.sum()), int(self.unreachable.sum())
        notes = (f"{terminal} terminal, " if terminal else "") + (f"{unreachable} unreachable, " if unreachable else "")
        return (
            f"MDP({self.n_states} states, {self.n_actions} actions, {self.n_pairs} pairs, {notes}"
            f"discount {self.discount:g})"
        )
