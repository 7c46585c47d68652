"""
Cut and eigengap
================

The number of eigenvalues of the Laplacian near zero is the number of parts that hardly touch; the gap behind them says
how far the similarities may change before the parts do. Their sum bounds the cut of every clustering from below.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.unsupervised import SpectralClustering

rng = np.random.default_rng(0)
angle = rng.uniform(0.0, np.pi, 150)
side = np.arange(150) % 2
X = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(side, -1.0, 1.0)[:, None]
X += np.where(side, 1.0, 0.0)[:, None] * [1.0, 0.0] + 0.07 * rng.standard_normal((150, 2))
model = SpectralClustering(2, gamma=5.0, random_state=0).fit(X)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
axes[0].scatter(*X.T, c=np.array(["#0072B2", "#E69F00"])[model.labels_], s=12)
axes[0].set(title="two moons, two clusters", xticks=[], yticks=[])

# The spectrum of the normalised Laplacian, from the similarities that the model keeps.

A = np.array(model.affinity_matrix_)
np.fill_diagonal(A, 0.0)
degree = A.sum(axis=1)
spectrum = np.linalg.eigvalsh(np.eye(len(A)) - A / np.sqrt(np.outer(degree, degree)))
axes[1].plot(range(1, 9), spectrum[:8], "o", color="#0072B2")
axes[1].axhspan(spectrum[1], spectrum[2], color="#E69F00", alpha=0.3, label=f"eigengap {model.eigengap_:.2f}")
axes[1].set(xlabel="eigenvalue", title="smallest eigenvalues")
axes[1].legend(frameon=False)

# The cut of this clustering, beside what no clustering into two parts can go below.

stated = {claim.statement: claim.value for claim in model.certificate_}
cut = next(value for statement, value in stated.items() if "of this clustering" in statement)
bound = next(value for statement, value in stated.items() if "can go below" in statement)
axes[2].bar(["bound", "this clustering"], [bound, cut], color=["#999999", "#0072B2"])
axes[2].set(title="Σ cut / volume")
plt.show()
