"""`learnable cluster`: how many clusters can the data tell apart, with what stability, and what is proved of them."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from learnable.app.errors import UserError
from learnable.app.files import write_all
from learnable.app.report import words
from learnable.app.report.plots.svg import blank, drawing, inline, settle
from learnable.app.table.reading import open_table
from learnable.certificates import Certificate
from learnable.datasets import Kind, Table, names
from learnable.unsupervised import (
    PCA,
    GapDisplay,
    GapStatistic,
    GaussianMixture,
    KMeans,
    SilhouetteDisplay,
    Stability,
    StabilityDisplay,
    cluster_stability,
    gap_statistic,
)

# Agreement below which clusters are not called stable.
STABLE = 0.8
# What a column is that holds no measurements.
WHAT = {
    Kind.CONSTANT: "constant", Kind.IDENTIFIER: "an identifier", Kind.ORDERED: "an ordered category",
    Kind.BOOLEAN: "a category of two", Kind.TEXT: "text",
}  # fmt: skip
# Rows that the choice of the number of clusters looks at.
MOST_ROWS = 2000


@dataclass(frozen=True)
class Clusters:
    """What was found.

    Attributes
    ----------
    source : name of the table. columns : those used. left_out : name -> why. n_rows, n_missing : rows used, dropped.
    gap, stability : by number of clusters. mixture : number of components -> BIC.
    n_clusters : chosen by the gap. agreement : how stable they are. silhouette : its display.
    labels : cluster of each row, −1 for a dropped one. centres : in the units of the columns.
    certificate : of k-means.
    scores : the rows on their two principal axes. explained : share of the variance that those show.
    """

    source: str
    columns: tuple[str, ...]
    left_out: dict[str, str]
    n_rows: int
    n_missing: int
    gap: GapStatistic
    stability: Stability
    mixture: dict[int, float]
    n_clusters: int
    agreement: float | None
    silhouette: SilhouetteDisplay | None
    labels: np.ndarray
    centres: np.ndarray
    sizes: np.ndarray
    certificate: Certificate
    scores: np.ndarray
    explained: float

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if self.n_clusters == 1:
            return "The data cannot be told from data without clusters."
        stable = self.agreement is not None and self.agreement >= STABLE
        words_of = f"agreement {self.agreement:.2f} between resamples"
        told = f"The data tell {self.n_clusters} clusters apart"
        if stable:
            return f"{told}, and they are stable ({words_of})."
        # Numbers that resamples agree on, and that data without clusters do not have.
        steady = [
            (int(K), float(mean))
            for K, mean in zip(self.stability.n_clusters, self.stability.mean)
            if mean >= STABLE and self.gap.gap[K - 1] > self.gap.gap[0] and self.n_clusters > K
        ]
        other = f"; {steady[-1][0]} clusters are (agreement {steady[-1][1]:.2f})" if steady else ""
        return f"{told}, but they are not stable ({words_of}){other}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": "learnable.cluster/1", "source": self.source, "rows": self.n_rows, "dropped_rows": self.n_missing,
            "columns": list(self.columns), "left_out": self.left_out, "n_clusters": self.n_clusters,
            "verdict": self.verdict, "agreement": self.agreement, "sizes": self.sizes.tolist(),
            "centres": self.centres.tolist(),
            "gap": [[int(k), float(g), float(e)] for k, g, e in zip(self.gap.n_clusters, self.gap.gap, self.gap.error)],
            "stability": [[int(k), float(a)] for k, a in zip(self.stability.n_clusters, self.stability.mean)],
            "mixture_bic": [[k, v] for k, v in self.mixture.items()],
            "silhouette": None if self.silhouette is None else self.silhouette.mean,
            "certificate": self.certificate.to_dict(), "labels": self.labels.tolist(),
        }  # fmt: skip

    def text(self, report: Path | None = None) -> str:
        """For people, on a terminal."""
        wide = f"{len(self.columns)} column{'s' if len(self.columns) > 1 else ''}"
        lines = [f"{words.short(self.source, 60)}: {self.n_rows} rows, {wide}", self.verdict]
        if self.n_missing:
            lines.append(f"{self.n_missing} rows with missing cells were left out.")
        if self.left_out:
            why = "; ".join(f"{words.short(name, 20)} {reason}" for name, reason in self.left_out.items())
            lines.append(f"Columns left out: {words.short(why, 300)}.")
        for k, (size, centre) in enumerate(zip(self.sizes, self.centres)):
            shown = ", ".join(
                f"{words.short(name, 20)} {words.number(float(v))}" for name, v in zip(self.columns[:6], centre)
            )
            lines.append(f"  cluster {k}: {size} rows; {shown}")
        lines.append(str(self.certificate))
        return "\n".join(lines if report is None else [*lines, f"report: {report}"])

    def write(self, folder: Path) -> Path:
        """The report as one HTML file, written whole or not at all."""
        path = folder / "clusters.html"
        write_all({path: render(self).encode()})
        return path


def cluster(data: str | None, max_clusters: int = 8, seed: int = 0, drop: tuple[str, ...] = ()) -> Clusters:
    """Choose the number of clusters of a table, find them, and say how stable they are."""
    table = open_table(data or names()[0])
    for name in drop:
        if name not in table.names:
            raise UserError(f"--drop: there is no column {name!r} in {table.source}")
    X, columns, left_out = _numbers(table, set(drop))
    whole = np.all(np.isfinite(X), axis=1)
    rows = X[whole]
    if len(rows) < 10:
        share = np.mean(~np.isfinite(X), axis=0)
        worst = ", ".join(f"{words.short(columns[j], 30)} {share[j]:.0%}" for j in np.argsort(-share)[:5] if share[j])
        raise UserError(
            f"{table.source}: {len(rows)} rows without missing cells; at least 10 are needed"
            + (f". Leave columns out with --drop (missing: {worst}), or fill the cells" if worst else "")
        )
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    Z = (rows - centre) / spread
    random = np.random.default_rng(seed)
    some = Z if len(Z) <= MOST_ROWS else Z[np.sort(random.choice(len(Z), MOST_ROWS, replace=False))]
    most = min(max_clusters, len(np.unique(some, axis=0)) - 1, len(some) // 3)
    if most < 2:
        raise UserError(f"{table.source}: too few different rows to look for clusters")
    gap = gap_statistic(some, most, random_state=seed)
    stability = cluster_stability(some, range(2, most + 1), random_state=seed)
    mixture = {
        K: GaussianMixture(K, covariance_type="diag", n_init=2, reg_covar=1e-4, random_state=seed, tol=1e-4,
                           max_iter=500).fit(some).bic(some)
        for K in range(1, most + 1)
    }  # fmt: skip
    K = gap.chosen
    model = KMeans(K, n_init=10, tol=0.0, max_iter=1000, random_state=seed).fit(Z)
    labels = np.full(len(X), -1)
    labels[whole] = model.labels_
    axes = PCA(min(2, Z.shape[1])).fit(Z)
    silhouette = SilhouetteDisplay.from_data(some, model.predict(some)) if K > 1 else None
    return Clusters(
        table.source, columns, left_out, len(rows), int(np.sum(~whole)), gap, stability, mixture, K,
        float(stability.mean[K - 2]) if K > 1 else None, silhouette, labels,
        model.cluster_centers_ * spread + centre, np.bincount(model.labels_, minlength=K), model.certificate_,
        axes.transform(Z), float(axes.explained_variance_ratio_.sum()),
    )  # fmt: skip


def _numbers(table: Table, dropped: set[str]) -> tuple[np.ndarray, tuple[str, ...], dict[str, str]]:
    """The columns of numbers that vary, and why each other one is left out."""
    kept, left_out = [], {}
    for column in table.columns:
        if column.name in dropped:
            left_out[column.name] = "was to be left out"
        elif column.kind is not Kind.NUMBER:
            left_out[column.name] = f"is {WHAT.get(column.kind, f'a {column.kind}')}"
        else:
            values = np.asarray(column.values, dtype=float)
            seen = values[np.isfinite(values)]
            if len(seen) == 0 or seen.min() == seen.max():
                left_out[column.name] = "is constant"
            elif np.abs(seen).max() > 1e100:
                left_out[column.name] = "has numbers whose squares cannot be represented"
            else:
                kept.append((column.name, values))
    if not kept:
        reasons = "; ".join(f"{words.short(name, 30)} {why}" for name, why in list(left_out.items())[:5])
        raise UserError(f"{table.source} has no column of numbers to cluster by ({reasons})")
    return np.column_stack([values for _, values in kept]), tuple(name for name, _ in kept), left_out


def render(found: Clusters) -> str:
    """The report: one HTML file that loads nothing and runs nothing; names are escaped."""
    return _template().render(found=found, pictures=_pictures(found), css=Markup(_read("report.css")))


def _pictures(found: Clusters) -> dict[str, Markup]:
    pictures = {}
    with drawing():
        figure, axes = blank(390, 240, left=62, right=10, top=10, bottom=46)
        GapDisplay(found.gap).plot(axes)
        settle(axes, "clusters", "gap of log J")
        pictures["gap"] = inline(figure, "gap", "Gap statistic by number of clusters")
        figure, axes = blank(390, 240, left=62, right=10, top=10, bottom=46)
        StabilityDisplay(found.stability).plot(axes)
        settle(axes, "clusters", "agreement of resamples")
        pictures["stability"] = inline(figure, "stability", "Agreement between resamples by number of clusters")
        if found.scores.shape[1] == 2:
            from learnable.evaluation.displays.style import PALETTE

            figure, axes = blank(390, 300, left=62, right=10, top=10, bottom=46)
            labels = found.labels[found.labels >= 0]
            shown = np.linspace(0, len(labels) - 1, min(len(labels), 1500)).astype(int)
            colours = [PALETTE[k % len(PALETTE)] for k in labels[shown]]
            axes.scatter(*found.scores[shown].T, c=colours, s=6, linewidths=0)
            settle(axes, "first principal axis", "second")
            pictures["map"] = inline(figure, "map", "Rows on their first two principal axes, coloured by cluster")
        if found.silhouette is not None:
            figure, axes = blank(390, 280, left=40, right=10, top=10, bottom=46)
            found.silhouette.plot(axes)
            settle(axes, f"silhouette (mean {found.silhouette.mean:.2f})")
            pictures["silhouette"] = inline(figure, "silhouette", "Silhouettes by cluster")
    return pictures


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    for function in (words.clean, words.short, words.number, words.count):
        environment.filters[function.__name__] = function
    return environment.from_string(_read("clusters.html"))


def _read(name: str) -> str:
    return files("learnable.app.report").joinpath("templates", name).read_text(encoding="utf-8")
