"""A decider of the consistency problem made from a PAC learner, with one-sided error."""

from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state

from learnable.concepts.attributes import Attributes


class Decision(NamedTuple):
    """Whether some hypothesis of the learner's language fits the examples.

    Attributes
    ----------
    consistent : the answer.
    model : the fitted learner that fits all examples; None when the answer is no.
    runs : how often the learner was run.
    sample_size : examples drawn for each run.
    error : bound on the probability that the answer is wrong: 0 for yes, 2^−runs for no.
    """

    consistent: bool
    model: Any
    runs: int
    sample_size: int
    error: float


def decide_consistency(learner: Any, X: Any, y: Any, *, delta: float = 0.01, random_state: Any = None) -> Decision:
    """Decide whether a hypothesis fits m examples, by running a PAC learner on draws from them.

    Each run has ε = 1/(m + 1) and δ = ½ under the uniform law on the examples: an error of at most ε < 1/m is no
    error at all. A hypothesis that fits is shown, so *yes* is never wrong; if there is one, a run misses it with
    probability at most ½, so *no* after ⌈log₂ 1/δ⌉ runs is wrong with probability at most δ. Hence a polynomial PAC
    learner of 3-term DNF by 3-term DNF would put an NP-complete problem in RP. Syllabus: V12.

    Parameters
    ----------
    learner : a classifier with `sample_size(epsilon, delta)`
        Where its parameters `domains` and `classes` are None, they are those of the examples.
    X, y : the examples.
    delta : probability of a wrong no that is accepted.
    random_state : int, RandomState or None

    Returns
    -------
    Decision

    Examples
    --------
    >>> from learnable.concepts import KTermDNFLearner
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False]
    >>> learner = KTermDNFLearner(k=2, domains=[(0, 1), (0, 1)], classes=(False, True))
    >>> decide_consistency(learner, X, y, random_state=0)._replace(model=None)
    Decision(consistent=True, model=None, runs=1, sample_size=27, error=0.0)
    >>> decide_consistency(learner.set_params(k=1), X, y, random_state=0)
    Decision(consistent=False, model=None, runs=7, sample_size=15, error=0.0078125)
    """
    if not 0 < delta < 1:
        raise ValueError(f"decide_consistency(delta={delta}): delta must be in (0, 1)")
    if not hasattr(learner, "sample_size"):
        raise TypeError(f"decide_consistency({type(learner).__name__}): a learner needs sample_size(epsilon, delta)")
    y = np.asarray(y)
    if len(X) != len(y) or not len(y):
        raise ValueError(f"decide_consistency: X has {len(X)} rows and y has {len(y)}; both need the same, at least 1")
    random = check_random_state(random_state)
    fixed = _fixed(learner, X, y)
    # A learner without domains can know its sample size from a fit alone.
    size = (fixed if hasattr(fixed, "domains") else learner).sample_size(1 / (len(y) + 1), 0.5)
    runs = max(1, ceil(log2(1 / delta)))
    for run in range(1, runs + 1):
        drawn = random.randint(len(y), size=size)
        model = clone(fixed).fit(_safe_indexing(X, drawn), y[drawn])
        if np.array_equal(model.predict(X), y):
            return Decision(True, model, run, size, 0.0)
    return Decision(False, None, runs, size, 0.5**runs)


def _fixed(learner: Any, X: Any, y: np.ndarray) -> Any:
    """The learner with the domains and classes of all examples, some of which a draw may lack."""
    parameters = learner.get_params(deep=False)
    open_parameters: dict[str, Any] = {}
    if parameters.get("domains", ()) is None:
        table = Attributes.infer(X)
        open_parameters["domains"] = dict(zip(table.names, table.domains))
    if parameters.get("classes", ()) is None and len(labels := np.unique(y)) == 2:
        open_parameters["classes"] = tuple(labels.tolist())
    return clone(learner).set_params(**open_parameters)
