"""The classic tables that scikit-learn ships, as tables with named columns."""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.embedded.build import category, number
from learnable.datasets.table import Table

CLASSIFICATION = ("iris", "wine", "breast_cancer", "digits")
REGRESSION = ("diabetes",)
# What was measured of a cell's nucleus: each has a mean, an error and a worst value.
_NUCLEUS = (
    "radius", "texture", "perimeter", "area", "smoothness",
    "compactness", "concavity", "concave points", "symmetry", "fractal dimension",
)  # fmt: skip
_FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "iris": ("iris.csv", ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)")),
    "wine": (
        "wine_data.csv",
        ("alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "flavanoids",
         "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue", "od280/od315_of_diluted_wines",
         "proline"),
    ),
    "breast_cancer": (
        "breast_cancer.csv",
        tuple(form.format(part) for form in ("mean {}", "{} error", "worst {}") for part in _NUCLEUS),
    ),
}  # fmt: skip


class _Classic(NamedTuple):
    data: np.ndarray
    target: np.ndarray
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]


def classic(name: str) -> Table:
    """One of scikit-learn's embedded tables, its target in the column "target".

    Columns that never change (some pixels of the digits) have the kind `constant`.

    >>> classic("iris").column("target").levels
    ('setosa', 'versicolor', 'virginica')
    """
    data = _from_file(name)
    if data is None:
        import sklearn.datasets as datasets

        data = getattr(datasets, f"load_{name}")()
    columns = [_measured(feature, data.data[:, j]) for j, feature in enumerate(data.feature_names)]
    if name in CLASSIFICATION:
        columns.append(category("target", data.target, [str(label) for label in data.target_names]))
    else:
        columns.append(number("target", data.target))
    return Table(tuple(columns), len(data.data), name)


def _from_file(name: str) -> _Classic | None:
    """The table as scikit-learn's file has it, read without its package of datasets, which takes 0.3 s to import.

    The first line says rows, columns and classes; None where there is no such file.
    """
    spec = find_spec("sklearn")
    file, features = _FILES.get(name, ("", ()))
    if not file or spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "datasets" / "data" / file
    if not path.is_file():
        return None
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    rows, columns, *classes = first.split(",")
    cells = np.array([line.split(",") for line in lines if line], dtype=float)
    if cells.shape != (int(rows), int(columns) + 1) or int(columns) != len(features):
        return None
    return _Classic(cells[:, :-1].copy(), cells[:, -1].astype(int), features, tuple(classes))


def _measured(name: str, values: np.ndarray) -> Column:
    column = number(str(name), values)
    return Column(column.name, Kind.CONSTANT, column.values) if np.ptp(values) == 0 else column
