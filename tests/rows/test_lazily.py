"""Predictions and features of dask tables: nothing is computed before it is asked for, then the in-memory answer."""

import inspect
import warnings

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags

from learnable import config_context
from learnable.base.in_chunks import ROW_BY_ROW
from learnable.bayes import GaussianNB
from learnable.checks import all_estimators
from learnable.kernels import SVC
from learnable.linear import LogisticRegression, Ridge
from learnable.rows import as_rows
from learnable.rows.lazily import lazily
from learnable.sparse import Lasso
from learnable.trees import DecisionTreeClassifier
from learnable.unsupervised import PCA

RNG = np.random.default_rng(2)
X = RNG.normal(size=(120, 3))
Y = X @ [1.0, 2.0, -1.0] + RNG.normal(size=120)
LABEL = np.where(Y > 0, "yes", "no")
METHODS = ("predict", "predict_proba", "decision_function", "transform")
SOME = ("concepts", "sequences", "reinforcement")  # They predict no rows of numbers.


def test_what_a_chunk_dies_of_is_told_with_its_number():
    def second_dies(chunk):
        if chunk[0, 0] == 2.0:
            raise ArithmeticError("no such thing")
        return chunk[:, 0]

    asked = lazily(da.from_array(np.arange(8.0).reshape(4, 2), chunks=(1, 2)), second_dies)
    with pytest.raises(ArithmeticError, match="no such thing") as found:
        asked.compute(scheduler="synchronous")
    assert found.value.__notes__ == ["in chunk 1 of X"]


def test_nothing_is_pickled_to_name_what_is_asked_for():
    class Heavy:
        pickled = 0

        def __call__(self, chunk):
            return chunk[:, 0]

        def __reduce__(self):
            Heavy.pickled += 1
            return Heavy, ()

    table = da.from_array(X, chunks=(50, 3))
    one, two = (lazily(table, Heavy()) for _ in range(2))
    assert one.name != two.name
    np.testing.assert_array_equal(one.compute(scheduler="synchronous"), X[:, 0])
    assert Heavy.pickled == 0


def test_every_learner_predicts_chunk_by_chunk_and_later():
    calls = []
    table = da.from_array(X, chunks=(50, 3)).map_blocks(
        lambda chunk: (calls.append(1), chunk)[1], meta=np.empty((0, 0))
    )
    for model, y in ((Ridge(), Y), (LogisticRegression(), LABEL), (SVC(), LABEL), (GaussianNB(), LABEL), (PCA(2), Y)):
        model.fit(X, y)
        for name in METHODS:
            if hasattr(model, name):
                method = getattr(model, name)
                calls.clear()
                lazy, here = method(table), method(X)
                assert not calls, (model, name)
                assert isinstance(lazy, da.Array)
                assert (lazy.shape, lazy.dtype, lazy.chunks[0]) == (here.shape, here.dtype, (50, 50, 20)), (model, name)
                if here.dtype.kind == "f":
                    np.testing.assert_allclose(lazy.compute(), here, atol=1e-12)
                    np.testing.assert_allclose(method(as_rows(X)), here, atol=1e-12)
                else:
                    np.testing.assert_array_equal(lazy.compute(), here)
    bad = X.copy()
    bad[77, 1] = np.nan
    lazy = Ridge().fit(X, Y).predict(da.from_array(bad, chunks=(50, 3)))
    with pytest.raises(ValueError, match=r"Input X contains NaN in column 1, row 77 \(row 27 of chunk 1\)"):
        lazy.compute()


def test_no_estimator_brings_a_table_into_memory_to_predict_it_and_all_score_what_rows_carry():
    read = []
    table = da.from_array(np.abs(X), chunks=(50, 3)).map_blocks(
        lambda chunk: (read.append(1), chunk)[1], meta=np.empty((0, 0))
    )
    tried = set()
    for name, kind in all_estimators():
        if kind.__module__.split(".")[1] in SOME or name in ("CategoricalNB", "MinimumErrorSplit"):
            continue
        model, y = kind(), LABEL if is_classifier(kind()) else np.abs(Y)
        if name == "KernelPCA":
            model.set_params(fit_inverse_transform=True)
        if name in ("KernelPerceptron", "RandomMisclassifiedPerceptron"):  # no line separates the labels
            model.set_params(max_iter=50)
        with warnings.catch_warnings(), config_context(certificates=False):
            warnings.simplefilter("ignore")
            y = np.column_stack([y, y]) if name == "MultiTaskLasso" else y
            model.fit(np.abs(X), y)
        if hasattr(model, "score") and get_tags(model).target_tags.required:
            here, chunks = model.score(np.abs(X), y), da.from_array(y, chunks=(50, *y.shape[1:]))
            for given in ((table, chunks), (table, y), (as_rows(np.abs(X), y),), (as_rows(table, chunks),)):
                assert model.score(*given) == pytest.approx(here, rel=1e-9), name
            with pytest.raises(TypeError, match=r"y is needed|required positional argument|None"):
                model.score(as_rows(np.abs(X)))
            weight = np.arange(len(X)) % 3.0
            if "sample_weight" in inspect.signature(model.score).parameters:
                weighed = model.score(np.abs(X), y, weight)
                assert model.score(as_rows(np.abs(X), y, weight)) == pytest.approx(weighed, rel=1e-9), name
        for method in ROW_BY_ROW:
            if not hasattr(model, method):
                continue
            given, asked = np.abs(X), table
            if method == "inverse_transform":
                given, asked = model.transform(given), model.transform(table)
            here = getattr(model, method)(given)
            read.clear()
            lazy = getattr(model, method)(asked)
            assert isinstance(lazy, da.Array), (name, method)
            assert not read, (name, method)
            assert (lazy.shape, lazy.dtype) == (here.shape, here.dtype), (name, method)
            found = lazy.compute(scheduler="synchronous")
            if here.dtype.kind == "f":
                np.testing.assert_allclose(found, here, rtol=1e-7, atol=1e-9, err_msg=f"{name}.{method}")
            else:
                np.testing.assert_array_equal(found, here, err_msg=f"{name}.{method}")
            tried.add(name)
    assert {"RandomForestRegressor", "DecisionTreeClassifier", "SVC", "KernelClassifier", "MLPRegressor"} <= tried
    assert len(tried) >= 60, len(tried)


def test_several_outputs_are_several_lazy_arrays():
    two = np.column_stack([LABEL, np.digitize(Y, [-1.0, 1.0])])
    model = DecisionTreeClassifier(max_depth=3).fit(X, two)
    here = model.predict_proba(X)
    for table, computed in ((da.from_array(X, chunks=(50, 3)), True), (as_rows(X), False)):
        found = model.predict_proba(table)
        assert len(found) == 2
        for one, other in zip(found, here):
            np.testing.assert_array_equal(one.compute() if computed else one, other)
    np.testing.assert_array_equal(model.predict(da.from_array(X, chunks=(50, 3))).compute(), model.predict(X))


def test_data_frames_are_tables_with_names():
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    spread = dd.from_pandas(frame, npartitions=3)
    for model in (Ridge(), Lasso(0.1)):
        expected = model.fit(frame[list("abc")], Y).predict(frame[list("abc")])
        model.fit(spread[list("abc")], spread["y"])
        assert list(model.feature_names_in_) == list("abc")
        assert model.certificate_.holds
        np.testing.assert_allclose(model.predict(spread[list("abc")]).compute(), expected, rtol=1e-9)
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(spread[list("bac")])
    with pytest.raises(ValueError, match=r"NaN in column 'b', row 0 \(row 0 of chunk 0\)"):
        Ridge().fit(spread[list("abc")].assign(b=np.nan), spread["y"])
