"""Linear models under the checks: stochastic gradients of default options stop far from the minimum."""

from learnable.checks.registry import register
from learnable.linear import SGDClassifier, SGDRegressor

register("SGDClassifier", make=lambda: SGDClassifier("log_loss", alpha=0.1, average=True, tol=None, max_iter=300))
register("SGDRegressor", make=lambda: SGDRegressor(learning_rate="adaptive", tol=1e-5))
