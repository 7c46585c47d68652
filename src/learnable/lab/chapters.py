"""The chapters of the syllabus and their rows: which object shows a row, and which test states its law."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple


class Chapter(NamedTuple):
    """A chapter; its rows are called A1, A2, ..."""

    letters: str
    n_rows: int
    title: str

    def ids(self) -> list[str]:
        return [f"{self.letters}{number}" for number in range(1, self.n_rows + 1)]


CHAPTERS = (
    Chapter("A", 8, "Algebra and analysis tools"),
    Chapter("D", 13, "Data, features, losses, risk"),
    Chapter("P", 11, "Linear classifiers and the perceptron"),
    Chapter("O", 8, "Optimisation and duality"),
    Chapter("S", 16, "Support vector machines"),
    Chapter("K", 15, "Kernels"),
    Chapter("R", 16, "Regression"),
    Chapter("C", 11, "Linear classification by regression and densities"),
    Chapter("L", 27, "Best subset, lasso and relatives"),
    Chapter("MS", 15, "Model selection and regularisation"),
    Chapter("T", 26, "Learning theory"),
    Chapter("V", 14, "Concept learning"),
    Chapter("B", 13, "Boosting"),
    Chapter("DT", 14, "Trees, pruning, bagging, forests"),
    Chapter("U", 12, "Clustering, densities, dimension reduction"),
    Chapter("G", 16, "Graphical models"),
    Chapter("RL", 10, "Reinforcement learning"),
    Chapter("NN", 7, "Neural networks"),
    Chapter("Y", 9, "Bayesian learning"),
    Chapter("E", 10, "Evaluating and comparing"),
    Chapter("H", 8, "Markov chains and hidden Markov models"),
)
N_ROWS = sum(chapter.n_rows for chapter in CHAPTERS)


@cache
def entries() -> dict[str, dict[str, Any]]:
    """Row id -> {"shows": what the row is, "object": dotted name, "test": path::function}.

    A wheel holds the file beside this one (`pyproject.toml` puts it there); a checkout has it in `docs/`.

    >>> entries()["L3"]["object"]
    'learnable.sparse.Lasso'
    """
    shipped = files("learnable.lab").joinpath("syllabus.toml")
    if shipped.is_file():
        return tomllib.loads(shipped.read_text(encoding="utf-8"))
    return tomllib.loads((Path(__file__).parents[3] / "docs" / "syllabus.toml").read_text(encoding="utf-8"))
