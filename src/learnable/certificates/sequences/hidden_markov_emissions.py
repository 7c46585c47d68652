"""Emission densities and expected counts for certificates: NumPy only, written apart from the solvers.

An emission is read off the fitted attributes. It gives log b_k(x) of every row, sums that add up over parts of the
data, and the values that maximise the expected log-likelihood plus the log-prior.
"""

from typing import Any

import numpy as np
from scipy.special import gammaln

# Rows at a time, so that the intermediate tables stay in a core's cache.
BLOCK = 2048


class ProbabilityRows:
    """Rows of probabilities with a Dirichlet prior, fixed entries, zeros that stay, and states that share a row."""

    def __init__(self, learned: bool, prior: Any, fixed: Any, groups: Any = None):
        self.learned, self.fixed, self.groups = learned, fixed, groups
        self.prior = np.asarray(prior, dtype=float)

    def free(self, p: np.ndarray) -> np.ndarray:
        return (p != 0.0) & (True if self.fixed is None else ~np.asarray(self.fixed))

    def best(self, counts: np.ndarray, p: np.ndarray) -> np.ndarray:
        if not self.learned:
            return p
        if self.groups is not None:
            counts = np.array([counts[np.asarray(self.groups) == group].sum(axis=0) for group in self.groups])
        free, found = self.free(p), p.copy()
        evidence = np.broadcast_to(counts + (self.prior - 1.0), p.shape)
        for row in np.ndindex(p.shape[:-1]):
            mine = free[row]
            if evidence[row][mine].sum() > 1e-300:
                room = 1.0 - p[row][~mine].sum()
                found[row][mine] = room * evidence[row][mine] / evidence[row][mine].sum()
        return found

    def log_prior(self, p: np.ndarray) -> float:
        if not self.learned:
            return 0.0
        free = self.free(p)
        strength = np.broadcast_to(self.prior - 1.0, p.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(free & (strength > 0.0), strength * np.log(np.where(free, p, 1.0)), 0.0)
        return float(np.sum(terms[firsts(self.groups, len(p))] if p.ndim == 2 else terms))


def firsts(groups: Any, K: int) -> np.ndarray:
    """The first state of each group."""
    if groups is None:
        return np.arange(K)
    return np.array([k for k in range(K) if groups[k] not in list(groups[:k])])


class Symbols:
    """Of `CategoricalHMM`."""

    @staticmethod
    def shapes(model: Any, K: int, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the fitted attributes: as many symbols as are known, or as the table has."""
        known = model.n_features if model.emissionprob_init is None else np.shape(model.emissionprob_init)[-1]
        columns = (*np.shape(model.emissionprob_), 0, 0)[1] if known is None else known
        return {"emissionprob_": (K, columns)}

    def __init__(self, model: Any):
        self.p = np.asarray(model.emissionprob_, dtype=float)
        rule = ProbabilityRows(
            "e" in model.params, model.emissionprob_prior, model.emissionprob_fixed, model.emission_groups
        )
        self.rule = rule

    def log_density(self, X: np.ndarray) -> np.ndarray:
        known = ~np.isnan(X[:, 0])
        strange = known & ((X[:, 0] < 0) | (X[:, 0] >= self.p.shape[1]))
        if strange.any():
            row = int(np.argmax(strange))
            raise ValueError(
                f"certify: X holds the symbol {X[row, 0]:g} in row {row}, but the model knows 0 … {self.p.shape[1] - 1}"
            )
        found = np.zeros((len(X), len(self.p)))
        with np.errstate(divide="ignore"):
            found[known] = np.log(self.p).T[X[known, 0].astype(int)]
        return found

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> list[np.ndarray]:
        symbols = np.where(np.isnan(X[:, 0]), self.p.shape[1], X[:, 0]).astype(int)
        counts = [np.bincount(symbols, weights=column, minlength=self.p.shape[1] + 1)[:-1] for column in gamma.T]
        return [np.array(counts)]

    def improved(self, sums: list[np.ndarray]) -> "Symbols":
        return _with(self, p=self.rule.best(sums[0], self.p))

    def log_prior(self) -> float:
        return self.rule.log_prior(self.p)

    def with_rows(self, p: np.ndarray) -> "Symbols":
        """The same with other probabilities."""
        return _with(self, p=p)

    def features(self) -> np.ndarray:
        """(K, m) numbers that are the same for states that emit the same."""
        return self.p

    def flaw(self) -> float:
        """How far the rows are from being distributions."""
        return rows_flaw(self.p)


class Counts(Symbols):
    """Of `MultinomialHMM`."""

    @staticmethod
    def shapes(model: Any, K: int, width: int) -> dict[str, tuple[int, ...]]:
        return {"emissionprob_": (K, width)}

    def log_density(self, X: np.ndarray) -> np.ndarray:
        X = np.where(np.isnan(X).any(axis=1, keepdims=True), 0.0, X)
        found = np.empty((len(X), len(self.p)))
        for k, p in enumerate(self.p):
            with np.errstate(divide="ignore", invalid="ignore"):
                found[:, k] = np.where(X > 0.0, X * np.log(p), 0.0).sum(axis=1)
        return found + (gammaln(X.sum(axis=1) + 1.0) - gammaln(X + 1.0).sum(axis=1))[:, None]

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> list[np.ndarray]:
        return [gamma.T @ np.where(np.isnan(X).any(axis=1, keepdims=True), 0.0, X)]


class Gaussians:
    """Of `GaussianHMM`."""

    @staticmethod
    def shapes(model: Any, K: int, width: int) -> dict[str, tuple[int, ...]]:
        sizes = {"spherical": (K,), "diag": (K, width), "full": (K, width, width), "tied": (width, width)}
        return {"means_": (K, width), "covars_": sizes[model.covariance_type]}

    def __init__(self, model: Any):
        self.kind, self.groups = model.covariance_type, model.emission_groups
        self.means, self.covars = np.asarray(model.means_, dtype=float), np.asarray(model.covars_, dtype=float)
        self.learned = "m" in model.params, "c" in model.params
        self.fixed = np.zeros(self.means.shape, bool) if model.means_fixed is None else np.asarray(model.means_fixed)
        K, d = self.means.shape
        self.diagonal = self.kind in ("spherical", "diag")
        self.centre = np.broadcast_to(np.asarray(model.means_prior, dtype=float), (K, d))
        self.weight = float(model.means_weight)
        self.strength = max(float(model.covars_weight) - (1.0 if self.diagonal else d), 0.0)
        prior = np.asarray(model.covars_prior, dtype=float)
        if not self.diagonal and prior.ndim < 2:
            prior = prior * np.eye(d)
        self.prior = np.broadcast_to(prior, (K, d) if self.diagonal else (K, d, d))

    def matrices(self) -> np.ndarray:
        """(K, d, d) covariances of any kind."""
        K, d = self.means.shape
        if self.kind == "spherical":
            return self.covars[:, None, None] * np.eye(d)
        if self.kind == "diag":
            return self.covars[:, :, None] * np.eye(d)
        return np.broadcast_to(self.covars, (K, d, d))

    def features(self) -> np.ndarray:
        """(K, m) numbers that are the same for states that emit the same, without units."""
        covars = self.matrices()
        unit = np.sqrt(np.diagonal(covars, axis1=1, axis2=2).mean(axis=0))
        # Distances of means from each other, so that their origin does not matter.
        spread = (covars / np.outer(unit, unit)).reshape(len(covars), -1)
        return np.hstack([(self.means - self.means.mean(axis=0)) / unit, spread])

    def flaw(self) -> float:
        """0 when every covariance is symmetric and positive definite, infinite otherwise."""
        covars = self.matrices()
        lopsided = np.abs(covars - np.swapaxes(covars, 1, 2)).max() > 1e-10 * np.abs(covars).max()
        return float("inf") if lopsided or np.linalg.eigvalsh(covars).min() <= 0.0 else 0.0

    def log_density(self, X: np.ndarray) -> np.ndarray:
        found = np.zeros((len(X), len(self.means)))
        if self.diagonal:
            variances = np.broadcast_to(self.covars.reshape(len(self.means), -1), self.means.shape)
            level, half = -0.5 * np.log(2.0 * np.pi * variances), -0.5 / variances
            for begin in range(0, len(X), BLOCK):
                for e, x in enumerate(X[begin : begin + BLOCK].T):
                    terms = x[:, None] - self.means[:, e]
                    terms *= terms
                    terms *= half[:, e]
                    terms += level[:, e]
                    if (unknown := np.isnan(x)).any():
                        terms[unknown] = 0.0
                    found[begin : begin + BLOCK] += terms
            return found
        covars = self.matrices()
        for rows, seen in _patterns(X):
            part = covars[:, seen][:, :, seen]
            white = np.linalg.inv(np.linalg.cholesky(part))
            level = np.linalg.slogdet(2.0 * np.pi * part)[1]
            for block in _blocks(rows):
                z = white @ self._away(X[block][:, seen], seen)
                found[block] = -0.5 * (np.square(z, out=z).sum(axis=1).T + level)
        return found

    def _away(self, x: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """x − μ_k, (K, d, rows): a sum over the few coordinates is then one of long lines."""
        return np.ascontiguousarray(x.T) - self.means[:, seen, None]

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> list[np.ndarray]:
        """[Σ γ, Σ γ E r, Σ γ E r rᵀ], r = x − μ_k; the first two by coordinate."""
        K, d = self.means.shape
        counts, lines, squares = np.zeros((K, d)), np.zeros((K, d)), np.zeros((K, d, d))
        if self.diagonal:
            for block in _blocks(np.arange(len(X))):
                weight = np.ascontiguousarray(gamma[block].T)
                for e, x in enumerate(X[block].T):
                    known = ~np.isnan(x)
                    r = np.where(known, x, 0.0) - self.means[:, e, None] * known
                    counts[:, e] += weight @ known
                    lines[:, e] += np.vecdot(weight, r)
                    squares[:, e, e] += np.vecdot(weight * r, r)
            return [counts, lines, squares]
        covars = self.matrices()
        for rows, seen in _patterns(X):
            left = np.zeros((K, d, d))
            slope = np.linalg.solve(covars[:, seen][:, :, seen], covars[:, seen][:, :, ~seen])
            rest = covars[:, ~seen][:, :, ~seen] - covars[:, ~seen][:, :, seen] @ slope
            left[np.ix_(range(K), ~seen, ~seen)] = rest
            for block in _blocks(rows):
                weight, r = np.ascontiguousarray(gamma[block].T), np.empty((K, d, len(block)))
                r[:, seen] = self._away(X[block][:, seen], seen)
                r[:, ~seen] = np.swapaxes(slope, 1, 2) @ r[:, seen]
                total = weight.sum(axis=1)
                counts += total[:, None]
                lines += np.vecdot(r, weight[:, None, :])
                squares += (r * weight[:, None, :]) @ np.swapaxes(r, 1, 2) + total[:, None, None] * left
        return [counts, lines, squares]

    def improved(self, sums: list[np.ndarray]) -> "Gaussians":
        if self.groups is not None:
            sums = [np.array([part[np.asarray(self.groups) == g].sum(axis=0) for g in self.groups]) for part in sums]
        counts, lines, squares = sums
        total = counts + self.weight
        shift = (lines + self.weight * (self.centre - self.means)) / np.where(total > 0.0, total, np.inf)
        shift = np.where(self.fixed | (not self.learned[0]), 0.0, shift)
        means = self.means + shift
        if not self.learned[1]:
            return _with(self, means=means)
        away = means - self.centre
        scatter = squares + counts[:, :, None] * shift[:, :, None] * shift[:, None, :]
        scatter -= shift[:, :, None] * lines[:, None, :] + lines[:, :, None] * shift[:, None, :]
        scatter += self.weight * away[:, :, None] * away[:, None, :]
        if self.diagonal:
            spread = np.diagonal(scatter, axis1=1, axis2=2) + self.prior
            weight = counts + self.strength
            if self.kind == "spherical":
                spread, weight = spread.sum(axis=1), weight.sum(axis=1)
            return _with(
                self, means=means, covars=np.where(weight > 0.0, spread / np.maximum(weight, 1e-300), self.covars)
            )
        one = firsts(self.groups, len(means))
        if self.kind == "tied":
            pooled = self.prior[0] + scatter[one].sum(axis=0)
            return _with(self, means=means, covars=pooled / (self.strength + counts[one, 0].sum()))
        weight = (counts[:, 0] + self.strength)[:, None, None]
        best = np.where(weight > 0.0, (self.prior + scatter) / np.maximum(weight, 1e-300), self.covars)
        return _with(self, means=means, covars=best)

    def log_prior(self) -> float:
        covars, one = self.matrices(), firsts(self.groups, len(self.means))
        prior = self.prior[:, :, None] * np.eye(self.means.shape[1]) if self.diagonal else self.prior
        away = self.means - self.centre
        spread = self.strength * np.linalg.slogdet(covars)[1]
        spread += np.trace(np.linalg.solve(covars, prior), axis1=1, axis2=2)
        place = self.weight * np.vecdot(away, np.linalg.solve(covars, away[:, :, None])[:, :, 0])
        return -0.5 * float(spread[one[:1] if self.kind == "tied" else one].sum() + place[one].sum())


def rows_flaw(p: np.ndarray) -> float:
    """How far rows are from being distributions, the largest deficit; 1 where an entry is below 0, and is none."""
    return 1.0 if p.min() < 0.0 else float(np.abs(p.sum(axis=-1) - 1.0).max())


def _patterns(X: np.ndarray):
    """(rows, mask of the coordinates seen) for every pattern of missing coordinates but the empty one."""
    missing = np.isnan(X)
    if not missing.any():
        yield np.arange(len(X)), np.ones(X.shape[1], bool)
        return
    for pattern in np.unique(missing, axis=0):
        if not pattern.all():
            yield np.flatnonzero((missing == pattern).all(axis=1)), ~pattern


def _blocks(rows: np.ndarray):
    return (rows[begin : begin + BLOCK] for begin in range(0, len(rows), BLOCK))


def _with(emission: Any, **values: Any) -> Any:
    from copy import copy

    other = copy(emission)
    for name, value in values.items():
        setattr(other, name, value)
    return other
