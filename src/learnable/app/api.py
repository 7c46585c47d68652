"""The main job from Python: `learnable.learn(frame, target="y")`, and saved models as objects."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from learnable.app.options import checked
from learnable.app.result import LearnResult


class Report:
    """The report of a run as HTML; a notebook shows it, `save` writes it."""

    def __init__(self, result: LearnResult):
        self._result = result

    @property
    def html(self) -> str:
        from learnable.app.report.page import render

        return render(self._result)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page."""
        from learnable.app.files import write_all

        write_all({Path(path): self.html.encode()})
        return Path(path)

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe sandbox srcdoc="{escape(self.html)}" style="width:100%;height:45rem;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<report: {self._result.verdict}>"


class Leaderboard(Sequence[dict[str, Any]]):
    """One dict a learner, best first: label, loss with interval, difference to the best, plain error, columns."""

    def __init__(self, result: LearnResult):
        self._result = result
        self._rows = [self._row(one) for one in result.learners if one.status == "finished"]

    def _row(self, one: Any) -> dict[str, Any]:
        found = self._result.comparison.with_best(one.label) if self._result.comparison else None
        shown = self._result.shown(one.cv)
        plain = "error rate" if self._result.task == "classification" else "RMSE"
        return {
            "learner": one.label,
            "chosen": one.label == self._result.chosen,
            self._result.measure: shown.estimate,
            "low": shown.low,
            "high": shown.high,
            "difference": None if found is None else shown.estimate - self._shown_of(one.cv, found),
            "may be best": None if found is None else not found.different,
            plain: None if one.plain is None else one.plain.estimate,
            "columns": one.columns,
            "certified": one.certified,
        }

    def _shown_of(self, loss: Any, found: Any) -> float:
        """The loss of the best learner in the units shown, from the loss of another and their difference."""
        best = loss.estimate - found.difference.estimate
        return self._result.shown(replace(loss, estimate=best, low=best, high=best)).estimate

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self._rows)

    def __repr__(self) -> str:
        from learnable.app.report.text import number, table

        head = list(self._rows[0])
        cells = [[number(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in self._rows]
        return table(head, cells, indent="")

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"


class SavedModel:
    """A model with the coding of its columns: predict from a data frame, a file or an embedded table."""

    def __init__(self, pipeline: Any, card: dict[str, Any]):
        self.pipeline, self.card = pipeline, card

    def predict(self, data: Any) -> np.ndarray:
        """One prediction a row; with costs the class that costs least."""
        return self._predictions(data).values

    def predict_proba(self, data: Any) -> np.ndarray:
        """Probabilities, one column a class of `classes_`."""
        found = self._predictions(data).probabilities
        if found is None:
            raise AttributeError(f"{self.card['learner']['label']} predicts a number and has no probabilities")
        return found

    @property
    def classes_(self) -> np.ndarray:
        return self.pipeline["learn"].classes_

    @property
    def columns(self) -> list[str]:
        """The columns that a table must have."""
        return list(self.card["used"])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a model file, which `learnable predict` and `learnable.load_model` read."""
        from learnable.app.files import write_all
        from learnable.app.model_files.model_file import dump

        card = {key: value for key, value in self.card.items() if key != "schema"}
        write_all({Path(path): dump(self.pipeline, card)})
        return Path(path)

    def _predictions(self, data: Any) -> Any:
        from learnable.app.commands.predict import predict_table, read_for
        from learnable.app.model_files.model_file import Model

        saved = Model(self.pipeline, self.card)
        table = read_for(saved, data)
        return predict_table(saved, table, "model", table.source)

    def __repr__(self) -> str:
        return f"<{self.card['learner']['label']} for {self.card['target']!r}>"


class Learned:
    """What `learn` found.

    Attributes
    ----------
    report : the page; leaderboard : the learners, best first; model : the chosen one, to predict with.
    verdict : the answer in a sentence; alarms, warnings : lists of sentences.
    result : everything, as `learnable learn --json` prints it by `result.to_dict()`.
    """

    def __init__(self, outcome: Any):
        self.result: LearnResult = outcome.result
        self.report = Report(outcome.result)
        self.leaderboard = Leaderboard(outcome.result)
        self.model = SavedModel(outcome.pipeline, outcome.card)
        self.verdict: str = outcome.result.verdict
        self.alarms: list[str] = outcome.result.alarms
        self.warnings: list[str] = outcome.result.warnings

    def __repr__(self) -> str:
        alarms = "".join(f"\nALARM: {alarm}" for alarm in self.alarms)
        return f"{self.verdict}{alarms}\n{self.leaderboard!r}"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def learn(data: Any = None, target: str | None = None, **options: Any) -> Learned:
    """Fit, tune, compare and certify a panel of learners on a table; choose one.

    Parameters
    ----------
    data : data frame (pandas, polars, pyarrow, ...), `Table`, path, or name of an embedded table; default "loans".
    target : the column to predict.
    options : as `learnable learn --help` lists them, with underscores: task, metric, prefer, cost, class_weight, time,
        group, weight, test_size, seed, jobs, time_limit, ordered, drop, learner, delimiter, decimal, sheet,
        memory, dask, times, refit; and progress=True to be told how far the work is.

    Returns
    -------
    Learned

    Examples
    --------
    ::

        found = learnable.learn(frame, target="y")
        found.verdict
        found.model.predict(new_frame)
    """
    from learnable.app import learn as job
    from learnable.app.progress import for_stream

    progress = for_stream(silent=not options.pop("progress", False))
    if options.get("jobs") is None:
        options["jobs"] = os.cpu_count() or 1
    try:
        return Learned(job.learn(checked(data=data, target=target, **options), progress))
    finally:
        progress.close()


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """The model in a file of `learnable learn`; the file is examined before anything in it is built."""
    from learnable.app.model_files.model_file import load

    return SavedModel(*load(Path(path)))
