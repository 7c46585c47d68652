"""The quadratic model of the softmax loss in some coefficients of all classes at once.

The loss of a row bends by w (diag P − PPᵀ) in its scores: a step in one class is paid for in the others. A model of
one class at a time does not know it, and rounds over the classes take hundreds where a joint step takes ten. Between
the coefficients of column j in class k and of column l in class m the model has

    Σᵢ wᵢ P_ik (1[k = m] − P_im) x_ij x_il  =  (blocks of one class)  −  ZᵀZ,    z_a = √w P_k x_j for a = (k, j).

Free intercepts are eliminated; columns are centred before, so that what they share drowns nothing. Syllabus: L21, C6.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from learnable._jit.core.vectors import SparseVectors
from learnable._jit.sparse.coordinate_descent import gram_sweeps
from learnable.problems.sparse.penalties import ElasticNet, subdistance
from learnable.solvers.sparse.design_columns import DesignColumns
from learnable.solvers.sparse.last_moves import LastMoves
from learnable.solvers.sparse.support_factor import SupportFactor
from learnable.solvers.sparse.support_newton import SubProblem, newton_steps

# Numbers in the rows of Z that are made at a time.
CHUNK = 2_000_000
# Sweeps over the pairs between two Newton steps on their support, and how often at most.
SWEEPS = 8
ROUNDS = 60
# After so many, Newton steps follow one another until they end inside.
FULL_NEWTON_AFTER = 2
# What the violation of the model is brought down to.
ACCURACY = 1e-3


class JointModel:
    """Mean loss near the scores at hand, in the coefficients `pairs`.

    Parameters
    ----------
    columns : those that occur in the pairs.
    pairs : (w,) k · p + j, rising: coefficient of column j in class k.
    p : columns of the whole design.
    P : (n, K) probabilities.
    share : (n,) weights of the rows, which sum to one.
    intercept : whether each class has a free one.
    """

    def __init__(
        self, columns: DesignColumns, pairs: np.ndarray, p: int, P: np.ndarray, share: np.ndarray, intercept: bool
    ):
        self.columns, self.pairs, self.intercept = columns, pairs, intercept
        self.classes, places = np.divmod(pairs, p)
        self.places = np.searchsorted(columns.places, places)
        self.centre = columns.pulled(share) if intercept else np.zeros(len(columns.places))
        self.K = P.shape[1]
        self.gram, self.across, self.free = self._sums(P, share)
        if intercept:
            # The mean of all intercepts moves nothing: any curvature along it serves.
            self.free = self.free + np.trace(self.free) / self.K**2
            self.followed = np.linalg.solve(self.free, self.across.T).T
            self.gram -= self.followed @ self.across.T
            self.gram = 0.5 * (self.gram + self.gram.T)
        self.factor = SupportFactor()

    def _sums(self, P: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Curvatures between pairs, between pairs and intercepts, between intercepts."""
        w, K = len(self.pairs), self.K
        gram, across = np.zeros((w, w), order="F"), np.zeros((w, K))
        inside = [np.flatnonzero(self.classes == k) for k in range(K)]
        own = [np.zeros((len(a), len(a))) for a in inside]
        step = max(CHUNK // max(w, 1), 256)
        for start in range(0, len(P) if w else 0, step):
            rows = slice(start, start + step)
            X = _dense(self.columns, rows) - self.centre
            root = np.sqrt(share[rows])[:, None]
            R = root * P[rows]
            Z = np.asfortranarray(X[:, self.places]) * R[:, self.classes]
            gram = blas.dsyrk(-1.0, Z, beta=1.0, c=gram, trans=1, lower=0, overwrite_c=1)
            across -= Z.T @ R
            for a, k, block in zip(inside, range(K), own):
                if len(a):
                    half = root[:, 0] * np.sqrt(P[rows, k])
                    bent = X[:, self.places[a]] * half[:, None]
                    block += bent.T @ bent
                    across[a, k] += bent.T @ half
        full = np.triu(gram) + np.triu(gram, 1).T
        for a, block in zip(inside, own):
            full[np.ix_(a, a)] += block
        weighted = share[:, None] * P
        return np.ascontiguousarray(full), across, np.diag(weighted.sum(axis=0)) - P.T @ weighted

    def minimum(
        self, penalty: ElasticNet, coef: np.ndarray, slope: np.ndarray, pull: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(coefficients, (K,) changes of the intercepts) at the least model + penalty, as exactly as a step is worth.

        Parameters
        ----------
        coef, slope : (w,) coefficients at hand and the slopes of the loss in them.
        pull : (n, K) slopes of the loss in the scores.
        """
        miss = pull.sum(axis=0)
        if self.intercept:
            slope = slope - self.centre[self.places] * miss[self.classes] - self.followed @ miss
        part = SubProblem(
            self.pairs, self.gram, coef.copy(), slope.copy(), self.gram @ coef - slope, 0.0, self.factor, LastMoves()
        )
        _solve(part, penalty)
        if not self.intercept:
            return part.coef, np.zeros(self.K)
        change = part.coef - coef
        shift = -np.linalg.solve(self.free, miss + self.across.T @ change)
        np.subtract.at(shift, self.classes, self.centre[self.places] * change)
        return part.coef, shift - shift.mean()

    def along(self, step: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """(n, K) how the scores move."""
        change = np.zeros((len(self.columns.places), self.K))
        change[self.places, self.classes] = step
        return self.columns.times(change) + shift


def _solve(part: SubProblem, penalty: ElasticNet) -> None:
    """Sweeps decide who leaves zero, Newton steps across signs solve for those who have."""

    def violation() -> float:
        return float(subdistance(penalty, part.coef, part.slope, part.columns).max(initial=0.0))

    target = ACCURACY * violation()
    for k in range(ROUNDS):
        gram_sweeps(part.gram, part.slope, part.coef, penalty, part.columns, SWEEPS)
        if violation() <= target:
            return
        newton_steps(part, penalty, 1 if k < FULL_NEWTON_AFTER else len(part.coef))
        if violation() <= target:
            return


def _dense(columns: DesignColumns, rows: slice) -> np.ndarray:
    if not isinstance(columns.X, SparseVectors):
        return columns.X[rows]
    values, places, starts = columns.X
    starts = starts[rows.start : min(rows.stop, columns.n) + 1]
    part = slice(starts[0], starts[-1])
    shape = (len(starts) - 1, len(columns.places))
    return sparse.csr_array((values[part], places[part].astype(np.int64), starts - starts[0]), shape=shape).toarray()
