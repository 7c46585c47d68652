"""
Bias, variance and noise add up
===============================

The expected squared error of a learner is noise + bias² + variance. With a known law the three can be computed, and
they add up exactly. Polynomials of a low degree cannot follow the truth (bias); those of a high degree follow the
noise (variance).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from learnable.evaluation import BiasVarianceDisplay
from learnable.linear import LinearRegression

SIGMA = 0.3
grid = np.linspace(-0.95, 0.95, 50)[:, None]


def truth(x):
    return np.sin(np.pi * x[:, 0])


def simulate(rng):
    """A fresh training set: 20 fixed points, new noise."""
    X = np.linspace(-1, 1, 20)[:, None]
    return X, truth(X) + rng.normal(scale=SIGMA, size=20)


learner = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression())
display = BiasVarianceDisplay.from_estimator(
    learner,
    "polynomialfeatures__degree",
    [1, 2, 3, 4, 5, 7, 10],
    simulate,
    grid,
    truth(grid),
    noise_variance=SIGMA**2,
    repeats=50,
)
for degree, terms in zip(display.values, display.terms, strict=True):
    total = terms.noise + terms.bias_squared.estimate + terms.variance.estimate
    print(f"degree {degree}: error {terms.error} = {total:.4f}")

# %%

display.parameter = "degree"
display.plot()
plt.show()
