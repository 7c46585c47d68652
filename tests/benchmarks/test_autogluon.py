"""AutoGluon is raced in an interpreter of its own; here a stand-in of its name takes its place."""

import sys

import numpy as np
import pytest
from benchmarks.learn_race import row_losses
from benchmarks.rival_autogluon import AutoGluon, interpreter

from benchmarks import rival_autogluon

STAND_IN = '''
import numpy as np

class TabularPredictor:
    """Predicts the mean, or the shares of the classes, and writes where answers are expected."""

    def __init__(self, label, problem_type, eval_metric, **_):
        self.label, self.kind, self.metric = label, problem_type, eval_metric

    def fit(self, frame, time_limit, num_cpus):
        print("a banner on standard output")
        if len(frame) < 3:
            raise RuntimeError("too few rows")
        assert (self.metric == "log_loss") == (self.kind != "regression")
        y = frame[self.label].to_numpy()
        assert list(frame.columns[:-1]) == [f"x{j}" for j in range(frame.shape[1] - 1)]
        if self.kind == "regression":
            self.mean = y.mean()
        else:
            self.class_labels, counts = np.unique(y, return_counts=True)
            self.shares = counts / counts.sum()

    def predict(self, frame):
        import pandas
        return pandas.Series(np.full(len(frame), self.mean))

    def predict_proba(self, frame):
        import pandas
        return pandas.DataFrame(np.tile(self.shares, (len(frame), 1)), columns=self.class_labels)
'''


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Makes the rival; every interpreter started is ended."""
    folder = tmp_path / "autogluon"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "tabular.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    started = []

    def make(classes):
        started.append(AutoGluon(sys.executable, classes, seconds=5.0, jobs=1))
        return started[-1]

    yield make
    for one in started:
        one.close()
        assert one._process.poll() == 0


X = np.arange(12.0).reshape(6, 2)


def test_classes_come_back_with_their_shares(made):
    y = np.array(["no", "no", "yes", "no", "yes", "no"])
    model = made(classes=True).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.predict_proba(X[:2]) == pytest.approx(np.tile([4 / 6, 2 / 6], (2, 1)))
    assert row_losses(True, y, model, X) == pytest.approx(-np.log(np.where(y == "no", 4 / 6, 2 / 6)))


def test_numbers_come_back(made):
    y = np.arange(6.0)
    assert row_losses(False, y, made(classes=False).fit(X, y), X) == pytest.approx((y - 2.5) ** 2)


def test_what_goes_wrong_over_there_is_told_here(made):
    model = made(classes=False)
    with pytest.raises(ValueError, match="AutoGluon, fit: RuntimeError: too few rows"):
        model.fit(X[:2], np.arange(2.0))
    assert model.fit(X, np.arange(6.0)).predict(X[:1]) == pytest.approx([2.5])  # and it goes on


def test_an_interpreter_without_it_says_so(tmp_path, monkeypatch):
    (tmp_path / "autogluon.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ValueError, match="AutoGluon, start: ImportError: not here"):
        AutoGluon(sys.executable, classes=True, seconds=5.0, jobs=1)


def test_the_interpreter_is_the_one_given_or_this_one_where_it_has_it(monkeypatch):
    assert interpreter("/else/python") == "/else/python"
    for found, expected in ((None, None), ("a spec", sys.executable)):
        monkeypatch.setattr(rival_autogluon, "find_spec", lambda name, found=found: found)
        assert interpreter(None) == expected
