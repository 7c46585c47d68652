"""Films in a real browser: they play to their end, by mouse and keyboard, and the last frame is the fitted model."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each
from tests.films.browser import Browser
from tests.films.test_films import NAMES, shot

FILM = "document.getElementById('film')"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def opened(browser: Browser, folder: Path, name: str, **window) -> None:
    path = folder / f"{name.replace(' ', '_')}.html"
    if not path.exists():
        shot(name)[1].save(path)
    browser.open(path, **window)


@each("name", NAMES)
def test_every_film_shows_every_frame_and_the_last_is_the_fitted_model(name, browser, folder):
    """What the page has decoded and drawn at its end is the last frame that Python made; nothing leaves the page, and
    at the width of a telephone nothing is wider than the screen."""
    opened(browser, folder, name)
    film = shot(name)[1]
    decoded = browser.run(f"JSON.stringify({FILM}.player.frames)")
    assert json.loads(decoded) == [frame._asdict() for frame in film.frames]
    browser.run(f"{FILM}.player.frames.forEach((_, k) => {FILM}.player.show(k))")
    last = film.frames[-1]
    assert browser.run("document.querySelector('.caption').textContent") == last.caption
    assert browser.run("document.querySelectorAll('.claims li:not([hidden])').length") == len(last.claims)
    assert last.status.replace("_", " ") in browser.run("document.querySelector('.verdict').textContent")
    drawn = browser.run(
        "[...document.querySelectorAll('.pictures > div:not([hidden]) figcaption')].map(e => e.textContent)"
    )
    assert drawn == [panel["title"] for panel in last.panels]
    assert browser.run("document.querySelectorAll('[d*=NaN], [cx=NaN], [x=NaN], [width=NaN]').length") == 0
    browser.resize(390, 800)
    assert browser.run("document.documentElement.scrollWidth") <= 390, "wider than the screen of a telephone"
    assert browser.troubles == []


def test_the_drawn_marks_are_the_answer(browser, folder):
    """Read from the picture itself: the crosses stand where the axes say that the centres are."""
    opened(browser, folder, "KMeans")
    browser.run(f"{FILM}.player.show(9999)")
    panel = shot("KMeans")[1].frames[-1].panels[0]
    left, right, bottom, top = panel["box"]
    crosses = browser.run(
        "[...document.querySelectorAll('.cross')].map(e => e.getBBox())"
        ".map(b => [b.x + b.width / 2, b.y + b.height / 2])"
    )
    mark = next(each for each in panel["marks"] if each.get("shape") == "cross")
    for (x, y), u, v in zip(crosses, mark["x"], mark["y"], strict=True):
        assert x == pytest.approx(46 + (u - left) / (right - left) * (480 - 46 - 12), abs=0.1)
        assert y == pytest.approx(384 - 38 - (v - bottom) / (top - bottom) * (384 - 38 - 8), abs=0.1)


@each("scheme", ["light", "dark"])
def test_the_drawn_dots_are_the_rows(scheme, browser, folder):
    """Read from the pixels: where the axes say that a row is, alone, there is a dot in the colour of its cluster."""
    opened(browser, folder, "KMeans", scheme=scheme)
    panel = shot("KMeans")[1].frames[-1].panels[0]
    left, right, bottom, top = panel["box"]
    mark = next(each for each in panel["marks"] if each.get("shape") == "dot")
    at = np.column_stack([(np.array(mark["x"]) - left) / (right - left), (top - np.array(mark["y"])) / (top - bottom)])
    apart = np.hypot(*((at[:, None] - at) * [422, 338]).transpose(2, 0, 1)) + np.diag(np.full(len(at), np.inf))
    alone = apart.min(axis=1) > 12
    assert alone.sum() > 10
    browser.run(f"{FILM}.player.show(9999)")
    browser.wait("document.querySelector('canvas').width > 300")
    pixels, colours = browser.run(
        "(canvas => { const pen = canvas.getContext('2d'), style = getComputedStyle(canvas);"
        f"return [{at[alone].tolist()}.map(([u, v]) => [...pen.getImageData("
        "Math.round(u * canvas.width), Math.round(v * canvas.height), 1, 1).data].slice(0, 3)),"
        "[...Array(8).keys()].map(k => style.getPropertyValue(`--c${k}`))]; })(document.querySelector('canvas'))"
    )
    inks = np.array([[int(ink.strip()[k : k + 2], 16) for k in (1, 3, 5)] for ink in colours])
    wanted = inks[np.array(mark["group"])[alone] % len(inks)]
    assert np.abs(np.array(pixels) - wanted).max() < 40, "the dots let a little of the ground through"


def test_it_plays_to_its_end_and_obeys_buttons_and_keys(browser, folder):
    opened(browser, folder, "Perceptron, overlapping")
    frames = len(shot("Perceptron, overlapping")[1].frames)

    def at() -> int:
        return int(browser.run(f"{FILM}.dataset.at"))

    assert at() == 0
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    browser.press("ArrowLeft")
    assert at() == 1
    browser.press("End")
    assert at() == frames - 1
    browser.press("Home")
    assert at() == 0
    browser.run("document.querySelector('[aria-label^=\"One state on\"]').click()")
    assert at() == 1
    browser.run("(e => { e.value = 5; e.dispatchEvent(new Event('input')); })(document.querySelector('[type=range]'))")
    assert at() == 5
    for _ in range(3):
        browser.press("+")
    assert browser.run("document.querySelector('select').value") == "8"
    browser.press(" ")
    assert browser.run(f"{FILM}.dataset.playing") == "yes"
    browser.press(" ")
    assert browser.run(f"{FILM}.dataset.playing") == "no"
    browser.press(" ")
    browser.wait(f"{FILM}.dataset.playing === 'no' && {FILM}.dataset.at === '{frames - 1}'")
    assert browser.troubles == []


def test_everything_has_a_label(browser, folder):
    for name in ("Perceptron", "CandidateElimination", "ValueIteration", "Lasso"):
        opened(browser, folder, name)
        nameless = "[...document.querySelectorAll('button, input, select, [role=img], [role=region], section')]"
        assert browser.run(f"{nameless}.filter(e => !e.getAttribute('aria-label')).length") == 0
        assert browser.run("document.documentElement.lang") == "en"
        browser.wait("document.querySelector('[aria-live]').textContent.length > 0")
        assert browser.run("document.querySelector('[type=range]').getAttribute('aria-valuetext')").startswith(
            "state 1 of"
        )


def test_light_dark_and_narrow(browser, folder):
    ground = "getComputedStyle(document.body).backgroundColor"
    for scheme, colour in (("dark", "rgb(20, 24, 31)"), ("light", "rgb(255, 255, 255)")):
        opened(browser, folder, "Perceptron", width=390, height=800, scheme=scheme)
        assert browser.run(ground) == colour
        assert browser.run("document.documentElement.scrollWidth") <= 390


def test_it_plays_in_a_notebook(browser, folder):
    """Within a frame of its own that may run scripts and nothing else."""
    page = folder / "notebook.html"
    film = shot("Perceptron")[1]
    page.write_text(f"<main id=film></main>{film._repr_html_()}<script>{FILM}.player = true</script>", encoding="utf-8")
    browser.open(page)
    with browser.inside():
        browser.wait(f"!!{FILM}?.player")
        browser.run(f"{FILM}.player.show(9999)")
        assert browser.run("document.querySelector('.caption').textContent") == film.frames[-1].caption
    assert browser.troubles == []
