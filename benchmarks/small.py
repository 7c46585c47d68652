"""Small and medium tables: whole fits beside scikit-learn's, with certificates and without; where ours spend."""

import math
import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.problems import SEED

PARTS = ("validation", "set-up", "driven", "certificate")
# How much more memory than the rival's a fit may take at its peak, and kilobytes that nobody minds.
MEMORY_BAR, LITTLE = 1.5, 512.0


class SmallFigure(NamedTuple):
    """Milliseconds of processor time, the fastest of the turns; kilobytes at the peak of a fit.

    Attributes
    ----------
    certified, bare : ours with certificates and without.
    rival : scikit-learn's class of the same name, or another library's; NaN where nobody has the class.
    validation, setup, driven, certificate, rest : the parts of `certified`; the rest is the house's own.
    peak, rival_peak : of arrays and objects that Python counts; what compiled code takes by itself is not among them.
    """

    case: str
    certified: float
    bare: float
    rival: float
    validation: float
    setup: float
    driven: float
    certificate: float
    rest: float
    peak: float
    rival_peak: float

    @property
    def fixed(self) -> float:
        """What a fit costs besides its algorithm: validation, claims and the house."""
        return self.validation + self.certificate + self.rest


class Case(NamedTuple):
    """A job: an unfitted model of ours, the rival's, and what `fit` takes."""

    name: str
    ours: Any
    rival: Any
    data: tuple


def small_figures(
    turns: int, only: str = "", budget: float = 1.0, of: Iterable[Case] | None = None
) -> Iterator[SmallFigure]:
    """Every case whose name contains `only`; everyone in turns, for `budget` seconds or `turns` turns a case."""
    from learnable import config_context

    for case in cases() if of is None else of:
        if only.lower() not in case.name.lower():
            continue
        # One thread of BLAS for everyone: others would only wait, and waiting counts as processor time.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            spent: dict[str, list[float]] = {"certified": [], "bare": [], "rival": []}
            parts: dict[str, list[float]] = {name: [] for name in (*PARTS, "rest")}
            case.ours.fit(*case.data)
            end = time.perf_counter() + budget
            while len(spent["certified"]) < 2 or (time.perf_counter() < end and len(spent["certified"]) < 40 * turns):
                spent["certified"].append(_clock(case.ours, case.data))
                with config_context(certificates=False):
                    spent["bare"].append(_clock(case.ours, case.data))
                spent["rival"].append(math.nan if case.rival is None else _clock(case.rival, case.data))
                for name, seconds in _parts(case).items():
                    parts[name].append(seconds)
            peaks = _peak(case.ours, case.data), math.nan if case.rival is None else _peak(case.rival, case.data)
        milliseconds = [1e3 * min(values) for values in spent.values()]
        yield SmallFigure(case.name, *milliseconds, *(1e3 * min(values) for values in parts.values()), *peaks)


def small_table(rows: Iterable[SmallFigure], title: str = "Small tables") -> Table:
    """One row a case, those furthest behind their rival first; then those without one."""
    table = Table(title=f"{title} (processor time, fastest of the turns)", title_justify="left")
    table.add_column("case")
    times = ("ours ms", "no claims ms", "rival ms", "ratio", "no claims", "claims share")
    for heading in (*times, *PARTS, "rest", "peak kB", "rival kB"):
        table.add_column(heading, justify="right")
    table.caption = "ratio: rival / ours, with certificates and without. claims share: of the fit without them."
    rows = sorted(rows, key=lambda row: row.rival / row.certified if row.rival == row.rival else math.inf)
    for row in rows:
        times = (f"{value:.2f}" for value in (row.certified, row.bare, row.rival))
        ratios = (f"{row.rival / value:.2f}" for value in (row.certified, row.bare))
        parts = (row.validation, row.setup, row.driven, row.certificate, row.rest)
        share = f"{row.certified / row.bare - 1.0:+.0%}"
        peaks = (f"{value:.0f}" for value in (row.peak, row.rival_peak))
        table.add_row(row.case, *times, *ratios, share, *(f"{part:.2f}" for part in parts), *peaks)
    if any(row.rival == row.rival for row in rows):
        table.caption += standing(rows)
    return table


def standing(rows: list[SmallFigure]) -> str:
    """How many of the cases keep each bar."""
    raced = [row for row in rows if row.rival == row.rival]
    with_claims, bare = ([row.rival / getattr(row, time) for row in raced] for time in ("certified", "bare"))
    house = statistics.median(row.validation + row.rest for row in rows)
    cheap = sum(row.certified <= 1.25 * row.bare for row in rows)
    large = [row.case for row in raced if row.peak > max(MEMORY_BAR * row.rival_peak, LITTLE)]
    return (
        f" Of {len(raced)} pairs {sum(r >= 1.0 for r in with_claims)} reach 1.0 with certificates and"
        f" {sum(r >= 2.0 for r in bare)} reach 2.0 without; medians {statistics.median(with_claims):.2f} and"
        f" {statistics.median(bare):.2f}. Certificates take at most 25% in {cheap} of {len(rows)} cases."
        f" Median of validation + rest {house:.2f} ms."
        f" Memory above {MEMORY_BAR:g} times the rival's and {LITTLE:.0f} kB: {', '.join(large) or 'none'}."
    )


def cases() -> Iterator[Case]:
    """Each estimator that scikit-learn has too, on the tables of its kind; then learners with another rival or none."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

    rng = np.random.default_rng(SEED)
    narrow = rng.standard_normal((150, 8))
    made = narrow, narrow @ np.arange(8.0) + rng.standard_normal(150)
    regression = {"diabetes": load_diabetes(return_X_y=True), "150x8": made}
    classes = {"iris": load_iris(return_X_y=True), "breast cancer": load_breast_cancer(return_X_y=True)}
    alone = {"iris": (classes["iris"][0],), "150x8": (narrow,)}
    for case in _pairs(regression, classes, alone):
        yield case
        if case.name == "LogisticRegression, iris":
            yield case._replace(name="LogisticRegression, wine", data=load_wine(return_X_y=True))
            yield case._replace(name="LogisticRegression, digits", data=load_digits(return_X_y=True))
    yield from others(classes, regression, rng)


def medium_cases(rows: int = 20_000, columns: int = 20) -> Iterator[Case]:
    """The same estimators on one table made for each kind, but for those that look at every pair of rows."""
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((rows, columns)) @ (np.eye(columns) + rng.uniform(-0.1, 0.1, (columns, columns)))
    signal = X[:, : columns // 2] @ rng.standard_normal(columns // 2)
    noisy, thirds = signal + rng.standard_normal(rows), np.quantile(signal, [1 / 3, 2 / 3])
    name = f"{rows}x{columns}"
    pairs = _pairs({name: (X, noisy)}, {name: (X, np.digitize(noisy, thirds))}, {name: (X,)})
    yield from (case for case in pairs if type(case.ours).__name__ not in ALL_PAIRS)


def _pairs(regression: dict, classes: dict, alone: dict) -> Iterator[Case]:
    """Each estimator that scikit-learn has too, on the tables of its kind."""
    import sklearn.utils
    from sklearn.base import ClassifierMixin, RegressorMixin

    from learnable.checks.discovery import all_estimators

    theirs = dict(sklearn.utils.all_estimators())
    for name, ours in all_estimators():
        if name not in theirs:
            continue
        rival, settings = theirs[name], SETTINGS.get(name, {})
        tables = alone
        if issubclass(rival, ClassifierMixin):
            tables = classes
        elif issubclass(rival, RegressorMixin):
            tables = regression
        for table, (X, *y) in tables.items():
            if name in COUNTS:
                least = min(X.min(), 0.0)
                X = np.floor((X - least) * 10.0 / (X.max(axis=0) - least)).astype(int)
            if name in POSITIVE:
                y = [y[0] - y[0].min() + 1.0]
            if name == "MultiTaskLasso":
                y = [np.column_stack([y[0], y[0][::-1]])]
            yield Case(f"{name}, {table}", ours(**settings), rival(**settings), (X, *y))


SETTINGS: dict[str, dict] = {
    "KMeans": {"n_clusters": 3, "random_state": 0},
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    "GaussianMixture": {"n_components": 3, "random_state": 0},
    "AgglomerativeClustering": {"n_clusters": 3},
    "SpectralClustering": {"n_clusters": 3, "random_state": 0},
    "GraphicalLasso": {"alpha": 0.2},
    "KernelRidge": {"kernel": "rbf"},
    "MLPClassifier": {"max_iter": 20, "random_state": 0},
    "MLPRegressor": {"max_iter": 20, "random_state": 0},
    "LogisticRegression": {"max_iter": 10_000},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},
}
COUNTS = ("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB")
POSITIVE = ("PoissonRegressor", "GammaRegressor")
ALL_PAIRS = (
    "AgglomerativeClustering", "KernelPCA", "KernelRidge", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR",
    "SpectralClustering",
)  # fmt: skip


def others(classes: dict, regression: dict, rng: np.random.Generator) -> Iterator[Case]:
    """Learners that scikit-learn has not, and some on tables that ask more of them."""
    from sklearn import linear_model

    from learnable.linear import Ridge
    from learnable.sequences import GaussianHMM
    from learnable.sparse import MultiTaskLasso, ReducedRankRegression, SplicingSubset, Stepwise

    X, y = regression["diabetes"]
    yield Case("Stepwise, diabetes", Stepwise(), None, (X, y))
    yield Case("SplicingSubset, diabetes", SplicingSubset(), None, (X, y))
    several = np.column_stack([y, X @ np.arange(10.0), y[::-1]])
    yield Case("ReducedRankRegression, diabetes", ReducedRankRegression(rank=1), None, (X, several))
    square = rng.standard_normal((300, 300))
    shared = square @ rng.standard_normal((300, 3)) + rng.standard_normal((300, 3))
    yield Case("MultiTaskLasso, 300x300", MultiTaskLasso(), linear_model.MultiTaskLasso(), (square, shared))
    wide = rng.standard_normal((400, 1000))
    yield Case("Ridge, 400x1000", Ridge(), linear_model.Ridge(), (wide, wide[:, 0] + rng.standard_normal(400)))
    try:
        from hmmlearn.hmm import GaussianHMM as Rival
    except ImportError:
        return
    chain = rng.standard_normal((300, 2)) + np.repeat(rng.integers(0, 3, 30), 10)[:, None] * 2.0
    options = {"n_components": 3, "covariance_type": "diag", "random_state": 0}
    yield Case("GaussianHMM, one sequence of 300", GaussianHMM(**options), Rival(**options), (chain,))


def _clock(model: Any, data: tuple) -> float:
    begin = time.process_time()
    model.fit(*data)
    return time.process_time() - begin


def _peak(model: Any, data: tuple) -> float:
    """Kilobytes at the peak of a fit beyond what was there before it."""
    tracemalloc.start()
    try:
        model.fit(*data)
        return tracemalloc.get_traced_memory()[1] / 2**10
    finally:
        tracemalloc.stop()


def _parts(case: Case) -> dict[str, float]:
    """One fit with a clock at each part of it; fits within the fit count where they happen."""
    spent = dict.fromkeys(PARTS, 0.0)
    running: list[str] = []

    def clocked(name: str, work: Callable) -> Callable:
        def timed(*arguments: Any, **named: Any) -> Any:
            if name in running:
                return work(*arguments, **named)
            running.append(name)
            begin = time.process_time()
            try:
                return work(*arguments, **named)
            finally:
                spent[name] += time.process_time() - begin
                running.remove(name)

        return timed

    kind = type(case.ours)
    with _replaced(kind, "_validated", clocked), _replaced(kind, "_pose", clocked), _replaced(kind, "_drive", clocked):
        from learnable.base import learner

        judged = learner.certificate_of
        learner.certificate_of = clocked("certificate", judged)
        try:
            whole = _clock(case.ours, case.data)
        finally:
            learner.certificate_of = judged
    spent["set-up"] -= spent["validation"]
    return spent | {"rest": whole - sum(spent.values())}


@contextmanager
def _replaced(kind: type, method: str, clocked: Callable) -> Iterator[None]:
    """The method of this class clocked, for a while."""
    part = {"_validated": "validation", "_pose": "set-up", "_drive": "driven"}[method]
    own = method in vars(kind)
    before = getattr(kind, method)
    setattr(kind, method, clocked(part, before))
    try:
        yield
    finally:
        if own:
            setattr(kind, method, before)
        else:
            delattr(kind, method)
