"""Bounds that a fit itself says it missed: neither proved nor refuted."""

import math
from collections.abc import Sequence
from typing import Any

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.verdict import Verdict

# How much worse than admitted a number may be when it is computed again, perhaps in another order.
AGAIN = 1e-3


def admitted(certificate: Certificate) -> Certificate:
    """The certificate of a fit that says it fell short: the claims that fail are left open, and nothing is proved.

    >>> print(admitted(Certificate("Lasso", [Claim.at_most("L3", "duality gap", 1.0, 1e-6)])))
    Certificate of Lasso: nothing asserted
      [not proved] L3: duality gap: 1 <= 1e-06
    """
    claims = [_opened(claim) if claim.verdict is Verdict.REFUTED else claim for claim in certificate]
    return Certificate(certificate.subject, claims, certificate.unverified)


def as_admitted(model: Any, claims: Sequence[Claim]) -> list[Claim]:
    """The claims about a model: one that fails is left open if the fit admits the same failure, as large or larger.

    A fit admits nothing while it calls itself optimal or stationary. Whoever forges an admission makes the certificate
    prove nothing.
    """
    own = vars(model).get("certificate_")
    if not isinstance(own, Certificate) or str(vars(model).get("status_")) in ("optimal", "stationary"):
        return list(claims)
    missed = {(claim.id, claim.statement): claim for claim in own if claim.open}
    return [
        _opened(claim) if claim.verdict is Verdict.REFUTED and _as_told(claim, missed.get(claim[:2])) else claim
        for claim in claims
    ]


def _as_told(claim: Claim, told: Claim | None) -> bool:
    if told is None or claim.bound is None:
        return False
    return claim.value <= told.value * (1.0 + AGAIN) or (math.isnan(claim.value) and math.isnan(told.value))


def _opened(claim: Claim) -> Claim:
    return claim._replace(open=True)
