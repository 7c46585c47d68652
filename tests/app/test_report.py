"""The page: whole, offline, the same for the same result, and with nothing in it that has nothing to say."""

import dataclasses
import re
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import pytest
from tests.cases import each

from learnable.app.report.page import render
from learnable.app.report.plots import bars, dependence, learning_curve
from learnable.app.report.text import describe_result
from learnable.app.result import (
    AgainstResult,
    ClaimResult,
    ColumnSummary,
    Dependence,
    Interval,
    LearningCurve,
    LearnResult,
    Residuals,
    TableSummary,
)

from .conftest import example_result

VOID = {"meta", "link", "br", "img", "hr", "input", "source", "wbr", "area", "base", "col", "embed", "track"}


class Page(HTMLParser):
    """Reads a page strictly: every element that opens must close, in order."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert "svg" in self.open, f"<{tag}/> closes itself only inside SVG"
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "title"} & set(self.open):
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] or "" for _, attributes in self.elements if attribute in attributes]


@cache
def example_text(task: str) -> str:
    return render(example_result(task))


@pytest.fixture
def text(result: LearnResult) -> str:
    """The report of the example, rendered once."""
    return example_text(result.task)


def one_learner(result: LearnResult) -> LearnResult:
    return dataclasses.replace(result, learners=result.learners[:1], comparison=None)


def test_the_page_is_whole(text):
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    tags = [tag for tag, _ in page.elements]
    assert tags.count("h1") == 1
    assert tags.count("main") == 1
    assert tags.count("style") == 1  # a style sheet inside a picture would reach the whole page
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tags.count("table") == tags.count("caption")
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    targets = [value[1:] for value in page.values("href")]
    targets += re.findall(r"url\(#([^)]+)\)", text)
    assert targets
    assert set(targets) <= set(ids)


def test_the_page_loads_and_runs_nothing(text):
    page = Page(text)
    policy = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert not re.search(r"https?://|//\w|@import|javascript:", text)
    assert not {"script", "iframe", "object", "embed", "link", "img", "image", "form", "base"} & {
        t for t, _ in page.elements
    }
    assert not [
        name for _, attributes in page.elements for name in attributes if name.startswith("on") or name == "src"
    ]
    assert all(value.startswith("#") for value in page.values("href"))


def test_the_same_result_gives_the_same_text(result, text):
    assert render(dataclasses.replace(result)) == text


def test_the_users_matplotlib_settings_change_nothing_and_are_left_alone(result, text):
    import matplotlib

    with matplotlib.rc_context({"font.size": 31, "text.parse_math": True, "svg.hashsalt": "x", "axes.grid": True}):
        assert render(result) == text
        assert matplotlib.rcParams["font.size"] == 31


def test_every_learner_claim_column_and_reason_is_told(result, text):
    words = Page(text).words
    for learner in result.learners:
        assert learner.label in words
        assert learner.reason in words
        for claim in learner.certificate or []:
            assert claim.statement in words
    for column in result.table.columns:
        assert column.name in words
        assert column.reason in words
    for told in (result.target, result.table.source, result.choice, result.task_reason, *result.warnings):
        assert told in words
    assert f"{result.folds}-fold" in words


def test_one_interval_far_off_does_not_squeeze_the_bars_of_the_others():
    near = [(-0.1, 0.0, 0.1), (-0.1, 0.02, 0.2), (0.1, 0.2, 0.3)]
    assert bars._reach(near) == (0.3, -0.1)
    assert bars._reach([*near, (-3.4, 2.5, 8.3)]) == (pytest.approx(1.2), pytest.approx(-1.2))
    drawn = str(bars._bar(-3.4, 2.5, 8.3, -1.2, 1.2, False, "far"))
    assert drawn.count("<path") == 2  # arrows at both ends
    assert "<path" not in str(bars._bar(-0.1, 0.0, 0.1, -1.2, 1.2, False, "near"))


def test_one_fit_and_one_pair_are_told_in_the_singular(result, undrawn):
    first, *others = result.learners
    alone = [first, *(dataclasses.replace(one, certificate=None) for one in others)]
    pairs = dataclasses.replace(result.comparison, pairs=result.comparison.pairs[:1])
    told = " ".join(
        re.sub("<[^>]+>", "", render(dataclasses.replace(result, learners=alone, comparison=pairs))).split()
    )
    assert "1 fit is checked" in told
    assert "All 1" not in told
    assert "of the 1 pairs" not in told


def test_what_a_column_does_to_a_rare_class_is_told_with_its_digits():
    result = example_result()
    for means, words in (
        ([0.0061, 0.0142], "from 0.61% at 1 to 1.4% at 2"),
        ([0.006, 0.42], "from 1% at 1 to 42% at 2"),
    ):
        one = Dependence("age", "yes", [1.0, 2.0], [], means, means, means)
        assert words in dependence.told(result, one)


def test_a_claim_left_open_is_neither_checked_nor_failed(result, undrawn):
    first = result.learners[0]
    claim = dataclasses.replace(first.certificate[0], value=2e-6, holds=False, open=True)
    doubtful = dataclasses.replace(first, certificate=[*first.certificate, claim])
    others = [dataclasses.replace(one, certificate=None) for one in result.learners[1:]]
    text = render(dataclasses.replace(result, learners=[doubtful, *others]))
    assert "0 of 1 fits are checked" in " ".join(re.sub("<[^>]+>", "", text).split())
    assert "1 of best learner is left open, neither proved nor refuted" in re.sub("<[^>]+>", "", text)
    assert "✓ holds" not in text.split('id="certificates"')[0]


def test_the_verdict_leads_and_the_choice_and_its_error_follow(result, undrawn):
    said = "best learner beats guessing: 10% against 50% error, 40 points [35, 45]."
    text = render(dataclasses.replace(result, verdict=said, alarms=["a leak"]))
    lead, sub = (text.split(f'class="{name}">')[1].split("</p>")[0] for name in ("lead", "sub"))
    assert lead == said
    words = " ".join(re.sub("<[^>]+>", "", sub).split())
    assert words.startswith("best learner was chosen. On 24 rows it had never seen")
    figures = (
        (r"11(\.0)?%", r"6(\.0)?% to 19(\.0)?%") if result.task == "classification" else (r"0\.33", r"0\.24\d* to 0\.4")
    )
    assert all(re.search(figure, words) for figure in figures), words
    assert text.index("a leak") < text.index('id="leaderboard"')


def test_a_failed_claim_is_told_in_words_as_well_as_colour(text):
    assert text.count("✗ FAILS") == 2  # the learner in the leaderboard, and the claim itself
    assert "A certificate fails" in text
    assert "1 of 3 claims fails" in text
    row = next(row for row in text.split("<tr") if "gradient norm" in row)
    assert 'class="fails"' in row
    assert "✗ FAILS" in row


def test_no_alarm_when_every_claim_holds(result, undrawn):
    learners = [dataclasses.replace(one, certificate=(one.certificate or [])[:1] or None) for one in result.learners]
    text = render(dataclasses.replace(result, learners=learners))
    assert "✗" not in text
    assert "A certificate fails" not in text


def test_a_disclosure_is_not_called_a_claim_that_holds(result, undrawn):
    told = ClaimResult("R1", "condition number", 12.5, None, True, "exact")
    learners = [dataclasses.replace(result.learners[0], certificate=[told])]
    text = render(dataclasses.replace(result, learners=learners, comparison=None))
    row = next(row for row in text.split("<tr") if "condition number" in row).split("</tr>")[0]
    assert "disclosed" in row
    assert "holds" not in row


def test_one_learner_alone(result):
    page = Page(render(one_learner(result)))
    assert "cannot tell" not in page.words
    assert "comparison" not in page.values("id")


def bare(result: LearnResult) -> LearnResult:
    """Nothing optional, and no learner with a test, a certificate or parameters."""
    learner = dataclasses.replace(
        result.learners[0], params={}, cv=None, test=None, extra={}, certificate=None, solver="", seconds=None
    )
    return dataclasses.replace(
        result, learners=[learner], comparison=None, calibration=None, confusion=None, residuals=None,
        learning_curve=None, coefficients=[], warnings=[], versions={},
    )  # fmt: skip


PICTURES_OF = {
    "calibration": ["calibration.calibration"], "residuals": ["residuals.residuals", "predicted.predicted"],
    "learning_curve": ["learning_curve.learning_curve"], "coefficients": ["forest.forest", "path.path"],
    "comparison": ["comparison.comparison"],
}  # fmt: skip


@pytest.mark.parametrize(
    "part", ["calibration", "confusion", "residuals", "learning_curve", "coefficients", "comparison"]
)
def test_what_is_missing_leaves_no_trace(result, part, drawn_alone):
    drawn_alone(*PICTURES_OF.get(part, []))
    text = render(dataclasses.replace(result, **{part: [] if part == "coefficients" else None}))
    check_sections_are_filled(text)
    heading = {
        "learning_curve": "Would more rows help", "coefficients": "What it looks at",
        "comparison": "Which learners differ",
        "calibration": "probability of, say", "confusion": "What was taken for what", "residuals": "How far off",
    }[part]  # fmt: skip
    assert heading not in text


def test_a_bare_result_is_a_page_too(result):
    text = render(bare(result))
    check_sections_are_filled(text)
    assert set(re.findall(r'<section id="([^"]+)"', text)) == {"caveats", "table", "method"}


def check_sections_are_filled(text: str) -> None:
    Page(text)
    for section in re.findall(r"<section.*?</section>", text, re.DOTALL):
        assert Page(section.split("</h2>")[1].removesuffix("</section>")).words
    for figure in re.findall(r"<figure.*?</figure>", text, re.DOTALL):
        assert "<svg" in figure
        assert Page(figure.split("<figcaption>")[1].removesuffix("</figcaption>\n</figure>")).words


def test_numbers_that_are_not_finite_are_written_never_drawn(result):
    hole, endless = Interval(float("nan"), float("nan"), float("nan")), Interval(0.1, float("-inf"), float("inf"))
    learners = [
        dataclasses.replace(result.learners[0], test=endless, cv=endless, extra={"R²": hole}),
        dataclasses.replace(result.learners[1], test=hole, cv=hole, seconds=None),
        result.learners[2],
    ]
    curve = result.learning_curve
    curve = dataclasses.replace(curve, training=[hole, endless, hole], validation=[endless, hole, endless])
    pairs = [dataclasses.replace(pair, difference=hole, p=float("nan")) for pair in result.comparison.pairs]
    comparison = dataclasses.replace(result.comparison, pairs=pairs)
    lost = result.residuals and Residuals([float("inf"), 1.0, 2.0], [0.1, float("nan"), 0.3])
    text = render(
        dataclasses.replace(result, learners=learners, learning_curve=curve, comparison=comparison, residuals=lost)
    )
    Page(text)
    assert not re.search(r"(?i)(?<![a-z])(nan|inf)(?![a-z])", text)


def absolute():
    """A result whose losses are shown as they are, not as roots."""
    return dataclasses.replace(example_result("regression"), metric="mean absolute error")


@pytest.mark.parametrize("result", [example_result("classification"), absolute()], ids=["rates", "losses"])
def test_a_learner_gone_wrong_does_not_squeeze_the_others(result, drawn_alone):
    drawn_alone("leaderboard.leaderboard")
    wild = dataclasses.replace(result.learners[1], test=Interval(1e9, 1e8, 1e10))
    text = render(dataclasses.replace(result, learners=[result.learners[0], wild, result.learners[2]]))
    picture = next(one for one in text.split('id="leaderboard"')[1].split("<svg") if 'class="picture"' in one)
    axis = re.findall(r"text-anchor:middle[^>]*>([\d.]+)%?</text>", picture)
    assert len(axis) >= 3
    assert max(map(float, axis)) < 300


def leaderboard_axis(text):
    """The figures on the axis of the leaderboard, and its markers that are arrows."""
    picture = next(one for one in text.split('id="leaderboard"')[1].split("<svg") if 'class="picture"' in one)
    axis = [float(one.replace(",", "")) for one in re.findall(r"text-anchor:middle[^>]*>([\d.,]+)%?</text>", picture)]
    return axis, picture


@each("factor", [20.0, 100.0, 1e6])
def test_a_baseline_far_off_does_not_squeeze_the_others(factor, drawn_alone):
    drawn_alone("leaderboard.leaderboard")
    result = absolute()
    far = Interval(0.11 * factor, 0.09 * factor, 0.13 * factor)
    learners = [*result.learners[:2], dataclasses.replace(result.learners[2], test=far)]
    text = render(dataclasses.replace(result, learners=learners))
    axis, picture = leaderboard_axis(text)
    assert len(axis) >= 3
    assert 0.15 <= max(axis) <= 0.25  # the longest interval near the chosen one ends at 0.20
    assert re.search(rf">{0.11 * factor:,.3g}" if factor < 1e3 else r">110,000", picture)  # its figure, as text
    assert "Arrow: baseline lies further right" in text


@each("factor", [1.5, 4.0])
def test_a_baseline_within_sight_is_drawn_with_the_others(factor, drawn_alone):
    drawn_alone("leaderboard.leaderboard")
    result = absolute()
    test = Interval(0.11 * factor, 0.09 * factor, 0.13 * factor)
    learners = [*result.learners[:2], dataclasses.replace(result.learners[2], test=test)]
    text = render(dataclasses.replace(result, learners=learners))
    assert max(leaderboard_axis(text)[0]) >= 0.7 * test.high
    assert "Arrow" not in text


def test_one_endless_interval_ends_in_an_arrow(drawn_alone):
    drawn_alone("leaderboard.leaderboard")
    result = absolute()
    wide = dataclasses.replace(result.learners[1], test=Interval(0.12, 0.01, 1e4))
    text = render(dataclasses.replace(result, learners=[result.learners[0], wide, result.learners[2]]))
    assert max(leaderboard_axis(text)[0]) < 3
    assert "Arrow: the interval goes on further right" in text


def test_errors_of_zero_are_drawn_beside_the_others(drawn_alone):
    drawn_alone("leaderboard.leaderboard")
    result = absolute()
    perfect = dataclasses.replace(result.learners[0], test=Interval(0.0, 0.0, 0.0))
    text = render(dataclasses.replace(result, learners=[perfect, *result.learners[1:3]]))
    assert max(leaderboard_axis(text)[0]) >= 0.4


def test_big_results_stay_small(result, drawn_alone):
    drawn_alone("residuals.residuals", "predicted.predicted")  # those that have a mark a row
    columns = [ColumnSummary(f"column {i}", "number", "feature", 0, 9) for i in range(5000)]
    table = TableSummary("wide.csv", 9, columns, {f"class {i}": 3 for i in range(5000)})
    many = Residuals([float(i) for i in range(20000)], [float(i % 7) for i in range(20000)])
    text = render(dataclasses.replace(result, table=table, residuals=many, calibration=None))
    assert len(text) < 600_000
    assert "the first 200 of 5,000 columns" in text


def test_pictures_can_be_heard(text):
    page = Page(text)
    pictures = [attributes for tag, attributes in page.elements if tag == "svg"]
    assert len(pictures) in (4, 5)
    assert all(picture["role"] == "img" and len(picture["aria-label"]) > 30 for picture in pictures)


def test_pictures_follow_the_scheme(text):
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(pictures) in (4, 5)
    for picture in pictures:
        assert "var(--" in picture
        assert not re.search(r"#[0-9a-fA-F]{6}|(fill|stroke):(black|white)", picture)


def _luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@each("scheme", [0, 1], ids=["light", "dark"])
def test_text_has_contrast(scheme):
    """WCAG 2 AA: 4.5 : 1 for every text colour on every ground it may stand on."""
    css = files("learnable.app.report").joinpath("templates/report.css").read_text()
    colors = dict(re.findall(r"--([\w-]+): (#\w{6})", css.split(":root")[1 + 1 * scheme]))
    assert len(colors) == 10
    for ground in ("paper", "bad-card"):
        for role in ("ink", "muted", "accent", "second", "good", "bad"):
            dark, light = sorted((_luminance(colors[role]), _luminance(colors[ground])))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (role, ground)


def test_the_guarantee_is_the_exact_interval(result, undrawn):
    winner = dataclasses.replace(result.winner, test=Interval(3 / 24, 0.04, 0.31, method="wilson"))
    words = Page(render(dataclasses.replace(result, learners=[winner, *result.learners[1:]]))).words
    if result.task == "classification":
        # scipy 1.17.1: binomtest(3, 24).proportion_ci(method="exact") is (0.026559, 0.323611)
        assert "between 2.7% and 32.4% (Clopper–Pearson, exact for 3 mistakes in 24 rows" in words
    else:
        assert "no bound holds for every source" in words


def test_names_in_a_row():
    from learnable.app.report.page import _environment

    parts = _environment().get_template("parts.html").module
    said = [re.sub("<[^>]*>", "", str(parts.names(list("abc")[:n], last))) for n in (1, 2, 3) for last in ("or", ",")]
    assert said == ["a", "a", "a or b", "a, b", "a, b or c", "a, b, c"]


@each("scale", [1e-16, 1.0, 1e5, 1e12])
def test_the_name_of_the_upright_axis_stays_in_the_picture_beside_long_figures(scale):
    from learnable.app.report.plots.svg import blank, drawing, settle
    from learnable.app.report.words import tick

    with drawing():
        figure, axes = blank(390, 280, left=62, right=10, top=10, bottom=46)
        axes.plot([0, 1], [-4 * scale, 4 * scale])
        axes.yaxis.set_major_formatter(lambda value, _: tick(value))
        settle(axes, "predicted", "true − predicted")
        figure.draw_without_rendering()
        assert axes.yaxis.label.get_window_extent().x0 >= 3


def test_a_rising_error_is_not_said_to_promise_more():
    curve = LearningCurve(
        [20, 40], [Interval(0.0, 0.0, 0.1)] * 2, [Interval(0.1, 0.05, 0.15), Interval(0.3, 0.25, 0.35)]
    )
    caption = learning_curve.caption(dataclasses.replace(example_result(), learning_curve=curve))
    assert "helped" not in caption
    assert "did not fall" in caption


def test_a_step_within_the_interval_is_not_said_to_be_the_last():
    curve = LearningCurve([20, 40], [Interval(0.0, 0.0, 0.1)] * 2, [Interval(0.2, 0.1, 0.3), Interval(0.18, 0.05, 0.3)])
    assert "cannot tell from none" in learning_curve.caption(
        dataclasses.replace(example_result(), learning_curve=curve)
    )


def test_the_test_given_the_fits_stands_beside_the_corrected_one_and_says_what_it_takes_as_given(result, drawn_alone):
    drawn_alone("comparison.comparison")
    against = AgainstResult(
        "best learner", "baseline", Interval(-0.4, -0.45, -0.35), 1e-6, 2e-6, True, Interval(-0.41, -0.43, -0.39), 3e-9
    )

    def page(one):
        compared = dataclasses.replace(result.comparison, baseline=[one])
        return render(dataclasses.replace(result, comparison=compared))

    table = page(against).split("Does it beat guessing?")[1].split("</table>")[0]
    said = " ".join(re.sub("<[^>]+>", " ", table).split())
    assert "takes the training rows as they are" in said
    assert "−0.4 −0.45 to −0.35" in said
    assert "−0.41 −0.43 to −0.39" in said
    assert "−0.41" not in page(dataclasses.replace(against, pooled=None))


def test_a_certificate_that_was_left_out_is_said_with_the_cause(result, undrawn):
    cause = "it is not chosen, and its trees take long to check"
    last = next(one for one in result.learners if one.label == "best learner")
    others = [one for one in result.learners if one is not last]
    second = dataclasses.replace(others[0], certificate=None, uncertified=cause)
    text = render(dataclasses.replace(result, learners=[last, second, *others[1:]]))
    assert "left out" in text
    told = " ".join(re.sub("<[^>]+>", " ", text).split())
    assert re.search(f"No certificate was made of second .*: {cause}\\.", told)
    assert "No certificate was made" not in render(result)


@each(
    "test_rows, repeats, said",
    [
        (20, 3, "test rows"),
        (0, 1, "rows held out in turn"),
        (0, 2, "rows held out in turn, first of 2 rounds"),
    ],
)
def test_figures_say_on_which_rows_they_are(result, undrawn, test_rows, repeats, said):
    """Beside losses over all rounds, those of the first alone look like a contradiction."""
    judged = dataclasses.replace(result, test_rows=test_rows, repeats=repeats)
    if not test_rows:
        judged.learners[:] = [dataclasses.replace(one, test=None) for one in judged.learners]
    figure = next(iter(judged.winner.extra))
    words = Page(render(judged)).words
    assert f"{figure}, {said}" in words
    assert ("rounds" in said) == ("first of" in words)
    assert f"on the {said}: " in describe_result(judged, {}, [])
