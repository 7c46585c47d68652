"""Bounds that a fit misses and says so: neither proved nor refuted."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import fitted
from learnable.certificates.core.reported import reported
from learnable.certificates.core.verdict import Verdict
from learnable.config import config_context

# How far from those of the fit done again numbers may be, relatively: another machine rounds otherwise.
AGAIN = 1e-6


def admitted(certificate: Certificate) -> Certificate:
    """The certificate of a fit that says it fell short: the claims that fail are left open, and nothing is proved.

    >>> print(admitted(Certificate("Lasso", [Claim.at_most("L3", "duality gap", 1.0, 1e-6)])))
    Certificate of Lasso: nothing asserted
      [not proved] L3: duality gap: 1 <= 1e-06
    """
    claims = [_opened(claim) if claim.verdict is Verdict.REFUTED else claim for claim in certificate]
    return Certificate(certificate.subject, claims, certificate.unverified)


def says_it_fell_short(model: Any) -> bool:
    """Whether the model says that its fit ended before its end: no evidence, but a reason to do the fit again."""
    told, ended = vars(model).get("certificate_"), str(vars(model).get("status_", "optimal"))
    return isinstance(told, Certificate) and ended not in ("optimal", "stationary")


def as_fitted_again(model: Any, found: Certificate, *data: Any, **named: Any) -> Certificate:
    """What is found about a model that says it fell short: open where the same fit ends there too, else refuted.

    Its word is no evidence, and what it missed may be far from what another answer misses: the fit is done again, from
    the same start and random numbers and no further than it came, and must give the same numbers.
    """
    again = fitted_again(model, *data, **named)
    return admitted(found) if again is not None and _same_answer(model, again) else found


def fitted_again(model: Any, *data: Any, **named: Any) -> Any | None:
    """The same problem fitted anew, from what the model says it began with; None where the fit fails."""
    from sklearn.base import clone

    again = clone(model)
    vars(again).pop("_skl_callbacks", None)
    again._begin_as(vars(model).get("_began") or {})
    with warnings.catch_warnings(), config_context(certificates=False):
        warnings.simplefilter("ignore")
        try:
            return again.fit(*data, **named)
        except Exception:  # what cannot be solved excuses no answer
            return None


def _same_answer(model: Any, again: Any) -> bool:
    """Whether two fits of the same class have the same fitted attributes, to rounding."""
    own, other = ({name: vars(each)[name] for name in fitted(vars(each))} for each in (model, again))
    for attributes in (own, other):
        for name in ("status_", "certificate_"):
            attributes.pop(name, None)
    return alike(own, other)


def alike(one: Any, two: Any) -> bool:
    """Whether two fitted attributes are the same, numbers to rounding, whatever they are made of.

    >>> alike({"a": [1.0, 2.0]}, {"a": [1.0, 2.0 + 1e-9]}), alike({"a": [1.0, 2.0]}, {"a": [1.0, 2.1]})
    (True, False)
    """
    if issparse(one) and issparse(two):
        return alike(one.toarray(), two.toarray())
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(alike(value, two[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(map(alike, one, two))
    if isinstance(one, np.ndarray | np.generic | float | int) and isinstance(
        two, np.ndarray | np.generic | float | int
    ):
        one, two = np.asarray(one), np.asarray(two)
        if one.dtype.kind == two.dtype.kind == "f":
            return reported("", "", one, two, AGAIN).holds
        if one.dtype.kind != "O" or one.ndim == 0:
            return one.dtype.kind == two.dtype.kind and np.array_equal(one, two)
        return one.shape == two.shape and all(map(alike, one.flat, two.flat))
    if type(one) is not type(two):
        return False
    if isinstance(one, BaseEstimator):
        return _same_answer(one, two)
    return alike(vars(one), vars(two)) if hasattr(one, "__dict__") else bool(one == two)


def _opened(claim: Claim) -> Claim:
    return claim._replace(open=True)
