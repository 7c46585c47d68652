"""The path of the group lasso and the sparse group lasso: every penalty's answer starts the next."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.interrupt import interrupts_pass
from learnable.base import Data
from learnable.problems.sparse.group_penalties import GroupPenalty
from learnable.rows import one_blas_thread
from learnable.solvers.sparse.group_descent import GroupDescent
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.group_lasso import GroupLasso
from learnable.sparse.groups import ordered_groups


class GroupPath(NamedTuple):
    """A path.

    Attributes
    ----------
    alphas : (m,) falling.
    coefs : (p, m).
    intercepts : (m,).
    objectives : (m,).
    gaps : (m,) duality gaps.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray
    gaps: np.ndarray


def group_path(model: GroupLasso, X, y, alphas, *, sample_weight=None) -> GroupPath:
    """Solutions for a falling list of penalties, each found from the one before.

    Parameters
    ----------
    model : `GroupLasso` or `SparseGroupLasso` with its parameters; its `alpha` is not used.
    X : array or sparse matrix (n, p)
    y : array (n,)
    alphas : array (m,) > 0; they are put in falling order.
    sample_weight : array (n,), default=None

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import GroupLasso, group_path
    >>> X, y, beta, _ = toeplitz_regression(200, 50, support=4, noise=0.1, random_state=0)
    >>> path = group_path(GroupLasso(5, tol=1e-9), X, y, [1.0, 0.3, 0.1])
    >>> path.coefs.shape, bool(path.gaps.max() <= 1e-9 * y.var())
    ((50, 3), True)
    """
    levels = np.sort(np.atleast_1d(np.asarray(alphas, dtype=float)))[::-1]
    if levels.ndim != 1 or not len(levels) or not np.all((levels > 0.0) & np.isfinite(levels)):
        raise ValueError(f"group_path: alphas is {alphas!r}; give a list of finite numbers > 0")
    data: Data = model._validated(
        X, y, sample_weight, accept_sparse=["csc"], y_numeric=True, dtype=np.float64, extremes=False, blocks=False
    )
    p = data.X.shape[1]
    groups = ordered_groups(model.groups, model.group_weight, p, type(model).__name__)
    with interrupts_pass(), one_blas_thread():
        posed = penalized_problem(data.X[:, groups.order], data.y, data.sample_weight, model.fit_intercept)
        run, enough = GroupDescent(posed.design, groups.starts), model.tol * posed.design.mean_square
        found = []
        for alpha in levels:
            penalty = GroupPenalty(float(alpha), float(model._l1_ratio), groups.weight, groups.starts)
            for _, state in zip(range(model.max_iter + 1), run.rounds(penalty, enough)):
                if state.gap <= enough:
                    break
            found.append((state.coef.copy(), state.objective, state.gap))
    coefs, objectives, gaps = (np.array(part) for part in zip(*found))
    coefs, intercepts = posed.answers(coefs, p)
    return GroupPath(levels, groups.restored(coefs.T), intercepts, objectives, gaps)
