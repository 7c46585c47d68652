"""The multi-class hinge of Crammer and Singer and its dual. Syllabus: S3.

P(W) = ½ Σ_m ‖w_m‖² + Σᵢ Cᵢ max_m (1 − [m = yᵢ] + (w_m − w_{yᵢ})·xᵢ)
D(α) = −½ Σ_m ‖Σᵢ α_im xᵢ‖² − Σᵢ Σ_{m ≠ yᵢ} α_im,   α_im ≤ Cᵢ[m = yᵢ],  Σ_m α_im = 0
"""

import numpy as np

from learnable.problems.kernels.machines import MachineValues


def losses(scores: np.ndarray, index: np.ndarray) -> np.ndarray:
    """max over the classes of 1 − [m = y] + f_m − f_y, one number a row.

    >>> losses(np.array([[2.0, 0.0, 1.5]]), np.array([0])).tolist()
    [0.5]
    """
    rows = np.arange(len(index))
    ahead = scores - scores[rows, index][:, None] + 1.0
    ahead[rows, index] = 0.0
    return ahead.max(axis=1)


def values(
    scores: np.ndarray, norm: float, index: np.ndarray, C: np.ndarray, alpha: np.ndarray, square: float
) -> MachineValues:
    """P and D, from scores (n, K), Σ ‖w_m‖² of the weights and of those that α makes up."""
    others = alpha.sum() - alpha[np.arange(len(index)), index].sum()
    return MachineValues(0.5 * norm + float(C @ losses(scores, index)), -0.5 * square - float(others))
