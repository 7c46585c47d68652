"""The syllabus: which of its rows are done, and by what.

`syllabus.toml` maps the id of a row to the object and the test that show it. `python docs/syllabus.py` (or
`make syllabus`) prints rows done and rows left, chapter by chapter.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("syllabus.toml")


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


def read() -> dict[str, dict[str, str]]:
    """Row id -> {"shows": what the row is, "object": dotted name, "test": path::function}."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def table(entries: dict[str, dict[str, str]]) -> str:
    """Rows done and left, one line a chapter."""
    width = max(len(chapter.title) for chapter in CHAPTERS)
    lines = [f"{'':4}{'chapter':{width}}  done  left"]
    for chapter in CHAPTERS:
        left = [row for row in chapter.ids() if row not in entries]
        done = chapter.n_rows - len(left)
        lines.append(f"{chapter.letters:4}{chapter.title:{width}}{done:6}{len(left):6}  {' '.join(left)}".rstrip())
    lines.append(f"{'':4}{'all':{width}}{len(entries):6}{N_ROWS - len(entries):6}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(read()))
