"""Shared by the tests of the face: a small hand-made result, and small tables on disk."""

from collections import defaultdict

import numpy as np
import pytest

from learnable.app.result import (
    Calibration,
    ClaimResult,
    Coefficient,
    ColumnSummary,
    ComparisonResult,
    Confusion,
    Interval,
    LearnerResult,
    LearningCurve,
    LearnResult,
    PairResult,
    Residuals,
    TableSummary,
)

# `test_whole_panel.py` tries every learner; other tests ask what becomes of a table, and a few learners show that.
SOME = {
    "linear discriminant", "logistic regression", "sparse logistic regression", "Gaussian naive Bayes",
    "least squares", "ridge", "lasso", "Poisson regression",
}  # fmt: skip
UNTUNED = {"linear discriminant", "least squares"}


def some_of(panel):
    """Those learners, with two settings where there are any to try."""
    return [one._replace(settings=one.settings[:2]) for one in panel if one.reference or one.label in SOME]


FEW = {
    "trials.rounds.MOST_ROUNDS": 2,
    "judging.diagnostics.CURVE_SHARES": (0.4, 1.0),
    "judging.explaining.BOOTSTRAPS": 10,
    "judging.figures.RESAMPLES": 100,
    "judging.metrics.RESAMPLES": 100,
}


@pytest.fixture(autouse=True, scope="session")
def whole_panel():
    """Few learners, settings, rounds, points and resamples: a run is quick; gives what lists all learners."""
    from importlib import import_module

    learn = import_module("learnable.app.learn")
    whole = learn.candidates
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learn, "candidates", lambda *asked: some_of(whole(*asked)))
        for name, few in FEW.items():
            patch.setattr(f"learnable.app.{name}", few)
        yield whole


@pytest.fixture
def drawn():
    """Asked for by tests whose reports have their pictures."""


@pytest.fixture
def undrawn(monkeypatch):
    """Reports without their pictures."""
    monkeypatch.setattr("learnable.app.report.page._pictures", lambda result: (defaultdict(str), {}))
    monkeypatch.setattr("learnable.app.report.plots.dependence.dependence", lambda result: [])


PICTURES = {
    "leaderboard.leaderboard", "comparison.comparison", "calibration.calibration", "residuals.residuals",
    "predicted.predicted", "learning_curve.learning_curve", "importance.importance", "forest.forest",
    "operating.roc", "operating.precision_recall", "operating.cost", "path.path",
}  # fmt: skip


@pytest.fixture
def drawn_alone(monkeypatch):
    """`drawn_alone("leaderboard.leaderboard")`: reports with this picture and no other."""

    def others_away(*names):
        assert set(names) <= PICTURES
        for name in PICTURES - set(names):
            monkeypatch.setattr(f"learnable.app.report.plots.{name}", lambda result: None)

    return others_away


@pytest.fixture(autouse=True)
def _without_pictures(request):
    """Pictures take half of a run: only tests of the page and those that ask for `drawn` have them."""
    if "drawn" not in request.fixturenames and "test_report" not in request.module.__name__:
        request.getfixturevalue("undrawn")


@pytest.fixture
def few_learners(monkeypatch):
    """A panel of one learner that has nothing to tune."""
    from importlib import import_module

    learn = import_module("learnable.app.learn")
    panel = learn.candidates
    monkeypatch.setattr(
        learn,
        "candidates",
        lambda *arguments: [one for one in panel(*arguments) if one.reference or one.label in UNTUNED],
    )


HOSTILE = "<script>alert('x')</script>"


def example_result(task: str = "classification") -> LearnResult:
    """A hand-made result with every field filled: hostile names, a failed, a not-run and an uncertified learner."""
    classification = task == "classification"
    claim = ClaimResult("L6", "duality gap <= tol", 1e-7, 1e-6, True, "exact", ["data finite"])
    broken = ClaimResult("C5", "gradient norm <= tol", 2e-3, 1e-6, False, "exact", [])
    learners = [
        LearnerResult(
            "LogisticRegression" if classification else "Ridge",
            "best learner",
            "finished",
            params={"alpha": 0.1},
            tuning=[{"params": {"alpha": 0.1}, "mean": 0.10}, {"params": {"alpha": 1.0}, "mean": 0.14}],
            cv_scores=[0.08, 0.10, 0.12, 0.09, 0.11],
            cv=Interval(0.10, 0.07, 0.13, method="corrected t"),
            test=Interval(0.11, 0.06, 0.19, method="Wilson"),
            extra={"log loss": Interval(0.3, 0.2, 0.4)} if classification else {"R²": Interval(0.7, 0.55, 0.8)},
            fit_seconds=0.01,
            seconds=0.5,
            solver="optimal",
            certificate=[claim],
        ),
        LearnerResult(
            "Perceptron" if classification else "Lasso",
            f"second {HOSTILE}",
            "finished",
            params={"alpha": 0.01},
            cv_scores=[0.09, 0.11, 0.12, 0.10, 0.13],
            cv=Interval(0.11, 0.08, 0.14, method="corrected t"),
            test=Interval(0.12, 0.07, 0.20, method="Wilson"),
            fit_seconds=0.02,
            seconds=0.7,
            solver="budget_spent",
            certificate=[claim, broken],
        ),
        LearnerResult(
            "DummyClassifier" if classification else "DummyRegressor",
            "baseline",
            "finished",
            cv_scores=[0.48, 0.5, 0.52, 0.5, 0.5],
            cv=Interval(0.50, 0.45, 0.55, method="corrected t"),
            test=Interval(0.49, 0.40, 0.58, method="Wilson"),
            fit_seconds=0.0,
            seconds=0.01,
            reference=True,
        ),
        LearnerResult("Slow", "slow learner", "not run", reason="the time limit of 5 s was reached"),
        LearnerResult("Broken", "broken learner", "failed", reason="LinAlgError: singular & <b>bold</b>"),
    ]
    pairs = [
        PairResult("best learner", learners[1].label, Interval(-0.01, -0.03, 0.01), 0.3, 0.3, False),
        PairResult("best learner", "baseline", Interval(-0.40, -0.45, -0.35), 1e-6, 3e-6, True),
        PairResult(learners[1].label, "baseline", Interval(-0.39, -0.45, -0.33), 2e-6, 4e-6, True),
    ]
    return LearnResult(
        table=TableSummary(
            "example.csv",
            120,
            [
                ColumnSummary("size", "number", "feature", 3, 97, "0.1 .. 9.8"),
                ColumnSummary(HOSTILE, "category", "feature", 0, 3, "red (50), green (40), blue (30)"),
                ColumnSummary("id", "text", "dropped", 0, 120, reason="every value is different"),
                ColumnSummary("y", "category" if classification else "number", "target", 0, 2),
            ],
            {"no": 60, "yes": 60} if classification else {},
        ),
        task=task,
        task_reason="the target is a category" if classification else "the target is a number with 97 distinct values",
        target="y",
        metric="error rate" if classification else "mean squared error",
        learners=learners,
        comparison=ComparisonResult(
            ["best learner", learners[1].label, "baseline"], pairs, [["best learner", learners[1].label], ["baseline"]]
        ),
        chosen="best learner",
        choice="best learner has the smallest cross-validated error; it cannot be told apart from second.",
        train_rows=96,
        test_rows=24,
        tuning_rows=96,
        folds=5,
        seed=0,
        seconds=1.3,
        versions={"python": "3.11", "learnable": "0.1.0"},
        calibration=Calibration(
            "yes",
            [0.1, 0.5, 0.9],
            [Interval(0.12, 0.0, 0.3), Interval(0.5, 0.3, 0.7), Interval(0.9, 0.7, 1.0)],
            [8, 8, 8],
        )
        if classification
        else None,
        confusion=Confusion(["no", "yes"], [[11, 1], [2, 10]]) if classification else None,
        residuals=None if classification else Residuals([1.0, 2.0, 3.0, 4.0], [0.1, -0.2, 0.05, 0.3]),
        learning_curve=LearningCurve(
            [20, 40, 96],
            [Interval(0.02, 0.0, 0.05), Interval(0.05, 0.02, 0.08), Interval(0.07, 0.05, 0.09)],
            [Interval(0.25, 0.2, 0.3), Interval(0.16, 0.1, 0.2), Interval(0.11, 0.08, 0.14)],
        ),
        coefficients=[Coefficient("size", 1.7), Coefficient(f"{HOSTILE}=red", -0.4)],
        warnings=["3 rows of 'size' are missing and were filled with the training mean"],
    )


@pytest.fixture(params=["classification", "regression"])
def result(request: pytest.FixtureRequest) -> LearnResult:
    return example_result(request.param)


@pytest.fixture(scope="session")
def columns() -> dict[str, list]:
    """A small table with every kind of column and a target that can be learned."""
    rng = np.random.default_rng(0)
    n = 240
    size, weight = rng.normal(size=n), rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], n)
    grade = rng.choice(["low", "middle", "high"], n)
    score = 2 * size - weight + (colour == "red") + 0.3 * rng.normal(size=n)
    return {
        "size": [None if i % 17 == 3 else round(float(v), 4) for i, v in enumerate(size)],
        "weight": [round(float(v), 4) for v in weight],
        "colour": colour.tolist(),
        "grade": grade.tolist(),
        "same": ["x"] * n,
        "price": [round(float(v), 4) for v in score],
        "sold": np.where(score > 0, "yes", "no").tolist(),
    }


def to_csv(columns: dict[str, list], delimiter: str = ",") -> str:
    rows = [list(columns), *zip(*columns.values())]
    return "\n".join(delimiter.join("" if cell is None else str(cell) for cell in row) for row in rows) + "\n"


@pytest.fixture
def table_file(tmp_path, columns):
    """The small table as a CSV file."""
    path = tmp_path / "table.csv"
    path.write_text(to_csv(columns))
    return path


@pytest.fixture
def run():
    """Run the command line in this process; an exception that escapes is a failure of the test."""
    from click.testing import CliRunner

    from learnable.app.cli import cli

    def invoke(*arguments: object):
        outcome = CliRunner().invoke(cli, [str(argument) for argument in arguments])
        if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
            raise outcome.exception
        assert "Traceback" not in outcome.output
        return outcome

    return invoke


@pytest.fixture(scope="session")
def trained(tmp_path_factory, columns):
    """A folder with the table and the model that `learnable learn` made of it, predicting `sold`."""
    from click.testing import CliRunner

    from learnable.app.cli import cli

    folder = tmp_path_factory.mktemp("trained")
    kept = {name: cells for name, cells in columns.items() if name != "price"}
    (folder / "table.csv").write_text(to_csv(kept))
    arguments = ["learn", folder / "table.csv", "--target", "sold", "--out", folder, "--jobs", 1]
    outcome = CliRunner().invoke(
        cli, [str(one) for one in [*arguments, "--ordered", "grade=low<middle<high", "--json"]]
    )
    assert outcome.exit_code == 0, outcome.output
    return folder
