"""The cases of `python -m benchmarks tall`, drawn from a fixed seed."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.field import OURS
from benchmarks.problems import SEED, share
from benchmarks.tall import Case

GAP = "gap/ms(y)"


def tall_cases(scale: float) -> Iterator[Case]:
    """Paths over designs of every shape, decision processes, discriminants, subsets, sequences, classes."""
    for l1_ratio in (1.0, 0.5):
        for name, X, y in designs(scale):
            yield path(name, X, y, l1_ratio)
    yield least_angles(share(20_000, scale, 600), 20)
    yield from planning("30 states x 3 actions", small_process())
    side = share(150, scale**0.5, 20)
    yield from planning(f"grid {side} x {side}, γ=.995", slow_grid(side))
    yield discriminant(share(60_000, scale, 600), 50, 4)
    yield splicing(100, 30, 4, 0.5)
    yield splicing(250, share(1500, scale, 100), 10, 0.9)
    yield hidden_markov(300, 3)
    yield groups(150, 20, 3)
    yield groups(share(800, scale, 80), share(900, scale, 60), 4)
    yield multinomial(160, share(900, scale, 60), 7)


def designs(scale: float) -> Iterator[tuple[str, Any, np.ndarray]]:
    """Tall, small, square, wide and sparse; centred, since the paths know no intercept."""
    from sklearn.datasets import load_diabetes

    from learnable.datasets import toeplitz_regression

    def drawn(n: int, p: int):
        X, y, _, _ = toeplitz_regression(n, p, rho=0.5, support=min(20, p), noise=1.0, random_state=SEED)
        return np.asfortranarray(X - X.mean(axis=0)), y - y.mean()

    n, p = share(10_000, scale, 400), share(200, scale**0.5, 20)
    yield f"tall {n} x {p}", *drawn(n, p)
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes 442 x 10", np.asfortranarray(X - X.mean(axis=0)), y - y.mean()
    m = share(500, scale**0.5, 50)
    yield f"square {m} x {m}", *drawn(m, m)
    yield (
        f"wide {share(200, scale**0.5, 40)} x {share(2000, scale, 100)}",
        *drawn(share(200, scale**0.5, 40), share(2000, scale, 100)),
    )
    rng, n, p = np.random.default_rng(SEED), share(5000, scale, 200), share(300, scale**0.5, 20)
    S = sparse.random(n, p, 0.05, format="csc", random_state=SEED)
    y = S @ rng.normal(size=p) + rng.normal(size=n)
    yield f"sparse {n} x {p}, 5 %", S, y


def path(name: str, X, y: np.ndarray, l1_ratio: float) -> Case:
    """100 penalties down to 1/1000 of the largest (1/100 where there are more columns than rows)."""
    from sklearn.linear_model import enet_path as rival_path
    from sklearn.linear_model import lars_path

    from learnable.sparse import enet_path

    n, p = X.shape
    largest = np.abs(X.T @ y).max() / n / l1_ratio
    alphas = np.geomspace(1.0, 1e-3 if p <= n else 1e-2, 100) * largest
    budget = {"alphas": alphas, "l1_ratio": l1_ratio, "max_iter": 100_000}
    contenders: dict[str, Callable[[float], Any]] = {
        OURS: lambda tol: enet_path(X, y, l1_ratio=l1_ratio, alphas=alphas, tol=1e-6)[1],
        "scikit-learn": lambda tol: rival_path(X, y, tol=tol, precompute=False, **budget)[1],
        "skglm": lambda tol: _skglm(X, y, alphas, l1_ratio, tol),
    }
    if not sparse.issparse(X) and p <= n:
        contenders["scikit-learn Gram"] = lambda tol: rival_path(X, y, tol=tol, precompute=True, **budget)[1]
        if l1_ratio == 1.0:
            contenders["lars_path"] = lambda tol: _between(
                alphas, *lars_path(X, y, method="lasso", alpha_min=alphas[-1])
            )
    if find_spec("celer"):
        contenders["celer"] = lambda tol: _celer(X, y, alphas, l1_ratio, tol)

    def worst_gap(coefs: np.ndarray) -> float:
        return max(_gap(X, y, alpha, l1_ratio, coef) for alpha, coef in zip(alphas, coefs.T)) / float(np.mean(y**2))

    kind = "lasso" if l1_ratio == 1.0 else "elastic net"
    return Case(f"{kind} path, {name}", contenders, worst_gap, 1e-6, GAP, 1.5)


def least_angles(n: int, p: int) -> Case:
    """The whole path, whose end is least squares."""
    from sklearn.linear_model import Lars as Rival

    from learnable.datasets import toeplitz_regression
    from learnable.sparse import Lars

    X, y, _, _ = toeplitz_regression(n, p, rho=0.5, support=p, noise=1.0, random_state=SEED)
    end = np.linalg.lstsq(np.column_stack([X, np.ones(n)]), y, rcond=None)[0]
    contenders = {OURS: lambda tol: Lars().fit(X, y), "scikit-learn": lambda tol: Rival().fit(X, y)}

    def away(model) -> float:
        return float(np.linalg.norm(model.coef_ - end[:-1]) / np.linalg.norm(end[:-1]))

    return Case(f"least angle regression {n} x {p}", contenders, away, 1e-9, "from least squares", 1.5)


def _gap(X, y, alpha: float, l1_ratio: float, coef: np.ndarray) -> float:
    n, miss = len(y), y - X @ coef
    pull = np.abs(X.T @ miss) / n
    ridge = alpha * (1.0 - l1_ratio)
    primal = 0.5 * float(miss @ miss) / n + alpha * l1_ratio * np.abs(coef).sum() + 0.5 * ridge * float(coef @ coef)
    t = 1.0 if ridge > 0.0 else min(1.0, alpha * l1_ratio / pull.max())
    dual = (t * float(miss @ y) - 0.5 * t * t * float(miss @ miss)) / n
    if ridge > 0.0:
        dual -= 0.5 * float(np.sum(np.maximum(pull - alpha * l1_ratio, 0.0) ** 2)) / ridge
    return float(primal - dual)


def _between(alphas, knots, _active, coefs) -> np.ndarray:
    """Coefficients on the grid from those at the knots: the path is linear between them."""
    return np.array([np.interp(alphas[::-1], knots[::-1], row[::-1])[::-1] for row in coefs])


def _skglm(X, y, alphas, l1_ratio: float, tol: float) -> np.ndarray:
    from skglm.datafits import Quadratic
    from skglm.penalties import L1, L1_plus_L2
    from skglm.solvers import AndersonCD
    from skglm.utils.jit_compilation import compiled_clone

    penalty = compiled_clone(L1(1.0) if l1_ratio == 1.0 else L1_plus_L2(1.0, l1_ratio))
    solver = AndersonCD(max_iter=200, tol=tol, fit_intercept=False, warm_start=True)
    return solver.path(X, y, compiled_clone(Quadratic()), penalty, alphas=alphas)[1]


def _celer(X, y, alphas, l1_ratio: float, tol: float) -> np.ndarray:
    from celer import celer_path

    return celer_path(X, y, "lasso", alphas=alphas, l1_ratio=l1_ratio, tol=tol, max_iter=100, prune=True)[1]


def small_process():
    """A random process, dense."""
    from learnable.reinforcement import MDP

    rng = np.random.default_rng(SEED)
    return MDP(rng.dirichlet(np.ones(30), size=(30, 3)), rng.random((30, 3)), 0.95)


def slow_grid(side: int):
    """Four moves that slip sideways one time in five; every cell costs, one corner pays for ever."""
    from learnable.reinforcement import MDP

    n = side * side
    i, j = np.divmod(np.arange(n), side)
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))
    to = [np.clip(i + a, 0, side - 1) * side + np.clip(j + b, 0, side - 1) for a, b in moves]
    P = sparse.csr_matrix((4 * n, n))
    for a in range(4):
        for b, chance in ((a, 0.8), ((a + 1) % 4, 0.1), ((a - 1) % 4, 0.1)):
            P += sparse.csr_matrix((np.full(n, chance), (4 * np.arange(n) + a, to[b])), shape=P.shape)
    # No two cells cost the same: among equal actions quantecon's policy iteration runs in circles for ever.
    rewards = np.repeat(-0.01 - 0.002 * np.random.default_rng(SEED).random(n), 4).reshape(n, 4)
    rewards[-1] = 1.0
    return MDP.from_pairs(np.repeat(np.arange(n), 4), np.tile(np.arange(4), n), P, rewards.ravel(), 0.995)


def planning(name: str, mdp) -> Iterator[Case]:
    """Three methods within 1e-6 of V*."""
    from benchmarks.cases_mdp import Pairs
    from benchmarks.rival_quantecon import discrete_dp, solve
    from learnable.reinforcement import ModifiedPolicyIteration, PolicyIteration, ValueIteration

    ddp = discrete_dp(Pairs(mdp.pair_states, mdp.pair_actions, mdp.transitions, mdp.rewards, mdp.discount))
    best = cache(lambda: PolicyIteration(1e-10).fit(mdp).values_)
    methods = {"mpi": ModifiedPolicyIteration, "vi": ValueIteration, "pi": PolicyIteration}

    def off(values: np.ndarray) -> float:
        return float(np.abs(values - best()).max())

    for key, planner in methods.items():
        contenders: dict[str, Callable[[float], Any]] = {
            OURS: lambda tol, planner=planner: planner(1e-6).fit(mdp).values_
        }
        contenders["quantecon"] = lambda tol, key=key: solve(ddp, key, 1e-6)
        yield Case(f"{planner.__name__}, {name}", contenders, off, 1e-6, "from V*", 1.5)


def discriminant(n: int, p: int, n_classes: int) -> Case:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Rival

    from learnable.linear import QuadraticDiscriminantAnalysis

    rng = np.random.default_rng(SEED)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.5 * rng.normal(size=(p, p)) / np.sqrt(p)) + y[:, None]
    contenders = {
        OURS: lambda tol: QuadraticDiscriminantAnalysis().fit(X, y),
        "scikit-learn eigen": lambda tol: Rival(solver="eigen").fit(X, y),
        "scikit-learn svd": lambda tol: Rival().fit(X, y),
    }
    wanted = cache(lambda: Rival(solver="eigen").fit(X, y).predict(X))

    def different(model) -> float:
        return float(np.mean(model.predict(X) != wanted()))

    return Case(f"QDA {n} x {p}, {n_classes} classes", contenders, different, 1e-3, "predicted otherwise", 1.2)


def splicing(n: int, p: int, k: int, rho: float, draws: int = 30) -> Case:
    """All draws in one turn; the answer is the residual sums of squares."""
    from learnable.datasets import toeplitz_regression
    from learnable.sparse import SplicingSubset

    tables = [toeplitz_regression(n, p, rho=rho, support=k, noise=1.0, random_state=seed)[:2] for seed in range(draws)]

    def ours(tol: float) -> np.ndarray:
        return np.array([np.sum((y - SplicingSubset(k=k).fit(X, y).predict(X)) ** 2) for X, y in tables])

    def abess(tol: float) -> np.ndarray:
        from abess.linear import LinearRegression

        fits = (LinearRegression(support_size=k, thread=1).fit(X, y).predict(X) for X, y in tables)
        return np.array([np.sum((y - fit) ** 2) for (_, y), fit in zip(tables, fits)])

    best = cache(lambda: ours(0.0))
    contenders = {OURS: ours} | ({"abess": abess} if find_spec("abess") else {})
    name = f"splicing {n} x {p}, k={k}, ρ={rho:g}, {draws} draws"
    return Case(name, contenders, lambda rss: float(np.max(rss / best())), np.inf, "RSS / ours, worst", 1.0)


def hidden_markov(length: int, n_states: int) -> Case:
    """One sequence of numbers, 20 steps from the same start."""
    from hmmlearn import hmm

    from learnable.sequences import GaussianHMM

    rng, K = np.random.default_rng(SEED), n_states
    X = (2.0 * (np.cumsum(rng.random(length) < 0.1) % K) + rng.normal(size=length))[:, None]
    start = {
        "startprob": np.full(K, 1.0 / K), "transmat": np.full((K, K), 0.3 / K) + 0.7 * np.eye(K),
        "means": 2.0 * np.arange(K)[:, None] + 0.3, "covars": np.ones((K, 1)),
    }  # fmt: skip

    def ours(tol: float) -> float:
        model = GaussianHMM(K, covariance_type="diag", n_iter=20, tol=0.0, **{f"{k}_init": v for k, v in start.items()})
        return model.fit(X).log_likelihood_

    def theirs(tol: float) -> float:
        model = hmm.GaussianHMM(K, "diag", n_iter=20, tol=-np.inf, init_params="", covars_prior=1e-2)
        model.n_features = 1
        for name, value in start.items():
            setattr(model, f"{name}_", value.copy())
        return model.fit(X).score(X)

    best = cache(lambda: ours(0.0))
    contenders = {OURS: ours, "hmmlearn": theirs}
    name = f"Baum-Welch, one sequence of {length}, K={K}, 20 steps"
    return Case(name, contenders, lambda value: abs(value - best()) / abs(best()), np.inf, "of log P", 1.0)


def groups(n: int, m: int, size: int) -> Case:
    """30 penalties down to 1/20 of the largest, as `python -m benchmarks folded` has them."""
    from benchmarks.folded import TARGET, group_case

    case = group_case(n, m, size, min(10, m // 2))
    contenders: dict[str, Callable[[float], Any]] = {OURS: lambda tol: case.ours(TARGET), "skglm": case.theirs}
    if find_spec("celer") and case.celer is not None:
        contenders["celer"] = case.celer
    return Case(case.name, contenders, lambda coefs: case.judge(coefs)[0], TARGET, GAP, 1.5)


def multinomial(n: int, p: int, n_classes: int) -> Case:
    """More columns than rows; the answer is judged by its objective above the best found."""
    from sklearn.linear_model import LogisticRegression as Rival

    from learnable.linear import LogisticRegression

    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, p))
    y = np.argmax(X[:, :n_classes] + 0.5 * rng.normal(size=(n, n_classes)), axis=1)
    labels = np.unique(y)

    def objective(model) -> float:
        chances = model.predict_log_proba(X)
        return float(-chances[np.arange(n), np.searchsorted(labels, y)].sum() + 0.5 * np.sum(model.coef_**2))

    best = cache(lambda: objective(LogisticRegression(tol=1e-10, max_iter=1000).fit(X, y)))
    contenders = {
        OURS: lambda tol: LogisticRegression(max_iter=1000).fit(X, y),
        "newton-cg": lambda tol: Rival(solver="newton-cg", tol=tol, max_iter=10_000).fit(X, y),
        "lbfgs": lambda tol: Rival(solver="lbfgs", tol=tol, max_iter=10_000).fit(X, y),
    }
    name = f"multinomial logistic {n} x {p}, {n_classes} classes"
    return Case(name, contenders, lambda model: (objective(model) - best()) / n, 1e-6, "above the best, a row", 1.2)
