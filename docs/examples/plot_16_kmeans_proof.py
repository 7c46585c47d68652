"""
k-means proved optimal
======================

Lloyd's steps end at a fixed point, and there are many. A semidefinite relaxation bounds the objective of every
clustering from below: where the bound meets the objective, the clustering is proved to be the best one. A start with
two centres in one cloud ends at another fixed point, and is not.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import certify, watch
from learnable.unsupervised import KMeans

rng = np.random.default_rng(1)
X = rng.standard_normal((60, 2)) + 6.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 20, axis=0)
bad_start = np.array([[-0.7, 6.0], [0.7, 6.0], [3.0, 0.0]])
models = {
    "best of ten starts": KMeans(3, n_init=10, random_state=0).fit(X),
    "a bad start": KMeans(3, init=bad_start, n_init=1).fit(X),
}

figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
colours = np.array(["#0072B2", "#E69F00", "#009E73"])
for ax, (name, model) in zip(axes, models.items()):
    (claim,) = (claim for claim in certify(model, X) if "semidefinite" in claim.statement)
    ax.scatter(*X.T, c=colours[model.labels_], s=10)
    ax.plot(*model.cluster_centers_.T, "k+", markersize=12)
    verdict = "proved optimal" if claim.bound is not None else f"J may fall by {claim.value:.0%}"
    ax.set(title=f"{name}: {verdict}", xticks=[], yticks=[])

# The objective never rises on the way.

for name, model in models.items():
    values = [step.state.objective for step in watch(model, X) if step.state.restart == 0]
    axes[2].plot(range(1, len(values) + 1), values, "o-", label=name)
axes[2].set(xlabel="step", ylabel="J", title="Lloyd's steps")
axes[2].xaxis.get_major_locator().set_params(integer=True)
axes[2].legend(frameon=False)
plt.show()
