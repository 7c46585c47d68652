"""scikit-learn's own checks on every transformer of the room."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from learnable.features import (
    FactoredEncoder,
    NormScaler,
    PolynomialBasis,
    Standardizer,
    TableCoder,
    ThermometerEncoder,
)

EXPECTED_FAILURES: dict[type, dict[str, str]] = {}


@parametrize_with_checks(
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
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES.get(type(estimator), {}),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
