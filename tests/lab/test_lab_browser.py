"""The lab in a real browser: it starts, draws, runs, is tampered with, and says when its server has gone."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.films.browser import Browser

READY = "document.documentElement?.dataset.ready === 'yes' && Number(document.documentElement.dataset.runs ?? 0) > 0"
LAST = "document.querySelectorAll('.film').forEach((film) => { film.player.pause(); film.player.show(99999); })"


@contextmanager
def command() -> Iterator[tuple[subprocess.Popen, str]]:
    """`learnable lab`, as a user starts it; its process and the address it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "learnable", "lab", "--no-browser"], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield process, found[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def parent(stat: Path) -> int:
    """Of the process whose /proc/PID/stat this is; 0 for one that has ended."""
    try:
        state, number = stat.read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return 0
    return 0 if state == "Z" else int(number)


def below(number: int) -> list[int]:
    """The processes that a process has begun, and those that they have; none where there is no /proc."""
    parents = {int(stat.parent.name): parent(stat) for stat in Path("/proc").glob("[0-9]*/stat")}
    found = [number]
    for each in found:
        found += [child for child, of in parents.items() if of == each]
    return found[1:]


def alive(number: int) -> bool:
    return parent(Path(f"/proc/{number}/stat")) != 0


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[subprocess.Popen, str]]:
    """One lab for all tests; the last of them kills it."""
    with command() as begun:
        yield begun


@pytest.fixture
def address(served) -> str:
    return served[1]


def opened(browser: Browser, address: str, **window) -> None:
    home = address.partition("#")[0]
    browser.visit("about:blank", home=home)
    browser.visit(address, home=home, **window)
    browser.wait(READY)


def chosen(browser: Browser, algorithm: str) -> None:
    """Choose an algorithm as the chapter map does, and wait for its film."""
    runs = browser.run("document.documentElement.dataset.runs")
    browser.run(f"location.hash = '#/run/{algorithm}'")
    browser.wait(f"document.documentElement.dataset.runs !== '{runs}'")
    browser.run(LAST)


def pressed(browser: Browser, place: str, words: str) -> None:
    """Click the button with these words."""
    browser.run(
        f"[...document.querySelectorAll('{place} button')].find((each) => each.textContent === '{words}').click()"
    )


def centre(browser: Browser, selector: str) -> tuple[float, float]:
    browser.run(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
    x, y = browser.run(
        f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    return x, y


def test_dragging_a_coefficient_or_a_centre_flips_the_verdict_and_back(browser, address):
    opened(browser, address)
    for algorithm, kind in (("Lasso", "bar"), ("Lars", "head"), ("KMeans", "point")):
        handle = f".handle[data-kind={kind}]"
        chosen(browser, algorithm)
        assert browser.run("document.querySelector('.result').dataset.verdict") == "proved"
        x, y = centre(browser, handle)
        browser.drag((x, y), (x + 40, y - 40))
        browser.wait("document.querySelector('.result').dataset.verdict === 'refuted'")
        assert "times its bound" in browser.run("document.querySelector('.broken').textContent")
        assert browser.run("document.querySelectorAll('.claims li[data-verdict=refuted]:not([hidden])').length") > 0
        pressed(browser, ".tamper", "Put it back")
        assert browser.run("document.querySelector('.result').dataset.verdict") == "proved"
    # A boundary is turned about its middle: coefficients and intercept move together.
    chosen(browser, "LogisticRegression")
    x, y = centre(browser, ".handle[data-kind=turn]")
    browser.drag((x, y), (x - 40, y - 40))
    browser.wait("document.querySelector('.result').dataset.verdict === 'refuted'")
    moved = browser.run("document.querySelector('.result').textContent")
    assert "intercept_" in moved
    assert "coef_" in moved
    pressed(browser, ".tamper", "Put it back")
    # By the keyboard as well: handles are sliders.
    chosen(browser, "KMeans")
    browser.run("document.querySelector('circle.handle').focus()")
    browser.press("ArrowRight")
    browser.wait("document.querySelector('.result').dataset.verdict === 'refuted'")
    assert browser.run("[...document.querySelectorAll('.handle')].every((each) => each.getAttribute('aria-label'))")
    assert browser.troubles == []


def test_clouds_drawn_with_the_mouse_are_learned_from_and_overlap_is_explained(browser, address):
    opened(browser, address)
    browser.run("localStorage.clear(); document.getElementById('draw').click()")
    pressed(browser, "#sketch", "Clear")
    for colour, shift in (("first class", 0.0), ("second class", 12.0)):
        browser.run(f"document.querySelector('#sketch button[aria-label=\"{colour}\"]').click()")
        x, y = centre(browser, "svg.sketch")
        browser.drag((x - 90 + shift, y - 60), (x + 90 + shift, y + 60), steps=20)
    assert browser.run("document.querySelectorAll('.sketch .dot').length") > 10
    runs = browser.run("document.documentElement.dataset.runs")
    browser.run("document.getElementById('go').click()")
    browser.wait(f"document.documentElement.dataset.runs !== '{runs}'")
    assert "no line separates" in browser.run("document.querySelector('.why').textContent")
    # Two algorithms on the same points.
    browser.run("document.getElementById('both').click(); document.getElementById('go').click()")
    browser.wait("document.querySelectorAll('.film').length === 2")
    titles = browser.run("[...document.querySelectorAll('.film h1')].map((each) => each.textContent)")
    assert titles == ["Perceptron", "LogisticRegression"]
    assert browser.troubles == []


def test_every_page_fits_a_telephone_in_the_dark_has_labels_and_keeps_to_itself(browser, address):
    opened(browser, address, width=390, height=800, scheme="dark")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 31)"
    pages = {
        "run": "true",
        "theory": "document.querySelectorAll('.card[data-answered]').length === 5",
        "map": "document.getElementById('map').dataset.ready === 'yes'",
    }
    for page, ready in pages.items():
        browser.run(f"location.hash = '#/{page}'")
        browser.wait(ready)
        assert browser.run("document.documentElement.scrollWidth") <= 390, page
    unnamed = """[...document.querySelectorAll('button, select, input')].filter((each) =>
        !each.labels?.length && !each.getAttribute('aria-label') && !each.textContent.trim())
        .map((each) => each.outerHTML)"""
    assert browser.run(unnamed) == []
    assert browser.run("document.querySelectorAll('.row').length") == 279
    browser.run("document.querySelector('.chapter:nth-of-type(11)').open = true")
    browser.run("[...document.querySelectorAll('#row-T17 button')].at(-1).click()")
    browser.wait("!!document.querySelector('#row-T17 .ok')")
    # Theory: four points dragged into a square are not shattered by half-planes, and the page says why.
    browser.run("location.hash = '#/theory'")
    browser.run("""(() => { const count = document.querySelectorAll('.card')[2].querySelector('input');
        count.value = 4; count.dispatchEvent(new Event('input')); })()""")
    browser.wait("document.querySelectorAll('.card')[2].textContent.includes('Not shattered: 14 of 16')")
    assert browser.troubles == []


def test_a_server_that_is_killed_is_told_of_and_its_processes_end(browser, served):
    process, address = served
    home = address.partition("#")[0]
    browser.visit(home, home=home)
    browser.wait("document.readyState === 'complete' && location.href !== 'about:blank'")
    browser.run("sessionStorage.clear()")  # a window that has not been there
    browser.visit("about:blank", home=home)
    browser.visit(home, home=home)
    browser.wait("document.getElementById('trouble')?.textContent.includes('Open the address')")
    opened(browser, address)
    film = browser.run("document.querySelectorAll('.film').length")
    begun = below(process.pid)
    assert begun or not Path("/proc/self/stat").exists(), "fits have processes of their own"
    process.kill()
    browser.wait("document.getElementById('trouble').textContent.includes('does not answer')")
    assert browser.run("document.querySelectorAll('.film').length") == film == 1, "what was there stays"
    for _ in range(browser.patience):
        if not any(alive(each) for each in begun):
            break
        time.sleep(0.05)
    assert not any(alive(each) for each in begun), "they end with the lab"
