"""Bounds that a fit misses, and says so or stops by a rule that knows none of them: neither proved nor refuted."""

from collections.abc import Callable
from typing import Any

from learnable.certificates.core.again import AGAIN, TooManySteps, apart_from, fitted_again
from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.refitted import is_long, refits, same_model
from learnable.certificates.core.verdict import Verdict

# What a claim assumes which neither a rule to stop by nor rounding leaves unfulfilled.
OF_THE_FORM = "an answer of another form answers no problem"
# How many times what the same fit misses, done again with other rounding or random numbers, it may have missed.
MUCH = 10.0


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


def as_theirs_is(
    model: Any, found: Certificate, judge: Callable[[Any], Certificate], *data: Any, **named: Any
) -> Certificate:
    """What is found about a fit of scikit-learn's: open where the same fit, done again, misses the same by as much.

    It stops by rules of its own, and its arithmetic is its own; parts that do not belong together are not excused by
    either. Where nobody knows its random numbers others do.
    """
    missed = [k for k, claim in enumerate(found) if claim.verdict is Verdict.REFUTED]
    if is_long(model) or any(_is_of_the_form(found[k]) for k in missed):
        return found
    first = None
    for again in refits(model, *data, **named):
        if again is None:
            break
        if _misses(judge(again), found, missed):
            return admitted(found)
        if first is not None and same_model(first, again):
            break
        first = first or again
    return found


def _is_of_the_form(claim: Claim) -> bool:
    """Whether a claim says that something is no answer at all: it says so, or counts what should not be there."""
    return claim.id == "O7" or OF_THE_FORM in claim.assumptions or (claim.bound == 0.0 and claim.value % 1.0 == 0.0)


def _misses(other: Certificate, found: Certificate, which: list[int]) -> bool:
    """Whether another certificate of a class proves these claims as little, at no less than a part of their values."""
    return len(other) == len(found) and all(
        not other[k].holds and _as_far(found[k].value, other[k].value) for k in which
    )


def _as_far(missed: float, by_theirs: float) -> bool:
    """Whether what is missed is no more than that, many times over; no number is where that is none."""
    return missed <= MUCH * by_theirs or (missed != missed and by_theirs != by_theirs)


def _opened(claim: Claim) -> Claim:
    return claim._replace(open=True)
