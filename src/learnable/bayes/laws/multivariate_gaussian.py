"""The Gaussian law of several variables."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from learnable.bayes.laws.law import Estimate, Law, estimate, observed


@dataclass(frozen=True, eq=False)
class MultivariateGaussian(Law):
    """N(μ, Σ) in d dimensions; the likeliest μ is the average, the likeliest Σ is (1/n) Σ (x − μ)(x − μ)ᵀ.

    Its parameters, in `score` and `information`, are the d means and the d(d+1)/2 entries of the lower triangle of Σ,
    row by row.

    Syllabus: U11.

    >>> import numpy as np
    >>> x = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 8.0]])
    >>> found = MultivariateGaussian.fit(x)
    >>> found.law.mean.tolist(), found.law.covariance.tolist(), found.certificate(x).holds
    ([1.0, 3.0], [[1.0, 1.0], [1.0, 11.0]], True)
    """

    n_dimensions: ClassVar[int] = 2
    mean: np.ndarray
    covariance: np.ndarray

    def __post_init__(self) -> None:
        mean, covariance = np.array(self.mean, dtype=float), np.array(self.covariance, dtype=float)
        d = len(mean) if mean.ndim == 1 else 0
        if d == 0 or covariance.shape != (d, d) or not np.allclose(covariance, covariance.T, rtol=1e-10):
            raise ValueError(
                f"MultivariateGaussian: mean of shape {mean.shape} and covariance of shape {covariance.shape}; needs "
                "(d,) and a symmetric (d, d)"
            )
        try:
            linalg.cholesky(covariance, lower=True)
        except (linalg.LinAlgError, ValueError) as fault:
            raise ValueError("MultivariateGaussian(covariance): it must be finite and positive definite") from fault
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Estimate:
        data = observed("MultivariateGaussian", x, sample_weight, n_dimensions=2)
        centre = data.x[np.argmax(data.weight > 0)]
        mean = centre + data.weight @ (data.x - centre) / data.n
        away = (data.x - mean) * np.sqrt(data.weight / data.n)[:, None]
        spread = np.sqrt(np.sum(away**2, axis=0))
        if not np.all(spread > 0.0):
            raise ValueError(
                f"MultivariateGaussian: column {int(np.argmin(spread))} is constant over {len(data.x)} sample(s), so "
                "the likelihood has no maximum; drop the column or add observations"
            )
        rank = int(np.linalg.matrix_rank(away / spread))
        if rank < len(mean):
            raise ValueError(
                f"MultivariateGaussian: the {len(data.x)} observations span {rank} of {len(mean)} dimensions, so the "
                "likelihood grows without bound; add observations or drop columns that follow from others"
            )
        covariance = away.T @ away
        return estimate(cls(mean, (covariance + covariance.T) / 2), data)

    def log_density(self, x: ArrayLike) -> np.ndarray:
        L = linalg.cholesky(self.covariance, lower=True)
        z = linalg.solve_triangular(L, (np.asarray(x, dtype=float) - self.mean).T, lower=True)
        constant = len(self.mean) * np.log(2 * np.pi) + 2 * np.sum(np.log(np.diag(L)))
        return -0.5 * (constant + np.sum(z**2, axis=0))

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Σ⁻¹Σ(x − μ), then the lower triangle of the gradient in Σ, an entry off the diagonal counting twice."""
        data = observed("MultivariateGaussian", x, sample_weight, n_dimensions=2)
        inverse = linalg.inv(self.covariance)
        away = data.x - self.mean
        scatter = away.T @ (away * data.weight[:, None])
        slope = 0.5 * inverse @ (scatter - data.n * self.covariance) @ inverse
        doubled = slope + slope.T - np.diag(np.diag(slope))
        return np.append(inverse @ (data.weight @ away), doubled[np.tril_indices(len(self.mean))])

    def information(self) -> np.ndarray:
        """Blocks Σ⁻¹ and ½ Dᵀ(Σ⁻¹ ⊗ Σ⁻¹)D, D the matrix that copies the lower triangle to both sides."""
        inverse = linalg.inv(self.covariance)
        d = len(self.mean)
        row, column = np.tril_indices(d)
        D = np.zeros((d * d, len(row)))
        D[row * d + column, np.arange(len(row))] = 1.0
        D[column * d + row, np.arange(len(row))] = 1.0
        return linalg.block_diag(inverse, 0.5 * D.T @ np.kron(inverse, inverse) @ D)

    def standard_errors(self, n: float) -> dict[str, Any]:
        variances = np.diag(self.covariance)
        return {
            "mean": np.sqrt(variances / n),
            "covariance": np.sqrt((np.outer(variances, variances) + self.covariance**2) / n),
        }

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        L = linalg.cholesky(self.covariance, lower=True)
        return self.mean + rng.standard_normal((n, len(self.mean))) @ L.T
