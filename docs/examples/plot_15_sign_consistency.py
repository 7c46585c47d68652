"""
Signs: when the lasso finds the right columns
=============================================

Two columns matter, a third is correlated with both. Whether the lasso finds the signs depends on the design and on the
signs themselves: the irrepresentable condition must be below 1. Above it, more rows do not help.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.theory import oracle_experiment, root_n_columns, sign_consistency

r = 0.6
covariance = np.array([[1.0, 0.0, r], [0.0, 1.0, r], [r, r, 1.0]])
root = np.linalg.cholesky(covariance)


def rows(n, random):
    return random.standard_normal((n, 3)) @ root.T


sizes = [10, 20, 40, 80, 160, 320, 640]
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for beta, colour, mark in (([1.5, -1.5, 0.0], "#0072B2", "o"), ([1.5, 1.5, 0.0], "#D55E00", "s")):
    found = sign_consistency(rows, beta, 1.0, sizes, covariance=covariance, repeats=60)
    share = np.array([(each.estimate, each.low, each.high) for each in found.frequencies]).T
    label = f"β* = ({beta[0]:g}, {beta[1]:g}, 0): condition {found.condition:.2g}"
    ax.fill_between(sizes, share[1], share[2], color=colour, alpha=0.15, linewidth=0)
    ax.semilogx(sizes, share[0], mark + "-", color=colour, label=label)
ax.set(xlabel="rows", ylabel="all signs found, 95 % interval", ylim=(-0.03, 1.03))
ax.set_xticks(sizes, [str(n) for n in sizes])
ax.minorticks_off()
ax.legend(fontsize=8, loc="center right")
plt.show()

# %%
# The theory behind it, checked draw by draw: with λ = 3σ√(log p/n) the noise stays below λ/2 in every column with the
# promised probability, and whenever it does, the error lies in a cone and obeys the oracle bounds.

X = root_n_columns(np.random.default_rng(1).standard_normal((100, 15)))
experiment = oracle_experiment(X, [2.0, -1.0, *[0.0] * 13], sigma=1.0, repeats=100)
print(experiment)
print(experiment.certificate)
