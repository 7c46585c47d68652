"""What is proved: claims as functions of (problem, data, answer). Shares no code with solvers or kernels."""

from learnable.certificates.certificate import Certificate
from learnable.certificates.certify import certifies, certify
from learnable.certificates.claim import Claim

__all__ = ["Certificate", "Claim", "certifies", "certify"]
