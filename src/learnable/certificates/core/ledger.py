"""Which fitted attributes a certificate answers for."""

from functools import lru_cache
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
        return _unverified(self, tuple(attributes))

    def missing_from(self, attributes: Any) -> tuple[str, ...]:
        """The fitted attributes, among these, that the ledger does not know."""
        known = BY_THE_CORE.union(*self)
        return tuple(sorted(name for name in fitted(attributes) if name not in known))


def fitted(attributes: Any) -> tuple[str, ...]:
    """The names that a fit leaves behind: they end with an underscore and do not begin with one."""
    return _fitted(tuple(attributes))


# Fits of one class leave the same names behind.
@lru_cache(maxsize=1000)
def _fitted(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name.endswith("_") and not name.startswith("_"))


@lru_cache(maxsize=1000)
def _unverified(ledger: Ledger, names: tuple[str, ...]) -> tuple[str, ...]:
    answered = BY_THE_CORE.union(ledger.verified, ledger.derived)
    return tuple(sorted(name for name in _fitted(names) if name not in answered))
