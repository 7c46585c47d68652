"""Rows that come in blocks are held to what is asked of arrays: the same faults are refused, with their place."""

import inspect
import warnings
from functools import cache

import dask
import dask.array as da
import numpy as np
import pytest
from pyarrow import parquet
from pyarrow import table as arrow_table
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from tests.cases import each

from learnable.bayes import GaussianNB, gaussian_nb
from learnable.checks import all_estimators
from learnable.concepts import FindS
from learnable.ensembles import HistGradientBoostingRegressor
from learnable.graphical import GraphicalLasso
from learnable.linear import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeCV,
    deviance_regressor,
    logistic_regression,
)
from learnable.rows import ParquetRows, as_rows
from learnable.rows.dask import DaskRows
from learnable.rows.examine import Beside, examine, seen_beside
from learnable.rows.labels import labels
from learnable.rows.targets import Target
from learnable.sequences import GaussianHMM
from learnable.sparse import Lasso, LassoCV, MultiTaskLasso, NuclearNormRegression
from learnable.unsupervised import PCA, KMeans

N, CHUNK = 60, 20
RNG = np.random.default_rng(11)
X = np.abs(RNG.normal(size=(N, 3))) + 0.5
NUMBER = X @ [1.0, 2.0, 0.5] + RNG.uniform(size=N)
LABEL = (X[:, 0] + 0.5 * RNG.normal(size=N) > 1.2).astype(int)
WEIGHT = RNG.uniform(0.5, 2.0, size=N)
ROOMS = ("linear", "sparse", "bayes", "unsupervised", "ensembles", "kernels", "graphical", "trees", "neural")
PLACE = r"row 30 \(row 10 of chunk 1\)"
# They want other cells, or other parameters, than this table and their defaults.
OTHERS = {"CategoricalNB", "MultiTaskLasso", "MinimumErrorSplit"}


def spread(values, chunk=CHUNK):
    return da.from_array(values, chunks=(chunk, *values.shape[1:]))


def with_cell(values, value):
    """The same numbers, with `value` in row 30."""
    changed = np.array(values, dtype=float)
    changed[30] = value
    return changed


@cache
def streaming():
    """Every estimator that reads blocks, by the sentence in which it refuses a cell of one."""
    found, bad = {}, spread(with_cell(X, [np.inf, 1.0, 1.0]))
    for name, kind in all_estimators():
        if kind.__module__.split(".")[1] not in ROOMS or name in OTHERS:
            continue
        try:
            kind().fit(bad, spread(LABEL if is_classifier(kind()) else NUMBER))
        except (TypeError, ValueError) as error:
            found[name] = error
        else:
            raise AssertionError(f"{name} takes infinity")
    refused = {name for name, error in found.items() if "memory" in str(error) or "partial_fit" in str(error)}
    place = "contains infinity in column 0, row 30 (row 10 of chunk 1)"
    assert not {name: error for name, error in found.items() if name not in refused and place not in str(error)}
    return {name: kind for name, kind in all_estimators() if name in found.keys() - refused}


def test_most_estimators_read_blocks():
    assert {"Ridge", "Lasso", "LogisticRegression", "GaussianNB", "KMeans", "PCA", "Nystroem"} <= streaming().keys()
    assert len(streaming()) >= 45


def faults(y):
    """(table, targets, weights, what the sentence says) of what must not pass."""
    two = np.column_stack([y, y])
    pair = np.where(np.arange(N) % 2 == 0, "a", "b").astype(object)
    pair[3] = None
    return {
        "weight -1": (X, y, with_cell(WEIGHT, -1.0), rf"Negative values .* `sample_weight`: -1 in {PLACE}"),
        "weight NaN": (X, y, with_cell(WEIGHT, np.nan), rf"sample_weight contains NaN in {PLACE}"),
        "no weight": (X, y, np.zeros(N), "at least one non-zero number"),
        "large weight": (X, y, with_cell(WEIGHT, 1e200), rf"{PLACE} weighs 1e\+200, whose square"),
        "weights too few": (X, y, WEIGHT[1:], r"sample_weight has shape \(59,\): expected \(60,\)"),
        "y NaN": (X, with_cell(y, np.nan), None, rf"Input y contains NaN in {PLACE}"),
        "y infinite": (X, with_cell(y, -np.inf), None, rf"Input y contains infinity in {PLACE}"),
        "y large": (X, with_cell(y, 1e200), None, rf"y has an entry of size 1.0e\+200 \({PLACE}\), whose square"),
        "no y": (X, None, None, "requires y to be passed, but the target y is None"),
        "y too short": (X, y[1:], None, "60 rows but y has 59"),
        "y in columns": (X, two, None, r"1d array, got an array of shape \(60, 2\)|y has 2 columns"),
        "y words": (X, np.full(N, "a"), None, r"y holds strings \(<U1\); a regression target|only one class"),
        "y mixed": (X, pair, None, "labels of different types|y has dtype object: real numbers"),
        "y fractions": (X, NUMBER, None, r"Unknown label type: continuous"),
        "no rows": (X[:0], y[:0], None, r"X has shape \(0, 3\)"),
        "one dimension": (X[:, 0], y, None, r"X has shape \(60,\): expected rows × columns"),
    }  # fmt: skip


@each("fault", list(faults(NUMBER)))
def test_what_memory_refuses_is_refused_in_blocks_with_its_place(fault):
    tried = 0
    for name, kind in streaming().items():
        model = kind()
        y = LABEL if is_classifier(model) else NUMBER
        table, target, weight, words = faults(y)[fault]
        weighs = "sample_weight" in inspect.signature(model.fit).parameters
        if (weight is not None and not weighs) or (target is not y and not get_tags(model).target_tags.required):
            continue
        given = {} if weight is None else {"sample_weight": weight}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kind().fit(table, target, **given)
        except (ValueError, TypeError):
            pass
        else:
            continue  # memory takes it
        tried += 1
        spread_out = {key: spread(value) for key, value in given.items()}
        with pytest.raises((ValueError, TypeError), match=words):
            model.fit(spread(table), None if target is None else spread(target), **spread_out)
        assert not hasattr(model, "n_features_in_"), name
    assert tried >= (2 if fault == "y fractions" else 10), tried


def types_of(model):
    """The types of the fitted numbers and arrays of numbers, by name."""
    kept = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    return {
        name: value.dtype.name
        for name, value in kept.items()
        if isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f"
    }


def test_single_precision_is_answered_as_in_memory():
    found = []
    for name, kind in (streaming() | {"MultiTaskLasso": MultiTaskLasso}).items():
        y = LABEL if is_classifier(kind()) else NUMBER
        y = np.column_stack([y, X[:, 1]]) if name == "MultiTaskLasso" else y
        given = {"random_state": 0} if "random_state" in kind().get_params() else {}
        X_ = X.astype(np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                there = kind(**given).fit(spread(X_), spread(y))
            except TypeError as refused:
                if "memory" not in str(refused):
                    raise
                continue  # it only looks at blocks
            here = kind(**given).fit(X_, y)
        assert types_of(there) == types_of(here), name
        if "float32" in types_of(here).values():
            assert there.certificate_.verdict is here.certificate_.verdict, name
            found.append(name)
    assert {"Lasso", "LassoCV", "ElasticNet", "Lars", "LassoLars", "MultiTaskLasso"} <= set(found), found
    assert len(found) >= 20, found


def test_the_look_at_the_rows_finds_the_classes_too(monkeypatch):
    rows = as_rows(spread(X), spread(LABEL))
    examine(rows, "it", target=Target(numbers=False))
    monkeypatch.setattr(rows, "_passed", None)  # no further pass
    np.testing.assert_array_equal(labels(rows, "it"), [0, 1])


def passes_of(monkeypatch, fit):
    """How many passes over the rows a fit makes."""
    made, plain = [], DaskRows._passed
    with monkeypatch.context() as patched:
        patched.setattr(DaskRows, "_passed", lambda self, *given: made.append(1) or plain(self, *given))
        fit()
    return len(made)


def fit_apart(kind, monkeypatch, *tables):
    """A fit whose look at the rows sums up nothing beside."""
    with monkeypatch.context() as patched:
        patched.setattr(seeing[kind], "seen_beside", lambda rows, beside: None)
        return kind().fit(*tables)


seeing = {
    GaussianNB: gaussian_nb,
    PoissonRegressor: deviance_regressor,
    LogisticRegression: logistic_regression,
}
answers = dict.fromkeys(seeing, ("coef_", "intercept_")) | {GaussianNB: ("theta_", "var_", "class_count_")}


@each("kind", list(seeing))
def test_sums_found_beside_the_look_are_those_of_a_pass_of_their_own(kind, monkeypatch):
    # By chunks of 20 rows, classes 0 and 1 in the first two, 1 and 3 in the last: no chunk has all.
    kinds = np.concatenate([np.arange(40) % 2, 1 + 2 * (np.arange(20) % 2)])
    y = np.floor(NUMBER) if kind is PoissonRegressor else kinds
    tables = spread(X), spread(y)
    found, apart = kind().fit(*tables), fit_apart(kind, monkeypatch, *tables)
    for name in answers[kind]:
        np.testing.assert_array_equal(getattr(found, name), getattr(apart, name))
    saved = passes_of(monkeypatch, lambda: fit_apart(kind, monkeypatch, *tables))
    assert passes_of(monkeypatch, lambda: kind().fit(*tables)) < saved
    names = spread(np.array(["ab", "c", "def", "g"])[kinds])
    if kind is GaussianNB:
        np.testing.assert_array_equal(kind().fit(spread(X), names).theta_, found.theta_)
    # Weights, missing cells and columns of zeros have their own ways, with the answers of memory.
    holes = with_cell(X, [np.nan, 1.0, 1.0]) if kind is GaussianNB else X * [1.0, 0.0, 1.0]
    for table, weight in ((X, WEIGHT), (holes, None), (np.add(X, [0.0, 1e4, 0.0]), None)):
        whole = kind().fit(table, y, sample_weight=weight)
        model = kind().fit(spread(table), spread(y), sample_weight=None if weight is None else spread(weight))
        close = {"rtol": 1e-9} if kind is GaussianNB else {"rtol": 1e-3, "atol": 1e-6}  # Newton's steps end at tol
        for name in answers[kind]:
            np.testing.assert_allclose(getattr(model, name), getattr(whole, name), **close)


def test_one_estimator_does_not_take_the_sums_of_another():
    rows, y = as_rows(spread(X), spread(LABEL)), LABEL
    beside = Beside(lambda block, labels: (np.ones(3), 1.0), np.add)
    examine(rows, "it", beside=beside)
    assert seen_beside(rows, beside) == 3.0
    assert seen_beside(rows, GaussianNB.beside) is None
    assert seen_beside(X, beside) is None
    np.testing.assert_array_equal(GaussianNB().fit(rows).theta_, GaussianNB().fit(spread(X), spread(y)).theta_)
    assert seen_beside(rows, beside) is None


def test_a_target_of_no_such_family_is_named_by_its_row():
    with pytest.raises(ValueError, match=r"y\[30\] is -1, but family 'poisson' needs"):
        PoissonRegressor().fit(spread(X), spread(with_cell(np.floor(NUMBER), -1.0)))


@each("kind", [GaussianNB, LogisticRegression])
def test_a_bad_cell_is_told_before_targets_that_are_no_classes(kind):
    fractions = LABEL.astype(float)
    fractions[3] = 0.5
    with pytest.raises(ValueError, match=rf"contains infinity in column 0, {PLACE}"):
        kind().fit(spread(with_cell(X, [np.inf, 1.0, 1.0])), spread(fractions))


def test_a_fold_without_weight_is_named():
    weight = np.where(np.arange(N) < 20, 0.0, WEIGHT)
    for given in ((X, NUMBER, weight), map(spread, (X, NUMBER, weight))):
        with pytest.raises(ValueError, match=r"zero in all of fold 0 of 3 \((20 rows|rows 0 to 19)\): no error"):
            LassoCV(cv=3).fit(*given)


def test_a_gaussian_graph_scores_blocks_as_arrays():
    model, rows = GraphicalLasso(0.1).fit(X), spread(X)
    np.testing.assert_allclose(model.score(rows), model.score(X), rtol=1e-12)
    np.testing.assert_allclose(model.mahalanobis(rows), model.mahalanobis(X), rtol=1e-12)
    short = rows.map_blocks(lambda chunk: chunk[:10], dtype=float)
    for asked in (model.score, model.mahalanobis):
        with pytest.raises(ValueError, match="10 rows where its array promises 20"):
            asked(short)
        with pytest.raises(ValueError, match=rf"contains NaN in column 0, {PLACE}"):
            asked(spread(with_cell(X, [np.nan, 1.0, 1.0])))
        with pytest.raises(ValueError, match="X has 2 features, but GraphicalLasso is expecting 3"):
            asked(rows[:, :2])


@each("model", [LinearRegression(), Ridge(), RidgeCV(), Lasso(0.1), NuclearNormRegression(0.1)], ids=repr)
def test_a_column_of_targets_gives_the_shapes_of_memory(model):
    for target in (NUMBER[:, None], NUMBER, np.column_stack([NUMBER, LABEL])):
        here, there = (
            type(model)(**model.get_params()).fit(*given) for given in ((X, target), (spread(X), spread(target)))
        )
        for name in ("coef_", "intercept_"):
            one, other = np.asarray(getattr(here, name)), np.asarray(getattr(there, name))
            assert one.shape == other.shape, (target.shape, name)
            np.testing.assert_allclose(other, one, rtol=1e-6)
        assert there.certificate_.holds


@each("kind", [GaussianNB, LogisticRegression, PoissonRegressor, HistGradientBoostingRegressor])
def test_one_target_in_a_column_is_taken_with_a_warning(kind):
    y = LABEL if is_classifier(kind()) else NUMBER
    with pytest.warns(UserWarning, match="column-vector y"):
        model = kind().fit(spread(X), spread(y[:, None]))
    np.testing.assert_array_equal(model.predict(X), kind().fit(spread(X), spread(y)).predict(X))


def test_a_class_that_comes_last_is_a_class_however_long_its_name():
    y = np.where(np.arange(N) == N - 1, "a rather long name", np.where(LABEL == 1, "b", "a"))
    pieces = [da.from_array(part, chunks=CHUNK) for part in np.array_split(y, 3)]
    for kind in (GaussianNB, LogisticRegression):
        assert list(kind().fit(spread(X), da.concatenate(pieces)).classes_) == ["a", "a rather long name", "b"]


def test_a_chunk_that_is_short_is_told_by_fits_predictions_and_scores():
    short = [X[:20], X[20:39], X[40:]]
    parts = [da.from_delayed(dask.delayed(part), (20, 3), float) for part in short]
    table, model = da.concatenate(parts), Ridge().fit(X, NUMBER)
    said = "a chunk of X has 19 rows where its array promises 20, rows 20 to 39"
    for act in (
        lambda: Ridge().fit(table, NUMBER),
        lambda: model.predict(table).compute(),
        lambda: PCA(2).fit(X).transform(table).compute(),
        lambda: model.score(table, spread(NUMBER)),
        lambda: KMeans(2).fit(X).score(table),
    ):
        with pytest.raises(ValueError, match=said):
            act()
    with pytest.raises(ValueError, match="has 59 rows where its array promises 60"):  # kernels would read past its end
        GaussianHMM(2).fit(table)
    with pytest.raises(ValueError, match="GaussianHMM: Input X contains infinity in column 0, row 30"):
        GaussianHMM(2).fit(spread(with_cell(X, [np.inf, 1.0, 1.0])))


def test_scores_of_chunks_are_those_of_memory_and_refuse_what_is_no_number():
    model = KMeans(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.score(spread(X)), model.score(X))
    with pytest.raises(ValueError, match=rf"KMeans: Input X contains NaN in column 1, {PLACE}"):
        model.score(spread(with_cell(X, [1.0, np.nan, 1.0])))
    some = spread(WEIGHT) > 0.0  # chunks whose sizes nobody knows
    for kind, y in ((Ridge, NUMBER), (GaussianNB, LABEL)):
        fitted = kind().fit(X, y)
        np.testing.assert_allclose(fitted.score(spread(X)[some], spread(y)[some]), fitted.score(X, y))


def test_who_needs_all_examples_says_so():
    with pytest.raises(TypeError, match=r"FindS needs all rows in memory.*X.compute\(\)"):
        FindS().fit(spread((X > 1.0).astype(int)), spread(LABEL))


def test_files_are_held_to_the_same_targets_and_weights(tmp_path):
    path = tmp_path / "t.parquet"
    columns = {"a": X[:, 0], "b": X[:, 1], "y": NUMBER, "w": WEIGHT}
    parquet.write_table(arrow_table(columns), path, row_group_size=CHUNK)
    with pytest.raises(ValueError, match="requires y to be passed"):
        Ridge().fit(ParquetRows(path, columns=["a", "b"]))
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(60, 1\)"):
        PoissonRegressor().fit(ParquetRows(path, columns=["a", "b"], target=["y"]))
    with pytest.raises(ValueError, match="PCA: the rows carry weights, which it does not take"):
        PCA(1).fit(ParquetRows(path, columns=["a", "b"], weight="w"))
    parquet.write_table(arrow_table(columns | {"y": with_cell(NUMBER, 1e200)}), path, row_group_size=CHUNK)
    with pytest.raises(ValueError, match=r"size 1.0e\+200 \(row 30 \(row 10 of row group 1 of t.parquet\)\)"):
        Ridge().fit(ParquetRows(path, columns=["a", "b"], target="y"))
