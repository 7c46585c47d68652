"""
Least squares on bad designs
============================

The powers x, x², … x¹² of points between 1 and 2 are columns that are almost the same. The normal equations square
the condition number of such a design, and half of the digits are gone. `LinearRegression` looks at the condition
first and takes an orthogonal factorisation when digits would be lost; it also tells you the condition and the rank.

The true coefficients here are all 1 and the targets are computed in exact rational arithmetic, so every wrong digit
is the solver's or belongs to the rounding of the data.
"""

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear import LinearRegression


def design(degree, n=40):
    """Powers 1..degree of n points in [1, 2], and the exact sum of each row, rounded once."""
    points = [Fraction(1) + Fraction(i, n - 1) for i in range(n)]
    powers = np.array([[float(x**k) for k in range(1, degree + 1)] for x in points])
    return powers, np.array([float(sum(Fraction(value) for value in row)) for row in powers.tolist()])


def digits(coef):
    return -np.log10(max(np.abs(coef - 1).max(), 1e-16))


degrees = range(1, 13)
found = {"learnable": [], "QR (LAPACK)": [], "normal equations": []}
condition = []
for degree in degrees:
    X, y = design(degree)
    model = LinearRegression(fit_intercept=False).fit(X, y)
    condition.append(model.condition_)
    found["learnable"].append(digits(model.coef_))
    Q, R = np.linalg.qr(X)
    found["QR (LAPACK)"].append(digits(np.linalg.solve(R, Q.T @ y)))
    found["normal equations"].append(digits(np.linalg.solve(X.T @ X, X.T @ y)))

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, values), colour, mark in zip(found.items(), ("#0072B2", "#E69F00", "#D55E00"), "os^", strict=True):
    axes.plot(degrees, values, mark + "-", color=colour, markersize=5, label=name)
axes.plot(degrees, 16 - np.log10(condition), ":", color="#6B7280", label="16 − log₁₀ condition")
axes.set(xlabel="degree", ylabel="correct digits of the worst coefficient", ylim=(-1, 17))
axes.legend(fontsize=8)
plt.show()

# %%
# The last fit tells its rank and condition number, and what was proved.

print(f"rank {model.rank_} of {X.shape[1]} columns, condition number {model.condition_:.2g}")
print(model.certificate_)
