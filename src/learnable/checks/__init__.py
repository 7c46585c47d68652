"""Checks that ship: for the estimators of this library and for those of others that build on it."""

from learnable.checks.data import well_posed
from learnable.checks.discovery import all_estimators
from learnable.checks.estimator_checks import HOUSE_CHECKS, by_default, house_checks
from learnable.checks.kinds import CheckData, Kind, kind_of
from learnable.checks.registry import register
from learnable.checks.tamper import tampered

__all__ = [
    "HOUSE_CHECKS", "CheckData", "Kind", "all_estimators", "by_default", "house_checks", "kind_of", "register",
    "tampered", "well_posed",
]  # fmt: skip
