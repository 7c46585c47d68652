"""An answer that took more steps than its parameters allow is not the one they ask for."""

import numpy as np

from learnable import certify
from learnable.sparse import Lars

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 4))
Y = X @ [3.0, 2.0, 1.0, 0.5] + RNG.standard_normal(30)


def test_least_angles_without_a_path_use_no_more_columns_than_allowed():
    for fit_path in (True, False):
        model = Lars(fit_path=fit_path).fit(X, Y)
        for columns in (4, 3, 1):
            model.n_nonzero_coefs = columns
            assert certify(model, X, Y).holds is (columns == 4), (fit_path, columns)
