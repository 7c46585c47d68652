"""
How the time of a kernel machine grows
======================================

A support vector machine with a radial kernel looks at pairs of rows: its time grows like a power of their number, here
measured on two classes divided by a curved boundary, ours with its certificate beside LIBSVM through scikit-learn, both
to a violation of 1e-3. Random Fourier features trade the exact kernel for a cost that grows like the rows.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn import svm
from sklearn.pipeline import make_pipeline

from learnable.kernels import SVC, LinearSVC, RBFSampler

random = np.random.default_rng(0)
X = random.standard_normal((4000, 20))
y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * random.standard_normal(len(X)) > 0.0, 1, -1)
models = {
    "SVC": SVC(),
    "LIBSVM": svm.SVC(),
    "200 random features": make_pipeline(RBFSampler(gamma=0.05, n_components=200, random_state=0), LinearSVC()),
}
sizes = (250, 500, 1000, 2000, 4000)


def seconds(model, n):
    """The shorter of two fits to the first n rows."""
    taken = []
    for _ in range(2):
        start = time.perf_counter()
        model.fit(X[:n], y[:n])
        taken.append(time.perf_counter() - start)
    return min(taken)


# %%
# The slope of a line is the power of n.
figure, axis = plt.subplots(figsize=(6, 3.8))
for name, model in models.items():
    times = [seconds(model, n) for n in sizes]
    power = np.polyfit(np.log(sizes[2:]), np.log(times[2:]), 1)[0]
    print(f"{name}: time grows like n^{power:.1f}")
    axis.loglog(sizes, times, "o-", label=f"{name}, n^{power:.1f}")
axis.set_xticks(sizes, sizes)
axis.minorticks_off()
axis.set_xlabel("rows")
axis.set_ylabel("seconds of a fit")
axis.legend()
figure.tight_layout()
plt.show()
