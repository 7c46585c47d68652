"""
The lasso: a gap that falls, a path that grows
==============================================

The duality gap is an upper bound on how far the objective still is from its minimum. It needs no knowledge of the
minimum, so anyone can compute it again. Here it falls, round by round, until only rounding is left.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Lasso as OtherLasso

from learnable import certify, watch
from learnable.datasets import toeplitz_regression
from learnable.sparse import Lasso

X, y, beta, _ = toeplitz_regression(100, 300, rho=0.8, support=8, noise=1.0, random_state=0)
largest = np.abs(X.T @ (y - y.mean())).max() / len(y)

states = {
    share: [step.state for step in watch(Lasso(alpha=share * largest, tol=1e-12), X, y)] for share in (0.5, 0.1, 0.02)
}

# %%
# The path: the same problem for many penalties. Below the largest useful penalty the columns come in one by one.

shares = np.geomspace(1, 0.01, 60)
model = Lasso(warm_start=True, tol=1e-8)
path = np.array([model.set_params(alpha=share * largest).fit(X, y).coef_ for share in shares])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for (share, trail), colour, mark in zip(states.items(), ("#0072B2", "#E69F00", "#009E73"), "os^", strict=True):
    gaps = np.maximum([float(state.gap[0]) for state in trail], 1e-17)
    label = f"α = {share:g} α_max, {np.count_nonzero(trail[-1].coef)} columns"
    left.semilogy(range(1, len(gaps) + 1), gaps, mark + "-", color=colour, markersize=4, label=label)
left.set(xlabel="round", ylabel="duality gap", title="how far from the minimum, at most", ylim=(1e-17, 1e5))
left.legend(fontsize=8, loc="upper right")
true = beta != 0
right.semilogx(shares, path[:, ~true], color="#D1D5DB", linewidth=0.8)
right.semilogx(shares, path[:, true], color="#0072B2", linewidth=1.5)
right.plot([], [], color="#0072B2", label="columns that matter")
right.plot([], [], color="#D1D5DB", label="the other 292")
right.invert_xaxis()
right.set(xlabel="α / α_max", ylabel="coefficient", title="the path", ylim=(-1.1, 1.4))
right.legend(fontsize=8, loc="upper left")
plt.show()

# %%
# The same certificate judges a fit of scikit-learn: the mathematics is the same, so the checker is too.

other = OtherLasso(alpha=0.1 * largest).fit(X, y)
print(certify(other, X, y))

# %%
# And it is not fooled: one coefficient moved by a thousandth is enough.

other.coef_[np.argmax(np.abs(other.coef_))] += 1e-3
print(certify(other, X, y))
