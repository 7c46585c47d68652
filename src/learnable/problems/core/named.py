"""Losses and penalties by name, for estimators that take any of them. Syllabus: D3, D4, L21."""

from typing import Any, NamedTuple

import numpy as np

from learnable.problems.linear import families
from learnable.problems.linear.glm import MODELS, BinomialLogit, GammaLog, GaussianLog, PoissonLog
from learnable.problems.linear.links import Link
from learnable.problems.linear.losses import Logistic, Squared
from learnable.problems.linear.margin_losses import Deviance, Exponential, ModifiedHuber, SquaredHinge
from learnable.problems.linear.regression_losses import Huber, SquaredEpsilonInsensitive
from learnable.problems.sparse import penalties

LOSSES: dict[str, NamedTuple] = {
    "squared": Squared(),
    "huber": Huber(1.35),
    "logistic": Logistic(),
    "squared_hinge": SquaredHinge(),
    "modified_huber": ModifiedHuber(),
    "binomial": BinomialLogit(),
    "poisson": PoissonLog(),
    "gamma": GammaLog(),
}
PENALTIES: dict[str, NamedTuple] = {
    "l1": penalties.L1(1.0),
    "l2": penalties.L2(1.0),
    "elastic_net": penalties.ElasticNet(1.0, 0.5),
    "non_negative_l1": penalties.NonNegative(penalties.L1(1.0)),
}
MARGIN = (Logistic, SquaredHinge, ModifiedHuber, Exponential, Deviance)
_BY_LOSS = {type(model.loss): model for model in MODELS.values()}
_SMOOTH = (
    *MARGIN,
    Squared,
    Huber,
    SquaredEpsilonInsensitive,
    *(kind for kind, glm in _BY_LOSS.items() if not glm.positive),
)


def loss_of(given: Any) -> Any:
    """The loss of a name, or the loss itself if its slope is continuous and every score belongs to it.

    >>> loss_of("poisson"), loss_of(Huber(2.0))
    (PoissonLog(), Huber(delta=2.0))
    """
    if isinstance(given, str):
        if given not in LOSSES:
            raise ValueError(f"loss={given!r} is not known; names: {', '.join(map(repr, LOSSES))}")
        return LOSSES[given]
    if not isinstance(given, _SMOOTH):
        known = ", ".join(sorted({kind.__name__ for kind in _SMOOTH}))
        raise ValueError(
            f"loss={given!r}: a loss with a continuous slope that is finite at every score is needed; such are {known}"
        )
    return given


def penalty_of(given: Any, alpha: float) -> Any:
    """alpha times the penalty of a name, or alpha times the penalty itself.

    >>> penalty_of("l1", 0.5), penalty_of(penalties.ElasticNet(1.0, 0.2), 3.0)
    (ElasticNet(alpha=0.5, l1_ratio=1.0), ElasticNet(alpha=3.0, l1_ratio=0.2))
    """
    if isinstance(given, str):
        if given not in PENALTIES:
            raise ValueError(f"penalty={given!r} is not known; names: {', '.join(map(repr, PENALTIES))}")
        given = PENALTIES[given]
    if type(given) not in penalties.subdistance.bodies:
        known = ", ".join(sorted(kind.__name__ for kind in penalties.subdistance.bodies))
        raise ValueError(f"penalty={given!r}: a separable penalty of learnable.problems is needed; such are {known}")
    return given if alpha == 1.0 else penalties.scaled(given, float(alpha))


def link_of(loss: Any) -> Link | None:
    """The link of a loss that is a likelihood of a mean; None for others, whose score is the prediction."""
    model = _BY_LOSS.get(type(loss))
    return None if model is None else model.link


def is_convex(loss: Any, penalty: Any) -> bool:
    """Whether mean loss + penalty is convex: every loss here but `GaussianLog`, every penalty of `penalties`."""
    return not isinstance(loss, GaussianLog) and type(penalty) in penalties.conjugate.bodies


def refusal(loss: Any, y: np.ndarray) -> str | None:
    """Why some target cannot belong to the loss, or None.

    >>> refusal(Logistic(), np.array([1.0, 0.0]))
    'y[1] is 0, but Logistic needs labels -1 and +1 (for other labels, encode them or use a classifier)'
    """
    if isinstance(loss, MARGIN):
        allowed, needs = np.abs(y) == 1.0, "labels -1 and +1 (for other labels, encode them or use a classifier)"
    elif type(loss) in _BY_LOSS:
        family = _BY_LOSS[type(loss)].family
        allowed, needs = families.allowed(family, y), families.requirement(family)
    else:
        return None
    wrong = np.flatnonzero(~allowed)
    if not wrong.size:
        return None
    return f"y[{wrong[0]}] is {y[wrong[0]]:g}, but {type(loss).__name__} needs {needs}"
