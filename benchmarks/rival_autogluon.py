"""AutoGluon, in an interpreter of its own: its pins do not go with ours.

    python -m venv FOLDER && FOLDER/bin/pip install "autogluon.tabular[lightgbm,catboost,xgboost]"

This file is imported by the race, and run by that interpreter, where nothing but AutoGluon need be installed: it reads
pickled pairs (method, arguments) and answers each with what the method gives, or with what went wrong.
"""

import os
import pickle
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

TARGET = "target"


class AutoGluon:
    """A classifier or a regressor: AutoGluon's default preset within a time limit, on all columns as numbers.

    Parameters
    ----------
    python : the interpreter that has it.
    classes : log loss of classes, else the squared error of numbers.
    seconds : the limit of `fit`; starting the interpreter does not count.
    jobs : processors.
    """

    def __init__(self, python: str, classes: bool, seconds: float, jobs: int):
        self._asked = {"classes": classes, "seconds": seconds, "jobs": jobs}
        command = [python, str(Path(__file__).resolve())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        try:
            self._ask("start")
        except ValueError:
            self.close()
            raise

    def fit(self, X: Any, y: np.ndarray) -> "AutoGluon":
        self.classes_ = self._ask("fit", _dense(X), y, **self._asked)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self._ask("predict", _dense(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        return self._ask("predict_proba", _dense(X))

    def close(self) -> None:
        self._process.communicate()

    def _ask(self, method: str, *arguments: Any, **options: Any) -> Any:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        try:
            pickle.dump((method, arguments, options), asked)
            asked.flush()
            well, answer = pickle.load(answers)
        except (BrokenPipeError, EOFError):
            raise ValueError(f"AutoGluon ended in {method} without an answer") from None
        if not well:
            raise ValueError(f"AutoGluon, {method}: {answer}")
        return answer


def interpreter(given: str | None) -> str | None:
    """The interpreter that has AutoGluon: the one given, else this one, else none."""
    if given is not None:
        return given
    return sys.executable if find_spec("autogluon") is not None else None


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)


class _Served:
    """What the other interpreter does."""

    def __init__(self, folder: str):
        self.folder = folder

    def start(self) -> None:
        """Returns when AutoGluon has been imported."""
        import_module("autogluon.tabular")

    def fit(self, X: np.ndarray, y: np.ndarray, classes: bool, seconds: float, jobs: int) -> np.ndarray | None:
        from autogluon.tabular import TabularPredictor

        kinds = np.unique(y) if classes else None
        kind = "regression" if kinds is None else "binary" if len(kinds) == 2 else "multiclass"
        self.predictor = TabularPredictor(
            TARGET, problem_type=kind, eval_metric="log_loss" if classes else "root_mean_squared_error",
            path=self.folder, verbosity=0, log_to_file=False,
        )  # fmt: skip
        self.predictor.fit(self._frame(X).assign(**{TARGET: y}), time_limit=seconds, num_cpus=jobs)
        return np.asarray(self.predictor.class_labels) if classes else None

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.predictor.predict(self._frame(X)).to_numpy()

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.predictor.predict_proba(self._frame(X))[list(self.predictor.class_labels)].to_numpy()

    @staticmethod
    def _frame(X: np.ndarray) -> Any:
        import pandas

        return pandas.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answers until nothing is asked any more."""
    with tempfile.TemporaryDirectory() as folder:
        served = _Served(folder)
        while True:
            try:
                method, arguments, options = pickle.load(asked)
            except EOFError:
                return
            try:
                answer = True, getattr(served, method)(*arguments, **options)
            except Exception as error:
                answer = False, f"{type(error).__name__}: {error}"
            pickle.dump(answer, answers)
            answers.flush()


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    serve(sys.stdin.buffer, answers)
