"""The report of a run: one HTML file that loads nothing and runs nothing."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from learnable.app import report_words as words
from learnable.app.plots import calibration, comparison, leaderboard, learning_curve, residuals
from learnable.app.report_sentences import caveats, guarantees, rivals
from learnable.app.result import LearnResult

if TYPE_CHECKING:
    from jinja2 import Environment


def render(result: LearnResult) -> str:
    """The report as text; the same result gives the same text.

    Names from the user are shown but never trusted: cleaned of invisible and reordering signs, cut when long, escaped
    in HTML and SVG, and the page forbids itself every script and every request by its content-security policy.
    """
    finished = [learner for learner in result.learners if learner.status == "finished"]
    certified = sorted(
        (learner for learner in finished if learner.certificate), key=lambda one: one.label != result.chosen
    )
    claims = [(learner.label, claim) for learner in certified for claim in learner.certificate or []]
    equal, worse = rivals(result)
    winner = result.winner
    pictures = {
        "leaderboard": leaderboard.leaderboard(result),
        "comparison": comparison.comparison(result),
        "calibration": calibration.calibration(result),
        "residuals": residuals.residuals(result),
        "learning_curve": learning_curve.learning_curve(result),
    }
    captions = {
        name: room.caption(result)
        for name, room in (
            ("leaderboard", leaderboard),
            ("comparison", comparison),
            ("calibration", calibration),
            ("residuals", residuals),
            ("learning_curve", learning_curve),
        )
        if pictures[name]
    }
    page = _environment().get_template("report.html").render(
        result=result,
        winner=winner,
        losses=words.Losses.of(result),
        level=winner.test.level if winner.test else 0.95,
        equal=equal,
        worse=worse,
        finished=finished,
        unfinished=[learner for learner in result.learners if learner.status != "finished"],
        extras={key: words.Losses.of_figure(result, key) for learner in finished for key in learner.extra},
        foremost=[learner for learner in certified if learner.label == result.chosen or not learner.certified],
        others=[learner for learner in certified if learner.label != result.chosen and learner.certified],
        certified=certified,
        claims=len(claims),
        held=sum(claim.holds for _, claim in claims),
        failures=[label for label, claim in claims if not claim.holds],
        features=sum(column.role == "feature" for column in result.table.columns),
        outputs=any(weight.output for weight in result.coefficients),
        class_rows=sum(result.table.classes.values()),
        most_columns=200,
        most_classes=25,
        most_weights=20,
        pictures=pictures,
        captions=captions,
        guarantees=guarantees(result),
        caveats=caveats(result),
        css=Markup(_template("report.css")),  # our own style sheet
    )  # fmt: skip
    return page


def setting(value: Any) -> str:
    """The value of a tuned parameter.

    >>> setting(0.001), setting("rbf"), setting(True), setting(None)
    ('0.001', 'rbf', 'True', 'None')
    """
    return words.number(value) if isinstance(value, float) else words.short(value, 40)


@cache
def _environment() -> "Environment":
    from jinja2 import DictLoader, Environment, StrictUndefined

    names = ("report.html", "parts.html")
    environment = Environment(
        loader=DictLoader({name: _template(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (
        words.clean,
        words.short,
        words.number,
        words.figure,
        words.count,
        words.probability,
        words.percent,
        words.duration,
        setting,
    ):
        environment.filters[function.__name__] = function
    return environment


def _template(name: str) -> str:
    return files("learnable.app").joinpath("templates", name).read_text(encoding="utf-8")
