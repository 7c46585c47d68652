"""Which fitted attributes a certificate answers for."""

from functools import cache
from typing import Any, NamedTuple

# Judged for every estimator by `certify` itself, before any claim of the family.
BY_THE_CORE = frozenset({"status_", "certificate_", "n_features_in_", "feature_names_in_", "classes_"})


class Ledger(NamedTuple):
    """Every fitted attribute stands in one of three columns.

    Attributes
    ----------
    verified : part of the answer; a claim fails when it is altered.
    derived : a consequence of answer and data; computed again and compared, so a claim fails when it is altered.
    unverified : an account of the way there (a count of iterations, a log) that no claim depends on.

    Examples
    --------
    >>> ledger = Ledger(verified=("coef_",), derived=("dual_gap_",), unverified=("n_iter_",))
    >>> ledger.unverified_of({"coef_": 0.0, "n_iter_": 3, "extra_": 1})
    ('extra_', 'n_iter_')
    """

    verified: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()

    def unverified_of(self, attributes: Any) -> tuple[str, ...]:
        """The fitted attributes, among these, that nothing is proved about: those that say so, and unknown ones."""
        answered = _answered(self)
        return tuple(sorted(name for name in fitted(attributes) if name not in answered))

    def missing_from(self, attributes: Any) -> tuple[str, ...]:
        """The fitted attributes, among these, that the ledger does not know."""
        known = BY_THE_CORE.union(*self)
        return tuple(sorted(name for name in fitted(attributes) if name not in known))


@cache
def _answered(ledger: Ledger) -> frozenset[str]:
    return BY_THE_CORE.union(ledger.verified, ledger.derived)


def fitted(attributes: Any) -> list[str]:
    """The names that a fit leaves behind: they end with an underscore and do not begin with one."""
    return [name for name in attributes if name.endswith("_") and not name.startswith("_")]
