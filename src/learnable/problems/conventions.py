"""Conversions between the scalings people know and the one used inside: mean loss + penalty.

Syllabus section 5; rows S4, L13, R7.
"""


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
