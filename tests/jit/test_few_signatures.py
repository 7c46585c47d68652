"""What users ask for in many forms comes to kernels in one: whoever has compiled them waits no more."""

import numpy as np

from learnable._jit.linear.stochastic_gradient import stochastic_epochs
from learnable.linear import SGDClassifier, SGDRegressor

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 6))
y = X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(60)


def compiled(*kernels):
    return [len(kernel.overloads) for kernel in kernels]


def test_losses_of_the_margin_and_of_the_residual():
    first = SGDClassifier(max_iter=2, tol=None), SGDRegressor(max_iter=2, tol=None)
    others = [SGDClassifier(loss=loss, max_iter=2, tol=None) for loss in ("log_loss", "squared_hinge", "perceptron")]
    others += [SGDRegressor(loss=loss, max_iter=2, tol=None) for loss in ("huber", "epsilon_insensitive")]
    counts = []
    for models in (first, others):
        for model in models:
            model.fit(X, y > 0.0 if isinstance(model, SGDClassifier) else y)
        counts.append(compiled(stochastic_epochs))
    assert counts[0] == counts[1]
