"""What is proved: claims as functions of (problem, data, answer). Shares no code with solvers or kernels."""

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.certify import certifies, certify
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.verdict import Verdict

__all__ = ["Certificate", "Claim", "Ledger", "Verdict", "certifies", "certify"]
