"""Every public estimator × scikit-learn's checks × the house checks. Estimators are found, not listed."""

import pytest
from tests.cases import assert_scikit_learn_checks

from learnable.checks import all_estimators, house_checks, kind_of
from learnable.checks.estimator_checks import made

KINDS = [kind for _, kind in all_estimators()]

ORDER_MATTERS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the answer depends on the order in which rows are met: two "
    "visits of a row are not one visit of twice the weight"
    for kind in ("dense", "sparse")
}

WITHIN_TOLERANCE = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the default width of the kernel is that of all rows alike, as "
    "in scikit-learn: a row of weight zero counts in it"
    for kind in ("dense", "sparse")
}

A_SEQUENCE = dict.fromkeys(
    ("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "the order of the rows is part of the data: a sequence shuffled or cut is another sequence",
)
A_DRAW = {
    f"check_sample_weight_equivalence_on_{kind}_data": "rows are drawn by their numbers: a row of weight two is not "
    "drawn as two rows are; scikit-learn's forests and bags have the same exception"
    for kind in ("dense", "sparse")
}
FLAT_SEQUENCE = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_n_features_in_after_fitting",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_dict_unchanged",
        "check_n_features_in",
        "check_fit2d_predict1d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    ),
    "the check cuts one column out of X for an estimator of flat input, and then asks for its columns",
)

DRAWN = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the start is drawn from the rows by their numbers: shuffled "
    "and repeated rows start elsewhere and may end in another fixed point"
    for kind in ("dense", "sparse")
}


def expected_failures(estimator) -> dict[str, str]:
    """Checks that the mathematics of an estimator rules out, with the reason."""
    return {
        "GaussianMixture": DRAWN,
        "KMeans": DRAWN,
        "MiniBatchKMeans": DRAWN,
        "Perceptron": ORDER_MATTERS,
        "SGDClassifier": ORDER_MATTERS,
        "SGDRegressor": ORDER_MATTERS,
        "HardMarginSVC": dict.fromkeys(
            ("check_estimator_sparse_tag", "check_estimator_sparse_array", "check_estimator_sparse_matrix"),
            "its rows without any entry are of both classes, which no hyperplane separates",
        ),
        "QuadraticDiscriminantAnalysis": dict.fromkeys(
            (
                "check_sample_weights_shape",
                "check_sample_weights_not_overwritten",
                "check_sample_weight_equivalence_on_dense_data",
                "check_sample_weight_equivalence_on_sparse_data",
            ),
            "the classes of these checks have no covariance of full rank (repeated rows, fewer members than columns): "
            "there is no density to fit, and scikit-learn's class refuses the same rows",
        ),
        "CategoricalNB": dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_classifiers_one_label_sample_weights"),
            "the columns of these checks hold fractions, which are no category codes: refused here, cut down to whole "
            "numbers without a word by scikit-learn's class",
        ),
        "BaggingClassifier": A_DRAW,
        "BaggingRegressor": A_DRAW,
        "RandomForestClassifier": A_DRAW,
        "RandomForestRegressor": A_DRAW,
        "CategoricalHMM": A_SEQUENCE | FLAT_SEQUENCE,
        "GaussianHMM": A_SEQUENCE,
        "MarkovChain": FLAT_SEQUENCE,
        "MultinomialHMM": A_SEQUENCE,
        "LinearSVR": ORDER_MATTERS,
        "NuSVC": WITHIN_TOLERANCE | {"check_class_weight_classifiers": "nu fixes the sum over both classes"},
        "NuSVR": WITHIN_TOLERANCE,
        "OneClassSVM": WITHIN_TOLERANCE,
        "SVC": WITHIN_TOLERANCE,
        "SVR": WITHIN_TOLERANCE,
        "Ridge": {
            "check_non_transformer_estimators_n_iter": "a direct solution has no iterations: n_iter_ is None, as in "
            "scikit-learn"
        },
    }.get(type(estimator).__name__, {})


# What becomes of data of any form does not hang on the last steps of a fit: scikit-learn checks its own classes with
# budgets like these. The house checks, which ask for certificates, let the fits end.
FEW_STEPS = {
    "AdaBoostClassifier": {"n_estimators": 3},
    "BaggingClassifier": {"n_estimators": 2},
    "BaggingRegressor": {"n_estimators": 2},
    "ElasticNetCV": {"alphas": 4, "cv": 2},
    "ExtraTreesClassifier": {"n_estimators": 2},
    "ExtraTreesRegressor": {"n_estimators": 2},
    "GaussianMixture": {"max_iter": 5},
    "GradientBoostingClassifier": {"n_estimators": 2},
    "GradientBoostingRegressor": {"n_estimators": 2},
    "HardMarginSVC": {"max_iter": 10},
    "HistGradientBoostingClassifier": {"max_iter": 3},
    "HistGradientBoostingRegressor": {"max_iter": 3},
    "KernelPerceptron": {"max_iter": 5},
    "L1AdaBoost": {"max_iter": 10},
    "LassoCV": {"alphas": 4, "cv": 2},
    "LinearUnit": {"max_iter": 10},
    "MLPClassifier": {"max_iter": 20},
    "MLPRegressor": {"max_iter": 20},
    "MiniBatchKMeans": {"max_iter": 5},
    "PenalizedRegressor": {"max_iter": 5},
    "RandomLinearClassifier": {"n_draws": 10},
    "RandomMisclassifiedPerceptron": {"max_iter": 30},
    "SGDClassifier": {"max_iter": 5},
    "SGDRegressor": {"max_iter": 5},
    "SigmoidUnit": {"max_iter": 10},
    "SpectralClustering": {"n_init": 2},
}


# Some of the checks give a budget of a few steps on purpose.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind_of(made(kind)).table], ids=lambda kind: kind.__name__)
def test_scikit_learn_checks(kind):
    estimator = made(kind).set_params(**FEW_STEPS.get(kind.__name__, {}))
    assert_scikit_learn_checks(estimator, expected_failures(estimator))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_house_checks(kind):
    for _, check in house_checks(made(kind)):
        check()
