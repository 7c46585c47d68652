"""
The perceptron, watched
=======================

The perceptron changes its mind only when it is wrong. Novikoff's theorem says how often that can happen: if some
separator θ* of length 1 keeps every point at distance γ, and no point is longer than R, then there are at most (R/γ)²
mistakes, in whatever order the points come.

`watch` gives the passes one by one; the mistake log gives every single update.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import watch
from learnable.datasets import linearly_separable
from learnable.linear import Perceptron

SHIFT = 2.0  # the line that separates the points does not pass through the origin
X, y, normal, _ = linearly_separable(150, 2, margin=0.3, random_state=1)
X = X + SHIFT * normal
model = Perceptron(shuffle=False, tol=None)

for step in watch(model, X, y):
    print(f"pass {step.number}: {step.state.mistakes} mistakes, {step.status or 'goes on'}")

# %%
# `fit` ends in the last of these states. Its certificate counts the mistakes against the bound, with the answer
# itself as the witness θ*: nothing but the data and the fitted numbers is needed to check it.

model.fit(X, y)
print(model.certificate_)

# %%
# The proof follows two numbers. Every mistake moves θ·θ* up by at least γ, so it stays above kγ; every mistake moves
# ‖θ‖² up by at most R², so ‖θ‖ stays below √k R. As θ·θ* ≤ ‖θ‖, the two lines may not cross: where they would is
# where the mistakes must end. (The offset counts as one more coordinate, which is 1 for every point.)

log = model.mistake_log_[0]
Z = np.column_stack([X, np.ones(len(X))])
witness = np.append(normal, -SHIFT) / np.hypot(1, SHIFT)
gamma, R = (y * (Z @ witness)).min(), np.linalg.norm(Z, axis=1).max()
thetas = np.cumsum(y[log, None] * Z[log], axis=0)
bound = (R / gamma) ** 2

figure, (plane, proof) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for label, colour, mark in ((1, "#0072B2", "o"), (-1, "#E69F00", "s")):
    plane.plot(*X[y == label].T, mark, color=colour, markersize=3, alpha=0.7, label=f"y = {label:+d}")
low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
across = np.array([low[0], high[0]])
for number, (a, b, offset) in enumerate(thetas):
    last = number == len(thetas) - 1
    plane.plot(
        across,
        -(a * across + offset) / b,
        color="#222222" if last else "#9CA3AF",
        linewidth=2 if last else 0.6,
        label="last line" if last else ("on the way" if number == 0 else None),
    )
plane.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), title=f"{len(log)} mistakes in {model.n_iter_} passes")
plane.legend(fontsize=8, loc="lower left", framealpha=0.95)

k = np.arange(1, len(log) + 1)
further = np.geomspace(1, 2 * bound, 200)
proof.loglog(further, np.sqrt(further) * R, "--", color="#E69F00", linewidth=1, label="√k R")
proof.loglog(k, np.linalg.norm(thetas, axis=1), color="#E69F00", label="‖θ‖ after k mistakes")
proof.loglog(k, np.maximum(thetas @ witness, 1e-3), color="#0072B2", label="θ·θ* after k mistakes")
proof.loglog(further, further * gamma, "--", color="#0072B2", linewidth=1, label="kγ")
proof.axvline(bound, color="#222222", linewidth=1, linestyle=":")
proof.set(xlabel="mistakes k", title=f"no more than (R/γ)² = {bound:.0f}", ylim=(0.05, None))
proof.legend(fontsize=8)
plt.show()
