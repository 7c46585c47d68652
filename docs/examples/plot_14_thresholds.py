"""
Thresholds: what a penalty does to one coefficient
==================================================

On an orthogonal design every coefficient is treated alone: the least squares value z goes in, the minimiser of
½(β − z)² + φ(β) comes out. A kink of φ at zero makes zeros; a φ that levels off spares large coefficients; a φ that is
infinitely steep at zero makes the answer jump.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.sparse import PenaltyDisplay
from learnable.theory import orthogonal_design, restricted_eigenvalue, root_n_columns

display = PenaltyDisplay()
display.plot()
plt.show()

# %%
# The contours of φ(β₁) + φ(β₂). A loss touches a ball with corners on the axes at a corner: one coefficient is zero.

display.plot_contours()
plt.show()

# %%
# The same, as a table with the scaling of each objective: best subset keeps or kills, ridge shrinks, the lasso shifts.

table = orthogonal_design(np.eye(5), [3.0, -1.5, 1.1, 0.5, -0.2], level=1.0)
print(table)
for rule in (table.best_subset, table.ridge, table.lasso):
    print(f"{rule.method:<11}", rule.coef.round(3))

# %%
# Away from orthogonal designs the lasso needs that sparse directions are not too short. The restricted eigenvalue
# measures it, with a direction that proves it cannot be larger and cells of the cone that prove it cannot be smaller.

random = np.random.default_rng(0)
for rho in (0.0, 0.5, 0.9):
    mixed = np.linalg.cholesky(rho ** np.abs(np.subtract.outer(range(8), range(8)))).T
    X = root_n_columns(random.standard_normal((60, 8)) @ mixed)
    found = restricted_eigenvalue(X, s=2)
    print(f"correlation {rho}: {found}; the proof holds: {found.certificate(X).holds}")
