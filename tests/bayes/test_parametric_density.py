"""scikit-learn's own checks on the density estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from learnable.bayes import ParametricDensity


def reasons(estimator):
    if estimator.law == "gaussian":
        return {}
    reason = "30 columns and fewer rows: a joint Gaussian has no maximum of likelihood, and says so"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [ParametricDensity(), ParametricDensity("multivariate_gaussian")], expected_failed_checks=reasons
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
