"""Cost curves: processor seconds of a fit as rows and columns grow, ours beside the rivals', drawn for the docs.

`python -m benchmarks curves` measures and writes docs/_static/cost_curves.svg.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.field import OURS
from benchmarks.problems import SEED

PICTURE = Path(__file__).parent.parent / "docs" / "_static" / "cost_curves.svg"
ROWS, COLUMNS = (250, 1000, 4000, 16_000), (10, 30, 100, 300)
AT_ROWS, AT_COLUMNS = 1000, 50
# Colours that differ in brightness too.
COLOURS = {OURS: "#0b6e4f"}
OTHERS = ("#d1495b", "#edae49", "#30638e", "#8d96a3")


class Curve(NamedTuple):
    """One contender of one family along one axis.

    Attributes
    ----------
    axis : "rows" (at `AT_COLUMNS` columns) or "columns" (at `AT_ROWS` rows).
    sizes, seconds : how long a fit takes of the processor at each size, the fewest of the turns.
    """

    family: str
    axis: str
    who: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


Fit = Callable[[np.ndarray, np.ndarray], Any]


def contenders() -> dict[str, dict[str, Fit]]:
    """Fits of (X, numbers) or (X, classes) by family, ours first, certificates on."""
    from sklearn import discriminant_analysis as theirs_discriminant
    from sklearn import linear_model as theirs

    from learnable import linear, sparse

    def penalty(X: np.ndarray, y: np.ndarray) -> float:
        return 0.1 * float(np.abs(X.T @ y).max()) / len(y)

    lasso: dict[str, Fit] = {
        OURS: lambda X, y: sparse.Lasso(penalty(X, y)).fit(X, y),
        "scikit-learn": lambda X, y: theirs.Lasso(penalty(X, y), tol=1e-6).fit(X, y),
    }
    if find_spec("celer"):
        lasso["celer"] = lambda X, y: _celer(penalty(X, y)).fit(X, y)
    return {
        "lasso": lasso,
        "logistic": {
            OURS: lambda X, y: linear.LogisticRegression().fit(X, y),
            "lbfgs": lambda X, y: theirs.LogisticRegression(tol=1e-6, max_iter=1000).fit(X, y),
            "newton-cholesky": lambda X, y: theirs.LogisticRegression(solver="newton-cholesky").fit(X, y),
        },
        "linear discriminant": {
            OURS: lambda X, y: linear.LinearDiscriminantAnalysis().fit(X, y),
            "svd": lambda X, y: theirs_discriminant.LinearDiscriminantAnalysis().fit(X, y),
            "eigen": lambda X, y: theirs_discriminant.LinearDiscriminantAnalysis(solver="eigen").fit(X, y),
        },
    }


def _celer(alpha: float) -> Any:
    from celer import Lasso

    return Lasso(alpha, tol=1e-6)


def curves(scale: float, turns: int) -> Iterator[Curve]:
    """Every family along both axes; with `scale` below 1 the smaller sizes only."""
    rows, columns = (sizes if scale >= 1.0 else sizes[:3] for sizes in (ROWS, COLUMNS))
    for family, fits in contenders().items():
        for axis, sizes in (("rows", rows), ("columns", columns)):
            taken: dict[str, list[float]] = {who: [] for who in fits}
            for size in sizes:
                X, y = _table(*((size, AT_COLUMNS) if axis == "rows" else (AT_ROWS, size)), classes=family != "lasso")
                best = {who: min(_seconds(fit, X, y) for _ in range(turns + 1)) for who, fit in fits.items()}
                for who, seconds in best.items():
                    taken[who].append(seconds)
            for who, seconds_of in taken.items():
                yield Curve(family, axis, who, sizes, tuple(seconds_of))


def draw(found: list[Curve], path: Path = PICTURE) -> None:
    """One row of panels an axis, one column a family, both axes in powers of ten."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    families, axes = list(dict.fromkeys(one.family for one in found)), ("rows", "columns")
    plt.rcParams["svg.hashsalt"] = "curves"
    figure, panels = plt.subplots(
        2, len(families), figsize=(3.4 * len(families), 6.2), squeeze=False, layout="constrained"
    )
    for panel_row, axis in zip(panels, axes):
        for panel, family in zip(panel_row, families):
            lines = [one for one in found if (one.family, one.axis) == (family, axis)]
            for one, colour in zip(lines, (COLOURS[OURS], *OTHERS)):
                wide = 2.2 if one.who == OURS else 1.3
                panel.loglog(one.sizes, one.seconds, "o-", color=colour, label=one.who, lw=wide, ms=4)
            fixed = f"{AT_COLUMNS} columns" if axis == "rows" else f"{AT_ROWS:,} rows"
            panel.set_title(f"{family}, {fixed}", fontsize=10)
            panel.set_xlabel(axis)
            panel.grid(True, which="major", lw=0.4, alpha=0.6)
            panel.legend(fontsize=8, frameon=False)
    for panel_row in panels:
        panel_row[0].set_ylabel("processor seconds of a fit")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _table(n: int, p: int, classes: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(SEED)
    X = np.asfortranarray(rng.standard_normal((p, n)).T)
    signal = X[:, : min(10, p)].sum(axis=1) + rng.standard_normal(n)
    return X, np.digitize(signal, [-2.0, 2.0]) if classes else signal - signal.mean()


def _seconds(fit: Fit, X: np.ndarray, y: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.process_time()
        fit(X, y)
        return time.process_time() - begin
