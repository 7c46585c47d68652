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
    sometimes : those of the first two that only some options, data or classes leave behind, so that the certifier
        itself asks for them; the others are in every fit of this library.

    Examples
    --------
    >>> ledger = Ledger(verified=("coef_",), derived=("dual_gap_",), unverified=("n_iter_",))
    >>> ledger.unverified_of({"coef_": 0.0, "n_iter_": 3, "extra_": 1})
    ('extra_', 'n_iter_')
    >>> ledger.taken_from({"coef_": 0.0, "n_iter_": 3})
    ('dual_gap_',)
    """

    verified: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()

    def unverified_of(self, attributes: Any) -> tuple[str, ...]:
        """The fitted attributes, among these, that nothing is proved about: those that say so, and unknown ones."""
        return _unverified(self, tuple(attributes))

    def taken_from(self, attributes: Any) -> tuple[str, ...]:
        """The verified and derived attributes that every fit leaves behind and that are not among these."""
        return tuple(name for name in _always(self) if name not in attributes)

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
def _always(ledger: Ledger) -> tuple[str, ...]:
    return tuple(name for name in ledger.verified + ledger.derived if name not in ledger.sometimes)


@lru_cache(maxsize=1000)
def _unverified(ledger: Ledger, names: tuple[str, ...]) -> tuple[str, ...]:
    answered = BY_THE_CORE.union(ledger.verified, ledger.derived)
    return tuple(sorted(name for name in _fitted(names) if name not in answered))
