"""Bounds that a fit misses and says so: neither proved nor refuted."""

import warnings
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.verdict import Verdict
from learnable.config import config_context

# How much worse than those of a fit done again numbers may be: another machine rounds otherwise.
AGAIN = 1e-3


def admitted(certificate: Certificate) -> Certificate:
    """The certificate of a fit that says it fell short: the claims that fail are left open, and nothing is proved.

    >>> print(admitted(Certificate("Lasso", [Claim.at_most("L3", "duality gap", 1.0, 1e-6)])))
    Certificate of Lasso: nothing asserted
      [not proved] L3: duality gap: 1 <= 1e-06
    """
    claims = [_opened(claim) if claim.verdict is Verdict.REFUTED else claim for claim in certificate]
    return Certificate(certificate.subject, claims, certificate.unverified)


def says_it_fell_short(model: Any) -> bool:
    """Whether the model says that its fit missed a bound: no evidence, but a reason to do the fit again."""
    own, ended = vars(model).get("certificate_"), str(vars(model).get("status_", "optimal"))
    return isinstance(own, Certificate) and any(claim.open for claim in own) and ended not in ("optimal", "stationary")


def fitted_again(model: Any, *data: Any, **named: Any) -> Iterator[Any]:
    """The same problem fitted anew, twice where its random numbers may be fresh; nothing where the fit fails."""
    from sklearn.base import clone

    seeded = isinstance(getattr(model, "random_state", 0), Integral)
    with warnings.catch_warnings(), config_context(certificates=False):
        warnings.simplefilter("ignore")
        for again in (clone(model),) if seeded else (clone(model), clone(model)):
            vars(again).pop("_skl_callbacks", None)
            # Where a callback stopped it, the fit is done again so far and no further.
            stopped = str(vars(model).get("status_")) == "stopped"
            again._stop_at = vars(model).get("_stopped_at") if stopped else None
            try:
                yield again.fit(*data, **named)
            except Exception:  # what cannot be solved excuses no answer
                return


def as_admitted(claims: Sequence[Claim], told: Sequence[Certificate]) -> list[Claim]:
    """The claims about an answer: one that fails is left open if fits done again fall as short of the same bound.

    `told` is what is found about those. Where they fall short by different numbers, so may the answer.
    """
    return [
        _opened(claim) if claim.verdict is Verdict.REFUTED and _as_far(claim, _missed(claim, told)) else claim
        for claim in claims
    ]


def _missed(claim: Claim, told: Sequence[Certificate]) -> list[float]:
    """The values of the same claim about other answers, where it fails."""
    same = (other for certificate in told for other in certificate if other[:2] == claim[:2])
    return [other.value for other in same if not other.holds]


def _as_far(claim: Claim, missed: list[float]) -> bool:
    if not missed or claim.bound is None:
        return False
    apart = not max(missed) <= min(missed) * (1.0 + AGAIN)
    return apart or claim.value <= max(missed) * (1.0 + AGAIN)


def _opened(claim: Claim) -> Claim:
    return claim._replace(open=True)
