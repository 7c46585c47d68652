"""Emission of a Gaussian vector a step, with spherical, diagonal, full or tied covariance."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from learnable._jit.core.vectors import read_only
from learnable._jit.sequences.hmm_emissions import (
    diagonal_log_density,
    diagonal_sums,
    exponentiate,
    full_log_density,
    full_sums,
)
from learnable.solvers.sequences.missing_coordinates import add_partial_density, add_partial_sums
from learnable.solvers.sequences.probability_rows import pooled, representatives
from learnable.solvers.sequences.symbol_probabilities import restricted


class GaussianRule(NamedTuple):
    """How means and covariances are learned.

    The prior density is e^{−½ Σ_k [a log|Σ_k| + tr(Ψ_k Σ_k⁻¹) + w (μ_k − m)ᵀ Σ_k⁻¹ (μ_k − m)]}.

    Attributes
    ----------
    learn_means, learn_covars : whether they change.
    means_prior, means_weight : m (K, d) and w. covars_prior : Ψ, (K, d) or (K, d, d), the first for tied.
    strength : a.
    means_fixed : (K, d) True where a mean keeps its value; None for nowhere.
    """

    learn_means: bool
    learn_covars: bool
    means_prior: np.ndarray
    means_weight: float
    covars_prior: np.ndarray
    strength: float
    means_fixed: np.ndarray | None = None


@dataclass(frozen=True)
class GaussianEmission:
    """b_k = N(μ_k, Σ_k). Rows are (n, d); NaN coordinates are integrated out.

    Attributes
    ----------
    means : (K, d). covars : (K,), (K, d), (K, d, d) or (d, d), as `kind` says.
    kind : "spherical", "diag", "full" or "tied".
    rule : how they are learned. groups : (K,) states of one group share mean and covariance; None for none.
    """

    means: np.ndarray
    covars: np.ndarray
    kind: str
    rule: GaussianRule
    groups: np.ndarray | None = None

    @property
    def diagonal(self) -> bool:
        return self.kind in ("spherical", "diag")

    @cached_property
    def variances(self) -> np.ndarray:
        """(K, d), of a diagonal kind."""
        return np.broadcast_to(self.covars[:, None], self.means.shape) if self.kind == "spherical" else self.covars

    @cached_property
    def matrices(self) -> np.ndarray:
        """(K, d, d), of a kind that is not diagonal."""
        K, d = self.means.shape
        return np.broadcast_to(self.covars, (K, d, d)) if self.kind == "tied" else self.covars

    @cached_property
    def _columns(self) -> np.ndarray:
        return np.ascontiguousarray(self.means.T)

    @cached_property
    def _whitening(self) -> tuple[np.ndarray, np.ndarray]:
        """(inverse Cholesky factors (d, d, K), −½ log det 2πΣ (K,))."""
        K, d = self.means.shape
        factors = np.linalg.cholesky(self.matrices[:1] if self.kind == "tied" else self.matrices)
        inverse = np.array([solve_triangular(factor, np.eye(d), lower=True) for factor in factors])
        offset = -0.5 * d * np.log(2.0 * np.pi) + np.log(np.diagonal(inverse, axis1=1, axis2=2)).sum(axis=1)
        inverse, offset = np.broadcast_to(inverse, (K, d, d)), np.broadcast_to(offset, (K,))
        return np.ascontiguousarray(np.moveaxis(inverse, 0, -1)), np.array(offset)

    def log_density(self, rows: np.ndarray, states: np.ndarray | None) -> np.ndarray:
        out = np.empty((len(rows), len(self.means)))
        if self.diagonal:
            variances = np.ascontiguousarray(self.variances.T)
            offset = -0.5 * np.log(2.0 * np.pi * variances)
            diagonal_log_density(read_only(rows), self._columns, 1.0 / variances, offset, out)
        else:
            full_log_density(read_only(rows), self._columns, *self._whitening, out)
            add_partial_density(rows, self.means, self.matrices, out)
        return restricted(out, states, -np.inf)

    def density(self, rows: np.ndarray, states: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        log_B, shift = self.log_density(rows, states), np.empty(len(rows))
        exponentiate(log_B, shift)
        return log_B, shift

    def sums(self, rows: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Σ γ, Σ γ r and Σ γ r² (or r rᵀ) with r = x − μ_k: no digits are lost far from the origin."""
        K, d = self.means.shape
        if self.diagonal:
            found = np.zeros((d, K)), np.zeros((d, K)), np.zeros((d, K))
            diagonal_sums(read_only(rows), gamma, self._columns, *found)
            return found
        counts, firsts, seconds = np.zeros(K), np.zeros((d, K)), np.zeros((d, d, K))
        full_sums(read_only(rows), gamma, self._columns, counts, firsts, seconds)
        upper = np.triu_indices(d, 1)
        seconds[upper] = np.swapaxes(seconds, 0, 1)[upper]
        add_partial_sums(rows, gamma, self.means, self.matrices, counts, firsts, seconds)
        return counts, firsts, seconds

    def maximised(self, sums: tuple[np.ndarray, np.ndarray, np.ndarray]) -> "GaussianEmission":
        rule = self.rule
        # States come first now; squares r rᵀ are symmetric. Diagonal kinds count each coordinate by itself, the others
        # whole rows.
        N, F, S = (pooled(part, self.groups, -1).T for part in sums)
        counts = N if self.diagonal else N[:, None]
        weight = rule.means_weight
        shift = np.zeros_like(self.means)
        if rule.learn_means:
            seen = counts + weight
            wanted = F + weight * (rule.means_prior - self.means)
            shift = np.where(seen > 0.0, wanted / np.where(seen > 0.0, seen, 1.0), 0.0)
            if rule.means_fixed is not None:
                shift = np.where(rule.means_fixed, 0.0, shift)
        means = self.means + shift
        if not rule.learn_covars:
            return replace(self, means=means)
        away = means - rule.means_prior
        if self.diagonal:
            scatter = S - 2.0 * shift * F + shift**2 * N + weight * away**2 + rule.covars_prior
            return replace(self, means=means, covars=self._diagonal_step(scatter, N))
        crossed = shift[:, :, None] * F[:, None, :]
        scatter = S - crossed - np.swapaxes(crossed, 1, 2) + N[:, None, None] * _squares(shift)
        scatter += weight * _squares(away)
        return replace(self, means=means, covars=self._full_step(scatter, N))

    def _diagonal_step(self, scatter: np.ndarray, N: np.ndarray) -> np.ndarray:
        total = N + self.rule.strength
        if self.kind == "spherical":
            scatter, total = scatter.sum(axis=1), total.sum(axis=1)
        covars = np.where(total > 0.0, scatter / np.where(total > 0.0, total, 1.0), self.covars)
        if not np.all(covars > 0.0) or not np.all(np.isfinite(covars)):
            raise ValueError(_collapsed(int(np.argmin(covars.reshape(len(covars), -1).min(axis=1)))))
        return covars

    def _full_step(self, scatter: np.ndarray, N: np.ndarray) -> np.ndarray:
        prior, strength = self.rule.covars_prior, self.rule.strength
        if self.kind == "tied":
            one = representatives(self.groups, len(N))
            covars = ((prior[0] + scatter[one].sum(axis=0)) / (strength + N[one].sum()))[None]
        else:
            total = (N + strength)[:, None, None]
            covars = np.where(total > 0.0, (prior + scatter) / np.where(total > 0.0, total, 1.0), self.covars)
        covars = 0.5 * (covars + np.swapaxes(covars, 1, 2))
        for k, matrix in enumerate(covars):
            try:
                np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                raise ValueError(_collapsed(k)) from None
        return covars[0] if self.kind == "tied" else covars

    def log_prior(self) -> float:
        rule, one = self.rule, representatives(self.groups, len(self.means))
        away = self.means - rule.means_prior
        if self.diagonal:
            v = self.variances
            terms = rule.strength * np.log(v) + (rule.covars_prior + rule.means_weight * away**2) / v
            return -0.5 * float(terms[one].sum())
        inverse = np.linalg.inv(self.matrices)
        shape = rule.strength * np.linalg.slogdet(self.matrices)[1] + np.sum(rule.covars_prior * inverse, axis=(1, 2))
        place = rule.means_weight * np.einsum("ki,kij,kj->k", away, inverse, away)
        return -0.5 * float((shape[0] if self.kind == "tied" else shape[one].sum()) + place[one].sum())

    def n_free(self) -> int:
        """Numbers learned: means that are not fixed, and one triangle of each covariance."""
        one, d = representatives(self.groups, len(self.means)), self.means.shape[1]
        fixed = np.zeros(self.means.shape, bool) if self.rule.means_fixed is None else self.rule.means_fixed
        means = int(np.sum(~fixed[one])) if self.rule.learn_means else 0
        each = {"spherical": 1, "diag": d, "full": d * (d + 1) // 2, "tied": d * (d + 1) // 2}[self.kind]
        return means + (each * (1 if self.kind == "tied" else len(one)) if self.rule.learn_covars else 0)

    def answers(self) -> dict[str, Any]:
        return {"means_": self.means, "covars_": np.array(self.covars)}

    def drawn(self, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """One observation for each state, (n, d)."""
        noise = generator.standard_normal((len(states), self.means.shape[1]))
        if self.diagonal:
            return self.means[states] + np.sqrt(self.variances)[states] * noise
        return self.means[states] + np.einsum("tij,tj->ti", np.linalg.cholesky(self.matrices)[states], noise)


def _squares(v: np.ndarray) -> np.ndarray:
    return v[:, :, None] * v[:, None, :]


def _collapsed(state: int) -> str:
    return (
        f"the covariance of state {state} became singular: it holds on to points that do not spread in some direction, "
        "where the likelihood has no bound; set covars_prior > 0 (say 1e-3 of the variance), use fewer states, or "
        "covariance_type='tied'"
    )
