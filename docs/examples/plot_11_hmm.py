"""
A hidden Markov model: what was hidden, and how EM found it
===========================================================

Three regimes follow one another; only a noisy number is seen, and a tenth of the numbers are missing. Baum–Welch learns
the regimes from the numbers alone. Every EM step climbs, but a likelihood with many states has many summits: so there
are restarts, and the certificate claims a stationary point, no more.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import watch
from learnable.sequences import GaussianHMM

truth = GaussianHMM(3)
truth.startprob_ = np.array([1.0, 0.0, 0.0])
truth.transmat_ = np.array([[0.97, 0.03, 0.0], [0.0, 0.95, 0.05], [0.04, 0.0, 0.96]])
truth.means_, truth.covars_ = np.array([[0.0], [2.0], [-1.5]]), np.array([[0.3], [1.0], [0.6]])
X, states = truth.sample(400, random_state=3)
X[np.random.default_rng(0).random(400) < 0.1] = np.nan

model = GaussianHMM(3, random_state=0, n_init=4).fit(X)
print(model.certificate_)

# %%
# The states have no names of their own: they are matched to the true ones by their means. Left: what was seen, with the
# best path under it. Right: the climb of every restart.

order = np.argsort(np.argsort(model.means_[:, 0]))[model.predict(X)]
true_order = np.argsort(np.argsort(truth.means_[:, 0]))[states]
colours = np.array(["#0072B2", "#E69F00", "#009E73"])

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(2, 1))
left.scatter(range(400), X[:, 0], c=colours[true_order], s=8)
for name, path, height in (("truth", true_order, -4.4), ("best path", order, -5.2)):
    left.scatter(range(400), np.full(400, height), c=colours[path], marker="|", s=60)
    left.text(404, height, name, va="center", fontsize=8)
left.set(xlabel="t", ylabel="observation", title=f"{np.mean(order == true_order):.0%} of the hidden states found")
for step_states in ([step.state for step in watch(model, X) if step.state.restart == restart] for restart in range(4)):
    climb = [-state.objective for state in step_states]
    right.plot(range(1, len(climb) + 1), climb, "-", linewidth=1.5)
right.set(xlabel="EM step", ylabel="penalised log-likelihood", title="four restarts", xscale="log")
plt.show()

# %%
# The best path comes with a proof of its own, found from the end of the sequence backwards.

print(model.certify_path(X, model.predict(X)))
