"""The cases of the race. Every problem is drawn from a fixed seed, so that all contenders get the same numbers.

Mean loss + penalty, intercept free and unpenalised, for every family:

- least squares: Σ (yᵢ − xᵢ·β − b)²
- ridge: Σ (yᵢ − xᵢ·β − b)² + α ‖β‖², one answer for each α
- logistic: Σ log(1 + exp(−yᵢ (xᵢ·β + b))) / n + ½ α ‖β‖², y = ±1
- multinomial: see `benchmarks.cases_multinomial`
- Poisson: see `benchmarks.cases_poisson`
- lasso: Σ (yᵢ − xᵢ·β − b)² / (2n) + α ‖β‖₁, one answer for each α
- naive Bayes: see `benchmarks.cases_naive_bayes`
- discriminants: see `benchmarks.cases_discriminant`
- elastic net: Σ (yᵢ − xᵢ·β − b)² / (2n) + α (ρ ‖β‖₁ + ½ (1 − ρ) ‖β‖²), ρ = ½, one answer for each α
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from benchmarks import cases_multinomial as multinomial
from benchmarks import cases_poisson as poisson
from benchmarks.cases_discriminant import builder as discriminant
from benchmarks.cases_naive_bayes import builder as naive_bayes

SEED = 20
L1_RATIO = 0.5


class Problem(NamedTuple):
    """What a contender is given: the design (C-ordered, Fortran-ordered for the lasso, or CSR), targets, penalties."""

    family: str
    X: Any
    y: np.ndarray
    alphas: np.ndarray


class Answer(NamedTuple):
    """What a contender gives back: coef (k, p) and intercept (k,), one row for each penalty.

    A contender that computes elsewhere gives `seconds` by the clock there, so that the way to it and back is not
    counted.
    """

    coef: np.ndarray
    intercept: np.ndarray
    seconds: float | None = None


class Case(NamedTuple):
    """A named problem whose size shrinks with `scale`; 1 is the size of the published figures."""

    name: str
    build: Callable[[float], Problem]


def share(full: int, scale: float, least: int) -> int:
    """The scaled size, never under `least` nor over `full`."""
    return min(full, max(least, round(full * scale)))


def least_squares(scale: float) -> Problem:
    X, y = _regression(share(200_000, scale, 300))
    return Problem("least squares", X, y, np.zeros(1))


def ridge(scale: float) -> Problem:
    X, y = _regression(share(200_000, scale, 300))
    return Problem("ridge", X, y, np.ones(1))


def ridge_path(scale: float) -> Problem:
    X, y = _regression(share(200_000, scale, 300))
    return Problem("ridge", X, y, np.geomspace(1e6, 1e-2, share(100, scale, 10)))


def logistic_fair(scale: float) -> Problem:
    """Affairs of 6366 married women (Fair 1978), eight columns on their natural scales."""
    from statsmodels.datasets import fair

    table = fair.load_pandas().data
    n = share(len(table), scale, 400)
    chosen = np.random.default_rng(SEED).permutation(len(table))[:n]
    y = np.where(table["affairs"].to_numpy() > 0.0, 1.0, -1.0)[chosen]
    X = np.ascontiguousarray(table.drop(columns="affairs").to_numpy(dtype=float)[chosen])
    return Problem("logistic", X, y, np.array([1.0 / n]))


def logistic_independent(scale: float) -> Problem:
    rng = np.random.default_rng(SEED)
    n = share(200_000, scale, 600)
    return _logistic(rng, rng.standard_normal((n, 100)))


def logistic_correlated(scale: float) -> Problem:
    rng = np.random.default_rng(SEED)
    return _logistic(rng, toeplitz(rng, share(200_000, scale, 600), 100, 0.9, "C"))


def logistic_one_hot(scale: float) -> Problem:
    rng = np.random.default_rng(SEED)
    X = one_hot_categories(rng, scale)
    n, p = X.shape
    effects = rng.standard_normal(p) * 0.5
    y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-(X @ effects))), 1.0, -1.0)
    return Problem("logistic", X, y, np.array([1.0 / n]))


def lasso_diabetes(scale: float) -> Problem:
    """All 1000 monomials of degree ≤ 4 in the ten variables of the diabetes table."""
    from sklearn.datasets import load_diabetes
    from sklearn.preprocessing import PolynomialFeatures

    X, y = load_diabetes(return_X_y=True)
    X = PolynomialFeatures(4, include_bias=False).fit_transform(X / X.std(axis=0))
    return _lasso(X[:, : share(1000, scale, 60)], y, share(100, scale, 10))


def lasso_digits(scale: float) -> Problem:
    """All 2144 monomials of degree ≤ 2 in the 64 pixels of the digits; the digit is the target."""
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import PolynomialFeatures

    X, y = load_digits(return_X_y=True)
    n = share(len(y), scale, 200)
    X = PolynomialFeatures(2, include_bias=False).fit_transform(X[:n])
    return _lasso(X[:, : share(2144, scale, 100)], y[:n].astype(float), share(100, scale, 10))


def lasso_toeplitz(scale: float) -> Problem:
    """1000 × 20000, correlation 0.9^|i−j|, a hundred effects of either sign, signal to noise 3."""
    rng = np.random.default_rng(SEED)
    n, p = share(1000, scale, 100), share(20_000, scale, 300)
    X = toeplitz(rng, n, p, 0.9, "F")
    beta = np.zeros(p)
    beta[rng.choice(p, share(100, scale, 10), replace=False)] = rng.choice([-1.0, 1.0], share(100, scale, 10))
    signal = X @ beta
    y = signal + rng.standard_normal(n) * np.linalg.norm(signal) / (3.0 * np.sqrt(n))
    return _lasso(X, y, share(100, scale, 10))


def elastic_net(lasso: Callable[[float], Problem]) -> Callable[[float], Problem]:
    """The design of a lasso; the first α is again the smallest that leaves no coefficient."""

    def build(scale: float) -> Problem:
        problem = lasso(scale)
        return problem._replace(family="elastic net", alphas=problem.alphas / L1_RATIO)

    return build


CASES = (
    Case("OLS 200000x100", least_squares),
    Case("ridge 200000x100", ridge),
    Case("ridge path 200000x100, 100 alphas", ridge_path),
    Case("logistic fair 6366x8", logistic_fair),
    Case("logistic independent 200000x100", logistic_independent),
    Case("logistic correlated 200000x100", logistic_correlated),
    Case("logistic one-hot 200000x508", logistic_one_hot),
    Case("multinomial texts 2000x5000, 20 classes", multinomial.texts),
    Case("multinomial digits degree 2, 1797x2144, 10 classes", multinomial.digits),
    Case("multinomial wide 300x5000, 5 classes", multinomial.wide),
    Case("Poisson randhie 20190x9", poisson.visits),
    Case("Poisson independent 200000x100", poisson.independent),
    Case("Poisson correlated 200000x100", poisson.correlated),
    Case("Poisson one-hot 200000x508", poisson.one_hot),
    Case("lasso path diabetes degree 4, 442x1000", lasso_diabetes),
    Case("lasso path digits degree 2, 1797x2144", lasso_digits),
    Case("lasso path Toeplitz 1000x20000", lasso_toeplitz),
    Case("elastic net path diabetes degree 4, 442x1000", elastic_net(lasso_diabetes)),
    Case("elastic net path digits degree 2, 1797x2144", elastic_net(lasso_digits)),
    Case("elastic net path Toeplitz 1000x20000", elastic_net(lasso_toeplitz)),
    Case("naive Bayes words 20000x50000, fit", naive_bayes("multinomial", "fit")),
    Case("naive Bayes words 20000x50000, predict", naive_bayes("multinomial", "predict")),
    Case("naive Bayes words 20000x50000, two classes, fit", naive_bayes("multinomial", "fit", 2)),
    Case("naive Bayes words 20000x50000, two classes, predict", naive_bayes("multinomial", "predict", 2)),
    Case("naive Bayes words of others 20000x50000, fit", naive_bayes("complement", "fit")),
    Case("naive Bayes words of others 20000x50000, predict", naive_bayes("complement", "predict")),
    Case("naive Bayes sets of words 20000x50000, fit", naive_bayes("Bernoulli", "fit")),
    Case("naive Bayes sets of words 20000x50000, predict", naive_bayes("Bernoulli", "predict")),
    Case("naive Bayes categories 1000000x20, fit", naive_bayes("categorical", "fit")),
    Case("naive Bayes categories 1000000x20, predict", naive_bayes("categorical", "predict")),
    Case("naive Bayes numbers 200000x100, fit", naive_bayes("Gaussian", "fit")),
    Case("naive Bayes numbers 200000x100, predict", naive_bayes("Gaussian", "predict")),
    Case("linear discriminant 200000x100, fit", discriminant("linear", "fit")),
    Case("linear discriminant 200000x100, predict", discriminant("linear", "predict")),
    Case("quadratic discriminant 200000x100, fit", discriminant("quadratic", "fit")),
    Case("quadratic discriminant 200000x100, predict", discriminant("quadratic", "predict")),
)


def _regression(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of different means and spreads, the signal as strong as the noise."""
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((n, 100)) * np.geomspace(0.1, 10.0, 100) + rng.standard_normal(100)
    signal = X @ (rng.standard_normal(100) / np.geomspace(0.1, 10.0, 100))
    return X, signal + rng.standard_normal(n) * signal.std()


def _logistic(rng: np.random.Generator, X: np.ndarray) -> Problem:
    n, p = X.shape
    score = X @ (rng.standard_normal(p) / np.sqrt(p)) + 0.5
    y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-score)), 1.0, -1.0)
    return Problem("logistic", X, y, np.array([1.0 / n]))


def one_hot_categories(rng: np.random.Generator, scale: float) -> Any:
    """Ten categorical columns of 3 to 200 levels, one-hot coded: 508 sparse columns, ten ones a row."""
    from scipy import sparse

    n = share(200_000, scale, 1000)
    levels = np.array([share(k, 10 * scale, 3) for k in (3, 5, 8, 12, 20, 30, 50, 80, 100, 200)])
    # Frequencies fall like 1/rank, as those of real categories do; the first rows visit every level.
    codes = np.column_stack([rng.choice(k, n, p=(w := 1.0 / np.arange(1, k + 1)) / w.sum()) for k in levels])
    for column, k in zip(codes.T, levels):
        column[:k] = np.arange(k)
    columns = codes + np.concatenate([[0], np.cumsum(levels)[:-1]])
    return sparse.csr_matrix(
        (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, len(levels))), (n, levels.sum())
    )


def toeplitz(rng: np.random.Generator, n: int, p: int, rho: float, order: Literal["C", "F"]) -> np.ndarray:
    """Rows of a stationary autoregression: the correlation of columns i and j is rho^|i−j|."""
    X = np.empty((n, p), order=order)
    X[:, 0] = rng.standard_normal(n)
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * rng.standard_normal(n)
    return X


def _lasso(X: np.ndarray, y: np.ndarray, n_alphas: int) -> Problem:
    """Standardised columns; penalties from the smallest that leaves no coefficient down to a hundredth of it."""
    X = X - X.mean(axis=0)
    spread = X.std(axis=0)
    X = np.asfortranarray(X / np.where(spread > 1e-12, spread, 1.0))
    largest = np.abs(X.T @ (y - y.mean())).max() / len(y)
    return Problem("lasso", X, y, np.geomspace(largest, largest / 100.0, n_alphas))
