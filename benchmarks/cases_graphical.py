"""Tables for sparse precisions and for structure learning."""

from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """Rows, and what they are good for."""

    name: str
    X: np.ndarray


def sparse_precision(p: int, seed: int = 0, weak: bool = False) -> Table:
    """2 p rows of a Gaussian law whose precision has about five entries a row beside its diagonal.

    Weak entries leave a covariance that scikit-learn's solver gets through at p = 500.
    """
    from sklearn.datasets import make_sparse_spd_matrix

    low, high = (0.05, 0.2) if weak else (0.1, 0.9)
    theta = make_sparse_spd_matrix(p, alpha=1.0 - 5.0 / p, smallest_coef=low, largest_coef=high, random_state=seed)
    factor = np.linalg.cholesky(np.linalg.inv(theta))
    X = np.random.default_rng(seed).standard_normal((2 * p, p)) @ factor.T
    return Table(f"{'weak' if weak else 'sparse'} precision, {2 * p} x {p}", X / X.std(axis=0))


def separate_precisions(p: int, parts: int) -> Table:
    """Parts of p columns each, none correlated with another beyond chance: 40 p rows."""
    generator = np.random.default_rng(0)
    blocks = [sparse_precision(p, seed).X for seed in range(parts)]
    X = np.hstack([np.vstack([X[generator.permutation(len(X))] for _ in range(20)]) for X in blocks])
    return Table(f"{parts} separate parts, {len(X)} x {X.shape[1]}", X)


def linear_network(p: int, n: int = 2000, degree: float = 3.0, seed: int = 0) -> Table:
    """Rows of a linear Gaussian model on a random DAG."""
    generator = np.random.default_rng(seed)
    arrows = np.triu(generator.random((p, p)) < degree / max(p - 1, 1), 1)
    weights = np.where(arrows, generator.uniform(0.3, 1.0, (p, p)) * generator.choice([-1.0, 1.0], (p, p)), 0.0)
    X = generator.standard_normal((n, p))
    for v in range(p):
        X[:, v] += X @ weights[:, v]
    return Table(f"random network, {n} x {p}, degree {degree:g}", X[:, generator.permutation(p)])
