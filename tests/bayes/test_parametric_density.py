"""scikit-learn's own checks on the density that is not the default; that one is found with all other learners."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from learnable.bayes import ParametricDensity

TOO_WIDE = "30 columns and fewer rows: a joint Gaussian has no maximum of likelihood, and says so"


@parametrize_with_checks(
    [ParametricDensity("multivariate_gaussian")],
    expected_failed_checks=lambda _: {"check_sample_weight_equivalence_on_dense_data": TOO_WIDE},
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
