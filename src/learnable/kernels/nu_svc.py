"""Support vector classification that chooses its C. Syllabus: S8."""

import warnings
from functools import cache
from typing import Any

import numpy as np

from learnable.base import Fitting, class_indices
from learnable.kernels.pair_probabilities import PairProbabilities
from learnable.problems.kernels.hulls import MEET, hull_distance
from learnable.problems.kernels.kernel import Kernel
from learnable.solvers.kernels import machines, smo
from learnable.solvers.kernels.starts import filled
from learnable.trace import Status


class NuSVC(PairProbabilities):
    """The machine of `SVC` with the C that puts a share ν of the rows on or inside the margin.

    Minimises ½‖w‖² − νρ + (1/n) Σ (ρ − yᵢ f(xᵢ))₊ over w, b and ρ, and divides by ρ: the machine of SVC with
    C = 1/(nρ). At most a share ν of the rows is inside the margin, and at least a share ν is support vectors.

    Parameters
    ----------
    nu : float in (0, 1], default=0.5
        At most twice the share of the smaller class of any pair.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, verbose, max_iter : as in `SVC`
    decision_function_shape, break_ties, random_state : as in `SVC`
    class_weight : kept for compatibility
        ν fixes the sum of α of both classes, whatever their weights.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, class_weight_, gamma_, shape_fit_, fit_status_ :
        as in `SVC`
    n_iter_ : as in `SVC`
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        S6 α in its box with the sum ν n, every row in its class; S7 the relative duality gap; S5 the offset.

    References
    ----------
    Schölkopf, Smola, Williamson and Bartlett (2000), "New support vector algorithms".

    Examples
    --------
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> model = NuSVC(kernel="linear").fit(X, [1, 1, 2, 2])
    >>> model.predict([[-0.8, -1.0]]), str(model.certificate_.verdict)
    (array([1]), 'proved')
    """

    _remedy = "the classes may meet at this nu, which leaves no margin: lower nu, or take another kernel"

    def __init__(
        self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, probability=False, tol=1e-3,
        cache_size=200,
        class_weight=None, verbose=False, max_iter=-1, decision_function_shape="ovr", break_ties=False,
        random_state=None,
    ):  # fmt: skip
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit one machine a pair of classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or the table of kernel values
        y : array (n,) of classes
        sample_weight : array (n,), the largest α of each row; rows of a weight ≤ 0 are left out
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._checked_data(X, y, sample_weight)
        classes, index = class_indices(data.y, "NuSVC")
        each = self._class_weights(classes, data.y)
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight
        table = self._to_solve(data.X)
        gamma = self._width(table)
        kernel, posed = self._kernel(gamma, data.X), []
        for rows, z in self._pairs(index, len(classes)):
            most = weight[rows]
            self._refuse_infeasible(z, most)
            half = 0.5 * self.nu * float(most.sum())
            positive = z > 0.0
            start = np.zeros(len(z))
            start[positive], start[~positive] = filled(most[positive], half), -filled(most[~positive], half)
            dual = smo.BoxDual(
                np.zeros(len(z)), np.where(positive, 0.0, -most), np.where(positive, most, 0.0), 0.0,
                positive.astype(np.int8),
            )  # fmt: skip
            posed.append(machines.Posed(rows, dual, start, by_width=True))

        calibration = cache(lambda: self._calibration(data, index, len(classes), gamma))

        def attributes(state: machines.MachinesState):
            # Free rows say −Kβ = b + ρ on the negative side and b − ρ on the positive one.
            rho = 0.5 * (state.offsets[:, 0] - state.offsets[:, 1])
            met = self._classes_meet(kernel, table, posed, state)
            # Without a margin there is nothing to divide by.
            rho = np.where(met | (rho <= 0.0), 1.0, rho)
            betas = [beta / each for beta, each in zip(state.betas, rho)]
            support, counts, dual = self._layout(index, len(classes), [each.rows for each in posed], betas)
            return {
                "classes_": classes, "class_weight_": each, **self._support(data.X, support, gamma),
                "n_support_": counts, "dual_coef_": self._kept_dual(dual, data.X),
                "intercept_": np.where(met, 0.0, 0.5 * state.offsets.sum(axis=1) / rho),
                "fit_status_": int(not state.reached), "n_iter_": state.pairs.astype(np.int32),
                **calibration(),
            }  # fmt: skip

        return Fitting(
            iterates=machines.iterates(
                kernel, table, posed, self.tol, self.cache_size, self._most, bool(self.shrinking)
            ),
            stop=self._stop(),
            attributes=attributes,
            data=data,
            ended=Status.OPTIMAL,
            advice=self._spent,
        )

    def _classes_meet(
        self, kernel: Kernel, X: Any, posed: list[machines.Posed], state: machines.MachinesState
    ) -> np.ndarray:
        """(pairs,) whether the hulls of two classes meet, which is said aloud."""
        each = zip((one.rows for one in posed), state.betas, state.slopes)
        met = np.array([hull_distance(kernel, X, *one) <= MEET for one in each])
        if met.any():
            warnings.warn(
                f"NuSVC(nu={self.nu:g}): at this nu classes meet, so that the widest margin is 0 and so is every score "
                "between them; raise nu or take another kernel",
                UserWarning,
                stacklevel=6,
            )
        return met

    def _refuse_infeasible(self, z: np.ndarray, most: np.ndarray) -> None:
        smaller = min(float(most[z > 0.0].sum()), float(most[z < 0.0].sum()))
        largest = 2.0 * smaller / max(float(most.sum()), np.finfo(float).tiny)
        if self.nu > largest * (1.0 + 1e-12):
            raise ValueError(
                f"NuSVC(nu={self.nu:g}): specified nu is infeasible; a pair of classes allows 0 < nu <= {largest:.4g}, "
                "twice the share of its smaller class"
            )
