"""Checks that ship: for the estimators of this library and for those of others that build on it."""

from learnable.checks.discovery import all_estimators
from learnable.checks.estimator_checks import HOUSE_CHECKS, house_checks

__all__ = ["HOUSE_CHECKS", "all_estimators", "house_checks"]
