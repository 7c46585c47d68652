"""
XOR lifted by a kernel
======================

No line divides the four quadrants by the sign of their product. In the features of (1 + x·z)², which hold the product
itself, a plane does: the linear machine is refused with weights that refute separation, the kernel's is proved
optimal, and the path in C shows what a wider margin costs.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.kernels import SVC, HardMarginSVC, NotSeparable, Polynomial, svm_c_path

random = np.random.default_rng(0)
X = random.uniform(-1.0, 1.0, (80, 2))
X += 0.15 * np.sign(X)
y = X[:, 0] * X[:, 1] > 0.0

try:
    HardMarginSVC("linear").fit(X, y)
except NotSeparable as error:
    print("a line:", error.refutation.kind)

kernel = Polynomial(degree=2)
print(kernel.proof())
model = SVC(kernel=kernel, C=10.0).fit(X, y)
print(model.certificate_)

# %%
# Support vectors are the rows nearest to the curves on which the score is ±1.
grid = np.stack(np.meshgrid(np.linspace(-1.3, 1.3, 120), np.linspace(-1.3, 1.3, 120)), axis=-1)
score = model.decision_function(grid.reshape(-1, 2)).reshape(120, 120)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.contour(grid[..., 0], grid[..., 1], score, levels=[-1, 0, 1], colors="k", linestyles=[":", "-", ":"])
left.scatter(*X.T, c=y, cmap="coolwarm", s=18)
left.scatter(*X[model.support_].T, facecolors="none", edgecolors="k", s=70)
left.set_title("score −1, 0, 1; support vectors ringed")

# The exact path: the margin shrinks as C grows, in steps of the support.
path = svm_c_path(X, y, kernel, C_min=1e-2, C_max=1e2)
right.semilogx(path.C, path.margin, label="half-width of the margin")
right.semilogx(path.C, path.n_support / len(y), label="share of support vectors")
right.set_xlabel("C")
right.legend()
figure.tight_layout()
plt.show()
