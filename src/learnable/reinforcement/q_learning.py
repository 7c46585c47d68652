"""Q-learning."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.certificates.reinforcement.q_learning import residual_bound
from learnable.reinforcement.improvement import q_values
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.mdp_arrays import check_discount
from learnable.reinforcement.planner import Planner, ProcessData
from learnable.reinforcement.policy_iteration import PolicyIteration
from learnable.reinforcement.sampler import steps_of
from learnable.reinforcement.schedules import Exploration, StepSizes
from learnable.seeds import generator_from
from learnable.solvers.reinforcement import q_learning
from learnable.trace import Status, to_the_end


class QLearning(Planner):
    """Q-learning: Q(s, a) ← Q(s, a) + α (r + γ max_a′ Q(s′, a′) − Q(s, a)) after every step, without a model.

    Converges to Q* with probability 1 when every pair is tried for ever and the step sizes have Σ α = ∞, Σ α² < ∞.
    It learns from steps alone; a process that is given is only drawn from. Syllabus: RL9, RL10.

    Parameters
    ----------
    n_steps : int, default=100000
        Steps to make.
    steps : StepSizes, default=None
        Step sizes; `visit_count_steps(0.8)` by default.
    exploration : Exploration, default=None
        How to choose actions while learning; `epsilon_greedy(0.1)` by default.
    discount : float, default=None
        γ; that of the process by default, 0.99 for an environment.
    horizon : int, default=None
        Episodes are cut off after this many steps and begun anew, which is not taken for an end.
    initial : float, default=0.0
        Q to start from; a large one makes untried actions attractive.
    regret : bool, default=False
        Keep count of Σ (V*(s) − Q*(s, a)), for a process, whose Q* is then found first.
    n_reports : int, default=100
        Stretches that the steps are divided into, one state of `watch` each.
    random_state : int, Generator or None, default=None

    Attributes
    ----------
    q_values_ : array (S, A), NaN where an action is not available.
    values_ : array (S,), their maxima. policy_ : int array (S,), −1 in a state without actions.
    visits_ : int array (S, A), how often each pair was tried.
    episode_returns_, episode_lengths_ : of every completed episode.
    steps_ : array, steps made by the end of each stretch. regret_ : array, the regret by then; only if asked for.
    error_bound_ : ‖TQ − Q‖/(1−γ) ≥ ‖Q − Q*‖ over the pairs that can be reached; only for a process with γ < 1.
    n_iter_, status_ : "budget_spent": learning goes on as long as it is let.
    certificate_ : `certificates.Certificate`, which claims
        RL9 : Q is within 1e-2 of what values and rewards differ by of Q*, where learning came so near; else how near
        is told, and nothing is proved. `error_bound_`, `values_` and the greedy `policy_` are those of Q. Pairs that
        can be reached and were never tried are disclosed. Nothing is claimed about visits, episodes, steps and regret.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.reinforcement import MDP, PolicyIteration, QLearning, q_values, uniform_exploration
    >>> rng = np.random.default_rng(0)
    >>> mdp = MDP(rng.dirichlet(np.ones(3), size=(3, 2)), rng.random((3, 2)), discount=0.5)
    >>> model = QLearning(200_000, exploration=uniform_exploration(), random_state=0).fit(mdp)
    >>> best = q_values(mdp, PolicyIteration().fit(mdp).values_)
    >>> bool(np.abs(model.q_values_ - best).max() < 0.02)
    True
    """

    _parameter_constraints: ClassVar = {
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "steps": [StepSizes, None],
        "exploration": [Exploration, None],
        "discount": [Interval(Real, 0, 1, closed="both"), None],
        "horizon": [Interval(Integral, 1, None, closed="left"), None],
        "initial": [Interval(Real, None, None, closed="neither")],
        "regret": ["boolean"],
        "n_reports": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_steps=100_000,
        *,
        steps=None,
        exploration=None,
        discount=None,
        horizon=None,
        initial=0.0,
        regret=False,
        n_reports=100,
        random_state=None,
    ):
        self.n_steps = n_steps
        self.steps = steps
        self.exploration = exploration
        self.discount = discount
        self.horizon = horizon
        self.initial = initial
        self.regret = regret
        self.n_reports = n_reports
        self.random_state = random_state

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        generator = generator_from(self.random_state, type(self).__name__)
        marks = np.linspace(0, self.n_steps, min(self.n_reports, self.n_steps) + 1).round().astype(int)
        lengths = np.diff(marks).tolist()
        if isinstance(mdp, MDP):
            mdp, states = self._from_process(mdp, lengths, generator)
            shape = mdp.pair_matrix
        else:
            n, m, states = self._from_environment(mdp, lengths, generator)

            def shape(numbers):
                return np.asarray(numbers, dtype=float).reshape(n, m)

        returns, durations, regret, made = [], [], [], []

        def recorded():
            for state in states:
                returns.append(state.returns)
                durations.append(state.lengths)
                regret.append(state.regret)
                made.append(state.steps)
                yield state

        def attributes(state) -> dict[str, Any]:
            q = shape(state.q)
            known = np.where(np.isnan(q), -np.inf, q)
            acts = np.isfinite(known).any(axis=1)
            found = {
                "q_values_": q,
                "values_": np.where(acts, known.max(axis=1), 0.0),
                "policy_": np.where(acts, known.argmax(axis=1), -1),
                "visits_": np.nan_to_num(shape(state.visits)).astype(np.int64),
                "episode_returns_": np.concatenate(returns),
                "episode_lengths_": np.concatenate(durations),
                "steps_": np.array(made),
            }
            if self.regret:
                found["regret_"] = np.cumsum(regret)
            if isinstance(mdp, MDP) and mdp.discount < 1.0:
                found["error_bound_"] = residual_bound(mdp, q)
            return found

        return Fitting(
            recorded(),
            to_the_end,
            attributes,
            ProcessData(mdp),
            max_steps=len(lengths),
            ended=Status.BUDGET_SPENT,
            counts_steps=True,
            advice="",
        )

    def _rules(self, discount: float) -> q_learning.Rules:
        steps = StepSizes() if self.steps is None else self.steps
        exploration = Exploration(epsilon=0.1) if self.exploration is None else self.exploration
        steps.refuse_nonsense()
        exploration.refuse_nonsense()
        return q_learning.Rules(
            (float(steps.scale), float(steps.offset), float(steps.power)),
            (
                float(exploration.epsilon),
                float(exploration.temperature),
                float(exploration.bonus),
                float(exploration.decay),
            ),
            float(discount),
            self.horizon,
        )

    def _from_process(self, mdp: MDP, lengths: list[int], generator: np.random.Generator):
        if self.discount is not None:
            mdp = mdp.with_discount(self.discount)
        idle = np.flatnonzero((mdp.start > 0.0) & (np.diff(mdp.first) == 0))
        if len(idle):
            raise ValueError(f"QLearning: episodes may start in state {mdp.states[idle[0]]!r}, which has no action")
        gaps = np.zeros(mdp.n_pairs)
        if self.regret:
            best = PolicyIteration().fit(mdp)
            Q = q_values(mdp, best.values_)[mdp.pair_states, mdp.pair_actions]
            gaps = np.maximum(best.values_[mdp.pair_states] - Q, 0.0)
        steps = steps_of(mdp)
        return mdp, q_learning.iterates(steps, self._rules(mdp.discount), gaps, self.initial, lengths, generator)

    def _from_environment(self, environment: Any, lengths: list[int], generator: np.random.Generator):
        spaces = [getattr(environment, name, None) for name in ("observation_space", "action_space")]
        sizes: list[Any] = [getattr(space, "n", None) for space in spaces]
        if None in sizes or any(getattr(space, "start", 0) != 0 for space in spaces):
            raise TypeError(
                f"QLearning.fit({type(environment).__name__}): an MDP is needed, or a gymnasium environment whose "
                "observations and actions are numbered from 0 (Discrete)"
            )
        if self.regret:
            raise ValueError("QLearning(regret=True): an environment does not show Q*; fit MDP.from_gymnasium(env)")
        n, m = int(sizes[0]), int(sizes[1])
        discount = check_discount(0.99 if self.discount is None else self.discount, "QLearning")
        return (
            n,
            m,
            q_learning.environment_iterates(environment, m, n, self._rules(discount), self.initial, lengths, generator),
        )
