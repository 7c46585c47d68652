"""Several criteria side by side."""

import importlib
import json

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.cases import each

from learnable.selection import (
    Selection,
    SelectionDisplay,
    bootstrap_error,
    cross_validated,
    gaussian_log_likelihood,
    information_criteria,
    mallows_cp,
    residual_variance,
    select,
)
from learnable.selection.criteria import Column

matplotlib.use("agg")
DEGREES = range(1, 5)
KNOWN = {f"degree {d}": d + 1 for d in DEGREES}
ALL = ("cv", "loo", "bootstrap", "bootstrap_632", "bootstrap_632plus", "aic", "bic", "cp")


def polynomials():
    return {
        f"degree {d}": make_pipeline(PolynomialFeatures(d, include_bias=False), LinearRegression()) for d in DEGREES
    }


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (50, 1))
    return x, 1 + x[:, 0] - 2 * x[:, 0] ** 2 + 0.4 * rng.normal(size=50)


@pytest.fixture(scope="module")
def chosen(curve):
    return select(polynomials(), *curve, criteria=ALL, repeats=20, degrees_of_freedom=KNOWN)


def test_columns_are_the_criteria_themselves(curve, chosen):
    x, y = curve
    full = polynomials()["degree 4"].fit(x, y).predict(x)
    sigma2 = residual_variance(y, full, 5)
    for k, (name, model) in enumerate(polynomials().items()):
        assert chosen["cv"].values[k] == pytest.approx(cross_validated(model, x, y, cv=5).pooled.estimate)
        boot = bootstrap_error(model, x, y, repeats=20)
        assert chosen["bootstrap"].values[k] == boot.leave_one_out
        assert chosen["bootstrap_632"].values[k] == boot.point632
        assert chosen["bootstrap_632plus"].values[k] == boot.point632plus
        fit = model.fit(x, y).predict(x)
        criteria = information_criteria(gaussian_log_likelihood(y, fit), KNOWN[name] + 1)
        assert chosen["aic"].values[k] == pytest.approx(criteria.aic)
        assert chosen["bic"].values[k] == pytest.approx(criteria.bic)
        assert chosen["cp"].values[k] == pytest.approx(mallows_cp(y, fit, KNOWN[name], sigma2).cp)


def test_differences_and_their_errors_are_paired(curve, chosen):
    x, y = curve
    column = chosen["cv"]
    assert column.differences[column.best] == column.errors[column.best] == 0
    losses = [cross_validated(model, x, y, cv=5).losses for model in polynomials().values()]
    gap = losses[0] - losses[column.best]
    assert column.differences[0] == pytest.approx(gap.mean())
    assert column.errors[0] == pytest.approx(gap.std(ddof=1) / np.sqrt(len(y)))


def test_aic_and_bic_differ_by_the_price_of_a_parameter(chosen):
    step = (np.log(50) - 2) * np.array([3, 4, 5, 6])
    np.testing.assert_allclose(chosen["bic"].values - chosen["aic"].values, step)


def test_monte_carlo_df_takes_the_place_of_unknown_df(curve, chosen):
    guessed = select(polynomials(), *curve, criteria=("aic",), df_repeats=100)
    # AIC = -2 loglik + 2(df + 1): the difference of the columns is twice the Monte Carlo error of df, sd √(2p/100).
    off = (guessed["aic"].values - chosen["aic"].values) / 2
    assert (abs(off) < 4 * np.sqrt(2 * np.array([2, 3, 4, 5]) / 100)).all()
    assert abs(off).max() > 0


def test_disagreement_is_said_in_words():
    models = [DummyRegressor() for _ in range(3)]
    columns = [
        Column("cv", np.array([1.0, 1.2, 9.0]), np.ones(3), np.array([0.0, 0.2, 8.0]), np.array([0.0, 0.3, 1.0])),
        Column(
            "aic",
            np.array([14.0, 10.0, np.inf]),
            np.array([3.0, 3.0, np.nan]),
            np.array([4.0, 0.0, np.inf]),
            np.array([2.5, 0.0, np.nan]),
        ),
    ]
    chosen = Selection(("a", "b", "c"), tuple(columns), tuple(models))
    assert not chosen.agree
    assert chosen.choices == {"cv": "a", "aic": "b"}
    assert chosen.disagreements() == ["cv takes a; b is 0.2 ± 0.3 above it", "aic takes b; a is 4 ± 2.5 above it"]
    assert chosen.defensible == ("b",)
    text = str(chosen)
    assert "the criteria disagree" in text
    assert "14 ± 3 (+4 ± 2.5)" in text
    assert chosen.best_estimator("aic") is not models[1]


def test_agreement_is_said_in_words(curve):
    x, y = curve
    models = {"mean": DummyRegressor(), "degree 2": polynomials()["degree 2"]}
    chosen = select(models, x, y, criteria=("cv", "bootstrap"), repeats=10)
    assert chosen.agree
    assert chosen.disagreements() == []
    assert "all criteria choose degree 2" in str(chosen)
    assert chosen.defensible == ("degree 2",)
    assert chosen.best_estimator("cv").get_params().keys() == models["degree 2"].get_params().keys()


def test_json_holds_everything(chosen):
    content = json.loads(chosen.to_json())
    assert content["candidates"] == list(chosen.names)
    assert set(content["criteria"]) == set(ALL)
    assert content["choices"] == chosen.choices
    np.testing.assert_allclose(content["criteria"]["cv"]["values"], chosen["cv"].values)


def test_names_are_escaped_in_html():
    x = np.arange(10.0)[:, None]
    page = select({"<img onerror=alert(1)>": DummyRegressor()}, x, x[:, 0], criteria=("cv",))._repr_html_()
    assert "<img" not in page
    assert "&lt;img" in page


def test_classifiers_with_infinite_deviance_stay_in_the_table():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    models = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier()}
    chosen = select(models, X, y, criteria=("cv", "aic"), df_repeats=10)
    assert np.isinf(chosen["aic"].values[1])
    assert chosen.choices["aic"] == "logistic"
    assert "aic of tree is infinite" in str(chosen)
    assert json.loads(chosen.to_json())["criteria"]["aic"]["values"][1] is None
    display = SelectionDisplay.from_selection(chosen)
    assert [text.get_text() for text in display.axes_[1].texts] == ["∞"]
    pyplot.close(display.figure_)
    with pytest.raises(ValueError, match="infinite for every candidate"):
        select({"tree": DecisionTreeClassifier()}, X, y, criteria=("aic",))


def test_same_answer_for_any_number_of_jobs():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    models = {"forest": RandomForestClassifier(3), "constant": DummyClassifier()}
    one, two = (
        select(models, X, y, criteria=("cv", "bootstrap_632plus"), repeats=4, cv=3, n_jobs=jobs) for jobs in (1, 2)
    )
    assert one.to_json() == two.to_json()


def test_display_shows_one_panel_a_criterion(chosen):
    display = SelectionDisplay.from_selection(chosen)
    assert [axes.get_title() for axes in display.axes_] == list(ALL)
    assert [label.get_text() for label in display.axes_[0].get_yticklabels()] == list(chosen.names)
    pyplot.close("all")


@each("library", ["pandas", "polars"])
def test_data_frames_give_the_answers_of_arrays(library, curve):
    frames = importlib.import_module(library)
    x, y = curve
    models = {"mean": DummyRegressor(), "line": LinearRegression()}
    options = {"criteria": ("cv", "bootstrap"), "repeats": 5}
    frame = frames.DataFrame({"a": x[:, 0]})
    assert select(models, frame, y, **options).to_json() == select(models, x, y, **options).to_json()


X6, Y6 = np.arange(6.0)[:, None], np.arange(6.0)


@each(
    ("call", "message"),
    [
        (lambda: select({}, X6, Y6), "empty"),
        (lambda: select([DummyRegressor()], X6, Y6, criteria=()), "at least one"),
        (lambda: select([DummyRegressor()], X6, Y6, criteria=("dic",)), "'dic'"),
        (lambda: select([DummyRegressor()], X6, Y6, criteria=("cv", "cv")), "distinct"),
        (lambda: select([DummyRegressor()], X6, Y6, repeats=0), "repeats=0"),
        (lambda: select([DummyRegressor()], X6, Y6, df_repeats=1), "df_repeats=1"),
        (lambda: select([DummyRegressor()], X6, Y6, cv=1), "cv=1"),
        (lambda: select([DummyRegressor()], X6[:1], Y6[:1]), "n=1"),
        (lambda: select([DummyRegressor(), DummyClassifier()], X6, Y6), "mixed"),
        (lambda: select([DummyRegressor()], X6, Y6, degrees_of_freedom={"other": 1}), "'other' is no candidate"),
        (lambda: select([DummyRegressor()], X6, Y6, degrees_of_freedom={"DummyRegressor": np.inf}), "must be finite"),
        (lambda: select([DummyClassifier()], X6, Y6 > 2, cv=2, criteria=("cp",)), "squared error only"),
        (
            lambda: select([KNeighborsRegressor(1)], X6, Y6, criteria=("aic",)),
            "aic of KNeighborsRegressor: .*unbounded",
        ),
        (lambda: select([LogisticRegression()], X6, Y6 > 2, cv=KFold(2)), "no member of class"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_aic_needs_probabilities():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        select([LinearSVC()], X6, Y6 > 2, criteria=("aic",))


@each(
    ("X", "y", "message"),
    [
        (np.ma.masked_array(X6, X6 > 3), Y6, "X: masked"),
        (X6, np.ma.masked_array(Y6, Y6 > 3), "y: masked"),
        (X6, Y6.astype("datetime64[D]"), "must hold numbers, got datetime64"),
    ],
)
def test_masks_and_dates_are_refused(X, y, message):
    with pytest.raises(TypeError, match=message):
        select([DummyRegressor()], X, y, criteria=("bootstrap",))


def test_a_missing_criterion_is_named(chosen):
    with pytest.raises(KeyError, match="dic"):
        chosen["dic"]


def test_every_value_is_printed_with_its_error():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 3))
    y = x[:, 0] + rng.normal(size=60)
    chosen = select(
        {"line": LinearRegression(), "ridge": Ridge(50.0)}, x, y, criteria=("cv", "aic", "cp"), df_repeats=20
    )
    losses = cross_validated(LinearRegression(), x, y, cv=5, random_state=0).losses
    assert chosen["cv"].value_errors[0] == pytest.approx(losses.std(ddof=1) / np.sqrt(60))
    for column in chosen.columns:
        assert (column.value_errors > 0).all()
        assert column.errors[column.best] == 0
    for row in chosen.table().rows:
        assert all("±" in cell for cell in row[1:])
    content = json.loads(chosen.to_json())
    assert content["criteria"]["cv"]["value_errors"] == pytest.approx(chosen["cv"].value_errors.tolist())


def test_counts_are_selected_by_default_and_cost_no_variance():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 2))
    counts = rng.poisson(np.exp(0.2 + 0.7 * Z[:, 0]))
    candidates = {"rate": DummyRegressor(), "log-linear": PoissonRegressor(alpha=0, solver="newton-cholesky")}
    chosen = select(candidates, Z, counts, repeats=5, df_repeats=20)
    assert set(chosen.choices.values()) == {"log-linear"}
    exact = select(candidates, Z, counts, criteria=["aic"], degrees_of_freedom={"rate": 1, "log-linear": 3})
    model = PoissonRegressor(alpha=0, solver="newton-cholesky").fit(Z, counts)
    deviance = -2 * stats.poisson.logpmf(counts, model.predict(Z)).sum()
    assert exact["aic"].values[1] == pytest.approx(deviance + 2 * 3)
    assert chosen["aic"].values[1] == pytest.approx(deviance + 6, abs=3)
