"""
Dropout and batch normalisation, seen
=====================================

Dropout silences each hidden unit with probability p for a batch, and lets those that remain count 1/(1 − p): on average
nothing changes. Batch normalisation gives what enters an activation mean 0 and variance 1 over the batch, and keeps
running averages for prediction.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from learnable import watch
from learnable.neural import MLPClassifier
from learnable.problems.neural.layers import batch_moments, keep_mask, normalise

random = np.random.default_rng(0)
h = random.uniform(0.0, 1.0, 30)
masked = h * keep_mask(np, random.random((4000, 30)), 0.5)
u = random.normal(4.0, 2.5, (200, 1)) ** 2
z, _ = normalise(np, u, batch_moments(np, u))

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
left.plot(h, masked.mean(axis=0), "o", color="#0072B2", label="mean over 4000 masks")
left.plot(h, masked[0], "x", color="#D55E00", label="one mask")
left.plot([0, 1], [0, 1], color="0.7", linewidth=1)
left.set(xlabel="unit without a mask", ylabel="unit with a mask")
left.legend(fontsize=8)
middle.hist(u[:, 0], bins=30, color="#D55E00", alpha=0.6, label="what enters")
middle.hist(10 * z[:, 0], bins=30, color="#0072B2", alpha=0.6, label="normalised, ten times as wide")
middle.legend(fontsize=8)

X, y = load_digits(return_X_y=True)
for name, options in (("plain", {}), ("dropout 0.5", {"dropout": 0.5}), ("batch norm", {"batch_norm": True})):
    model = MLPClassifier((40,), max_iter=25, random_state=0, tol=0.0, n_iter_no_change=100, **options)
    losses = [step.state.objective for step in watch(model, X / 16.0, y)]
    right.semilogy(losses, label=name)
right.set(xlabel="epoch", ylabel="loss met by the batches")
right.legend(fontsize=8)
plt.show()
