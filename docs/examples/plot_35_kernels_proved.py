"""
Kernels proved and refuted
==========================

A kernel remembers the rules that built it and prints them as a proof that it is positive semidefinite. Where the rules
prove nothing, a sample may refute it: numbers c with cᵀKc < 0 are a witness that no feature space has such products.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.kernels import RBF, Linear, Sigmoid, verdict

built = 0.5 * RBF.from_length(1.0) + (Linear() * RBF(0.2)).normalised() ** 2
print(built.proof())

# %%
# The hyperbolic tangent of a product is called a kernel, and is none in general.
random = np.random.default_rng(1)
X = random.standard_normal((60, 2))
doubtful = Sigmoid(gamma=1.0, constant=-1.0)
print(doubtful.proof())
told = {"built by rules": verdict(built, X), "tanh": verdict(doubtful, X)}
for name, found in told.items():
    print(name, found)

# %%
# Eigenvalues of both tables of values: one begins at rounding, the other well below 0.
figure, axis = plt.subplots(figsize=(6, 3.6))
for (name, _), kernel in zip(told.items(), (built, doubtful)):
    axis.plot(np.linalg.eigvalsh(kernel(X)), ".", label=name)
axis.axhline(0.0, color="k", linewidth=0.8)
axis.set_yscale("symlog", linthresh=1e-3)
axis.set_xlabel("eigenvalue of K, in order")
axis.legend()
figure.tight_layout()
plt.show()
