"""
The path of a support vector machine in C
=========================================

As C grows the margin narrows, rows leave it, and fewer of them support the machine. The solution is linear in C between
knots, at which a row reaches the margin or leaves it: the path is followed from knot to knot and is exact at every C,
which the duality gap at each knot shows.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.kernels import RBF, SVC, svm_c_path

random = np.random.default_rng(0)
X = random.standard_normal((460, 2))
y = np.where(X[:, 0] * X[:, 1] + 0.4 * random.standard_normal(460) > 0.0, 1, -1)
train, test = slice(0, 60), slice(60, None)
kernel = RBF(1.0)
path = svm_c_path(X[train], y[train], kernel, C_min=0.02, C_max=200.0)
print(f"{len(path.C)} knots, largest relative duality gap at a knot {path.relative_gap.max():.1e}")

# %%
# Between two knots the coefficients of the path are those of a machine fitted there.
C = 3.0
beta, offset = path.at(C)
model = SVC(C=C, kernel=kernel, tol=1e-8).fit(X[train], y[train])
apart = kernel(X[train]) @ beta + offset - model.decision_function(X[train])
print(f"largest difference of scores: {np.abs(apart).max():.1e}")

# %%
# Margin, support vectors, errors on the training rows and on rows that were left out, and the gap at each knot. Between
# knots that are far apart the machines are those of `CPath.at`.
grid = np.union1d(path.C, np.geomspace(path.C[0], path.C[-1], 400))
K, between = kernel(X[train]), kernel(X[test], X[train])
betas, offsets = map(np.array, zip(*(path.at(C) for C in grid)))
margin = 1.0 / np.sqrt(np.einsum("ij,jk,ik->i", betas, K, betas))
missed = np.mean((betas @ between.T + offsets[:, None]) * y[test] <= 0.0, axis=1)
wrong = np.mean((betas @ K + offsets[:, None]) * y[train] <= 0.0, axis=1)
figure, axes = plt.subplots(2, 2, figsize=(8.4, 5.6), sharex=True)
axes[0, 0].loglog(grid, margin)
axes[0, 0].set_title("half the width of the margin")
axes[0, 1].semilogx(path.C, path.n_support, drawstyle="steps-post")
axes[0, 1].set_title("support vectors of 60 rows")
axes[1, 0].semilogx(grid, wrong, label="training rows")
axes[1, 0].semilogx(grid, missed, label="rows left out")
axes[1, 0].set_title("share of errors")
axes[1, 0].legend()
axes[1, 1].loglog(path.C, np.maximum(path.relative_gap, 1e-17), ".", markersize=3)
axes[1, 1].set_title("relative duality gap at the knots")
for axis in axes[1]:
    axis.set_xlabel("C")
figure.tight_layout()
plt.show()
