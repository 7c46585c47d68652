"""What is on the shelf: names, targets, and how each table is made."""

import difflib
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from learnable.datasets.embedded.classics import CLASSIFICATION, REGRESSION, classic
from learnable.datasets.embedded.houses import houses
from learnable.datasets.embedded.loans import loans
from learnable.datasets.table import Table


class Entry(NamedTuple):
    """One embedded table.

    Attributes
    ----------
    name : what `load` takes.
    target : the column to predict.
    task : "classification" or "regression".
    about : one line for people.
    make : builds the table.
    """

    name: str
    target: str
    task: Literal["classification", "regression"]
    about: str
    make: Callable[[], Table]


_SHELF = {
    shelved.name: shelved
    for shelved in (
        Entry("loans", "default", "classification", "600 simulated loans; Bayes error 0.155 on complete rows", loans),
        Entry("houses", "price", "regression", "500 simulated house sales; noise 18 on complete rows", houses),
        *(
            Entry(name, "target", "classification", f"scikit-learn's {name}", partial(classic, name))
            for name in CLASSIFICATION
        ),
        *(Entry(name, "target", "regression", f"scikit-learn's {name}", partial(classic, name)) for name in REGRESSION),
    )
}


def names() -> tuple[str, ...]:
    """The names of the embedded tables, the default one first.

    >>> names()
    ('loans', 'houses', 'iris', 'wine', 'breast_cancer', 'digits', 'diabetes')
    """
    return tuple(_SHELF)


def entry(name: str) -> Entry:
    """Target, task and description of an embedded table.

    >>> entry("loans").target
    'default'
    """
    if name not in _SHELF:
        near = difflib.get_close_matches(str(name), _SHELF, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"no embedded table {name!r}{guess} There are: {', '.join(_SHELF)}")
    return _SHELF[name]


def load(name: str) -> Table:
    """An embedded table.

    >>> load("houses").n_rows
    500
    """
    return entry(name).make()
