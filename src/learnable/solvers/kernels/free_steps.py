"""Newton steps for all variables between their bounds at once, where pairs of them would take too many.

While the variables at a bound stay there, the others F have a parabola to go down, their sums fixed:

    K_FF d + b = −(slope + ε sign β)_F,  Σ d = 0 over each group.

A step goes to its minimum or to the first bound in the way, which leaves F one variable shorter. Syllabus: S6.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from learnable._jit.kernels.smo import take_block
from learnable.solvers.kernels.kernel_rows import KernelRows

# More free variables than this, and a step costs more than the pairs it saves.
MOST_FREE = 1000
# Bounds met before the pairs have another look at the rows that are not free.
MOST_STEPS = 20
# Added to the diagonal, as a share of its mean: the direction stays one of descent where points coincide.
RIDGE = 1e-11


def free_steps(rows: KernelRows, lower, upper, epsilon: float, group, beta, slope) -> int:
    """Up to some steps, β and the slopes updated in place; how many."""
    for made in range(MOST_STEPS):
        inside = (beta > lower) & (beta < upper)
        free = np.flatnonzero(inside & (beta != 0.0) if epsilon > 0.0 else inside)
        if not 2 <= len(free) <= MOST_FREE:
            return made
        K = take_block(*_block(rows, free))
        lean = slope[free] + epsilon * np.sign(beta[free])
        # What they share moves nothing, and costs digits.
        of_group = group[free]
        for k in np.unique(of_group):
            lean[of_group == k] -= lean[of_group == k].mean()
        step = _direction(K, lean, of_group)
        fall, bend = -float(lean @ step), float(step @ (K @ step))
        if not fall > 0.0:
            return made
        # The kink of ε|β| is a bound of the parabola too.
        low = np.where(beta[free] > 0.0, np.maximum(lower[free], 0.0), lower[free]) if epsilon > 0.0 else lower[free]
        high = np.where(beta[free] < 0.0, np.minimum(upper[free], 0.0), upper[free]) if epsilon > 0.0 else upper[free]
        with np.errstate(divide="ignore", over="ignore"):
            room = np.where(step > 0.0, high - beta[free], low - beta[free]) / np.where(step == 0.0, np.inf, step)
        room[step == 0.0] = np.inf
        length = min(float(room.min()), fall / bend if bend > 0.0 else np.inf)
        if not np.isfinite(length):
            return made
        old, stopped = beta[free], room <= length
        beta[free] = np.clip(old + length * step, low, high)
        beta[free[stopped]] = np.where(step > 0.0, high, low)[stopped]
        rows.add_to(slope, free, beta[free] - old)
        if not stopped.any():
            return made + 1
    return MOST_STEPS


def _block(rows: KernelRows, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values, members = rows.between(chosen)
    members = members if len(members) else np.arange(len(chosen))
    return values, members, members


def _direction(K: np.ndarray, lean: np.ndarray, group: np.ndarray) -> np.ndarray:
    """(f,) −P lean, P the inverse of K on the vectors whose sums over each group are 0; 0 where K is not PSD."""
    sums = np.stack([group == k for k in np.unique(group)], axis=1).astype(float)
    try:
        factor = cho_factor(K + RIDGE * np.trace(K) / len(K) * np.eye(len(K)), lower=True)
    except LinAlgError:
        return np.zeros(len(K))
    solved = cho_solve(factor, np.column_stack([lean, sums]))
    towards, each = solved[:, 0], solved[:, 1:]
    step = each @ np.linalg.solve(sums.T @ each, sums.T @ towards) - towards
    # What rounding leaves of the sums would be seen in rows far from zero.
    return step - sums @ (sums.T @ step / sums.sum(axis=0))
