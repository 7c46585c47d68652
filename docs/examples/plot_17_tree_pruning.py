"""
A tree growing and being pruned
===============================

A tree that grows until its leaves are pure learns the noise too. Weakest-link pruning gives a nested sequence of
trees, each the best one for an interval of α; rows that took no part in the growing say which of them to keep.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import watch
from learnable.trees import DecisionTreeClassifier, reduced_error_pruning

rng = np.random.default_rng(1)
X = rng.uniform(-1.0, 1.0, (900, 2))
y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.2)) ^ (rng.random(900) < 0.15)
train, held_out = slice(0, 300), slice(300, None)

for step in watch(DecisionTreeClassifier(), X[train], y[train]):
    print(f"{step.state.tree.n_leaves:3d} leaves, impurity {step.state.objective:.3f}")

# %%
# Along the path of prunings, and what reduced-error pruning makes of the same tree.

full = DecisionTreeClassifier().fit(X[train], y[train])
path = full.cost_complexity_pruning_path(X[train], y[train])
trees = [DecisionTreeClassifier(ccp_alpha=alpha).fit(X[train], y[train]) for alpha in path.ccp_alphas]
leaves = [tree.get_n_leaves() for tree in trees]
pruned = reduced_error_pruning(full, X[held_out], y[held_out])
print(pruned.certificate)

figure, axes = plt.subplots(figsize=(6, 4))
axes.plot(leaves, [1 - tree.score(X[train], y[train]) for tree in trees], "o-", label="training error")
axes.plot(leaves, [1 - tree.score(X[held_out], y[held_out]) for tree in trees], "o-", label="error on rows held out")
axes.plot(pruned.model.get_n_leaves(), pruned.mistakes / 600, "r*", markersize=12, label="reduced-error pruning")
axes.set(xscale="log", xlabel="leaves", ylabel="error")
axes.legend()
figure.tight_layout()
plt.show()
