"""What is proved: what every family shares."""

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.certify import certifies, certify
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.core.verdict import Verdict

__all__ = [
    "Certificate", "Claim", "Ledger", "Verdict", "allowed", "certifies", "certify", "check_shapes",
    "digest_generator", "reported", "thorough",
]  # fmt: skip
