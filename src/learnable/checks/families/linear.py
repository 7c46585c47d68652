"""Linear models under the checks: stochastic gradients of default options stop far from the minimum."""

from learnable.checks.registry import register
from learnable.linear import SGDClassifier, SGDRegressor


def averaged() -> SGDClassifier:
    return SGDClassifier("log_loss", alpha=0.1, average=True, tol=None, max_iter=300)


register("SGDClassifier", make=averaged, copies=1)
register("SGDRegressor", make=lambda: SGDRegressor(learning_rate="adaptive", tol=1e-5))
