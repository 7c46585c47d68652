"""What is proved: claims as functions of (problem, data, answer). Shares no code with solvers or kernels."""

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.certify import certifies, certify
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.gradient_check import GradientCheck, gradient_check
from learnable.certificates.core.kkt import (
    KKTResiduals,
    Lagrangian,
    QuadraticProgram,
    Smooth,
    StrongDuality,
    kkt_residuals,
    strong_duality,
    weak_duality_claim,
)
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.verdict import Verdict
from learnable.certificates.linear.gradient_descent import descent_claim, linear_rate_claim, strong_convexity_claim

__all__ = [
    "Certificate",
    "Claim",
    "GradientCheck",
    "KKTResiduals",
    "Lagrangian",
    "Ledger",
    "QuadraticProgram",
    "Smooth",
    "StrongDuality",
    "Verdict",
    "certifies",
    "certify",
    "descent_claim",
    "gradient_check",
    "kkt_residuals",
    "linear_rate_claim",
    "strong_convexity_claim",
    "strong_duality",
    "weak_duality_claim",
]
