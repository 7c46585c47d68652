"""Cross-products of the columns in the place of the Hessian of several scores: it shapes the steps, not the answer.

Where every class is as probable as any other, the Hessian of a categorical likelihood is (I − 11ᵀ/K) ⊗ XᵀX / (KW), and
elsewhere not far from it, class by class. One matrix of a row a column is formed and inverted, where the Hessian has a
row a column and class, and K (K − 1) / 2 such matrices to be added up.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from learnable.solvers.linear.likelihood import CategoricalLikelihood

# An inverse serves while the curvature is within this factor of that it was made for.
SERVES = 2.0
# A share of its square that every column has of its own, and of the mean curvature that every class has.
OWN, LEAST = 1e-8, 1e-3


class ColumnMetric:
    """Solves with c_k XᵀX / W + α for each class k, c_k being the mean of wᵢ π_ik (1 − π_ik).

    Moving all scores alike changes no probability, and costs α alone: that part is solved for by itself. Left among
    the others it takes several times as many conjugate gradients as there would be.
    """

    def __init__(self, objective: CategoricalLikelihood):
        self.objective = objective
        self.products = objective.column_products()
        self.ridge = np.full(len(self.products), objective.alpha)
        self.ridge[objective.p :] = 0.0
        self.inverse, self.level = self.products, 0.0

    def at(self, theta: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """The solver for this point: (m, K) → (m, K)."""
        curvature = self.objective.score_curvature(theta)
        level = max(float(curvature.mean()), np.finfo(float).tiny)
        if not self.level / SERVES <= level <= SERVES * self.level:
            M, own = self.products.copy(), self.products.diagonal()
            M[np.diag_indices_from(M)] += self.ridge / level + OWN * np.where(own > 0.0, own, 1.0)
            self.inverse, self.level = linalg.inv(M, overwrite_a=True, check_finite=False, assume_a="pos"), level
        scale, p = np.maximum(curvature, LEAST * level), self.objective.p

        def solved(right: np.ndarray) -> np.ndarray:
            alike = right.mean(axis=1, keepdims=True)
            found = np.dot(self.inverse, right - alike) / scale
            found -= found.mean(axis=1, keepdims=True)
            found[:p] += alike[:p] / self.objective.alpha
            return found

        return solved
