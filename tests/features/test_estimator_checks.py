"""scikit-learn's own checks on every transformer of the room."""

import pytest
from tests.cases import assert_scikit_learn_checks

from learnable.features import (
    FactoredEncoder,
    NormScaler,
    PolynomialBasis,
    Standardizer,
    TableCoder,
    ThermometerEncoder,
)


@pytest.mark.parametrize(
    "estimator",
    [
        NormScaler(),
        NormScaler("sqrt_n"),
        Standardizer(),
        PolynomialBasis(),
        PolynomialBasis(1, constant=False),
        ThermometerEncoder(),
        ThermometerEncoder(handle_unknown="ignore"),
        FactoredEncoder(),
        FactoredEncoder(handle_unknown="ignore"),
        TableCoder(),
    ],
    ids=str,
)
def test_scikit_learn_checks(estimator):
    assert_scikit_learn_checks(estimator)
