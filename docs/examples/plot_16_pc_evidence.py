"""
The PC algorithm with its evidence, and the path of the graphical lasso
=======================================================================

Six columns, each caused by some of the others. PC finds which, up to what data without experiments can say; each edge
that is missing comes with the set that separates its ends, and each kept one with the set that came nearest.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import certify
from learnable.graphical import DAG, PC, GraphicalLasso, bootstrap_edges, linear_covariance

truth = DAG([("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("d", "f"), ("e", "f")], nodes=list("abcdef"))
weights = np.where(truth.arrows, 0.8, 0.0)
rng = np.random.default_rng(0)
X = rng.multivariate_normal(np.zeros(6), linear_covariance(truth, weights), size=600, method="cholesky")

model = PC(alpha=0.01).fit(X)
print(model.graph_)
for step in model.orientations_:
    print(step)
print(certify(model, X))

# %%
# The same class as that of the true graph. Right: for every pair the p-value that decided, on a logarithmic scale, and
# how often the edge comes back when the rows are drawn again.

names = truth.nodes
print([model.graph_.arrows[i, j] == truth.cpdag().arrows[i, j] for i, j in np.argwhere(truth.arrows)])
frequency = {(edge.x, edge.y): edge for edge in bootstrap_edges(PC(), X, 60, random_state=0)}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for k, (i, j) in enumerate(model.evidence_.pairs):
    edge = frequency[int(i), int(j)]
    colour = "#0072B2" if model.evidence_.kept[k] else "#999999"
    left.plot([edge.low, edge.high], [k, k], color=colour)
    left.plot(edge.joined, k, "o", color=colour)
labels = [f"{names[i]} {names[j]}" for i, j in model.evidence_.pairs]
left.set(yticks=range(len(labels)), yticklabels=labels, xlabel="share of resamples with the edge", title="PC")

# %%
# The graphical lasso along its penalty: entries leave the precision one after the other.

alphas = np.geomspace(0.02, 1.5, 40)
path = np.array([GraphicalLasso(alpha).fit(X).precision_ for alpha in alphas])
for i in range(6):
    for j in range(i + 1, 6):
        joined = truth.adjacency[i, j]
        right.plot(alphas, path[:, i, j], color="#0072B2" if joined else "#CCCCCC", zorder=2 if joined else 1)
right.set(xscale="log", xlabel="alpha", ylabel="entry of the precision", title="graphical lasso (blue: true edges)")
plt.show()
