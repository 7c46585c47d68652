"""Which class stands in for which, and which of scikit-learn's test files are about them."""

from importlib import import_module

# Name, the same in scikit-learn and here -> the room it comes from.
CLASSES = {
    "LinearRegression": "learnable.linear",
    "Ridge": "learnable.linear",
    "LogisticRegression": "learnable.linear",
    "Perceptron": "learnable.linear",
    "Lasso": "learnable.sparse",
}

# Where scikit-learn's tests import them from. The private modules are left alone, so that RidgeCV, RidgeClassifier,
# LogisticRegressionCV, LassoCV and the rest go on with scikit-learn's own.
PUBLIC_MODULE = "sklearn.linear_model"

FILES = tuple(
    f"sklearn.linear_model.tests.{name}"
    for name in (
        "test_base",
        "test_common",
        "test_coordinate_descent",
        "test_logistic",
        "test_perceptron",
        "test_ridge",
        "test_sparse_coordinate_descent",
    )
)


def ours() -> dict[str, type]:
    """Our classes by name."""
    return {name: getattr(import_module(room), name) for name, room in CLASSES.items()}
