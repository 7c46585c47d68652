"""The classic tables that scikit-learn ships, as tables with named columns."""

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.embedded.build import category, number
from learnable.datasets.table import Table

CLASSIFICATION = ("iris", "wine", "breast_cancer", "digits")
REGRESSION = ("diabetes",)


def classic(name: str) -> Table:
    """One of scikit-learn's embedded tables, its target in the column "target".

    Columns that never change (some pixels of the digits) have the kind `constant`.

    >>> classic("iris").column("target").levels
    ('setosa', 'versicolor', 'virginica')
    """
    import sklearn.datasets as datasets

    data = getattr(datasets, f"load_{name}")()
    columns = [_measured(feature, data.data[:, j]) for j, feature in enumerate(data.feature_names)]
    if name in CLASSIFICATION:
        columns.append(category("target", data.target, [str(label) for label in data.target_names]))
    else:
        columns.append(number("target", data.target))
    return Table(tuple(columns), len(data.data), name)


def _measured(name: str, values: np.ndarray) -> Column:
    column = number(str(name), values)
    return Column(column.name, Kind.CONSTANT, column.values) if np.ptp(values) == 0 else column
