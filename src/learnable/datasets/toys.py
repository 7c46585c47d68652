"""Toy tables small enough to work by hand."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.embedded.build import category, number
from learnable.datasets.table import Table


class Points(NamedTuple):
    """Inputs and labels."""

    X: np.ndarray
    y: np.ndarray


def xor() -> Points:
    """The four corners of a square with y = x1·x2: no line separates them, the lift (x1, x2, x1·x2) does.

    Syllabus: D11.

    >>> X, y = xor()
    >>> bool((X[:, 0] * X[:, 1] == y).all())
    True
    """
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    return Points(X, X[:, 0] * X[:, 1])


def enjoy_sport() -> Table:
    """Four days with six attributes each and whether sport was enjoyed: the table of Find-S and candidate elimination.

    Syllabus: D12, V3, V6.

    >>> enjoy_sport().column("EnjoySport").values
    array(['Yes', 'Yes', 'No', 'Yes'], dtype=object)
    """
    attributes = {
        "Sky": ("Sunny", "Sunny", "Rainy", "Sunny"),
        "Temp": ("Warm", "Warm", "Cold", "Warm"),
        "Humid": ("Normal", "High", "High", "High"),
        "Wind": ("Strong", "Strong", "Strong", "Strong"),
        "Water": ("Warm", "Warm", "Warm", "Cool"),
        "Forecast": ("Same", "Same", "Change", "Change"),
        "EnjoySport": ("Yes", "Yes", "No", "Yes"),
    }
    return Table(tuple(_words(name, cells) for name, cells in attributes.items()), 4, "enjoy_sport")


def play_tennis() -> Table:
    """Fourteen days, four attributes each and whether tennis was played: Quinlan's table of decision trees.

    Nine days say Yes, five No; the entropy is 0.940 bits, and Outlook tells most (0.247 bits).

    Syllabus: D12, Y5, DT1.

    >>> table = play_tennis()
    >>> table.names
    ('Outlook', 'Temperature', 'Humidity', 'Wind', 'PlayTennis')
    >>> int((table.column("PlayTennis").values == "Yes").sum())
    9
    """
    days = """
        Sunny    Hot  High   Weak   No
        Sunny    Hot  High   Strong No
        Overcast Hot  High   Weak   Yes
        Rain     Mild High   Weak   Yes
        Rain     Cool Normal Weak   Yes
        Rain     Cool Normal Strong No
        Overcast Cool Normal Strong Yes
        Sunny    Mild High   Weak   No
        Sunny    Cool Normal Weak   Yes
        Rain     Mild Normal Weak   Yes
        Sunny    Mild Normal Strong Yes
        Overcast Mild High   Strong Yes
        Overcast Hot  Normal Weak   Yes
        Rain     Mild High   Strong No
    """
    cells = zip(*(day.split() for day in days.strip().splitlines()))
    names = ("Outlook", "Temperature", "Humidity", "Wind", "PlayTennis")
    return Table(tuple(_words(name, column) for name, column in zip(names, cells)), 14, "play_tennis")


def weather() -> Table:
    """Fourteen days of weather, two numeric attributes and one category: the table of SLIQ.

    The table as it is usually drawn gives the classes of its first ten rows; those of rows 11 to 14 (Yes, No, No, Yes)
    are a completion chosen here, seven Yes and seven No in all.

    Syllabus: D12, DT11.

    >>> table = weather()
    >>> table.column("Temp").values[:3], table.column("Humidity").values[:3]
    (array([18., 16., 30.]), array([50., 56., 30.]))
    """
    rain, sunny, overcast = "Rain", "Sunny", "Overcast"
    outlook = [rain, rain, overcast, sunny, overcast, sunny, sunny, overcast, rain, sunny, overcast, rain, rain, sunny]
    play = ["Yes" if code == "y" else "No" for code in "ynnnyynynyynny"]
    columns = (
        _words("Outlook", outlook),
        number("Temp", np.array([18, 16, 30, 14, 20, 34, 32, 28, 18, 10, 22, 26, 12, 24])),
        number("Humidity", np.array([50, 56, 30, 32, 60, 24, 26, 46, 48, 28, 32, 44, 40, 42])),
        _words("Play", play),
    )
    return Table(columns, 14, "weather")


class Hypotheses(NamedTuple):
    """Posterior weights P(h|D), and P(y|h) with one row a hypothesis and one column a label."""

    posterior: np.ndarray
    labels: tuple[str, ...]
    likelihood: np.ndarray


def three_hypotheses() -> Hypotheses:
    """Three hypotheses of weight 0.4, 0.3, 0.3 that vote +, −, −: the heaviest one and the vote disagree.

    Syllabus: D12, Y4.

    >>> h = three_hypotheses()
    >>> dict(zip(h.labels, (h.posterior @ h.likelihood).tolist()))
    {'+': 0.4, '-': 0.6}
    """
    return Hypotheses(np.array([0.4, 0.3, 0.3]), ("+", "-"), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))


def _words(name: str, cells: Sequence[str]) -> Column:
    levels = sorted(set(cells))
    kind = Kind.BOOLEAN if set(levels) == {"No", "Yes"} else Kind.CATEGORY
    return category(name, np.array([levels.index(cell) for cell in cells]), levels, kind)
