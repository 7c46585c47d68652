"""The report of a run: one HTML file that loads nothing and runs nothing."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from learnable.app.judging.metrics import of_name
from learnable.app.report import words
from learnable.app.report.plots import (
    bars,
    calibration,
    comparison,
    dependence,
    forest,
    importance,
    leaderboard,
    learning_curve,
    operating,
    path,
    predicted,
    residuals,
)
from learnable.app.report.sentences import against_guessing, caveats, guarantees, urgent
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
    winner = result.winner
    pictures, captions = _pictures(result)
    opens = list(dict.fromkeys(label for label, claim in claims if claim.open))
    fits = [learner for learner in certified if learner.certified and learner.label not in opens]
    return (
        _environment()
        .get_template("report.html")
        .render(
            result=result,
            winner=winner,
            losses=words.Losses.of(result),
            plain_losses=words.Losses.fitting(
                [one.plain for one in finished if one.plain], result.task == "classification"
            ),
            level=winner.cv.level if winner.cv else 0.95,
            finished=finished,
            unfinished=[learner for learner in result.learners if learner.status != "finished"],
            hurried=[learner for learner in finished if learner.reason],
            extras={key: words.Losses.of_figure(result, key) for key in winner.extra},
            foremost=[learner for learner in certified if learner.label == result.chosen or not learner.certified],
            others=[learner for learner in certified if learner.label != result.chosen and learner.certified],
            certified=certified,
            checked=len(fits),
            claims=len(claims),
            held=sum(claim.holds for _, claim in claims),
            opens=opens,
            failures=list(dict.fromkeys(label for label, claim in claims if claim.fails)),
            features=sum(column.role == "feature" for column in result.table.columns),
            outputs=len({weight.output for weight in result.coefficients}) > 1,
            levels=any(weight.against for weight in result.coefficients),
            drawn=any(weight.selected is not None for weight in result.coefficients),
            effects=[(weight, forest.effect_words(weight)) for weight in result.coefficients],
            class_rows=sum(result.table.classes.values()),
            most_columns=200,
            most_classes=25,
            most_weights=20,
            pictures=pictures,
            captions=captions,
            bars=bars.bars(result),
            differences=_differences(result),
            dependences=dependence.dependence(result),
            guarantees=guarantees(result),
            caveats=caveats(result),
            urgent=urgent(result),
            css=Markup(_template("report.css")),  # our own style sheet
        )
    )


def _pictures(result: LearnResult) -> tuple[dict[str, Any], dict[str, str]]:
    """Every picture that the result has something for, and what is said beneath it."""
    rooms: dict[str, tuple[Any, Any]] = {
        "leaderboard": (leaderboard.leaderboard, leaderboard.caption),
        "comparison": (comparison.comparison, comparison.caption),
        "calibration": (calibration.calibration, calibration.caption),
        "residuals": (residuals.residuals, residuals.caption),
        "predicted": (predicted.predicted, predicted.caption),
        "learning_curve": (learning_curve.learning_curve, learning_curve.caption),
        "importance": (importance.importance, importance.caption),
        "forest": (forest.forest, forest.caption),
        "roc": (operating.roc, operating.roc_caption),
        "precision_recall": (operating.precision_recall, operating.precision_caption),
        "cost": (operating.cost, operating.cost_caption),
        "path": (path.path, path.caption),
    }
    pictures = {name: draw(result) for name, (draw, _) in rooms.items()}
    captions = {name: say(result) for name, (_, say) in rooms.items() if pictures[name]}
    return pictures, captions


def _differences(result: LearnResult) -> dict[str, str]:
    """Label -> difference to the best in words."""
    metric = of_name(result.metric)
    if result.comparison is None or metric is None:
        return {}
    said = {}
    for one in result.comparison.best:
        at = result.learner(one.label).cv
        words_of = words.difference_words(one.difference, metric, at.estimate if at else None)
        said[one.label] = "best" if one.other == one.label else words_of
    return said


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
        words.clean_lines,
        words.short,
        words.number,
        words.figure,
        words.count,
        words.probability,
        words.percent,
        words.duration,
        setting,
        against_guessing,
    ):
        environment.filters[function.__name__] = function
    return environment


def _template(name: str) -> str:
    return files("learnable.app.report").joinpath("templates", name).read_text(encoding="utf-8")
