"""Model files: what we write comes back; what others write is judged before anything in it is built."""

import io
import json
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from learnable.app.errors import UserError
from learnable.app.model_files import model_file
from learnable.app.model_files.building import build
from learnable.app.model_files.model_file import CARD, STRUCTURE, dump, examine, load
from learnable.app.model_files.own_types import is_own
from learnable.certificates import Certificate, Claim
from learnable.datasets import load as load_table
from learnable.features import TableCoder

INTERVAL = {"estimate": 0.1, "low": 0.0, "high": 0.2, "level": 0.95, "method": "wilson"}
SMALL_CARD = {
    "schema": model_file.SCHEMA,
    "source": "loans",
    "task": "classification",
    "target": "default",
    "levels": ["no", "yes"],
    "columns": [{"name": "age", "kind": "number", "levels": []}],
    "training": {"table_rows": 600, "rows": 600, "mask": "", "digest": ""},
    "test_rows": 1,
    "folds": 10,
    "seed": 0,
    "metric": "error rate",
    "learner": {
        "name": "DummyClassifier",
        "label": "commonest class",
        "params": {},
        "test": INTERVAL,
        "cv": INTERVAL,
        "extra": {},
        "certificate": None,
    },
    "choice": "",
    "coefficients": [],
    "versions": {},
}
CARD_TEXT = json.dumps(SMALL_CARD).encode()


@pytest.fixture(scope="module")
def table():
    return load_table("loans")


@pytest.fixture(scope="module")
def pipeline(table):
    y = table.column("default").values.astype(str)
    return Pipeline([("code", TableCoder()), ("learn", DummyClassifier(strategy="prior"))]).fit(table, y)


@pytest.fixture(scope="module")
def sound(pipeline):
    return dump(pipeline, SMALL_CARD)


def rewrite(content: bytes, changes: dict[str, bytes], compression=zipfile.ZIP_STORED) -> bytes:
    """The archive with some entries changed or added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", compression) as new:
        for name in {*old.namelist(), *changes}:
            new.writestr(name, changes.get(name, old.read(name) if name in old.namelist() else b""))
    return out.getvalue()


def saved(tmp_path, content: bytes):
    path = tmp_path / "model.skops"
    path.write_bytes(content)
    return path


def refusal(tmp_path, content: bytes) -> str:
    with pytest.raises(UserError) as error:
        load(saved(tmp_path, content))
    return str(error.value)


def structure_of(content: bytes) -> dict:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read(STRUCTURE))


def test_round_trip(tmp_path, table, pipeline, sound):
    back = load(saved(tmp_path, sound))
    assert back.card["target"] == "default"
    assert np.array_equal(back.pipeline["code"].transform(table), pipeline["code"].transform(table))
    assert np.array_equal(back.pipeline.predict_proba(table), pipeline.predict_proba(table))


@pytest.mark.parametrize("name", ["__class__", "__loader__", "content"])
def test_a_column_named_like_a_word_of_the_format_is_no_attack(tmp_path, name):
    import pyarrow as pa

    frame = pa.table({name: [1.0, 2.0, 4.0]})
    content = dump(
        Pipeline([("code", TableCoder()), ("learn", DummyClassifier())]).fit(frame, ["a", "b", "a"]), SMALL_CARD
    )
    assert load(saved(tmp_path, content)).pipeline["code"].kinds_ == {name: "number"}


class Canary:
    """A type that must never be built."""

    def __setstate__(self, state):
        raise AssertionError("an untrusted type was built")

    def predict(self, X):
        return X


@pytest.mark.parametrize(
    "stranger",
    [
        Canary(),
        StandardScaler(),  # skops itself trusts this one; we do not need it
        FunctionTransformer(np.exp),
        FunctionTransformer(json.loads),
    ],
)
def test_an_untrusted_type_is_named_and_not_built(tmp_path, stranger):
    content = rewrite(skops.io.dumps(stranger), {CARD: CARD_TEXT})
    message = refusal(tmp_path, content)
    assert "not trusted" in message
    assert type(stranger).__name__ in message


def test_a_name_that_only_sounds_like_ours_is_not_resolved(tmp_path, sound):
    for module, name in [
        ("os", "system"),
        ("learnable.app.files", "os"),
        ("learnable.linear", "os"),
        ("builtins", "eval"),
    ]:
        for loader in ("ObjectNode", "FunctionNode", "TypeNode", "TupleNode", "ConstructorFromReduceNode"):
            structure = structure_of(sound) | {"__module__": module, "__class__": name, "__loader__": loader}
            message = refusal(tmp_path, rewrite(sound, {STRUCTURE: json.dumps(structure).encode()}))
            assert f"{module}.{name}" in message


def test_every_estimator_and_record_of_the_library_is_known_by_its_source():
    from learnable.checks import all_estimators
    from learnable.problems.ensembles.boosted_trees import BoostedTrees

    for kind in [kind for _, kind in all_estimators()] + [TableCoder, Certificate]:
        assert is_own("ObjectNode", kind.__module__, kind.__name__), kind
        assert not is_own("TupleNode", kind.__module__, kind.__name__), kind
    for kind in (Claim, BoostedTrees):
        assert is_own("TupleNode", kind.__module__, kind.__name__)
        assert not is_own("ObjectNode", kind.__module__, kind.__name__)
    strangers = [
        ("learnable.sparse.lasso", "LinearRegressor"),  # imported there, at home elsewhere
        ("learnable.sparse", "Lasso"),
        ("learnable.app.files", "Path"),
        ("learnable..sparse.lasso", "Lasso"),
        ("learnable.sparse.lasso/../lasso", "Lasso"),
        ("learnable._jit.core.compile", "Kernel"),
        ("learnable.nothing", "Lasso"),
    ]
    for module, name in strangers:
        for loader in ("ObjectNode", "TupleNode"):
            assert not is_own(loader, module, name), module


def test_a_public_class_that_is_no_estimator_is_not_built(tmp_path, sound):
    changed = {"__module__": "learnable.theory.bayes_classifier", "__class__": "DiscreteLaw"}
    assert is_own("ObjectNode", *changed.values())
    structure = structure_of(sound) | changed
    assert "no estimator" in refusal(tmp_path, rewrite(sound, {STRUCTURE: json.dumps(structure).encode()}))


def test_what_is_built_here_is_what_skops_builds():
    everything = {
        "a": [1, 2.5, None, True, "x"],
        "b": (np.float64(0.5), np.int64(3), np.str_("s")),
        "c": {3: np.arange(4.0), "d": np.array(["p", "q"]), "e": np.array([None, "r", 1.5], dtype=object)},
        "f": {1, 2},
        "g": np.dtype("float32"),
        "h": float,
        "i": np.array([["a", None], [1, 2]], dtype=object),
        "j": Claim.at_most("X1", "a statement", 0.5, 1.0),
    }
    shared = np.arange(3)
    everything["k"] = everything["l"] = shared
    content = skops.io.dumps(everything)
    theirs = skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    mine = build(content, structure_of(content), set())
    assert repr(mine) == repr(theirs) == repr(everything)
    assert mine["k"] is mine["l"]


def test_methods_partials_and_operators_are_refused(tmp_path, sound):
    for loader in ("MethodNode", "PartialNode", "OperatorFuncNode", "ReduceNode", "TreeNode", "RandomGeneratorNode"):
        structure = structure_of(sound) | {"__loader__": loader}
        assert "not trusted" in refusal(tmp_path, rewrite(sound, {STRUCTURE: json.dumps(structure).encode()}))


def test_truncated_anywhere_is_damaged(tmp_path, sound):
    for length in [0, 1, 10, len(sound) // 2, len(sound) - 1]:
        assert "damaged" in refusal(tmp_path, sound[:length])


def test_flipped_bytes_never_give_a_stack_trace(tmp_path, sound, table, pipeline):
    expected = pipeline["code"].transform(table)
    rng = np.random.default_rng(0)
    for position in rng.integers(0, len(sound), 60).tolist():
        flipped = bytearray(sound)
        flipped[position] ^= 0xFF
        try:
            model = load(saved(tmp_path, bytes(flipped)))
        except UserError:
            continue
        # The checksum of the archive covers the contents, so what loads is what was saved.
        assert np.array_equal(model.pipeline["code"].transform(table), expected)


@pytest.mark.parametrize("text", [b"not a zip", b"", b"PK\x03\x04", b"\x80\x04\x95pickle"])
def test_another_kind_of_file(tmp_path, text):
    assert "is not a model file" in refusal(tmp_path, text)


def test_a_skops_file_without_our_card(tmp_path, pipeline):
    assert "was not written by `learnable learn`" in refusal(tmp_path, skops.io.dumps(pipeline))


def test_oversized(tmp_path, sound, monkeypatch):
    monkeypatch.setattr(model_file, "MAX_FILE_BYTES", len(sound) - 1)
    assert "at most" in refusal(tmp_path, sound)


def test_a_decompression_bomb(tmp_path, sound):
    assert "bomb" in refusal(tmp_path, rewrite(sound, {"zeros.bin": bytes(20_000_000)}, zipfile.ZIP_DEFLATED))


def test_too_many_entries(tmp_path, sound, monkeypatch):
    monkeypatch.setattr(model_file, "MAX_ENTRIES", 1)
    assert "entries" in refusal(tmp_path, sound)


@pytest.mark.parametrize("depth", [100, 100_000])
def test_too_deep(tmp_path, sound, depth):
    deep = b"[" * depth + b"]" * depth
    message = refusal(tmp_path, rewrite(sound, {STRUCTURE: deep}))
    assert "deeper" in message or "recursion" in message


def test_an_array_that_promises_more_than_it_holds(tmp_path, sound):
    with zipfile.ZipFile(io.BytesIO(sound)) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".npy"))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    assert "not as its header says" in refusal(tmp_path, rewrite(sound, {name: header.getvalue()}))


def test_a_pickled_array_is_refused(tmp_path, sound):
    with zipfile.ZipFile(io.BytesIO(sound)) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".npy"))
    pickled = io.BytesIO()
    np.save(pickled, np.array([Canary()], dtype=object), allow_pickle=True)
    assert "refused" in refusal(tmp_path, rewrite(sound, {name: pickled.getvalue()}))


def test_what_is_no_model(tmp_path):
    content = rewrite(skops.io.dumps({"a": 1}), {CARD: CARD_TEXT})
    assert "no model" in refusal(tmp_path, content)


def test_a_file_that_is_not_there_or_a_folder(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        load(tmp_path / "nothing.skops")
    with pytest.raises(UserError, match="folder"):
        load(tmp_path)


def test_what_cannot_be_read_back_is_not_written():
    with pytest.raises(UserError, match="not trusted"):
        dump(StandardScaler().fit([[1.0], [2.0]]), SMALL_CARD)


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("target", None, "card.target"),
        ("columns", [{"name": 1, "kind": "number", "levels": []}], "card.columns[0].name"),
        ("training", {}, "card.training.table_rows"),
        ("learner", {**SMALL_CARD["learner"], "certificate": [{}]}, "card.learner.certificate[0].id"),
        ("versions", {"python": []}, "card.versions.python"),
    ],
)
def test_a_card_of_the_wrong_form(tmp_path, sound, key, value, place):
    message = refusal(tmp_path, rewrite(sound, {CARD: json.dumps({**SMALL_CARD, key: value}).encode()}))
    assert f"{place} is missing or of the wrong form" in message


def test_a_card_without_a_key(tmp_path, sound):
    for key in SMALL_CARD:
        card = {name: value for name, value in SMALL_CARD.items() if name != key}
        assert "card" in refusal(tmp_path, rewrite(sound, {CARD: json.dumps(card).encode()}))


def test_examining_builds_nothing(monkeypatch, sound):
    monkeypatch.setattr("learnable.app.model_files.building.build", lambda *_, **__: pytest.fail("built"))
    assert examine(io.BytesIO(sound), "it")["schema"] == model_file.SCHEMA
