"""k-means, mixtures, PCA and spectral clustering beside scikit-learn: the same start, the same accuracy, whole fits."""

import statistics
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.clock import clocked
from benchmarks.problems import SEED, share


class ClusterFigure(NamedTuple):
    """Median seconds of ours, certificate included, and of scikit-learn's faster form.

    difference : of what both minimise or maximise, relative; negative where ours is better.
    """

    case: str
    rival: str
    seconds: float
    rival_seconds: float
    difference: float


class Case(NamedTuple):
    """A job: ours, the forms of the rival, and the value found, smaller being better."""

    name: str
    ours: Callable[[], Any]
    rivals: dict[str, Callable[[], Any]]
    value: Callable[[Any], float]


def unsupervised_figures(scale: float, turns: int, only: str = "") -> Iterator[ClusterFigure]:
    """Every case whose name contains `only`, in turns, after one fit to warm up."""
    for case in cases(scale):
        if only.lower() not in case.name.lower():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.ours()
            ours: list[tuple[float, float]] = []
            theirs: dict[str, list[tuple[float, float]]] = {name: [] for name in case.rivals}
            for _ in range(turns):
                ours.append(_timed(case.ours, case.value))
                for name, fit in case.rivals.items():
                    theirs[name].append(_timed(fit, case.value))
        medians = {name: statistics.median(seconds for seconds, _ in runs) for name, runs in theirs.items()}
        rival = min(medians, key=lambda name: medians[name])
        value, wanted = ours[0][1], theirs[rival][0][1]
        difference = (value - wanted) / max(abs(wanted), np.finfo(float).tiny)
        yield ClusterFigure(case.name, rival, statistics.median(s for s, _ in ours), medians[rival], difference)


def unsupervised_table(rows: Iterable[ClusterFigure]) -> Table:
    """One row a case."""
    table = Table(title="Unsupervised learners beside scikit-learn (medians)", title_justify="left")
    table.add_column("case")
    table.add_column("scikit-learn")
    for heading in ("ours s", "theirs s", "ratio", "difference"):
        table.add_column(heading, justify="right")
    table.caption = "ratio: theirs / ours; difference: of the value found, relative, negative where ours is better."
    for row in rows:
        figures = (f"{row.seconds:.3f}", f"{row.rival_seconds:.3f}", f"{row.rival_seconds / row.seconds:.2f}")
        table.add_row(row.case, row.rival, *figures, f"{row.difference:.1e}")
    return table


def cases(scale: float) -> Iterator[Case]:
    """Tall and small tables, many and few clusters; tall, wide and square tables for PCA."""
    for n, p, K in ((share(200_000, scale, 2000), 32, 100), (share(200_000, scale, 2000), 32, 3), (300, 5, 3)):
        yield clusters(n, p, K)
    for n, p, K, kind in ((share(50_000, scale, 1000), 20, 8, "full"), (share(50_000, scale, 1000), 20, 8, "diag")):
        yield mixture(n, p, K, kind)
    for n, p, q in ((share(200_000, scale, 2000), 100, 10), (500, share(10_000, scale, 1000), 20), (300, 20, 5)):
        yield axes(n, p, q)
    yield moons(share(20_000, scale, 500))


def clusters(n: int, p: int, K: int) -> Case:
    from sklearn import cluster
    from sklearn.datasets import make_blobs

    from learnable.unsupervised import KMeans

    X = make_blobs(n, p, centers=K, cluster_std=3.0, random_state=SEED)[0]
    options = {"init": X[:K], "n_init": 1, "tol": 0.0, "max_iter": 300}
    rivals = {
        name: lambda name=name: cluster.KMeans(K, algorithm=name, **options).fit(X) for name in ("lloyd", "elkan")
    }
    return Case(f"k-means {n} x {p}, K={K}", lambda: KMeans(K, **options).fit(X), rivals, lambda model: model.inertia_)


def mixture(n: int, p: int, K: int, kind: str) -> Case:
    from sklearn import mixture
    from sklearn.datasets import make_blobs

    from learnable.unsupervised import GaussianMixture

    X = make_blobs(n, p, centers=K, cluster_std=4.0, random_state=SEED)[0]
    precisions = np.tile(np.eye(p), (K, 1, 1)) if kind == "full" else np.ones((K, p))
    options = {"covariance_type": kind, "tol": 0.0, "max_iter": 20, "means_init": X[:K], "precisions_init": precisions}
    options |= {"weights_init": np.full(K, 1.0 / K), "init_params": "random_from_data", "random_state": 0}
    return Case(
        f"mixture {kind} {n} x {p}, K={K}, 20 steps",
        lambda: GaussianMixture(K, **options).fit(X),
        {"GaussianMixture": lambda: mixture.GaussianMixture(K, **options).fit(X)},
        lambda model: -model.score(X[:1000]),
    )


def axes(n: int, p: int, q: int) -> Case:
    from sklearn import decomposition

    from learnable.unsupervised import PCA

    X = np.random.default_rng(SEED).standard_normal((n, p)) * np.linspace(3.0, 0.5, p)
    return Case(
        f"PCA {n} x {p}, {q} axes",
        lambda: PCA(q, random_state=0).fit(X),
        {
            name: lambda name=name: decomposition.PCA(q, svd_solver=name, random_state=0).fit(X)
            for name in ("auto", "arpack")
        },
        lambda model: -float(model.explained_variance_.sum()),
    )


def moons(n: int) -> Case:
    from sklearn import cluster
    from sklearn.datasets import make_moons

    from learnable.problems.unsupervised.graphs import cut_values
    from learnable.unsupervised import SpectralClustering

    X = make_moons(n, noise=0.05, random_state=SEED)[0]
    options = {"affinity": "nearest_neighbors", "random_state": 0}
    return Case(
        f"spectral, two moons of {n}",
        lambda: SpectralClustering(2, **options).fit(X),
        {"SpectralClustering": lambda: cluster.SpectralClustering(2, **options).fit(X)},
        lambda model: 1.0 + cut_values(model.affinity_matrix_, model.labels_)["normalised_cut"],
    )


def _timed(fit: Callable[[], Any], value: Callable[[Any], float]) -> tuple[float, float]:
    found = clocked(fit)
    return found.wall, value(found.found)
