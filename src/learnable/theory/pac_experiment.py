"""PAC learning as an experiment: draw m examples, learn, and count how often the risk is small."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable.seeds import seed_from
from learnable.theory.frequency import Frequency

Draw = Callable[[int, np.random.Generator], tuple[Any, Any]]


@dataclass(frozen=True)
class ExampleOracle:
    """EX(c, D): points from a law D, labelled by a concept c without noise.

    Parameters
    ----------
    points : callable
        (m, rng) → m points.
    concept : callable
        points → labels.

    Syllabus: T24.

    Examples
    --------
    >>> import numpy as np
    >>> oracle = ExampleOracle(lambda m, rng: rng.random(m), lambda x: x > 0.5)
    >>> X, y = oracle(4, np.random.default_rng(0))
    >>> bool(np.all(y == (X > 0.5)))
    True
    """

    points: Callable[[int, np.random.Generator], Any]
    concept: Callable[[Any], Any]

    def __call__(self, m: int, rng: np.random.Generator) -> tuple[Any, Any]:
        X = self.points(m, rng)
        return X, self.concept(X)


@dataclass(frozen=True)
class PACResult:
    """Outcome of a PAC experiment.

    Attributes
    ----------
    m, epsilon : int, float
        Sample size and tolerance.
    best_risk : float
        The risk against which success is measured: 0 in the realisable case, min_H R in the agnostic one.
    risks : array
        The risk of the hypothesis learnt in each repetition.
    success : Frequency
        How often risk ≤ best_risk + ε, with its exact binomial interval.
    """

    m: int
    epsilon: float
    best_risk: float
    risks: NDArray[np.float64]
    success: Frequency

    def supports(self, delta: float) -> bool:
        """Whether the experiment is compatible with P(success) ≥ 1 − δ: the interval reaches that far."""
        if not 0 < delta < 1:
            raise ValueError(f"supports(delta={delta}): delta must be in (0, 1)")
        return self.success.high >= 1 - delta

    def __str__(self) -> str:
        return f"P(risk <= {self.best_risk + self.epsilon:g}) with m={self.m}: {self.success}"


def pac_experiment(
    draw: Draw,
    learner: Callable[[Any, Any], Any],
    risk: Callable[[Any], float],
    *,
    m: int,
    epsilon: float,
    best_risk: float = 0.0,
    repeats: int = 1000,
    level: float = 0.95,
    random_state: int | None = 0,
) -> PACResult:
    """Estimate P(R(h_S) ≤ best_risk + ε) over samples S of size m.

    Parameters
    ----------
    draw : callable
        (m, rng) → (X, y): an `ExampleOracle`, or any law with noise.
    learner : callable
        (X, y) → hypothesis.
    risk : callable
        hypothesis → its true risk.
    m, epsilon : int, float
        Sample size and tolerance.
    best_risk : float
        0 for the realisable setting; the least risk in the class for the agnostic one.
    repeats : int
        Number of samples.
    level : float
        Confidence of the interval.
    random_state : int or None
        Seed; each repetition has its own stream, so that the first ones stay the same when there are more.

    Returns
    -------
    PACResult

    Syllabus: T24.

    Examples
    --------
    >>> import numpy as np
    >>> oracle = ExampleOracle(lambda m, rng: rng.random(m), lambda x: x >= 0.3)
    >>> def tightest(x, y):
    ...     return x[y].min() if y.any() else 1.0
    >>> result = pac_experiment(oracle, tightest, lambda t: t - 0.3, m=29, epsilon=0.1, repeats=200)
    >>> result.supports(delta=0.05)
    True
    """
    if m < 1 or repeats < 1:
        raise ValueError(f"pac_experiment(m={m}, repeats={repeats}): both must be >= 1")
    if not 0 < epsilon < float("inf"):
        raise ValueError(f"pac_experiment(epsilon={epsilon}): epsilon must be > 0 and finite")
    if not 0 <= best_risk < float("inf"):
        raise ValueError(f"pac_experiment(best_risk={best_risk}): best_risk must be >= 0 and finite")
    streams = seed_from(random_state, "pac_experiment").spawn(repeats)
    risks = np.array([float(risk(learner(*draw(m, np.random.default_rng(stream))))) for stream in streams])
    if not np.all(np.isfinite(risks)):
        raise ValueError("pac_experiment(risk): returned a value that is not finite")
    successes = int(np.sum(risks <= best_risk + epsilon))
    return PACResult(m, epsilon, best_risk, risks, Frequency(successes, repeats, level))
