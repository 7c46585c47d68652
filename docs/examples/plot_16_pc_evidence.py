"""
The PC algorithm with its evidence
==================================

Six columns, each caused by some of the others. PC finds which, up to what data without experiments can say; each edge
that is missing comes with the set that separates its ends, and each kept one with the set that came nearest.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable import certify
from learnable.graphical import DAG, PC, bootstrap_edges, linear_covariance

truth = DAG([("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("d", "f"), ("e", "f")], nodes=list("abcdef"))
weights = np.where(truth.arrows, 0.8, 0.0)
rng = np.random.default_rng(0)
rows = rng.multivariate_normal(np.zeros(6), linear_covariance(truth, weights), size=600, method="cholesky")
X = pd.DataFrame(rows, columns=truth.nodes)

model = PC(alpha=0.01).fit(X)
print(model.graph_)
for step in model.orientations_:
    print(step)
print("the class of the true graph:", bool(np.array_equal(model.graph_.arrows, truth.cpdag().arrows)))
print(certify(model, X))

# %%
# Left: the largest p-value of each pair, with the set that gave it, on a logarithmic scale; edges go where it reaches
# alpha. Right: how often the edge comes back when the rows are drawn again, with intervals.

evidence = model.evidence_
frequency = {(edge.x, edge.y): edge for edge in bootstrap_edges(PC(), X, 60, random_state=0)}
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
labels = []
for k, (i, j) in enumerate(evidence.pairs):
    names, given = (truth.nodes[i], truth.nodes[j]), [truth.nodes[v] for v in evidence.sets[k, : evidence.size[k]]]
    edge, colour = frequency[names], "#0072B2" if evidence.kept[k] else "#999999"
    left.plot(evidence.p_value[k], k, "o", color=colour)
    right.plot([edge.low, edge.high], [k, k], color=colour)
    right.plot(edge.joined, k, "o", color=colour)
    labels.append(" ".join(names) + (" | " + " ".join(given) if given else ""))
left.axvline(model.alpha, color="#E69F00", linestyle="--", linewidth=1)
left.set(yticks=range(len(labels)), yticklabels=labels, xscale="log", xlabel="largest p-value", title="evidence")
right.set(xlabel="share of resamples with the edge", title="resamples")
plt.show()
