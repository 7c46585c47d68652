"""
EM moving
=========

Every step of EM assigns rows to the components in shares and fits each component to its shares. The log-likelihood
never falls; the ellipses show where one step, a few, and all of them leave the components.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from learnable import watch
from learnable.unsupervised import GaussianMixture

rng = np.random.default_rng(0)
X = np.vstack([rng.standard_normal((120, 2)) * [1.6, 0.4], rng.standard_normal((120, 2)) * [0.5, 1.2] + [2.5, 1.5]])
model = GaussianMixture(2, init_params="random_from_data", random_state=3, tol=1e-6)
states = [step.state for step in watch(model, X)]

figure, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
shown = [0, min(4, len(states) - 1), len(states) - 1]
for ax, place in zip(axes, shown):
    ax.scatter(*X.T, s=6, color="#999999")
    mixture = states[place].model  # about the mean of the rows
    for mean, covariance, colour in zip(mixture.means + X.mean(axis=0), mixture.covariances, ("#0072B2", "#E69F00")):
        values, vectors = np.linalg.eigh(covariance)
        angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
        for radius in (1.0, 2.0):
            size = 2.0 * radius * np.sqrt(values[::-1])
            ax.add_patch(Ellipse(mean, *size, angle=angle, fill=False, color=colour, linewidth=1.5))
    ax.set(title=f"after {place + 1} step{'s' * (place > 0)}", xticks=[], yticks=[])

# The likelihood of the run.

axes[3].plot(range(1, len(states) + 1), [-state.objective for state in states], "o-", color="#0072B2", markersize=3)
axes[3].set(xlabel="step", title="mean log-likelihood")
plt.show()
