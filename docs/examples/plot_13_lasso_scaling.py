"""
The lasso: cost along rows and columns
======================================

At a fixed support and a fixed share of the largest penalty the cost of a fit grows in proportion to the rows and to the
columns: every round reads the table once at most, and the number of rounds does not depend on its size. The exponent
is estimated from all fits, with its interval of 95 %.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from learnable.sparse import Lasso, LassoCV, PathDisplay

random = np.random.default_rng(0)


def seconds(n, p, repeats=5):
    """Processor seconds of fits at 0.3 of the largest penalty; ten columns carry the signal, and are found."""
    X = np.asfortranarray(random.standard_normal((p, n)).T)
    y = X[:, :10].sum(axis=1) + 0.5 * random.standard_normal(n)
    alpha = 0.3 * np.abs(X.T @ (y - y.mean())).max() / n
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        model = Lasso(alpha=alpha, tol=1e-8).fit(X, y)
        taken.append(time.process_time() - start)
    assert np.count_nonzero(model.coef_) == 10
    return taken


Lasso().fit(np.eye(20), np.arange(20.0))  # kernels are loaded
sizes = np.array([1000, 2000, 4000, 8000])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for ax, name, times in (
    (axes[0], "columns (1000 rows)", np.array([seconds(1000, p) for p in sizes])),
    (axes[1], "rows (1000 columns)", np.array([seconds(n, 1000) for n in sizes])),
):
    line = stats.linregress(np.repeat(np.log(sizes), times.shape[1]), np.log(times).ravel())
    reach = stats.t.ppf(0.975, times.size - 2) * line.stderr
    middle = np.median(times, axis=1)
    ax.loglog(sizes, times, ".", color="#9CA3AF", markersize=4)
    ax.loglog(sizes, middle, "o-", color="#0072B2", label=f"cost ∝ size^{line.slope:.2f} ± {reach:.2f}")
    ax.loglog(sizes, middle[0] * sizes / sizes[0], ":", color="#6B7280", label="in proportion")
    ax.set(xlabel=name, ylabel="processor seconds of a fit")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
    ax.minorticks_off()
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
