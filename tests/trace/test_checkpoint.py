"""States kept on disk: the same fit goes on from the last one and ends with the same bits; nothing else does."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.cases import each

from learnable import config_context
from learnable.ensembles import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from learnable.linear import Ridge, SGDClassifier, SGDRegressor
from learnable.rows import as_rows
from learnable.trace.checkpoint import StateFile

RNG = np.random.default_rng(4)
X = RNG.normal(size=(120, 4))
Y = X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=120)
KIND = np.digitize(Y, [-0.5, 1.5])

FITS = {
    "histograms": (HistGradientBoostingRegressor(max_iter=6), Y),
    "histograms, early stopping": (
        HistGradientBoostingClassifier(max_iter=6, early_stopping=True, max_features=0.5),
        KIND,
    ),
    "exact trees": (GradientBoostingRegressor(n_estimators=6, subsample=0.5), Y),
    "epochs": (SGDClassifier(penalty="l1", average=True, tol=1e-9, max_iter=9), KIND),
    "epochs, adaptive rate": (SGDRegressor(learning_rate="adaptive", tol=None, max_iter=9), Y),
    "forest": (RandomForestClassifier(n_estimators=6, n_jobs=1), KIND),
}


class Cut(Exception):
    pass


def written(monkeypatch, cut_after=None):
    """The numbers of the states that are written: all of them, until the fit is cut short."""
    numbers, write = [], StateFile.__call__

    def every(self, number, state):
        self._next = 0.0
        write(self, number, state)
        numbers.append(number)
        if len(numbers) == cut_after:
            raise Cut

    monkeypatch.setattr(StateFile, "__call__", every)
    return numbers


def cut_short(model, monkeypatch, *data):
    """A fit that ends when its third state is written."""
    with monkeypatch.context() as patch:
        written(patch, cut_after=3)
        with pytest.raises(Cut):
            model.fit(*data)


def assert_same(one, two):
    """Every fitted attribute has the same bits."""
    for name in sorted(name for name in vars(two) if name.endswith("_") and name not in ("certificate_", "seeds_")):
        np.testing.assert_equal(getattr(one, name), getattr(two, name), err_msg=name)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("name", FITS)
def test_a_fit_that_was_cut_short_goes_on_with_the_same_bits(name, tmp_path, monkeypatch):
    model, y = FITS[name]
    folder = tmp_path / name
    # Fresh random numbers: the seed goes on with the state.
    with config_context(checkpoint=folder):
        cut_short(clone(model), monkeypatch, X, y)
        with monkeypatch.context() as patch:
            numbers = written(patch)
            found = clone(model).fit(X, y)
    assert numbers[0] == 3
    (kept,) = folder.glob("*.state")
    seed = StateFile(folder, *kept.stem.split("-")).reached.seed
    whole = clone(model).set_params(random_state=seed).fit(X, y)
    assert_same(found, whole)
    assert found.certificate_.verdict is whole.certificate_.verdict


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_random_state_goes_on_as_in_the_fit_that_was_cut_short(tmp_path, monkeypatch):
    """It sets rows aside before it gives the order of the others."""
    model = SGDClassifier(early_stopping=True, tol=1e-9, max_iter=9)

    def drawing():
        return clone(model).set_params(random_state=np.random.RandomState(5))

    with config_context(checkpoint=tmp_path):
        cut_short(drawing(), monkeypatch, X, KIND)
        with monkeypatch.context() as patch:
            numbers = written(patch)
            found = drawing().fit(X, KIND)
    assert numbers[0] == 3
    assert_same(found, drawing().fit(X, KIND))


def test_rows_in_blocks_go_on_too(tmp_path, monkeypatch):
    model = HistGradientBoostingRegressor(max_iter=4, random_state=0)
    with config_context(checkpoint=tmp_path):
        cut_short(clone(model), monkeypatch, as_rows(X, Y))
        found = clone(model).fit(as_rows(X, Y))
    assert_same(found, model.fit(as_rows(X, Y)))


def test_other_data_and_other_parameters_have_states_of_their_own(tmp_path):
    model = HistGradientBoostingRegressor(max_iter=2, random_state=0)
    moved = X.copy()
    moved[7, 2] += 1e-9
    for table, y, rate in ((X, Y, 0.1), (moved, Y, 0.1), (X, Y + 1.0, 0.1), (X, Y, 0.2)):
        other = clone(model).set_params(learning_rate=rate)
        with config_context(checkpoint=tmp_path):
            found = clone(other).fit(table, y)
        assert_same(found, other.fit(table, y))
    assert len(list(tmp_path.glob("*.state"))) == 4


def test_a_damaged_file_and_one_of_another_fit_are_named_and_the_fit_begins_anew(tmp_path):
    model = HistGradientBoostingRegressor(max_iter=3, random_state=0)
    with config_context(checkpoint=tmp_path):
        whole = clone(model).fit(X, Y)
        (kept,) = tmp_path.glob("*.state")
        content = bytearray(kept.read_bytes())
        content[len(content) // 2] ^= 1
        kept.write_bytes(content)
        with pytest.warns(RuntimeWarning, match=r"is damaged; the fit begins anew"):
            assert_same(clone(model).fit(X, Y), whole)
        clone(model).fit(X, Y + 1.0)
        (other,) = set(tmp_path.glob("*.state")) - {kept}
        kept.write_bytes(other.read_bytes())
        with pytest.warns(RuntimeWarning, match=r"is of another fit; the fit begins anew"):
            assert_same(clone(model).fit(X, Y), whole)
        with pytest.warns(RuntimeWarning, match=r"Ridge: no state is kept in .*checkpointed"):
            Ridge().fit(X, Y)


FIT = """
import os, numpy as np
from learnable import config_context
from learnable.ensembles import HistGradientBoostingRegressor
from learnable.trace.checkpoint import StateFile

write = StateFile.__call__
def every(self, number, state):
    self._next = 0.0
    write(self, number, state)
    if number == 4:
        os.kill(os.getpid(), 9)
StateFile.__call__ = every
X = np.random.default_rng(0).normal(size=(200, 3))
with config_context(checkpoint={folder!r}):
    HistGradientBoostingRegressor(max_iter=5).fit(X, X[:, 0])
print("not killed")
"""


def test_a_fit_goes_on_where_a_killed_process_was(tmp_path, monkeypatch, said):
    assert said(FIT.format(folder=str(tmp_path))) == "", "the process was not killed"
    numbers, table = written(monkeypatch), np.random.default_rng(0).normal(size=(200, 3))
    with config_context(checkpoint=tmp_path):
        HistGradientBoostingRegressor(max_iter=5).fit(table, table[:, 0])
    assert numbers == [4, 5, 6]
