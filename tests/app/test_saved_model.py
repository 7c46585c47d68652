"""`predict`, `certify` and `show` on a saved model."""

import csv
import io
import json
import re

import numpy as np
import pytest


@pytest.fixture
def model(trained):
    return trained / "model.skops"


@pytest.fixture
def cells(trained):
    with open(trained / "table.csv", newline="") as file:
        return list(csv.DictReader(file))


def write(path, rows, names=None):
    names = names or list(rows[0])
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_and_probabilities(run, model, trained, cells):
    outcome = run("predict", model, trained / "table.csv")
    assert outcome.exit_code == 0
    found = read(outcome.stdout)
    assert len(found) == len(cells)
    right = [one["predicted sold"] == cell["sold"] for one, cell in zip(found, cells)]
    assert np.mean(right) > 0.85
    for one in found:
        shares = {level: float(one[f"probability of {level}"]) for level in ("no", "yes")}
        assert sum(shares.values()) == pytest.approx(1)
        assert max(shares, key=shares.get) == one["predicted sold"]


def test_reordered_and_further_columns_change_nothing(run, model, trained, cells, tmp_path):
    expected = run("predict", model, trained / "table.csv").stdout
    extended = [{"new": "=1+1", **cell} for cell in cells]
    names = ["new", *reversed(list(cells[0]))]
    assert run("predict", model, write(tmp_path / "new.csv", extended, names)).stdout == expected


def test_the_target_and_dropped_columns_are_not_needed(run, model, trained, cells, tmp_path):
    expected = run("predict", model, trained / "table.csv").stdout
    names = [name for name in cells[0] if name not in ("sold", "same")]
    assert run("predict", model, write(tmp_path / "new.csv", cells, names)).stdout == expected


def test_one_row_is_predicted_as_among_many(run, model, trained, cells, tmp_path):
    expected = run("predict", model, trained / "table.csv").stdout.splitlines()
    alone = run("predict", model, write(tmp_path / "new.csv", cells[:1])).stdout.splitlines()
    assert alone == expected[:2]


def test_to_a_file_and_as_json(run, model, trained, tmp_path):
    out = tmp_path / "new" / "predictions.csv"
    outcome = run("predict", model, trained / "table.csv", "--out", out)
    assert outcome.exit_code == 0
    assert out.read_text() == run("predict", model, trained / "table.csv").stdout
    document = json.loads(run("predict", model, trained / "table.csv", "--json").stdout)
    assert document["schema"] == "learnable.predict/1"
    assert document["rows"] == len(document["predictions"]) == len(document["probabilities"]) == 240


def test_a_missing_column_is_named(run, model, cells, tmp_path):
    names = [name for name in cells[0] if name != "weight"]
    outcome = run("predict", model, write(tmp_path / "new.csv", cells, names))
    assert outcome.exit_code == 2
    assert "needs a column that is missing" in outcome.stderr
    assert "'weight'" in outcome.stderr


@pytest.mark.parametrize(("column", "level"), [("colour", "purple"), ("grade", "highest")])
def test_an_unseen_level_is_predicted_with_a_warning(run, model, cells, tmp_path, column, level):
    outcome = run("predict", model, write(tmp_path / "new.csv", [{**cells[0], column: level}, *cells[1:]]))
    assert outcome.exit_code == 0
    assert f"column {column!r}: 1 row has a level that training did not have, such as {level!r}" in outcome.stderr
    assert len(read(outcome.stdout)) == len(cells)


def test_a_word_in_a_column_of_numbers(run, model, cells, tmp_path):
    outcome = run("predict", model, write(tmp_path / "new.csv", [{**cells[0], "weight": "heavy"}, *cells[1:]]))
    assert outcome.exit_code == 2
    assert "'weight'" in outcome.stderr
    assert "'heavy'" in outcome.stderr


def test_missing_cells_are_predicted(run, model, cells, tmp_path):
    outcome = run("predict", model, write(tmp_path / "new.csv", [{**cells[0], "weight": "", "colour": ""}, *cells[1:]]))
    assert outcome.exit_code == 0
    assert len(read(outcome.stdout)) == len(cells)


def test_data_without_rows(run, model, cells, tmp_path):
    (tmp_path / "new.csv").write_text(",".join(cells[0]) + "\n")
    outcome = run("predict", model, tmp_path / "new.csv")
    assert outcome.exit_code == 2
    assert "no rows" in outcome.stderr


def test_certify_finds_the_training_rows(run, model, trained):
    outcome = run("certify", model, trained / "table.csv", "--json")
    assert outcome.exit_code == 0
    verdict = json.loads(outcome.stdout)
    assert verdict["training_data"]
    assert verdict["holds"]
    assert verdict["rows"] == 192
    assert "as their digest shows" in run("certify", model, trained / "table.csv").stdout


def test_certify_from_the_training_rows_alone(run, model, trained, cells, tmp_path):
    import zipfile

    from learnable.app.model_files.card import unpack

    with zipfile.ZipFile(model) as archive:
        training = json.loads(archive.read("learnable.json"))["training"]
    mask = unpack(training["mask"], training["table_rows"])
    rows = [cell for cell, used in zip(cells, mask) if used]
    verdict = json.loads(run("certify", model, write(tmp_path / "rows.csv", rows), "--json").stdout)
    assert verdict["training_data"]
    assert verdict["holds"]


def test_certify_notices_a_changed_row(run, model, cells, tmp_path):
    changed = [{**cell, "sold": {"yes": "no", "no": "yes"}[cell["sold"]]} for cell in cells[:20]] + cells[20:]
    outcome = run("certify", model, write(tmp_path / "new.csv", changed), "--json")
    verdict = json.loads(outcome.stdout)
    assert not verdict["training_data"]
    assert not verdict["holds"]
    assert outcome.exit_code == 1
    assert "NOT exactly the training rows" in run("certify", model, tmp_path / "new.csv").stdout


def test_certify_rejects_a_tampered_model(run, trained, tmp_path):
    from learnable.app.model_files.model_file import dump, load

    saved = load(trained / "model.skops")
    saved.pipeline["learn"].coef_ = saved.pipeline["learn"].coef_ + 0.1
    forged = tmp_path / "forged.skops"
    forged.write_bytes(dump(saved.pipeline, saved.card))
    outcome = run("certify", forged, trained / "table.csv", "--json")
    assert outcome.exit_code == 1
    verdict = json.loads(outcome.stdout)
    assert verdict["training_data"]
    assert not verdict["holds"]


def edited(trained, folder, **changes):
    """The model with other numbers in its card; returns (the file, the card as it was)."""
    from learnable.app.model_files.model_file import dump, load

    saved = load(trained / "model.skops")
    card = {key: value for key, value in saved.card.items() if key != "schema"} | changes
    if "learner" in changes:
        card["learner"] = saved.card["learner"] | changes["learner"]
    forged = folder / "forged.skops"
    forged.write_bytes(dump(saved.pipeline, card))
    return forged


def failing(outcome):
    return [claim["statement"] for claim in json.loads(outcome.stdout)["claims"] if not claim["holds"]]


def test_certify_measures_the_scores_in_the_card_again(run, model, trained, cells, tmp_path):
    document = json.loads(run("certify", model, trained / "table.csv", "--json").stdout)
    assert document["scores_checked"]
    checked = [claim["statement"] for claim in document["claims"] if "in the card: " in claim["statement"]]
    card = json.loads(run("show", model, "--json").stdout)
    assert len(checked) == 2 + len(card["learner"]["extra"])
    few = run("certify", model, write(tmp_path / "few.csv", cells[:30]))
    assert "the scores in the card are not checked" in few.stdout
    assert "in the card:" not in few.stdout


@pytest.mark.parametrize("part", ["estimate", "low", "high", "level"])
def test_certify_rejects_an_edited_score(run, trained, tmp_path, part):
    card = json.loads(run("show", trained / "model.skops", "--json").stdout)
    test = card["learner"]["test"]
    forged = edited(trained, tmp_path, learner={"test": test | {part: test[part] + 0.001}})
    outcome = run("certify", forged, trained / "table.csv", "--json")
    assert outcome.exit_code == 1
    (statement,) = failing(outcome)
    assert statement.startswith("log loss in the card: ")
    extra = card["learner"]["extra"]
    name = next(iter(extra))
    forged = edited(trained, tmp_path, learner={"extra": extra | {name: extra[name] | {part: extra[name][part] * 0.9}}})
    assert [
        said.partition(" in the card")[0] for said in failing(run("certify", forged, trained / "table.csv", "--json"))
    ] == [name]


def test_certify_rejects_invented_scores_and_counts(run, trained, tmp_path):
    card = json.loads(run("show", trained / "model.skops", "--json").stdout)
    invented = edited(trained, tmp_path, learner={"extra": {"accuracy": card["learner"]["test"]}})
    assert ["cannot be had" in said for said in failing(run("certify", invented, trained / "table.csv", "--json"))] == [
        True
    ]
    more = edited(trained, tmp_path, test_rows=card["test_rows"] + 1000)
    (statement,) = failing(run("certify", more, trained / "table.csv", "--json"))
    assert statement.startswith("test rows in the card: 1048")
    renamed = edited(trained, tmp_path, metric="accuracy")
    assert run("certify", renamed, trained / "table.csv").exit_code == 1
    other = edited(trained, tmp_path, task="regression")
    outcome = run("certify", other, trained / "table.csv")
    assert outcome.exit_code == 2
    assert "its learner is for classification" in outcome.stderr


def test_certify_judges_by_class_whatever_the_model_carries(run, trained, tmp_path):
    from learnable.app.model_files.model_file import dump, load

    for change in (0.0, 0.1):
        saved = load(trained / "model.skops")
        learner = saved.pipeline["learn"]
        learner.coef_ = learner.coef_ + change
        del learner.certificate_
        forged = tmp_path / "forged.skops"
        forged.write_bytes(dump(saved.pipeline, {k: v for k, v in saved.card.items() if k != "schema"}))
        outcome = run("certify", forged, trained / "table.csv", "--json")
        assert outcome.exit_code == (1 if change else 0)
        assert json.loads(outcome.stdout)["verdict"] == ("refuted" if change else "proved")


def test_certify_refuses_another_learner_under_an_old_label(run, trained, tmp_path):
    from sklearn.dummy import DummyClassifier

    from learnable.app.model_files.model_file import dump, load

    saved = load(trained / "model.skops")
    classes = saved.pipeline["learn"].classes_
    width = len(saved.pipeline["code"].get_feature_names_out())
    saved.pipeline.steps[1] = ("learn", DummyClassifier().fit(np.zeros((2, width)), classes[:2]))
    card = {key: value for key, value in saved.card.items() if key != "schema"}
    for name in (card["learner"]["name"], "DummyClassifier"):
        forged = tmp_path / "forged.skops"
        forged.write_bytes(dump(saved.pipeline, card | {"learner": card["learner"] | {"name": name}}))
        outcome = run("certify", forged, trained / "table.csv")
        assert outcome.exit_code == 1
        assert "FAILS" in outcome.stdout.splitlines()[0]
        told = [line for line in outcome.stdout.splitlines() if "not those of the learner in the file, a Dummy" in line]
        assert [line.split()[0] for line in told] == ["FAILS"]


def test_a_card_without_a_certificate_is_no_fault_and_the_claims_are_made(run, trained, tmp_path):
    """As a time limit leaves it: certify makes what was left out."""
    from learnable.app.model_files.model_file import dump, load

    saved = load(trained / "model.skops")
    card = {key: value for key, value in saved.card.items() if key != "schema"}
    late = tmp_path / "late.skops"
    late.write_bytes(dump(saved.pipeline, card | {"learner": card["learner"] | {"certificate": None}}))
    outcome = run("certify", late, trained / "table.csv")
    assert outcome.exit_code == 0, outcome.output
    whole = run("certify", trained / "model.skops", trained / "table.csv")
    assert outcome.stdout.splitlines()[1:] == whole.stdout.splitlines()[1:]


def test_certify_compares_the_card_with_the_model(run, trained, tmp_path):
    card = json.loads(run("show", trained / "model.skops", "--json").stdout)
    weights, learner = card["coefficients"], card["learner"]
    edits = {
        "weights in the card": {"coefficients": [{**weights[0], "weight": -weights[0]["weight"]}, *weights[1:]]},
        "weights in the": {"coefficients": weights[1:]},
        "settings in the card": {"learner": {"params": learner["params"] | {"alpha": 123.0}}},
        "columns in the card": {"columns": card["columns"][:-1], "used": []},
        "claims in the card": {"learner": {"certificate": learner["certificate"][1:]}},
        "claims in the": {"learner": {"certificate": [{**learner["certificate"][0], "bound": 1e9}]}},
        "claims in": {"learner": {"certificate": []}},
    }
    for said, changes in edits.items():
        outcome = run("certify", edited(trained, tmp_path, **changes), trained / "table.csv", "--json")
        assert outcome.exit_code == 1, said
        assert any(one.startswith(said) for one in failing(outcome)), said


def test_the_order_of_the_rows_is_no_fault(run, model, trained, cells, tmp_path):
    places = np.random.default_rng(3).permutation(len(cells))
    outcome = run("certify", model, write(tmp_path / "shuffled.csv", [cells[i] for i in places]), "--json")
    verdict = json.loads(outcome.stdout)
    assert outcome.exit_code == 0
    assert verdict["training_data"]
    assert verdict["verdict"] == "proved"
    assert verdict["scores_checked"]
    # Further rows are new rows, and no claim about the training rows fails for them.
    more = run("certify", model, write(tmp_path / "more.csv", [*cells[:5], *cells]), "--json")
    assert more.exit_code == 0
    assert json.loads(more.stdout)["training_data"]


def test_what_is_left_open_is_neither_proved_nor_refuted(run, trained, tmp_path):
    from learnable.app.commands.certify import asserting, recompute
    from learnable.linear import Perceptron

    random = np.random.default_rng(0)
    X, y = random.standard_normal((60, 3)), random.integers(2, size=60)
    model = Perceptron().fit(X, y)
    claims = recompute(model, X, y)
    assert {claim.word for claim in claims} >= {"open", "holds"}
    assert not any(claim.fails for claim in claims)
    assert not asserting(model, claims)


def test_certify_of_a_regression_model(run, table_file, tmp_path):
    assert run("learn", table_file, "--target", "price", "--out", tmp_path, "--jobs", 1).exit_code == 0
    model = tmp_path / "model.skops"
    document = json.loads(run("certify", model, table_file, "--json").stdout)
    assert document["holds"]
    assert document["scores_checked"]
    assert sum("in the card: " in claim["statement"] for claim in document["claims"]) == 5
    card = json.loads(run("show", model, "--json").stdout)
    better = {name: one | {"estimate": one["estimate"] * 0.99} for name, one in card["learner"]["extra"].items()}
    forged = edited(tmp_path, tmp_path, learner={"extra": better})
    assert len(failing(run("certify", forged, table_file, "--json"))) == len(better)


def test_small_scores_are_held_to_their_own_size():
    from sklearn.linear_model import LinearRegression

    from learnable.app.judging.metrics import METRICS
    from learnable.app.model_files.card_scores import score_claims

    X = np.linspace(-1.0, 1.0, 40)[:, None]
    y = 3e-5 * X[:, 0] + 1e-6 * np.sin(50 * X[:, 0])
    model = LinearRegression().fit(X[:20], y[:20])
    loss = METRICS["regression"].interval((y[20:] - model.predict(X[20:])) ** 2)
    for factor, holds in ((1.0, True), (0.5, False), (1.001, False)):
        test = {"estimate": factor * loss.estimate, "low": loss.low, "high": loss.high, "method": loss.method}
        card = {"metric": "mean squared error", "task": "regression", "test_rows": 20}
        card["learner"] = {"test": test, "extra": {}}
        rows, score = score_claims(card, model, X[20:], y[20:])
        assert rows.holds
        assert score.holds is holds


def test_certify_needs_the_target(run, model, cells, tmp_path):
    names = [name for name in cells[0] if name != "sold"]
    outcome = run("certify", model, write(tmp_path / "new.csv", cells, names))
    assert outcome.exit_code == 2
    assert "no column 'sold'" in outcome.stderr
    outcome = run("certify", model, write(tmp_path / "new.csv", [{**cell, "sold": ""} for cell in cells]))
    assert outcome.exit_code == 2
    assert "'sold' has no value in any row" in outcome.stderr


def test_certify_with_a_class_the_model_does_not_know(run, model, cells, tmp_path):
    outcome = run("certify", model, write(tmp_path / "new.csv", [{**cells[0], "sold": "maybe"}, *cells[1:]]))
    assert outcome.exit_code == 2
    assert "'maybe'" in outcome.stderr


def test_show_says_what_it_is(run, model):
    outcome = run("show", model)
    assert outcome.exit_code == 0
    for part in (
        "classification of 'sold'",
        "trained on 192 of the 240 rows",
        "log loss: test",
        "balanced error rate: ",
        "certificate",
        "weight",
    ):
        assert part in outcome.stdout
    for line in outcome.stdout.splitlines():
        if line.endswith("on the test rows"):
            assert re.search(r": \S+ \[\S+, \S+\] on the test rows$", line)
    document = json.loads(run("show", model, "--json").stdout)
    assert document["schema"] == "learnable.show/1"
    assert document["learner"]["test"]["low"] <= document["learner"]["test"]["high"]


@pytest.mark.parametrize("command", ["predict", "certify", "show"])
def test_a_bad_model_file(run, command, tmp_path, trained):
    bad = tmp_path / "bad.skops"
    bad.write_bytes((trained / "model.skops").read_bytes()[:1000])
    outcome = run(command, bad, *([trained / "table.csv"] if command != "show" else []))
    assert outcome.exit_code == 2
    assert "damaged" in outcome.stderr


def test_parts_that_do_not_fit_together_are_the_fault_of_the_file(run, model, trained, tmp_path):
    """An edited coder had been called a bug of ours."""
    from learnable.app.model_files.model_file import dump, load

    def edits(pipeline):
        yield lambda: pipeline["code"].kinds_.update(weight="rbf")
        yield lambda: pipeline["code"].units_.update(weight=0.0)
        yield lambda: pipeline["code"].units_.clear()
        yield lambda: setattr(pipeline["learn"], "n_features_in_", 77)

    for k in range(4):
        pipeline, card = load(model)
        list(edits(pipeline))[k]()
        edited = tmp_path / "edited.skops"
        edited.write_bytes(dump(pipeline, card))
        outcome = run("certify", edited, trained / "table.csv")
        assert outcome.exit_code in (1, 2), (k, outcome.output)
        assert "bug" not in outcome.stderr


def claims_of(outcome):
    assert outcome.exit_code in (0, 1), outcome.output
    return json.loads(outcome.stdout)


def test_certify_bounds_the_error_on_new_rows(run, trained, model):
    """The rows of the table that were not trained on give Clopper and Pearson's interval; --vc adds training rows."""
    from scipy.stats import binomtest

    document = claims_of(run("certify", model, trained / "table.csv", "--delta", 0.1, "--json"))
    assert document["held_out"] == 48
    share, low, high = document["claims"][-3:]
    exact = binomtest(round(48 * share["value"]), 48).proportion_ci(0.9, method="exact")
    assert [low["value"], high["value"]] == pytest.approx([exact.low, exact.high])
    assert low["delta"] == high["delta"] == 0.05
    stated = claims_of(run("certify", model, trained / "table.csv", "--vc", 7, "--json"))
    assert len(stated["claims"]) >= len(document["claims"]) + 2
    assert any("vc_bound" in claim["statement"] for claim in stated["claims"])
    assert "48 rows of the table held out from training" in run("certify", model, trained / "table.csv").stdout


def test_certify_does_not_call_rows_new_that_it_cannot_know_to_be(run, trained, model, tmp_path):
    """Part of the training table has another digest; nothing says that its rows were never seen, for most were."""
    lines = (trained / "table.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join([lines[0], *lines[1:31]]) + "\n")
    document = claims_of(run("certify", model, tmp_path / "new.csv", "--json"))
    assert not document["training_data"]
    assert document["held_out"] == 30
    said = run("certify", model, tmp_path / "new.csv").stdout
    assert "never seen" not in said
    assert "held-out" not in said
    assert said.count(", if none of them was trained on") == 2
    assert "from all 30 rows: true if none of them was trained on, which the model file cannot tell" in said
    assert any("took no part in fitting" in one for one in document["claims"][-1]["assumptions"])
    outcome = run("certify", model, tmp_path / "new.csv", "--vc", 3)
    assert outcome.exit_code == 2
    assert "--vc is about the training rows" in outcome.stderr


def test_a_fault_in_a_column_that_is_not_needed_is_no_fault(run, model, trained, cells, tmp_path):
    expected = run("predict", model, trained / "table.csv").stdout
    faulty = [{**cell, "new": "oops" if i == 70 else i, "sold": "what"} for i, cell in enumerate(cells)]
    outcome = run("predict", model, write(tmp_path / "new.csv", faulty, [*cells[0], "new"]))
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout == expected


def test_columns_that_the_model_leaves_out_are_not_read(run, tmp_path):
    """Neither those spelled as in training, nor what is no number at all."""
    rng = np.random.default_rng(0)
    x, share = 1e-3 * rng.normal(size=80), rng.uniform(0, 90, 80)
    share -= (share @ x) / (x @ x) * x
    rows = [{"x": a, "share": f"{b:.1f}%", "y": 9 * a} for a, b in zip(x, share)]
    trained = write(tmp_path / "table.csv", rows)
    run("learn", trained, "--target", "y", "--learner", "lasso", "--jobs", 1, "--out", tmp_path)
    model = tmp_path / "model.skops"
    assert json.loads(run("show", model, "--json").stdout)["used"] == ["x"]
    expected = run("predict", model, trained)
    assert expected.exit_code == 0, expected.output
    odd = write(tmp_path / "odd.csv", [row | {"share": "oops"} for row in rows])
    assert run("predict", model, odd).stdout == expected.stdout
    far = run("predict", model, write(tmp_path / "far.csv", [*rows[:3], rows[3] | {"x": 1e308}]))
    assert far.exit_code == 2
    assert "column 'x' holds 1e+308 in row 3" in far.stderr


def test_a_fault_in_another_column_does_not_stop_the_certificate(run, model, cells, tmp_path):
    faulty = [{**cell, "new": "oops" if i == 70 else i} for i, cell in enumerate(cells)]
    outcome = run("certify", model, write(tmp_path / "new.csv", faulty, [*cells[0], "new"]))
    assert outcome.exit_code == 0, outcome.output
    assert "training rows, as their digest shows" in outcome.stdout


def test_predictions_never_take_the_place_of_what_they_are_made_from(run, model, trained, tmp_path):
    table = tmp_path / "table.csv"
    table.write_bytes((trained / "table.csv").read_bytes())
    for out in (table, model):
        before = out.read_bytes()
        outcome = run("predict", model, table, "--out", out)
        assert outcome.exit_code == 2
        assert "would be lost" in outcome.stderr
        assert out.read_bytes() == before


def test_a_file_that_is_replaced_is_named(run, model, trained, tmp_path):
    out = tmp_path / "predictions.csv"
    assert "(replaced" not in run("predict", model, trained / "table.csv", "--out", out).stdout
    assert "(replaced an earlier file)" in run("predict", model, trained / "table.csv", "--out", out).stdout
    again = run("predict", model, trained / "table.csv", "--out", out, "--json")
    assert json.loads(again.stdout)["replaced"] is True


def test_a_reader_that_goes_away_early_is_no_fault(run, model, monkeypatch):
    def gone(*_, **__):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("click.echo", gone)
    assert run("show", model).exit_code == 0
