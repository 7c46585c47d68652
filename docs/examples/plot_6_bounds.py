"""
How many rows does a theorem ask for?
=====================================

Every bound is an object. It has its terms, its assumptions, whether it says anything at all (a bound of 1 or more on
an error rate is vacuous), and it can be solved for any of its parameters.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import theory

rows = np.unique(np.geomspace(30, 1e6, 120).astype(int))
DIMENSION = 11  # half-spaces in ten dimensions
DELTA = 0.05

print(theory.vc_bound(empirical_risk=0.1, d=DIMENSION, m=2000, delta=DELTA))

# %%
# The growth function is what makes learning possible: 2ᵐ up to the VC dimension, a polynomial after it. Half-planes
# are counted here by linear programming: they stay below Sauer's bound. The VC dimension comes with its proof.

rng = np.random.default_rng(0)
plane = theory.HalfSpaces(2)
sizes = np.arange(1, 10)
counted = [len(theory.dichotomies(plane, rng.normal(size=(int(m), 2)))[0]) for m in sizes]
proof = theory.vc_dimension(plane)
print(proof)

# %%

figure, (growth, bounds) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
growth.semilogy(sizes, 2.0**sizes, ":", color="#6B7280", label="all labellings, 2ᵐ")
growth.semilogy(sizes, [theory.sauer_sum(int(m), 3) for m in sizes], "--", color="#E69F00", label="Sauer")
growth.semilogy(sizes, counted, "o-", color="#0072B2", markersize=4, label="half-planes, counted")
growth.set(xlabel="points m", ylabel="labellings", title="growth function, dimension 3")
growth.legend(fontsize=8)

curves = {
    "one hypothesis": [theory.single_hypothesis(empirical_risk=0.1, m=int(m), delta=DELTA).value for m in rows],
    "VC": [theory.vc_bound(empirical_risk=0.1, d=DIMENSION, m=int(m), delta=DELTA).value for m in rows],
    "Vapnik": [theory.vapnik_bound(empirical_risk=0.1, d=DIMENSION, m=int(m), delta=DELTA).value for m in rows],
}
for (name, values), colour in zip(curves.items(), ("#009E73", "#0072B2", "#E69F00"), strict=True):
    bounds.semilogx(rows, np.minimum(values, 1.2), color=colour, label=name)
bounds.axhspan(1, 1.2, color="#E5E7EB")
bounds.text(rows[-1], 1.1, "vacuous", ha="right", va="center", fontsize=8)
bounds.axhline(0.1, color="#6B7280", linewidth=1, linestyle=":")
bounds.set(xlabel="rows m", ylabel="true error, at most", title="training error 0.1, ten columns", ylim=(0, 1.2))
bounds.legend(fontsize=8, loc="center right")
plt.show()

# %%
# Solved the other way: rows needed so that a consistent learner over 3¹⁰ + 1 conjunctions errs at most 5% of the
# time, with probability 99%.

print(theory.finite_consistent.solve_for("m", size=3**10 + 1, delta=0.01, epsilon=0.05))
