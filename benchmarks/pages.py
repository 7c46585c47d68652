"""`python -m benchmarks pages`: how soon the lab is seen, how fluently a long film is scrubbed, in a real browser."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from learnable import watch
from learnable.linear import Perceptron

STATES, POINTS = 1000, 500
# Draws as many states, over and over where the film has fewer frames, one each time the browser asks for one; says how
# long each took, and how many came a second.
SCRUB = """
(async () => {
  const player = document.getElementById('film').player, spent = [];
  player.pause();
  const begin = performance.now();
  for (let at = 0; at < STATES; at += 1) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    player.show(at % player.frames.length);
    document.body.getBoundingClientRect();
    spent.push(performance.now() - start);
  }
  const seconds = (performance.now() - begin) / 1000;
  spent.sort((a, b) => a - b);
  document.body.dataset.scrubbed = JSON.stringify([STATES, STATES / seconds,
    spent[spent.length >> 1], spent[Math.floor(0.99 * spent.length)]]);
})(); 0
""".replace("STATES", str(STATES))


class PageFigure(NamedTuple):
    """One measurement."""

    what: str
    value: float
    unit: str
    wanted: str


def page_figures() -> Iterator[PageFigure]:
    """First paint of the lab; frames a second, and time of a frame, of a film of 1,000 states of 500 points."""
    from tests.films.browser import Browser, chromium

    program = chromium()
    if program is None:
        raise SystemExit("benchmarks pages: there is no Chromium on this machine (apt install chromium)")
    browser = Browser(program)
    try:
        yield from _first_paint(browser)
        yield from _scrubbing(browser)
    finally:
        browser.close()


def _first_paint(browser: Any) -> Iterator[PageFigure]:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "learnable", "lab", "--no-browser"], stdout=subprocess.PIPE, text=True
    ) as lab:
        try:
            assert lab.stdout is not None
            found = re.search(r"http://\S+", lab.stdout.readline())
            assert found is not None
            browser.visit(found[0], home=found[0].partition("#")[0])
            browser.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
            painted = browser.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            yield PageFigure("lab: first paint", painted / 1e3, "s", "≤ 1")
        finally:
            lab.kill()


def _scrubbing(browser: Any) -> Iterator[PageFigure]:
    random = np.random.default_rng(0)
    y = np.arange(POINTS) % 2
    X = random.standard_normal((POINTS, 2)) + np.array([[-0.5, -0.4], [0.5, 0.4]])[y]
    film = watch(Perceptron(max_iter=STATES, tol=None, random_state=0), X, y).film(frames=STATES + 1, rows=POINTS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.html"
        film.save(file)
        yield PageFigure(f"film of {STATES} states, {POINTS} points: size", file.stat().st_size / 2**20, "MiB", "< 2")
        browser.open(file)
        browser.wait("document.getElementById('film')?.player !== undefined")
        browser.run(SCRUB)
        browser.wait("document.body.dataset.scrubbed !== undefined")
        count, rate, middle, slow = browser.run("JSON.parse(document.body.dataset.scrubbed)")
    yield PageFigure(f"the same: frames a second through {count:.0f} frames", rate, "1/s", "≥ 60, the screen's rate")
    yield PageFigure("the same: a frame takes (median)", middle, "ms", "≤ 16.7")
    yield PageFigure("the same: a frame takes (99th of 100)", slow, "ms", "≤ 16.7")


def pages_table(figures: list[PageFigure]) -> Table:
    table = Table(title="Pages in a browser", title_justify="left")
    table.add_column("what")
    for heading in ("value", "unit", "wanted"):
        table.add_column(heading, justify="right")
    for figure in figures:
        table.add_row(figure.what, f"{figure.value:.3g}", figure.unit, figure.wanted)
    return table
