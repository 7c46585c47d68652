"""
Films: the proof moves beside the picture
=========================================

`watch` gives the states of an algorithm one by one; `film` makes a page of them that plays offline. Each frame is the
model as it would be, had the fit stopped there, with the certificate of that answer: one sees the claims come true.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import watch
from learnable.datasets import toeplitz_regression
from learnable.sparse import Lasso

X, y, *_ = toeplitz_regression(80, 30, support=5, noise=0.5, random_state=0)
film = watch(Lasso(alpha=0.05), X, y).film()
film

# %%
# The same numbers from Python: the duality gap falls below its bound, and with the last state every claim holds.

gaps = [frame.claims[0]["value"] for frame in film.frames]
bounds = [frame.claims[0]["bound"] for frame in film.frames]
paths = np.array([film.frames[k].panels[1]["values"] for k in range(len(film.frames))])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.semilogy(range(1, len(gaps) + 1), np.maximum(gaps, 1e-16), "o-", color="#0072B2", label="duality gap")
left.semilogy(range(1, len(gaps) + 1), bounds, "--", color="#D55E00", label="its bound")
left.set(xlabel="state", title=film.frames[0].claims[0]["statement"])
left.title.set_fontsize(9)
left.legend(fontsize=8)
right.plot(range(1, len(gaps) + 1), paths, linewidth=1.5)
right.set(xlabel="state", title="coefficients")
plt.show()

# %%
# A perceptron on rows that no line separates goes on for ever. Play it: the margin never becomes positive, and the
# sentence under the title says why, with a proof behind it.

from learnable.linear import Perceptron  # noqa: E402

random = np.random.default_rng(3)
clouds = random.standard_normal((60, 2)) + np.repeat([[0.0, 0.0], [1.5, 1.0]], 30, axis=0)
overlapping = watch(Perceptron(max_iter=40, tol=None, random_state=0), clouds, np.repeat([0, 1], 30)).film()
print(overlapping.frames[-1].caption)
overlapping
