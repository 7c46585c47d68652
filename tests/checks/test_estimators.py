"""Every public estimator × scikit-learn's checks × the house checks. Estimators are found, not listed."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from learnable.checks import HOUSE_CHECKS, all_estimators

ESTIMATORS = [kind() for _, kind in all_estimators()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", HOUSE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", [kind for _, kind in all_estimators()], ids=lambda kind: kind.__name__)
def test_house_check(kind, check):
    check(kind())
