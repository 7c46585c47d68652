"""Conversions between the scalings people know and the one used inside: mean loss + penalty.

Syllabus section 5; rows S4, L13, R7.
"""

from math import inf, isinf
from sys import float_info


def ridge_alpha_from_sum(alpha: float, weight_sum: float) -> float:
    """L2 level of ½-mean-squares + ½ a ‖β‖² that equals sum of squares + alpha ‖β‖².

    Dividing ‖y − Xβ‖² + alpha ‖β‖² by 2n gives (1/2n)‖y − Xβ‖² + ½ (alpha / n) ‖β‖².

    >>> ridge_alpha_from_sum(10.0, 5.0)
    2.0
    """
    return alpha / weight_sum


def l2_from_inverse_strength(C: float, weight_sum: float) -> float:
    """L2 level of mean loss + ½ a ‖β‖² that equals C · (sum of losses) + ½ ‖β‖².

    >>> l2_from_inverse_strength(0.5, 4.0)
    0.5
    """
    return 1.0 / (C * weight_sum)


def elastic_net_from_halfless(alpha: float, l1_ratio: float) -> tuple[float, float]:
    """(alpha, l1_ratio) with ½ on the ℓ2 part, from λα‖β‖₁ + λ(1−α)‖β‖₂² written without the ½.

    >>> elastic_net_from_halfless(1.0, 0.5)
    (1.5, 0.3333333333333333)
    """
    l1, l2 = alpha * l1_ratio, 2.0 * alpha * (1.0 - l1_ratio)
    return l1 + l2, (l1 / (l1 + l2) if l1 + l2 > 0 else l1_ratio)


def logistic_strength(penalty: str | None, C: float, l1_ratio: float | None) -> tuple[float, float]:
    """(C, l1_ratio) that scikit-learn's `LogisticRegression` means, with its old `penalty` argument resolved.

    The objective is C · (sum of losses) + l1_ratio ‖β‖₁ + ½ (1 − l1_ratio) ‖β‖²; C = inf stands for no penalty.

    >>> logistic_strength("deprecated", 1.0, 0.5), logistic_strength("l1", 1.0, 0.0), logistic_strength(None, 1.0, 0.0)
    ((1.0, 0.5), (1.0, 1.0), (inf, 0.0))
    """
    if penalty is None or isinf(C):
        return inf, 0.0
    return C, {"l2": 0.0, "l1": 1.0}.get(penalty, l1_ratio or 0.0)


def gradient_target(tol: float) -> float:
    """The norm of a gradient at which a smooth fit with this `tol` ends.

    A fit that is asked for the usual accuracy goes on until its certificate can be proved, which is near; one that is
    asked for less stops when it has that.

    >>> gradient_target(1e-4), gradient_target(1e-2), gradient_target(1e-8)
    (1e-06, 0.01, 1e-08)
    """
    return tol if tol > 1e-4 else min(tol, 1e-6)


def gap_target(tol: float) -> float:
    """The relative duality gap at which a convex fit with this `tol` ends; see `gradient_target`.

    A gap is a difference of two sums: below their rounding it is not asked for.

    >>> gap_target(1e-4), gap_target(1e-2), gap_target(1e-8), 1e-15 < gap_target(1e-15) < 1e-14
    (1e-06, 0.01, 1e-08, True)
    """
    return tol if tol > 1e-4 else max(min(tol, 1e-6), 16.0 * float_info.epsilon)


def violation_target(tol: float) -> float:
    """The largest violation of an optimality condition, without units, at which a sparse likelihood fit ends.

    A violation by that share of the penalty leaves a duality gap of about that share of the loss; see `gap_target`.

    >>> violation_target(1e-4), violation_target(1e-2), violation_target(1e-8)
    (1e-06, 0.01, 1e-08)
    """
    return tol if tol > 1e-4 else min(tol, 1e-6)
