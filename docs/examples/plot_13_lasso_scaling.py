"""
The lasso: cost along rows and columns
======================================

At a fixed support the cost of a path grows in proportion to the rows and to the columns: a check of all columns reads
the table once, and most of the columns are not even read, because a bound shows that they cannot enter.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from learnable.sparse import LassoCV, PathDisplay, lasso_path

random = np.random.default_rng(0)


def seconds(n, p):
    """The fastest of three paths of twenty penalties; ten columns carry the signal."""
    X = np.asfortranarray(random.standard_normal((n, p)))
    y = X[:, :10].sum(axis=1) + 0.5 * random.standard_normal(n)
    largest = np.abs(X.T @ y).max() / n
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        lasso_path(X, y, alphas=np.geomspace(largest, 0.3 * largest, 20), tol=1e-8)
        best = min(best, time.perf_counter() - start)
    return best


seconds(100, 50)  # kernels are loaded
sizes = np.array([1000, 2000, 4000, 8000, 16000])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for ax, name, times in (
    (axes[0], "columns (1000 rows)", [seconds(1000, p) for p in sizes]),
    (axes[1], "rows (1000 columns)", [seconds(n, 1000) for n in sizes]),
):
    ax.loglog(sizes, times, "o-", color="#0072B2", label="path of 20 penalties")
    ax.loglog(sizes, times[-1] * sizes / sizes[-1], ":", color="#6B7280", label="in proportion")
    ax.set(xlabel=name, ylabel="seconds")
    ax.legend(fontsize=8)
plt.show()

# %%
# The path itself, the penalties that cross-validation chooses, and the proof below: no solution is further from its
# minimum than its duality gap.

X = random.standard_normal((120, 40))
y = X[:, :5] @ [3.0, -2.0, 1.5, 1.0, -0.5] + 1.5 * random.standard_normal(120)
model = LassoCV(cv=10).fit(X, y)
PathDisplay.from_estimator(model, X, y).plot()
plt.show()
print(model.certificate_)
