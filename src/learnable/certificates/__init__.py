"""What is proved: claims as functions of (problem, data, answer). Shares no code with solvers or kernels."""

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.certify import certifies, certify
from learnable.certificates.core.claim import Claim

__all__ = ["Certificate", "Claim", "certifies", "certify"]
