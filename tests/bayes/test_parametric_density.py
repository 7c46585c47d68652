"""scikit-learn's own checks on the density that is not the default; that one is found with all other learners."""

from tests.cases import assert_scikit_learn_checks

from learnable.bayes import ParametricDensity


def test_scikit_learn_checks():
    too_wide = "30 columns and fewer rows: a joint Gaussian has no maximum of likelihood, and says so"
    assert_scikit_learn_checks(
        ParametricDensity("multivariate_gaussian"), {"check_sample_weight_equivalence_on_dense_data": too_wide}
    )
