"""Best subset regression by mixed-integer programs."""

from collections.abc import Iterator
from typing import Any

from learnable.solvers.sparse import subset_cuts
from learnable.sparse.proved_subset import ProvedSubset, SubsetProblem


class BestSubsetMILP(ProvedSubset):
    """Best subset through HiGHS: the same answer as `BestSubset`, by another road.

    Each subset tried gives a cut, a lower bound of every residual sum that is linear in which columns are chosen; the
    program that minimises the largest cut names the next subset. Slower than `BestSubset`, whose bound is the same
    relaxation, but its proof rests on a mixed-integer solver that many have tested. Syllabus: L1.

    Parameters
    ----------
    k : int, default=1
        Columns at most.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        The fit ends once the residual sum is proved to be within this share of the target's sum of squares.
    max_iter : int, default=1000
        Programs at most. With columns that depend on each other, as with p ≥ n, there is no cut to begin with: the
        lower bound is then that of all columns together.

    Attributes
    ----------
    coef_, intercept_ : the least squares solution on the subset.
    support_ : array, the columns chosen.
    rss_ : float, residual sum of squares.
    lower_bound_ : float, no subset of at most k columns has a smaller one.
    n_iter_ : int, programs solved.
    split_ : array (p,), the diagonal D, in units in which columns have length one; zero for columns left out.
    points_ : array (m, p), the points of the cuts.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L1 : the residual sum is the least over all subsets, within `tol`: the program of the kept cuts, solved again.
        R1 : the coefficients solve the normal equations of the subset.

    Examples
    --------
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import BestSubsetMILP
    >>> X, y, beta, _ = toeplitz_regression(100, 10, support=2, noise=0.5, random_state=0)
    >>> BestSubsetMILP(k=2).fit(X, y).support_.tolist() == beta.nonzero()[0].tolist()
    True
    """

    def __init__(self, k=1, *, fit_intercept=True, tol=1e-8, max_iter=1000):
        super().__init__(k, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter)

    def _iterates(self, problem: SubsetProblem) -> Iterator[Any]:
        return subset_cuts.iterates(problem.gram, problem.cross, problem.split, problem.start, problem.k)

    def _proof(self, problem: SubsetProblem, state: Any) -> dict[str, Any]:
        return {"n_iter_": max(len(state.points), 1), "points_": problem.among_all(state.points)}
