"""
Bagging and variance
====================

A deep tree has little bias and much variance: another sample gives another tree. The mean of trees on draws of the rows
keeps the bias and loses variance, down to the correlation of the trees; a forest, whose trees look at few columns a
node, has less of that too.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import config_context
from learnable.ensembles import BaggingRegressor, RandomForestRegressor
from learnable.trees import DecisionTreeRegressor

rng = np.random.default_rng(3)


def signal(X):
    return np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2


def sample(n):
    X = rng.uniform(-1.0, 1.0, (n, 4))
    return X, signal(X) + 0.5 * rng.standard_normal(n)


# %%
# Twenty samples, one test set: squared bias and variance of the predictions, averaged over its points.

Xt, _ = sample(300)
sizes = [1, 2, 5, 20]
contenders = {
    "bagging": lambda m, seed: BaggingRegressor(n_estimators=m, random_state=seed),
    "forest": lambda m, seed: RandomForestRegressor(n_estimators=m, max_features=2, random_state=seed),
}
samples = [sample(150) for _ in range(20)]


def bias_and_variance(make):
    with config_context(certificates=False):
        found = np.array([make(seed).fit(X, y).predict(Xt) for seed, (X, y) in enumerate(samples)])
    return np.mean((found.mean(axis=0) - signal(Xt)) ** 2), np.mean(found.var(axis=0))


bias, variance = bias_and_variance(lambda seed: DecisionTreeRegressor())
print(f"one tree: squared bias {bias:.3f}, variance {variance:.3f}")
figure, axes = plt.subplots(figsize=(6, 4))
axes.axhline(variance, color="gray", label="variance of one tree")
for name, make in contenders.items():
    pairs = [bias_and_variance(lambda seed, m=m, make=make: make(m, seed)) for m in sizes]
    print(f"{name} of {sizes[-1]}: squared bias {pairs[-1][0]:.3f}, variance {pairs[-1][1]:.3f}")
    (line,) = axes.plot(sizes, [pair[1] for pair in pairs], "o-", label=f"variance, {name}")
    axes.plot(sizes, [pair[0] for pair in pairs], "--", color=line.get_color(), label=f"squared bias, {name}")
axes.set(xscale="log", xlabel="trees", ylabel="mean over test points")
axes.legend()
figure.tight_layout()
plt.show()
