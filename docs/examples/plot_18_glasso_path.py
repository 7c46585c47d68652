"""
The path of the graphical lasso
===============================

As the penalty falls, edges enter between columns that are not independent given all others. Each graph on the way is
the minimiser of a convex problem, and each is certified by its duality gap.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.graphical import GraphicalLasso

rng = np.random.default_rng(0)
p = 6
precision = np.eye(p) + np.diag(np.full(p - 1, 0.4), 1) + np.diag(np.full(p - 1, 0.4), -1)
X = rng.multivariate_normal(np.zeros(p), np.linalg.inv(precision), size=400)
true = {(i, i + 1) for i in range(p - 1)}

levels = np.geomspace(0.5, 0.01, 25)
fits = [GraphicalLasso(alpha=level, tol=1e-8).fit(X) for level in levels]
entries = {(i, j): [fit.precision_[i, j] for fit in fits] for i in range(p) for j in range(i + 1, p)}

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for edge, path in entries.items():
    axes[0].semilogx(levels, path, color="#0072B2" if edge in true else "#BBBBBB", linewidth=1.5)
axes[0].invert_xaxis()
axes[0].set(xlabel="penalty", title="entries of the precision; blue: edges of the true chain")

# The gap of every fit, as its certificate states it.

gaps = [next(claim.value for claim in fit.certificate_ if "duality gap" in claim.statement) for fit in fits]
axes[1].loglog(levels, np.maximum(gaps, 1e-17), "o", color="#E69F00", markersize=4)
axes[1].invert_xaxis()
axes[1].set(xlabel="penalty", title="duality gap")
plt.show()
