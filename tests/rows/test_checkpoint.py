"""Sums kept on disk: a fit that was cut short goes on, never with the sums of something else."""

import errno
import tempfile

import dask.array as da
import numpy as np
import pytest
from sklearn.base import clone

from learnable.linear import LogisticRegression, PoissonRegressor, SGDClassifier
from learnable.rows import as_rows, checkpointed

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 4))
LABEL = (X @ [1.0, -1.0, 0.5, 0.0] + RNG.logistic(size=300) > 0).astype(int)


class Cut(Exception):
    pass


def cut_after(rows, passes):
    """The rows, which fail after so many passes."""
    inner, done = rows._rows.reduce, []

    def reduce(*args, **named):
        done.append(1)
        if len(done) > passes:
            raise Cut
        return inner(*args, **named)

    rows._rows.reduce = reduce
    return rows, done


def test_a_fit_that_was_cut_short_goes_on_with_the_same_bits(tmp_path):
    for name, X_, y_ in (("local", X, LABEL), ("dask", da.from_array(X, (70, 4)), da.from_array(LABEL, 70))):
        plain = LogisticRegression().fit(as_rows(X_, y_))
        rows, _ = cut_after(checkpointed(X_, y_, path=tmp_path / name), 5)
        with pytest.raises(Cut):
            LogisticRegression().fit(rows)
        rows, passes = cut_after(checkpointed(X_, y_, path=tmp_path / name), 1000)
        model = LogisticRegression().fit(rows)
        assert rows.found == 5
        np.testing.assert_array_equal(model.coef_, plain.coef_)
        assert model.certificate_.verdict is plain.certificate_.verdict
        rows, again = cut_after(checkpointed(X_, y_, path=tmp_path / name), 0)
        np.testing.assert_array_equal(LogisticRegression().fit(rows).coef_, plain.coef_)
        assert passes
        assert not again
        # Another setting has sums of its own.
        other = LogisticRegression(C=0.01).fit(checkpointed(X_, y_, path=tmp_path / name))
        np.testing.assert_array_equal(other.coef_, LogisticRegression(C=0.01).fit(as_rows(X_, y_)).coef_)
    moved = X.copy()
    moved[7, 2] += 1e-9
    with pytest.raises(ValueError, match="begun with other rows"):
        checkpointed(moved, LABEL, path=tmp_path / "local")


def test_epochs_are_kept_as_sums_are(tmp_path):
    for name, X_, y_ in (("local", X, LABEL), ("dask", da.from_array(X, (70, 4)), da.from_array(LABEL, 70))):
        model = SGDClassifier(max_iter=6, tol=None, random_state=0)
        plain = clone(model).fit(as_rows(X_, y_))
        clone(model).set_params(max_iter=4).fit(checkpointed(X_, y_, path=tmp_path / name))
        rows = checkpointed(X_, y_, path=tmp_path / name)
        made, fold = [], rows._rows.fold
        rows._rows.fold = lambda *given, made=made, fold=fold: made.append(1) or fold(*given)
        np.testing.assert_array_equal(clone(model).fit(rows).coef_, plain.coef_)
        assert len(made) == 2, "of six epochs four were there"


FIT = """
import numpy as np
from learnable.linear import PoissonRegressor
from learnable.rows import checkpointed
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
rows = checkpointed(X, rng.poisson(np.exp(X[:, 0])), path={path!r})
PoissonRegressor().fit(rows)
print(rows.found)
"""


def test_another_process_finds_them_all(tmp_path, capsys, said):
    program = FIT.format(path=str(tmp_path))
    exec(program, {})
    assert int(capsys.readouterr().out) < len(list(tmp_path.glob("*.sum")))
    assert int(said(program)) == len(list(tmp_path.glob("*.sum")))


def _one_bit_off(content):
    return content[:-20] + bytes([content[-20] ^ 16]) + content[-19:]


def test_a_full_disk_and_half_a_file_cost_time_only(tmp_path, monkeypatch):
    whole = PoissonRegressor().fit(as_rows(X, LABEL)).coef_
    rows = checkpointed(X, LABEL, path=tmp_path)
    PoissonRegressor().fit(rows)
    for spoilt in (lambda content: content[:-9], _one_bit_off):
        for kept in tmp_path.glob("*.sum"):
            kept.write_bytes(spoilt(kept.read_bytes()))
        rows = checkpointed(X, LABEL, path=tmp_path)
        np.testing.assert_array_equal(PoissonRegressor().fit(rows).coef_, whole)

    def full(*args, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    rows = checkpointed(X, LABEL, path=tmp_path / "other")
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", full)
    with pytest.warns(RuntimeWarning, match="could not be written .No space left on device"):
        model = PoissonRegressor().fit(rows)
    np.testing.assert_array_equal(model.coef_, whole)
