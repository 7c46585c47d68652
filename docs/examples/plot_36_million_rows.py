"""
One million rows by features
============================

A table of kernel values of a million rows would hold 10¹² numbers. Random Fourier features need forty a row: their
products differ from the radial kernel by no more than the sampler's certificate says, and the linear machine in these
features is proved optimal by its duality gap.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from learnable.kernels import LinearSVC, RBFSampler

random = np.random.default_rng(0)
X = random.uniform(-2.0, 2.0, (1_000_000, 2))
y = np.hypot(*X.T) + 0.2 * random.standard_normal(len(X)) < 1.2

sampler = RBFSampler(gamma=0.7, n_components=40, random_state=0).fit(X[:1000])
print(sampler.certificate_)
begin = perf_counter()
model = LinearSVC().fit(sampler.transform(X), y)
print(f"{perf_counter() - begin:.0f} s")
print(model.certificate_)

# %%
# The boundary that the features draw, over a few of the rows.
grid = np.stack(np.meshgrid(np.linspace(-2, 2, 150), np.linspace(-2, 2, 150)), axis=-1)
score = model.decision_function(sampler.transform(grid.reshape(-1, 2))).reshape(150, 150)
figure, axis = plt.subplots(figsize=(4.6, 4.2))
axis.scatter(*X[:3000].T, c=y[:3000], cmap="coolwarm", s=3)
axis.contour(grid[..., 0], grid[..., 1], score, levels=[0.0], colors="k")
axis.set_aspect("equal")
axis.set_title("score 0 of a machine of 1,000,000 rows")
figure.tight_layout()
plt.show()
