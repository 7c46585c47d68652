"""Bounds that a fit misses and says so: neither proved nor refuted."""

from typing import Any

from learnable.certificates.core.again import AGAIN, TooManySteps, apart_from, fitted_again
from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.verdict import Verdict


def admitted(certificate: Certificate) -> Certificate:
    """The certificate of a fit that says it fell short: the claims that fail are left open, and nothing is proved.

    >>> print(admitted(Certificate("Lasso", [Claim.at_most("L3", "duality gap", 1.0, 1e-6)])))
    Certificate of Lasso: nothing asserted
      [not proved] L3: duality gap: 1 <= 1e-06
    """
    claims = [_opened(claim) if claim.verdict is Verdict.REFUTED else claim for claim in certificate]
    return Certificate(certificate.subject, claims, certificate.unverified)


def halted(certificate: Certificate) -> Certificate:
    """The certificate of a fit that a watcher stopped, of a learner whose answer is where its fit ends."""
    statement = "the same fit, done again, ends at this answer: it was stopped on its way (1)"
    claim = Claim.at_most(certificate[0].id, statement, 1.0, 0.0)._replace(open=True)
    return Certificate(certificate.subject, [*certificate, claim], certificate.unverified)


def says_it_fell_short(model: Any) -> bool:
    """Whether the model says that its fit ended before its end: no evidence, but a reason to do the fit again."""
    told, ended = vars(model).get("certificate_"), str(vars(model).get("status_", "optimal"))
    return isinstance(told, Certificate) and ended not in ("optimal", "stationary")


def as_fitted_again(model: Any, found: Certificate, *data: Any, **named: Any) -> Certificate:
    """What is found about a model that says it fell short: open where the same fit ends there too, else refuted.

    Its word is no evidence, and what it missed may be far from what another answer misses: the fit is done again, from
    the same start and random numbers and no further than it came, and must give the same numbers.
    """
    try:
        again = fitted_again(model, *data, **named)
    except TooManySteps:  # a reason to prove nothing, none to refute
        return admitted(found)
    same = again is not None and apart_from(model, again, data[0]) <= AGAIN
    return admitted(found) if same else found


def _opened(claim: Claim) -> Claim:
    return claim._replace(open=True)
