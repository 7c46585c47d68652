"""Data of trees whose attributes are categories."""

import numpy as np

from learnable.checks.kinds.kind import CheckData
from learnable.checks.registry import register


def weather(seed: int) -> CheckData:
    """Categories and one column of numbers; the class follows two of them, with noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((60, 3))
    X[:, :2] = random.integers(0, 3, (60, 2))
    y = np.where((X[:, 0] == 1) ^ (X[:, 2] > 0.2) ^ (random.random(60) < 0.1), "yes", "no")
    return CheckData(X, y)


register("ID3Classifier", data=weather)
