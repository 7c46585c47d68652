"""The code at the end of a report: run as it stands, it builds the pipeline that says what the chosen one says."""

import gzip

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.cases import each

from learnable.app.learn import Options, _ready, learn
from learnable.app.model_files.rebuilding import code_of
from learnable.app.progress import Silent
from learnable.app.trials.blend import ClassBlend, QuantityBlend
from learnable.app.trials.calibrated import Calibrated
from learnable.app.trials.fitting import fit
from learnable.linear import LinearDiscriminantAnalysis, LogisticRegression, Perceptron, PoissonRegressor, Ridge

RNG = np.random.default_rng(3)
N = 120
SIZE, AGE = RNG.normal(size=(2, N)).round(3)
SCORE = (2 * SIZE - AGE + 0.5 * RNG.normal(size=N)).round(3)
COLUMNS = {
    "size of it": [None if i % 19 == 4 else v for i, v in enumerate(SIZE.tolist())],
    "<b>age</b>": AGE.tolist(),
    "it's": RNG.choice(["low", "middle", "high"], N).tolist(),
    "mixed": [1.5] * (N - 1) + ["word"],
    "weight": RNG.uniform(0.5, 2, N).round(3).tolist(),
}
TARGETS = {
    "quantity": SCORE.tolist(),
    "known now and then": [None if i % 11 == 2 else v for i, v in enumerate(SCORE.tolist())],
    "events": RNG.poisson(np.exp(SIZE / 2)).tolist(),
    "word": np.where(SCORE > 0, "yes", "no").tolist(),
    "truth": [None if i == 7 else bool(v > 0) for i, v in enumerate(SCORE.tolist())],
    "number": np.digitize(SCORE, [-1, 1]).tolist(),
    "halves": (np.digitize(SCORE, [-1, 1]) / 2).tolist(),
}


def written(path, target, delimiter=",", decimal="."):
    """The table as a file of text."""
    columns = {**COLUMNS, target: TARGETS[target]}

    def cell(value):
        return "" if value is None else str(value).replace(".", decimal) if isinstance(value, float) else str(value)

    rows = [list(columns), *([cell(value) for value in row] for row in zip(*columns.values()))]
    text = "\n".join(delimiter.join(row) for row in rows)
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
    return path


def framed(target):
    import pyarrow as pa

    return pa.table({**{name: cells for name, cells in COLUMNS.items() if name != "mixed"}, target: TARGETS[target]})


@each(
    "target, estimator, file, options",
    [
        ("quantity", Ridge(0.3), "t.csv", {}),
        ("quantity", Ridge(0.3), "t.csv.gz", {"weight": "weight"}),
        ("quantity", Ridge(0.3), "t.csv", {"delimiter": ";", "decimal": ","}),
        ("known now and then", Ridge(), "t.csv", {"ordered": ("it's=low<middle<high",)}),
        ("quantity", Ridge(), None, {"drop": ("weight",)}),
        ("events", QuantityBlend([Ridge(), PoissonRegressor(alpha=0.1)], ["r", "p"], [0.25, 0.75]), "t.csv", {}),
        ("word", LogisticRegression(C=0.1), None, {"ordered": ("it's=low<middle<high",)}),
        ("word", LogisticRegression(C=0.1), "t.csv", {"class_weight": "balanced", "weight": "weight"}),
        ("truth", LogisticRegression(), "t.csv", {"class_weight": "True=3"}),
        ("number", LinearDiscriminantAnalysis(), "t.csv", {"class_weight": "balanced"}),  # which knows no weights
        ("halves", Calibrated(Perceptron(max_iter=100)), "t.csv", {"task": "classification"}),
        (
            "word",
            ClassBlend(
                [DummyClassifier(), Calibrated(Perceptron()), LogisticRegression()], ["d", "p", "l"], [0.2, 0.3, 0.5]
            ),
            "t.csv",
            {"weight": "weight"},
        ),
    ],
)
def test_it_runs_and_says_what_the_chosen_one_says(tmp_path, monkeypatch, target, estimator, file, options):
    monkeypatch.chdir(tmp_path)
    drop = ("mixed",) if file else ()
    how = {key: value for key, value in options.items() if key in ("delimiter", "decimal")}
    data = framed(target) if file is None else str(written(tmp_path / file, target, **how))
    options = Options(data, target, **{"drop": drop, **options})
    coded = _ready(options, None).coded
    model = fit(estimator, {}, coded.X_train, coded.division.y_train, coded.w_train)
    space = {"given": data}
    exec(code_of(model, coded, options), space)
    for ask in ("predict", "predict_proba")[: 1 + hasattr(model, "classes_")]:
        mine, its = getattr(space["model"], ask)(space["X"]), getattr(model, ask)(coded.X_train)
        np.testing.assert_array_equal(mine, its) if mine.dtype.kind == "U" else np.testing.assert_allclose(mine, its)


def test_members_of_a_blend_have_a_line_each():
    """A page has no room for all of them in one."""
    options = Options("houses")
    coded = _ready(options, None).coded
    blend = QuantityBlend([Ridge(), Ridge(2.0)], ["r", "s"], [0.25, 0.75])
    lines = code_of(fit(blend, {}, coded.X_train, coded.division.y_train), coded, options).splitlines()
    start = lines.index("members = [")
    assert lines[start + 1 : start + 4] == ["    Ridge(),", "    Ridge(alpha=2.0),", "]"]
    assert 'model = Pipeline([("code", TableCoder()), ("learn", QuantityBlend(members, labels, weights))])' in lines


def test_an_embedded_table_is_loaded_and_costs_decide():
    options = Options("loans", cost=("yes:no=5",))
    coded = _ready(options, None).coded
    space: dict = {}
    y = coded.division.y_train
    exec(code_of(fit(LogisticRegression(), {}, coded.X_train, y), coded, options), space)
    assert space["table"].source == "loans"
    decided = coded.question.costs.decide(space["model"].predict_proba(space["X"]))
    np.testing.assert_array_equal(space["cheapest"], decided)
    assert np.mean(decided != space["model"].predict(space["X"])) > 0.05


def test_a_table_that_was_given_is_taken_as_it_is():
    from learnable.datasets import load

    table = load("iris")
    options = Options(table, table.names[-1])
    coded = _ready(options, None).coded
    space = {"given": table}
    exec(code_of(fit(LinearDiscriminantAnalysis(), {}, coded.X_train, coded.division.y_train), coded, options), space)
    with pytest.raises(ValueError, match=table.names[-1]):
        space["X"].column(table.names[-1])


def test_the_code_of_a_run_builds_its_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "t.csv", "quantity")
    found = learn(Options("t.csv", "quantity", drop=("mixed",), learner=("least squares",)), Silent())
    space: dict = {}
    exec(found.result.code, space)
    np.testing.assert_allclose(space["model"].predict(space["X"]), found.pipeline.predict(space["X"]))
