"""The theory of the lasso as an experiment: draw noise, fit, and check every inequality on the event that it names."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.evaluation import Interval, proportion_interval
from learnable.rows import one_blas_thread
from learnable.solvers.sparse.l1_ball import constrained
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.solvers.sparse.penalty_path import lasso
from learnable.theory.sparsity.oracle import noise_event, oracle_penalty
from learnable.theory.sparsity.restricted_eigenvalue import restricted_eigenvalue

# Of inner products of columns, relative to their size.
ROUNDING = 1e-9


class Inequality(NamedTuple):
    """left ≤ right + allowance, once for each repetition; the allowance is what the solver's gap leaves open.

    Attributes
    ----------
    id, statement : row of the syllabus and what is claimed.
    left, right, allowance : arrays (repeats,).
    """

    id: str
    statement: str
    left: np.ndarray
    right: np.ndarray
    allowance: np.ndarray

    @property
    def holds(self) -> np.ndarray:
        """Where it does, repetition by repetition."""
        return self.left <= self.right + self.allowance

    @property
    def slack(self) -> np.ndarray:
        """left / right: how much of the bound is used; 1 is tight."""
        return self.left / np.where(self.right > 0.0, self.right, np.inf)


class OracleExperiment(NamedTuple):
    """Repetitions of y = Xβ* + ε with the same X, and what held in them.

    Attributes
    ----------
    penalty : λ.
    C : its constant.
    on_event : array (repeats,) of bool, whether ‖Xᵀε/n‖∞ ≤ λ/2.
    frequency : how often, with its exact binomial interval.
    least_probability : 1 − p^{1−C²/8}, what theory promises at least.
    inequalities : tuple of `Inequality`
    kappa : lower bound of the restricted eigenvalue that was used; NaN where none is needed.
    """

    penalty: float
    C: float
    on_event: np.ndarray
    frequency: Interval
    least_probability: float
    inequalities: tuple[Inequality, ...]
    kappa: float

    def __str__(self) -> str:
        lines = [
            f"λ = {self.penalty:.4g}: ‖Xᵀε/n‖∞ ≤ λ/2 with frequency {self.frequency} over "
            f"{len(self.on_event)} draws; promised at least {self.least_probability:.4g}"
        ]
        for each in self.inequalities:
            held, draws = int(each.holds[self.on_event].sum()), int(self.on_event.sum())
            used = float(each.slack[self.on_event].max(initial=0.0))
            lines.append(f"  {each.statement}: {held} of {draws} on the event, left / right at most {used:.2g}")
        return "\n".join(lines)

    @property
    def certificate(self) -> Certificate:
        """Each inequality on every draw of the event; the promise against the upper end of the frequency's interval."""
        claims = [
            Claim.at_most(
                each.id, f"{each.statement}: draws of the event where it fails",
                int(np.sum(~each.holds[self.on_event])), 0,
            )
            for each in self.inequalities
        ]  # fmt: skip
        claims.append(
            Claim.at_most(
                "L23", "the probability promised is within the interval of the frequency, or below it",
                self.least_probability, self.frequency.high,
                kind="with probability", delta=1.0 - self.frequency.level,
            )
        )  # fmt: skip
        return Certificate("lasso theory by simulation", claims)


def oracle_experiment(
    X: Any, beta: Any, sigma: float, *, C: float = 3.0, kappa: float | None = None, repeats: int = 100,
    level: float = 0.95, random_state: int | None = 0,
) -> OracleExperiment:  # fmt: skip
    """Check the fast rate of the lasso: basic inequality, cone and oracle bounds, on every draw of the event A.

    With δ = β̂ − β*, S the support of β* and s its size, on A = {‖Xᵀε/n‖∞ ≤ λ/2}:

    - ‖Xδ‖²/n + λ‖δ‖₁ ≤ 4λ‖δ_S‖₁ (basic inequality), so ‖δ outside S‖₁ ≤ 3‖δ_S‖₁ (cone);
    - ‖Xδ‖²/n ≤ 16λ²s/κ² and ‖δ‖₁ ≤ 16λs/κ² with κ = κ(s, 3).

    The solver's duality gap g adds 2g to the basic inequality. Syllabus: L23, L24.

    Parameters
    ----------
    X : array (n, p)
        Columns with ‖xⱼ‖ = √n: see `root_n_columns`.
    beta : array (p,)
        β*, not all zero.
    sigma : float
        Standard deviation of the noise.
    C : float, default=3.0
        λ = Cσ√(log p/n), C > 2√2.
    kappa : float, default=None
        κ(s, 3) or a lower bound of it; None computes one.
    repeats : int, default=100
    level : float, default=0.95
        Of the interval of the frequency of A.
    random_state : int or None, default=0

    Returns
    -------
    OracleExperiment

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.theory import oracle_experiment, root_n_columns
    >>> X = root_n_columns(np.random.default_rng(0).standard_normal((80, 10)))
    >>> found = oracle_experiment(X, [2.0, -1.0, *[0.0] * 8], sigma=1.0, repeats=40)
    >>> found.certificate.holds, round(found.least_probability, 3)
    (True, 0.25)
    """
    X, beta, penalty = _checked("oracle_experiment", X, beta, sigma, C, repeats)
    n, p = X.shape
    S = beta != 0.0
    s = int(S.sum())
    if s == 0:
        raise ValueError("oracle_experiment(beta): every coefficient is 0; give one that is not")
    if kappa is None:
        kappa = restricted_eigenvalue(X, s, 3.0).lower
    elif not (np.isfinite(kappa) and kappa >= 0.0):
        raise ValueError(f"oracle_experiment(kappa={kappa}): kappa must be a finite number >= 0")
    rows = []
    for noise in _noise(n, sigma, repeats, random_state):
        with one_blas_thread():
            coef, gap = lasso(X, X @ beta + noise, penalty, 1e-13)
        delta = coef - beta
        rows.append(
            (
                np.abs(X.T @ noise).max() / n, np.sum((X @ delta) ** 2) / n, np.abs(delta[S]).sum(),
                np.abs(delta[~S]).sum(), max(gap, 0.0),
            )
        )  # fmt: skip
    largest, prediction, on, off, gap = np.array(rows).T
    square = kappa**2
    fast, far = (16.0 * penalty**2 * s / square, 16.0 * penalty * s / square) if square > 0.0 else (np.inf, np.inf)
    slip = 2.0 * gap + ROUNDING * penalty * (on + off)
    # With a = ‖Xδ‖/√n, b = 4λ√s/κ and slip g: a² ≤ ba + g gives a² ≤ b² + 2g, and λ‖δ‖₁ ≤ ba + g ≤ b² + 2g.
    inequalities = (
        Inequality("L24", "‖Xδ‖²/n + λ‖δ‖₁ ≤ 4λ‖δ_S‖₁", prediction + penalty * (on + off), 4.0 * penalty * on, slip),
        Inequality("L24", "‖δ outside S‖₁ ≤ 3‖δ_S‖₁", off, 3.0 * on, slip / penalty),
        Inequality("L24", "‖Xδ‖²/n ≤ 16λ²s/κ²", prediction, np.full(repeats, fast), 2.0 * slip),
        Inequality("L24", "‖δ‖₁ ≤ 16λs/κ²", on + off, np.full(repeats, far), 2.0 * slip / penalty),
    )
    return _experiment(penalty, C, p, largest, inequalities, float(kappa), level)


def slow_rate_experiment(
    X: Any, beta: Any, sigma: float, *, K: float | None = None, C: float = 3.0, repeats: int = 50, level: float = 0.95,
    random_state: int | None = 0,
) -> OracleExperiment:  # fmt: skip
    """Check the slow rate: least squares over ‖β‖₁ ≤ K, whatever the design.

    Xβ̂ is the point of {Xβ : ‖β‖₁ ≤ K} nearest to y, so ‖Xδ‖²/n ≤ ε·Xδ/n (projection inequality); on A the right side is
    at most (λ/2)·2K. Syllabus: L25.

    Parameters
    ----------
    X, beta, sigma, C, repeats, level, random_state : as `oracle_experiment`.
    K : float, default=None
        Radius, at least ‖β*‖₁, which None stands for.

    Returns
    -------
    OracleExperiment

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.theory import root_n_columns, slow_rate_experiment
    >>> x = np.random.default_rng(0).standard_normal(50)
    >>> X = root_n_columns(np.column_stack([x, x, -x, np.ones(50)]))        # κ = 0: only the slow rate speaks
    >>> slow_rate_experiment(X, [1.0, 0.0, 0.0, 0.5], sigma=1.0, repeats=20).certificate.holds
    True
    """
    X, beta, penalty = _checked("slow_rate_experiment", X, beta, sigma, C, repeats)
    n, p = X.shape
    size = float(np.abs(beta).sum())
    K = size if K is None else float(K)
    if not (np.isfinite(K) and size <= K and K > 0.0):
        raise ValueError(f"slow_rate_experiment(K={K:g}): K must be finite, > 0 and at least ‖β*‖₁ = {size:g}")
    rows = []
    for noise in _noise(n, sigma, repeats, random_state):
        with one_blas_thread():
            found = constrained(penalized_problem(X, X @ beta + noise, None, False), float(K), X.shape[1])
        fitted = X @ (found.coef - beta)
        prediction = float(fitted @ fitted) / n
        # The nearest point itself is within e of the one found, e² = 2(gap + slackness), in root mean square.
        e = np.sqrt(2.0 * (found.gap + found.slackness))
        slip = 2.0 * e * np.sqrt(prediction) + e**2 + e * np.linalg.norm(noise) / np.sqrt(n)
        rows.append((np.abs(X.T @ noise).max() / n, prediction, noise @ fitted / n, slip + ROUNDING * prediction))
    largest, prediction, projection, slip = np.array(rows).T
    inequalities = (
        Inequality("L25", "‖Xδ‖²/n ≤ ε·Xδ/n", prediction, projection, slip),
        Inequality("L25", "‖Xδ‖²/n ≤ Kλ", prediction, np.full(repeats, K * penalty), slip),
    )
    return _experiment(penalty, C, p, largest, inequalities, float("nan"), level)


def _experiment(penalty, C, p, largest, inequalities, kappa, level) -> OracleExperiment:
    on_event = largest <= penalty / 2.0
    frequency = proportion_interval(int(on_event.sum()), len(on_event), method="clopper_pearson", level=level)
    promised = 1.0 - noise_event(p=p, C=C).value
    return OracleExperiment(penalty, float(C), on_event, frequency, promised, inequalities, kappa)


def _checked(
    name: str, X: Any, beta: Any, sigma: float, C: float, repeats: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """X and β* as arrays, and λ."""
    X = check_array(X, dtype=np.float64)
    n, p = X.shape
    beta = np.asarray(beta, dtype=float)
    if beta.shape != (p,) or not np.isfinite(beta).all():
        raise ValueError(f"{name}(beta of shape {beta.shape}): one finite coefficient for each of the {p} columns")
    length = np.linalg.norm(X, axis=0)
    if np.any(length > np.sqrt(n) * (1.0 + 1e-9)):
        j = int(np.argmax(length))
        raise ValueError(
            f"{name}: column {j} has ‖xⱼ‖ = {length[j]:.6g} > √n = {np.sqrt(n):.6g}; scale X by root_n_columns(X)"
        )
    if not (isinstance(repeats, (int, np.integer)) and repeats >= 1):
        raise ValueError(f"{name}(repeats={repeats}): repeats must be a whole number >= 1")
    return X, beta, oracle_penalty(n, p, sigma, C)


def _noise(n: int, sigma: float, repeats: int, random_state: int | None):
    """One stream for each repetition, so that the first ones stay the same when there are more."""
    for stream in np.random.SeedSequence(random_state).spawn(repeats):
        yield sigma * np.random.default_rng(stream).standard_normal(n)
