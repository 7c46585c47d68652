"""causal-learn's PC."""

import numpy as np


def skeleton(X: np.ndarray, alpha: float) -> np.ndarray:
    """(p, p) which columns it joins, with Fisher's z and the stable order."""
    from causallearn.search.ConstraintBased.PC import pc

    ends = np.asarray(pc(X, alpha, "fisherz", stable=True, show_progress=False).G.graph)
    return (ends != 0) | (ends.T != 0)
