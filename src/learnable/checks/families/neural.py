"""Networks under the checks: small ones that end by themselves."""

from learnable.checks.registry import register


def small_classifier():
    from learnable.neural import MLPClassifier

    return MLPClassifier((8,), learning_rate_init=0.01, max_iter=2000, tol=1e-3, n_iter_no_change=3)


def small_regressor():
    from learnable.neural import MLPRegressor

    return MLPRegressor(hidden_layer_sizes=(8,), learning_rate_init=0.01, max_iter=2000, tol=1e-3, n_iter_no_change=3)


def hurried_unit():
    from learnable.neural import SigmoidUnit

    return SigmoidUnit(tol=1e-4)


register("MLPClassifier", make=small_classifier)
register("MLPRegressor", make=small_regressor)
register("SigmoidUnit", make=hurried_unit)
