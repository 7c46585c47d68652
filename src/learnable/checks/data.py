"""Small well-posed data for checking an estimator, as its kind or its registration says."""

from typing import Any

from learnable.checks.kinds import CheckData, kind_of
from learnable.checks.registry import known_of


def well_posed(estimator: Any, seed: int = 0) -> CheckData:
    """Data on which a sound fit of this estimator has a certificate that holds.

    >>> from learnable.sequences import MarkovChain
    >>> well_posed(MarkovChain()).X.shape
    (200, 1)
    """
    data = known_of(type(estimator).__name__).data
    return kind_of(estimator).data(estimator, seed) if data is None else CheckData(*data(seed))
