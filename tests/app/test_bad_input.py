"""What a user can get wrong: one line with the cause and the remedy, exit code 2, nothing lost."""

import json

import numpy as np
import pytest
from tests.cases import each

pytestmark = pytest.mark.usefixtures("few_learners")

ROWS = "".join(f"{i % 7},{(i * i) % 11},{'ab'[i % 2]}\n" for i in range(40))
SOUND = "p,q,y\n" + ROWS
IDENTIFIERS = "id,y\n" + "".join(f"key{i},{'ab'[i % 2]}\n" for i in range(40))

BAD_TABLES = {
    "no such target": (SOUND, ["--target", "z"], "no column 'z'"),
    "near miss": (
        "price,y\n" + "".join(f"{i},{i % 2}\n" for i in range(30)),
        ["--target", "prise"],
        "did you mean 'price'",
    ),
    "no target given": (SOUND, [], "--target; table.csv has 'p', 'q', 'y'"),
    "constant target": ("x,y\n" + "".join(f"{i},5\n" for i in range(30)), ["--target", "y"], "nothing to learn"),
    "one class": ("x,y\n" + "".join(f"{i},a\n" for i in range(30)), ["--target", "y"], "nothing to learn"),
    "a class with one row": (SOUND + "1,1,c\n", ["--target", "y"], "c (1)"),
    "one row": ("x,y\n1,2\n", ["--target", "y"], "nothing to learn"),
    "two rows": ("x,y\n1,2\n2,3\n", ["--target", "y"], "at least 10"),
    "no rows": ("x,y\n", ["--target", "y"], "no rows"),
    "empty file": ("", ["--target", "y"], "empty"),
    "target without values": ("x,y\n" + "1,\n2,\n" * 20, ["--target", "y"], "no value at all"),
    "nothing but identifiers": (IDENTIFIERS, ["--target", "y"], "identifier"),
    "thousands or decimals": (
        "x\ty\n" + "".join(f"3{i % 9},345\t{'ab'[i % 2]}\n" for i in range(30)),
        ["--target", "y", "--delimiter", "tab"],
        "may be thousands or have a decimal comma; say which with --decimal . or --decimal ,",
    ),
    "a remedy of the command line": (
        SOUND.replace("\n3,", "\noops,", 1),
        ["--target", "y"],
        "leave it empty, or leave the column out with --drop",
    ),
    "order by its option": (SOUND, ["--target", "y", "--ordered", "z=1<2"], "--ordered: no column 'z'"),
    "nothing but constants": (
        "x,y\n" + "".join(f"1,{'ab'[i % 2]}\n" for i in range(30)),
        ["--target", "y"],
        "constant",
    ),
    "nothing but the target": ("y\n" + "a\nb\n" * 20, ["--target", "y"], "delimiter"),
    "duplicated names": ("x,x,y\n" + "1,2,a\n2,1,b\n" * 20, ["--target", "y"], "both named 'x'"),
    "a row too long": (SOUND + "1,2,a,4\n", ["--target", "y"], "line 42"),
    "a row too long has a remedy": (
        SOUND + "1,2,a,4\n",
        ["--target", "y"],
        "put cells that hold the delimiter in quotes",
    ),
    "a row too short": (SOUND + "1,2\n", ["--target", "y"], "line 42"),
    "a row too short has a remedy": (SOUND + "1,2\n", ["--target", "y"], "complete or remove the line"),
    "a title above the names": (
        "Report\n\n" + SOUND,
        ["--target", "y"],
        "line 3: expected 1 field, found 3 (delimiter: comma); if this line names the columns, remove those before it",
    ),
    "a strange delimiter": (SOUND.replace(",", "~"), ["--target", "y"], "no column 'y'"),
    "blanks between the cells": (SOUND.replace(",", " "), ["--target", "y"], "not recognised (see --delimiter)"),
    "a word among numbers": (SOUND.replace("\n3,", "\noops,", 1), ["--target", "y"], "'oops'"),
    "an infinite cell": (SOUND.replace("\n3,", "\n1e999,", 1), ["--target", "y"], "finite"),
    "drop of the target": (SOUND, ["--target", "y", "--drop", "y"], "the target cannot be left out"),
    "drop of what is not there": (SOUND, ["--target", "y", "--drop", "z"], "--drop: no column 'z'"),
    "drop of everything": (SOUND, ["--target", "y", "--drop", "p", "--drop", "q"], "no column but the target"),
    "bad order": (SOUND, ["--target", "y", "--ordered", "p"], "COL=lowest<next<highest"),
    "order of what is not there": (SOUND, ["--target", "y", "--ordered", "z=1<2"], "no column 'z'"),
    "order without a level": (SOUND, ["--target", "y", "--ordered", "p=0<1"], "not among the ordered levels"),
    "regression of classes": (SOUND, ["--target", "y", "--task", "regression"], "not a number"),
    "too small a test": (SOUND, ["--target", "p", "--task", "regression", "--test-size", "0.99"], "--test-size"),
    "a delimiter of two signs": (SOUND, ["--target", "y", "--delimiter", ";;"], "--delimiter ';;': give one sign"),
    "an endless weight": (SOUND, ["--target", "y", "--class-weight", "a=inf"], "its weight is no number above zero"),
    "a huge target": ("x,y\n" + "".join(f"{i},{i}e150\n" for i in range(30)), ["--target", "y"], "rescale"),
    "a tiny target": ("x,y\n" + "".join(f"{i},{i}e-200\n" for i in range(30)), ["--target", "y"], "rescale"),
    "a target of numbers with words among them": (
        "x,y\n" + "".join(f"{i},{'unknown' if i % 5 == 0 else i / 7}\n" for i in range(60)),
        ["--target", "y"],
        "80% of its cells are numbers, but not 'unknown'; leave such cells empty",
    ),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_one_line_names_cause_and_remedy(run, tmp_path, case):
    content, options, says = BAD_TABLES[case]
    path = tmp_path / "table.csv"
    path.write_text(content)
    (tmp_path / "report.html").write_text("old report")
    outcome = run("learn", path, *options, "--out", tmp_path)
    assert outcome.exit_code == 2, outcome.output
    last = outcome.stderr.strip().splitlines()[-1]
    assert last.startswith("learnable: ")
    assert says in last
    assert outcome.stdout == ""
    assert (tmp_path / "report.html").read_text() == "old report"
    assert not (tmp_path / "model.skops").exists()


def test_an_error_for_machines(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(SOUND)
    outcome = run("learn", path, "--target", "z", "--json")
    document = json.loads(outcome.stdout)
    assert outcome.exit_code == 2
    assert document["schema"] == "learnable.error/1"
    assert "'z'" in document["error"]


@each(
    "arguments",
    [["learn", "--jobs", "0"], ["learn", "--test-size", "1"], ["learn", "--time-limit", "-1"], ["learn", "--seed", "x"],
     ["learn", "--task", "guess"], ["fly"], ["predict"], ["learn", "--unknown"]],
)  # fmt: skip
def test_bad_usage_has_exit_code_2(run, arguments):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert "Error" in outcome.stderr


@each("source", ["no-such.csv", "no-such-name"])
def test_no_such_file(run, source):
    outcome = run("learn", source, "--target", "y")
    assert outcome.exit_code == 2
    assert "embedded are: loans" in outcome.stderr


def test_a_folder_and_an_unknown_format(run, tmp_path):
    (tmp_path / "table.docx").write_bytes(b"PK")
    (tmp_path / "table.parquet").write_bytes(b"PAR1 no")
    for source in (tmp_path, tmp_path / "table.docx", tmp_path / "table.parquet"):
        outcome = run("learn", source, "--target", "y")
        assert outcome.exit_code == 2
        assert len(outcome.stderr.strip().splitlines()[-1]) > 30


def test_an_output_that_cannot_be_written_is_refused_before_the_work(run, table_file):
    outcome = run("learn", table_file, "--target", "sold", "--out", table_file)
    assert outcome.exit_code == 2
    assert "is not a folder" in outcome.stderr
    assert "tuning" not in outcome.stderr


def test_when_writing_fails_the_old_files_stay(run, table_file, tmp_path, monkeypatch):
    from learnable.app.report import page as report

    out = tmp_path / "out"
    out.mkdir()
    (out / "report.html").write_text("old report")
    (out / "model.skops").write_text("old model")
    monkeypatch.setattr(report, "render", lambda result: 1 / 0)
    outcome = run("learn", table_file, "--target", "sold", "--out", out)
    assert outcome.exit_code == 3
    assert "--debug" in outcome.stderr
    assert sorted(path.read_text() for path in out.iterdir()) == ["old model", "old report"]


def test_debug_shows_the_stack_trace(table_file, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from learnable.app.cli import cli
    from learnable.app.report import page as report

    monkeypatch.setattr(report, "render", lambda result: 1 / 0)
    outcome = CliRunner().invoke(cli, ["--debug", "learn", str(table_file), "--target", "sold", "--out", str(tmp_path)])
    assert isinstance(outcome.exception, ZeroDivisionError)


# What looks bad and is not.


def learned(run, path, target, *options):
    outcome = run("learn", path, "--target", target, "--out", path.parent, "--json", *options)
    assert outcome.exit_code == 0, outcome.output
    return json.loads(outcome.stdout)


def test_rows_without_a_target_are_left_out_with_a_warning(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(SOUND + "1,2,\n3,4,NA\n")
    document = learned(run, path, "y")
    assert document["train_rows"] + document["test_rows"] == 40
    assert any("2 rows without a value of 'y'" in warning for warning in document["warnings"])
    verdict = run("certify", tmp_path / "model.skops", path, "--json")
    assert json.loads(verdict.stdout)["training_data"]


@pytest.mark.parametrize("content", [SOUND.replace(",", ";"), SOUND.replace(",", "\t"), "\ufeff" + SOUND])
def test_other_delimiters_and_byte_order_marks(run, tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_text(content, encoding="utf-8")
    assert learned(run, path, "y")["table"]["rows"] == 40


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_an_extreme_scale_gives_the_same_answer(run, tmp_path, scale):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(240, 3)).tolist()  # below 200 there is no test set
    documents = []
    for factor in (1.0, scale):
        path = tmp_path / "table.csv"
        path.write_text("x,z,y\n" + "".join(f"{a * factor!r},{b!r},{a - b + e!r}\n" for a, b, e in rows))
        documents.append(learned(run, path, "y"))
    first, second = ([one["test"]["estimate"] for one in document["learners"]] for document in documents)
    assert first == pytest.approx(second, rel=1e-6)


def test_hostile_names_are_text_everywhere(run, tmp_path, drawn):
    path = tmp_path / "table.csv"
    script, image, escape = "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\x1b]0;owned\x07red"
    rows = "".join(f"{i % 7},{(i * i) % 11},{i % 5},{('=cmd', image)[i % 2]}\n" for i in range(60))
    path.write_text(f"{script},{escape},=1+1,{image} y\n" + rows)
    outcome = run("learn", path, "--target", f"{image} y", "--out", tmp_path)
    assert outcome.exit_code == 0, outcome.output
    page = (tmp_path / "report.html").read_text()
    assert script not in page
    assert image not in page
    shown = run("show", tmp_path / "model.skops")
    predicted = run("predict", tmp_path / "model.skops", path)
    for output in (outcome.output, shown.output):
        assert "\x1b" not in output
    assert "?]0;owned?red" in shown.output
    assert not [line for line in predicted.stdout.splitlines() if line.startswith(("=", "+", "@"))]
    assert "'=cmd" in predicted.stdout


def test_unreadable_names_in_the_report_do_not_change_the_json(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("café \u202e,y\n" + "".join(f"{i % 7},{'ab'[i % 2]}\n" for i in range(40)))
    assert learned(run, path, "y")["table"]["columns"][0]["name"] == "café \u202e"


@each("option", ["--time-limit", "--test-size"])
def test_nan_is_no_number(run, option):
    outcome = run("learn", option, "nan")
    assert outcome.exit_code == 2
    assert "nan is not a number" in outcome.stderr


@each("arguments", [["learn", "--seed", "-1", "--json"], ["show", "--json"], ["learn", "--json", "--no"]])
def test_bad_usage_is_an_object_for_machines(run, arguments):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert json.loads(outcome.stdout)["schema"] == "learnable.error/1"


def test_the_order_of_an_embedded_table_is_not_silently_ignored(run):
    outcome = run("learn", "loans", "--ordered", "anything=a<b", "--dry-run")
    assert outcome.exit_code == 2
    assert "--ordered: the embedded table loans" in outcome.stderr


def test_a_column_with_a_word_among_numbers_can_be_left_out(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(SOUND.replace("\n3,", "\noops,", 1))
    outcome = run("learn", path, "--target", "y", "--drop", "p", "--dry-run")
    assert outcome.exit_code == 0, outcome.output
    assert "as --drop says" in outcome.stdout


def test_columns_that_cannot_be_used_are_named_with_the_cause(run, tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(f"{i % 7},{100 + i / 2}kg,{i / 2}%,same,{'ab'[i % 2]}\n" for i in range(40))
    path.write_text("x,weight,rate,fixed,y\n" + rows)
    outcome = run("learn", path, "--target", "y", "--dry-run", "--json")
    warnings = json.loads(outcome.stdout)["warnings"]
    assert any("2 columns cannot be used: 'weight' (identifier" in w and "'fixed' (constant" in w for w in warnings)
    (line,) = [
        line for line in run("learn", path, "--target", "y", "--dry-run").stdout.splitlines() if " fixed " in line
    ]
    assert line.rstrip().endswith("constant")


def test_words_that_are_numbers_with_signs_are_pointed_out(run, tmp_path):
    """In a CSV such cells are read as numbers; where the file says that they are words, they stay words."""
    path = tmp_path / "table.jsonl"
    rows = ({"x": i % 7, "rate": f"{100 + i / 2}%", "y": "ab"[i % 2]} for i in range(40))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    warnings = json.loads(run("learn", path, "--target", "y", "--dry-run", "--json").stdout)["warnings"]
    assert any("'rate'" in one and "such as '100.0%'; write plain numbers" in one for one in warnings)


@each(
    "cells, said",
    [
        (["1.5", "2.25", "unknown", "7"], "75% of its cells are numbers, but not 'unknown'; leave such cells empty"),
        (['"1,5"', '"-0,25"', "7"], "numbers with decimal commas such as '1,5'; say so with --decimal ,"),
        (["red", "blue", "3"], None),
        (["007", "012", "113"], None),
    ],
)
def test_words_that_are_mostly_numbers_are_pointed_out(run, tmp_path, cells, said):
    path = tmp_path / "table.csv"
    path.write_text("x,v,y\n" + "".join(f"{i % 7},{cells[i % len(cells)]},{'ab'[i % 2]}\n" for i in range(60)))
    warnings = json.loads(run("learn", path, "--target", "y", "--dry-run", "--json").stdout)["warnings"]
    about = [one for one in warnings if one.startswith("column 'v' is read as category, but ")]
    assert (said is None and not about) or (len(about) == 1 and said in about[0])


def test_classes_that_differ_in_capitals_alone_are_pointed_out(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "x,y\n" + "".join(f"{i % 7},{('yes', 'Yes', 'no', 'of late', 'oflate')[i % 5]}\n" for i in range(60))
    )
    warnings = json.loads(run("learn", path, "--target", "y", "--dry-run", "--json").stdout)["warnings"]
    assert [one for one in warnings if "classes of their own" in one] == [
        "'Yes', 'yes' are classes of their own; write them alike if they mean the same",
        "'of late', 'oflate' are classes of their own; write them alike if they mean the same",
    ]


def nested_file(folder, rows=40):
    import pyarrow as pa
    import pyarrow.parquet as pq

    x = np.random.default_rng(0).normal(size=rows)
    path = folder / "nested.parquet"
    columns = {
        "x": x,
        "y": 2.0 * x + np.tile([0.1, -0.1], rows // 2),
        "place": [{"lat": 1.0, "lon": 2.0}] * rows,
        "tags": [["a", "b"]] * rows,
        "blob": [b"\xff\x00"] * rows,
        "wide": [{f"field {i}": i for i in range(200)}] * rows,
    }
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("column", "kind", "remedy"),
    [
        ("place", "struct<lat: double, lon: double>", "several values in one cell; flatten it to columns of one value"),
        ("tags", "list<element: string>", "several values in one cell; flatten it to columns of one value"),
        ("blob", "binary", "no number, word or date; convert it"),
        ("wide", "struct<field 0: int64", "several values in one cell; flatten it to columns of one value"),
    ],
)
def test_a_column_of_no_usable_type_is_named_and_can_be_left_out(run, tmp_path, column, kind, remedy):
    others = [part for name in ("place", "tags", "blob", "wide") if name != column for part in ("--drop", name)]
    path = nested_file(tmp_path)
    outcome = run("learn", path, "--target", "y", "--dry-run", *others)
    assert outcome.exit_code == 2
    (line,) = outcome.stderr.splitlines()
    assert f"column {column!r} has type {kind}" in line
    assert remedy in line
    assert line.endswith("or leave the column out with --drop")
    assert len(line) < 300
    as_target = run("learn", path, "--target", column, "--dry-run", *others).stderr
    assert as_target.rstrip().endswith("or choose another column with --target")
    assert run("learn", path, "--target", "y", "--dry-run", *others, "--drop", column).exit_code == 0


def test_a_nested_column_that_a_model_does_not_need_is_no_fault(run, tmp_path):
    path = nested_file(tmp_path)
    dropped = [part for name in ("place", "tags", "blob", "wide") for part in ("--drop", name)]
    assert run("learn", path, "--target", "y", "--out", tmp_path, "--jobs", 1, *dropped).exit_code == 0
    for command in ("predict", "certify"):
        assert run(command, tmp_path / "model.skops", path).exit_code == 0


@each(
    "option, value, remedy",
    [
        ("prefer", "speed", "choose among accuracy, simple"),
        ("prefer", None, "choose among accuracy, simple"),
        ("metric", "f1", "choose among log_loss, brier"),
        ("task", "ranking", "choose among classification"),
        ("test_size", 1.5, "between 0 and 1"),
        ("time_limit", 0, "above 0"),
        ("time_limit", float("nan"), "above 0"),
        ("memory", "2", "above 0"),
        ("seed", -1, "from 0 on"),
        ("seed", True, "from 0 on"),
        ("jobs", 0, "from 1 on"),
        ("drop", 5, "a list of such"),
        ("cost", ["a:b=5", 3], "a list of such"),
        ("group", 5, "give a text"),
        ("times_limit", 5, "did you mean time_limit"),
    ],
)
def test_from_python_a_wrong_option_is_named_before_anything_is_read(option, value, remedy):
    import learnable
    from learnable.app.errors import UserError

    with pytest.raises(UserError) as found:
        learnable.learn("no such file.csv", target="y", **{option: value})
    assert f"learn({option}={value!r})" in str(found.value)
    assert remedy in str(found.value)
