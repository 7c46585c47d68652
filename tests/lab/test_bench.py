"""What the lab does with a question: parameters, tables, films, tampering, theory, rows of the syllabus."""

import json

import numpy as np
import pytest
from tests.docs.test_syllabus import ENTRIES

from learnable.lab import algorithms, chapters, rows, tables, theory
from learnable.lab.bench import Bench, as_bytes
from learnable.lab.limits import LIMITS, Refused


@pytest.fixture
def bench() -> Bench:
    return Bench(LIMITS, lambda number: None)


CLOUDS = [[x, y, int(x > 0)] for x, y in np.random.default_rng(0).standard_normal((40, 2)).round(3).tolist()]


def test_the_perceptron_on_overlapping_clouds_says_in_one_sentence_why_it_does_not_converge(bench):
    overlapping = [[x, y, (i + (x > 0)) % 2] for i, (x, y, _) in enumerate(CLOUDS)]
    asked = {"algorithm": "Perceptron", "parameters": {"tol": "None", "max_iter": "9"}}
    ran = bench.answer("run", asked | {"table": {"points": overlapping}})
    assert ran["why"].count(".") == 1
    assert "no line separates" in ran["why"]
    apart = [[x + 3.0 * (group - 0.5), y, group] for x, y, group in CLOUDS]
    assert bench.answer("run", asked | {"table": {"points": apart}})["why"] == ""


def test_moving_a_number_breaks_a_claim_by_a_stated_amount_and_putting_it_back_mends_it(bench):
    trials = {
        "Lasso": ("sparse regression", {"alpha": "0.1"}, "coef_", None, "bar"),
        "KMeans": ("three clouds", {"n_clusters": "3"}, "cluster_centers_", None, "point"),
        "DecisionTreeClassifier": ("overlapping clouds", {"max_depth": "2"}, "tree_", "threshold", "cut"),
        "LogisticRegression": ("overlapping clouds", {}, "intercept_", None, "line"),
        "LassoLars": ("sparse regression", {"alpha": "0.1"}, "coef_path_", None, "bar"),
    }
    for name, (table, parameters, attribute, part, handle) in trials.items():
        ran = bench.answer("run", {"algorithm": name, "parameters": parameters, "table": {"name": table}, "frames": 3})
        assert ran["verdict"] == "proved", name
        assert handle is None or handle in {each["kind"] for each in ran["handles"]}, name
        number = next(each for each in ran["numbers"] if (each["attribute"], each["part"]) == (attribute, part))
        move = {"attribute": attribute, "part": part, "index": [0] * len(number["shape"])}
        altered = bench.answer("tamper", {"moves": [move | {"value": number["values"][0] + 0.3}]})
        assert altered["verdict"] == "refuted", name
        assert all(claim["bound"] is None or claim["value"] is None or claim["value"] > claim["bound"]
                   for claim in altered["broken"])  # fmt: skip
        assert altered["broken"]
        assert "→" in altered["done"][0]
        json.loads(as_bytes(altered))
        back = bench.answer("tamper", {"moves": [move | {"value": number["values"][0]}]})
        assert (back["verdict"], back["broken"]) == ("proved", []), name
        assert bench.answer("tamper", {"moves": []})["verdict"] == "proved", name
    for wrong in ({"attribute": "status_", "value": 1}, {"attribute": "coef_path_", "index": [99, 99], "value": 1},
                  {"attribute": "coef_path_", "index": [0, 0], "value": "inf"}, {"attribute": "__class__", "value": 1},
                  {"attribute": "coef_path_", "part": "__class__", "index": [0], "value": 1}, {}):  # fmt: skip
        with pytest.raises(Refused):
            bench.answer("tamper", {"moves": [wrong]})


def test_what_cannot_be_run_is_refused_in_the_library_s_own_words(bench):
    points = {"points": CLOUDS}
    wrong = [
        ("Lasso", {"alpha": "-1"}, points, "alpha"), ("Lasso", {"alpha": "__import__('os')"}, points, "alpha"),
        ("Lasso", {"beta": "1"}, points, "no parameter 'beta'"), ("Nothing", {}, points, "no algorithm"),
        ("SVC", {"kernel": "wavy"}, points, "kernel"), ("KMeans", {"n_clusters": "1000"}, points, "1000"),
        ("Perceptron", {}, {"points": [[0, 0, 0], [1, 1, 0]]}, "one colour"),
        ("Perceptron", {}, {"points": [[0, "x", 0]]}, "a point is"),
        ("Perceptron", {}, {"points": [[0, 1e300, 0], [1, 1, 1]]}, "too far"),
        ("Perceptron", {}, {"points": CLOUDS * 60}, "2000 at most"),
        ("Perceptron", {}, {"name": "/etc/passwd"}, "no table"),
        ("ValueIteration", {}, points, "decision process"), ("Perceptron", {}, {"name": "houses"}, "classes"),
        ("Perceptron", {}, {"name": "a.csv", "bytes": b"a,b\n1,2\n3\n"}, "line 3"),
    ]  # fmt: skip
    for name, parameters, table, said in wrong:
        with pytest.raises(Refused, match=said):
            bench.answer("run", {"algorithm": name, "parameters": parameters, "table": table})
    for nothing in ("tamper", "film", "code", "certificate"):
        with pytest.raises(Refused, match="no run"):
            bench.answer(nothing, {"moves": []})


def test_a_table_larger_than_the_limit_is_thinned_and_the_exported_code_gives_the_same_certificate(
    tmp_path, monkeypatch, capsys
):
    bench = Bench(LIMITS._replace(rows=50), lambda number: None)
    text = "a,b,kind\n" + "\n".join(f"{x},{y},{'up' if group else 'down'}" for x, y, group in CLOUDS * 3)
    (tmp_path / "mine.csv").write_text(text)
    table = {"name": "mine.csv", "bytes": text.encode(), "target": "kind"}
    ran = bench.answer("run", {"algorithm": "LogisticRegression", "parameters": {"C": "2.0"}, "table": table})
    assert "50 of 120 rows" in ran["said"]
    code = bench.answer("code", {})
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    certificate = json.loads(bench.answer("certificate", {}))
    assert certificate["verdict"] == "proved"
    assert f"Certificate of LogisticRegression: {certificate['verdict']}" in capsys.readouterr().out
    film = (tmp_path / "logisticregression.html").read_text()
    assert film.startswith("<!doctype html>")
    assert bench.answer("film", {}).startswith("<!doctype html>")


def test_sequences_lie_one_below_the_other_and_a_column_says_where_they_end(tmp_path, monkeypatch, capsys, bench):
    random = np.random.default_rng(1)
    text = "who,level\n" + "\n".join(f"{who},{random.normal(3 * (k % 2)):.3f}" for who in "abc" for k in range(20))
    (tmp_path / "mine.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    table = {"name": "mine.csv", "bytes": text.encode()}
    run = {"algorithm": "GaussianHMM", "parameters": {"n_components": "2", "random_state": "0"}}
    certificates = []
    for asked, said in (({"target": "who"}, "3 sequences, by who"), ({}, "numbers are standardised")):
        ran = bench.answer("run", run | {"table": table | asked})
        assert said in ran["said"]
        exec(bench.answer("code", {}), {})
        certificates.append(capsys.readouterr().out)
    assert certificates[0] != certificates[1]
    assert "three chains" in {each["name"] for each in bench.answer("catalogue", {})["tables"]}
    assert bench.answer("run", run | {"table": {"name": "three chains"}})["film"]
    assert "lengths=lengths" in bench.answer("code", {})


def test_every_algorithm_is_listed_in_a_chapter_with_its_parameters_and_a_table_to_begin_with(bench):
    catalogue = bench.answer("catalogue", {})
    listed = {each["name"]: each for each in catalogue["algorithms"]}
    assert set(listed) == set(algorithms.estimators())
    known = {each["name"] for each in catalogue["tables"]}
    for name, each in listed.items():
        assert each["table"] in known, name
        parameters = {parameter["name"]: parameter["value"] for parameter in each["parameters"]}
        algorithms.built(name, parameters)  # what the page offers is accepted
    assert listed["Perceptron"]["chapter"] == "P"
    assert listed["SVC"]["chapter"] == "S"
    for name in ("iris", "enjoy_sport", "houses"):
        task = {"iris": "classes", "enjoy_sport": "words", "houses": "numbers"}[name]
        given = tables.given(algorithms.fresh("Ridge"), task, {"name": name}, LIMITS)
        assert len(given.X) == len(given.y)


def test_every_row_of_the_syllabus_has_its_formula_its_page_and_what_runs():
    listed = [row for chapter in rows.listed() for row in chapter["rows"]]
    assert [row["id"] for row in listed] == [row for chapter in chapters.CHAPTERS for row in chapter.ids()]
    assert len(listed) == 279
    assert chapters.entries() == ENTRIES
    for row in listed:
        assert row["formula"], row["id"]
        assert rows.page(row["id"])["text"], row["id"]
    assert sum(bool(row["film"]) for row in listed) >= 140
    assert rows.run("T17")["as_promised"]
    assert rows.run("T17")["lines"]
    with pytest.raises(Refused, match="no row"):
        rows.page("Z1")


def test_theory_answers_what_the_theorems_say():
    square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    answer = theory.shattering({"kind": "half-planes", "points": square})
    assert (answer["count"], answer["of"], answer["shattered"]) == (14, 16, False)
    assert answer["refutation"]["checked"]
    assert answer["refutation"]["at"] == pytest.approx([0.5, 0.5])
    assert all(each["checked"] == each["realised"] for each in answer["labellings"])
    diamond = [[0, 1], [1, 0], [0, -1], [-1, 0]]
    assert theory.shattering({"kind": "rectangles", "points": diamond})["shattered"]
    found = theory.samples({"epsilon": 0.1, "delta": 0.05, "d": 3, "training_error": 0})["answers"]
    assert all(each["m"] >= 1 and each["checked"] for each in found)
    grown = theory.growth({"d": 3, "m": 10})
    assert grown["exact"][-1] == "176"
    covered = theory.intervals({"method": "wald", "n": 50, "p": 0.02, "level": 0.95, "repeats": 4000, "seed": 1})
    assert covered["exact"] == pytest.approx(0.635, abs=1e-3)
    assert covered["rate_low"] <= covered["exact"] <= covered["rate_high"]
    assert theory.tried({"m": 60, "delta": 0.1, "repeats": 60})["holds"]
    for asked in (
        {"kind": "circles"},
        {"kind": "stumps", "points": [[0, 0]] * 8},
        {"kind": "stumps", "points": [["a", 1]]},
    ):
        with pytest.raises(Refused):
            theory.shattering(asked)
    with pytest.raises(Refused, match="epsilon"):
        theory.samples({"epsilon": 2, "delta": 0.05, "d": 3, "training_error": 0})
