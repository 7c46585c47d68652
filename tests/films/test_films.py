"""Laws of films: the last frame is the fitted model, nothing is lost on the way to the page, and it is small."""

import json
import re
import warnings
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from tests.cases import each
from tests.films.runs import Run, clouds, runs

from learnable import watch
from learnable.films.deltas import as_deltas, from_deltas
from learnable.films.frames import MOST_BYTES, Film
from learnable.films.marks import six_digits
from learnable.films.page import MODULES, bundle
from learnable.films.registry import Shot, draws, kinds_drawn, picture_for
from learnable.films.shooting import Reel
from learnable.films.stage import Stage

NAMES = tuple(runs())


@cache
def shot(name: str) -> tuple[Run, Film]:
    run = runs()[name]()
    return run, watch(run.model, *run.data).film(frames=40)


def data_of(html: str) -> dict[str, Any]:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def fitted(run: Run) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run.model.fit(*run.data)


@each("name", NAMES)
def test_the_last_frame_is_the_fitted_model(name):
    """Its claims and its status are those of `fit`, and its picture is the one drawn from the model that `fit` left."""
    run, film = shot(name)
    model, last = fitted(run), film.frames[-1]
    assert last.status == str(model.status_)
    assert last.verdict == str(model.certificate_.verdict)
    assert [(c["id"], c["statement"]) for c in last.claims] == [(c.id, c.statement) for c in model.certificate_]
    np.testing.assert_allclose(
        [c["value"] for c in last.claims], six_digits([c.value for c in model.certificate_]), rtol=1e-4, atol=1e-9
    )
    watching = watch(run.model, *run.data)
    *_, end = watching
    scene = Shot(model, end.state, Stage(watching.model, watching.fitting.data, 400))
    picture = six_digits(list(picture_for(scene)(scene)))
    assert_alike(last.panels, picture[0])
    assert last.caption == picture[1]


def assert_alike(left: Any, right: Any) -> None:
    """Equal, up to the last digits of numbers: two runs on several threads may differ in them."""
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_alike(left[key], right[key])
    elif isinstance(left, list):
        assert len(left) == len(right)
        for one, other in zip(left, right):
            assert_alike(one, other)
    elif isinstance(left, float | int) and isinstance(right, float | int):
        assert left == pytest.approx(right, rel=1e-4, abs=1e-9)
    else:
        assert left == right


@each("name", NAMES)
def test_the_page_holds_every_frame_and_nothing_from_elsewhere(name):
    _, film = shot(name)
    html = film.html()
    assert len(html.encode()) < MOST_BYTES
    assert from_deltas(data_of(html)["deltas"]) == [frame._asdict() for frame in film.frames]
    assert not re.search(
        r"(?:src|href)=|url\(['\"]?http|@import|fetch\(|XMLHttpRequest|WebSocket", html.replace("data-", "")
    )
    assert "default-src &#x27;none&#x27;" in html
    assert film.frames[-1].panels or film.frames[-1].caption


def test_the_answer_is_in_the_picture():
    """The numbers that are drawn are the fitted ones, read off without the code that drew them."""
    run, film = shot("KMeans")
    marks = {mark["mark"] + mark.get("shape", ""): mark for mark in film.frames[-1].panels[0]["marks"]}
    centres = np.column_stack([marks["pointscross"]["x"], marks["pointscross"]["y"]])
    np.testing.assert_allclose(centres, fitted(run).cluster_centers_, rtol=1e-5)
    np.testing.assert_array_equal(marks["pointsdot"]["group"], run.model.labels_)

    run, film = shot("Lasso")
    bars = {panel["title"]: panel for panel in film.frames[-1].panels if panel["kind"] == "bars"}
    np.testing.assert_allclose(bars["Coefficients"]["values"], fitted(run).coef_, rtol=1e-5)
    pull = np.array(bars["How hard each column pulls on the residual"]["values"])
    np.testing.assert_allclose(pull[run.model.coef_ != 0], run.model.alpha, rtol=1e-4)
    assert np.all(pull <= run.model.alpha * (1 + 1e-4))

    run, film = shot("Perceptron")
    line = next(mark for mark in film.frames[-1].panels[0]["marks"] if mark["mark"] == "segments")["ends"][0]
    ends = np.reshape(line, (2, 2))
    np.testing.assert_allclose(ends @ fitted(run).coef_[0] + run.model.intercept_, 0.0, atol=1e-3)

    run, film = shot("ValueIteration")
    cells = film.frames[-1].panels[0]["values"]
    mdp = run.data[0]
    np.testing.assert_allclose([cells[i][j] for i, j in mdp.states], fitted(run).values_, atol=1e-5)
    assert len(film.frames[-1].panels[0]["arrows"]) == np.count_nonzero(run.model.policy_ >= 0)

    run, film = shot("GaussianHMM")
    assert film.frames[-1].panels[-1]["values"] == six_digits(fitted(run).transmat_)


def test_claims_move_towards_their_bounds():
    """On its way a convex fit is refuted, at its end proved: the bar of the gap ends within its bound."""
    for name in ("Lasso", "LogisticRegression", "LinearSVC"):
        first, *_, last = shot(name)[1].frames
        assert (first.verdict, last.verdict) == ("refuted", "proved")
        moved = [c["value"] > c["bound"] for c in first.claims if c["bound"] is not None]
        assert any(moved)
        assert all(c["value"] <= c["bound"] for c in last.claims if c["bound"] is not None)


def test_a_perceptron_that_cannot_end_says_why():
    assert "No line has every row on its side: that is proved" in shot("Perceptron, overlapping")[1].frames[-1].caption
    assert "No line" not in shot("Perceptron")[1].frames[-1].caption


def test_long_runs_are_thinned_by_the_stated_rule():
    for limit, length in ((3, 1), (3, 3), (4, 50), (7, 64), (10, 1000)):
        reel = Reel(limit)
        for number in range(1, length + 1):
            if reel.takes(number):
                reel.keep(number, number)
        assert len(reel.kept) <= limit
        assert reel.kept == list(range(1, length + 1, reel.stride))
        assert reel.stride == 1 or len(range(1, length + 1, reel.stride // 2)) > limit
    _, film = shot("RandomMisclassifiedPerceptron")
    numbers = [frame.step for frame in film.frames]
    stride = numbers[1] - numbers[0]
    assert len(numbers) <= 40
    assert set(np.diff(numbers[:-1])) == {stride}
    assert f"every {stride}th of {numbers[-1]} states" in film.thinned


def test_deltas_bring_back_every_frame():
    random = np.random.default_rng(0)

    def value(depth: int) -> Any:
        kind = random.integers(0, 6 if depth else 3)
        if kind <= 2:
            return [1, None, "a", 0.5, True, False, 0][random.integers(7)]
        if kind <= 4:
            return [value(depth - 1) for _ in range(random.integers(0, 5))]
        return {"abc"[k]: value(depth - 1) for k in range(random.integers(0, 4))}

    for _ in range(300):
        frames = [value(3) for _ in range(4)]
        again = from_deltas(json.loads(json.dumps(as_deltas(frames))))
        assert json.dumps(again) == json.dumps(frames)
    moving = [{"x": random.integers(0, 9, 200).tolist(), "rows": ["as it was"] * 9}]
    for k in range(50):  # a few entries of a long list change, or some are appended
        row = [*moving[-1]["x"], *range(k % 3)]
        for place in random.integers(0, len(row), 4):
            row[place] = int(random.integers(10, 99))
        moving.append({"x": row, "rows": moving[-1]["rows"]})
    assert from_deltas(json.loads(json.dumps(as_deltas(moving)))) == moving
    still = [{"x": list(range(500)), "n": k} for k in range(200)]
    assert len(json.dumps(as_deltas(still))) < 2 * len(json.dumps(still[0])) + 200 * 30


def test_a_page_that_would_be_too_large_is_thinned_once_more(monkeypatch):
    _, film = shot("Perceptron, overlapping")
    monkeypatch.setattr("learnable.films.frames.MOST_BYTES", 60_000)
    small = from_deltas(data_of(film.html())["deltas"])
    assert 2 <= len(small) < len(film.frames)
    assert small[-1] == film.frames[-1]._asdict()
    assert "states" in data_of(film.html())["thinned"]


def test_texts_cannot_break_out_of_the_page():
    X, y = clouds()
    nasty = '</script><script>alert("x")</script>&quot;'
    from learnable.linear import Perceptron

    film = watch(Perceptron(), X, y).film(title=nasty, names=[nasty, "<img src=x onerror=alert(1)>"])
    html = film.html()
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    assert "<img" not in html
    assert data_of(html)["title"] == nasty
    assert "<script" not in film._repr_html_()
    assert film._repr_html_().startswith("<iframe")


def test_every_picture_is_of_a_state_that_exists():
    # A page of the docs draws a kind of its own.
    for address in (kind for kind in kinds_drawn() if not kind.startswith("__main__.")):
        module, _, kind = address.rpartition(".")
        assert hasattr(getattr(import_module(f"learnable.{module}"), kind), "_fields"), address
    assert len(kinds_drawn()) >= 40
    drawn = {type(step.state) for name in NAMES for step in [next(watch(*_flat(runs()[name]())))]}
    assert len(drawn) >= 20


def _flat(run: Run) -> tuple:
    return (run.model, *run.data)


def test_another_library_may_draw_its_own_states():
    from typing import NamedTuple

    from learnable.films.registry import Picture

    class MyState(NamedTuple):
        objective: float

    @draws(MyState)
    def mine(shot: Shot) -> Picture:
        return Picture([], "mine")

    shot = Shot(object(), MyState(0.0), Stage(object(), (), 1))
    assert picture_for(shot)(shot).caption == "mine"


def test_a_film_of_pruning_goes_from_the_whole_tree_to_its_root():
    """Every frame is the tree of its own price of a leaf, and is proved to be it."""
    from learnable.films import film_of_pruning
    from learnable.trees import DecisionTreeClassifier

    X, y = clouds(3, n=60, apart=1.5)
    film = film_of_pruning(DecisionTreeClassifier(), X, y)
    leaves = [frame.numbers["leaves"] for frame in film.frames]
    assert leaves == sorted(leaves, reverse=True)
    assert (leaves[0], leaves[-1]) == (DecisionTreeClassifier().fit(X, y).tree_.n_leaves, 1)
    assert {frame.verdict for frame in film.frames} == {"proved"}
    assert film.html()


def test_a_film_of_a_comparison_ends_with_the_comparison():
    from learnable.evaluation import Comparison
    from learnable.films import film_of_comparison

    random = np.random.default_rng(0)
    scores = {"a": 0.9 + 0.02 * random.standard_normal(10), "b": 0.8 + 0.02 * random.standard_normal(10)}
    scores["c"] = scores["b"] + 0.01 * random.standard_normal(10)
    whole = Comparison.from_scores(scores, n_train=90, n_test=10)
    film = film_of_comparison(whole)
    assert [frame.step for frame in film.frames] == list(range(2, 11))
    last = film.frames[-1]
    assert [claim["value"] for claim in last.claims] == six_digits([pair.p_adjusted for pair in whole.pairs])
    assert [claim["verdict"] == "proved" for claim in last.claims] == [pair.different for pair in whole.pairs]
    ends = last.panels[0]["marks"][1]["ends"]
    assert [(end[0], end[2]) for end in ends] == [tuple(six_digits([m.low, m.high])) for m in whole.means.values()]
    assert film.html()


def test_errors_name_the_thing_and_the_value():
    X, y = clouds()
    from learnable.linear import Perceptron

    with pytest.raises(ValueError, match=r"frames=1"):
        watch(Perceptron(), X, y).film(frames=1)
    with pytest.raises(ValueError, match=r"rows=0"):
        watch(Perceptron(), X, y).film(rows=0)


def test_of_a_large_table_evenly_spaced_rows_are_drawn():
    from learnable.linear import Perceptron

    X, y = clouds(n=300)
    film = watch(Perceptron(), X, y).film(rows=50)
    assert len(film.frames[-1].panels[0]["marks"][1]["x"]) == 50
    assert "50 of 300 rows are drawn" in film.frames[-1].panels[0]["note"]
    wide = watch(Perceptron(), np.column_stack([X, X[:, ::-1] + y[:, None]]), y).film()
    assert "a projection: 4 columns" in wide.frames[-1].panels[0]["note"]


def test_watching_goes_on_as_before_a_film():
    run = runs()["Perceptron"]()
    watching = watch(run.model, *run.data)
    next(watching)
    assert len(watching.film().frames) == 1 + len(list(watching))


def test_the_modules_of_the_player_are_all_in_the_page():
    from importlib.resources import files

    there = {
        file.name.removesuffix(".js")
        for file in files("learnable.films").joinpath("player").iterdir()
        if file.name.endswith(".js")
    }
    assert there == set(MODULES)
    assert not re.search(r"^\s*(import|export) ", bundle(), re.MULTILINE)
