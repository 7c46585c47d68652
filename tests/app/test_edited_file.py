"""What an edited model file says falsely, or would do to whoever reads it."""

import json

import numpy as np
import pytest
from sklearn.pipeline import Pipeline
from tests.app.test_model_file import SMALL_CARD
from tests.app.test_saved_model import edited, failing

from learnable.app.errors import UserError
from learnable.app.model_files.card import pack
from learnable.app.model_files.model_file import dump, load
from learnable.certificates import Certificate
from learnable.features import TableCoder
from learnable.trees import DecisionTreeClassifier


def test_every_part_of_a_claim_and_every_level_is_compared(run, trained, tmp_path):
    card = json.loads(run("show", trained / "model.skops", "--json").stdout)
    first, *others = card["learner"]["certificate"]
    levels = [{**one, "levels": one["levels"][1:]} for one in card["columns"]]
    nobody = pack(np.array([], dtype=int), card["training"]["table_rows"])
    edits = {
        "claims in the card": {"learner": {"certificate": [{**first, "delta": 0.05}, *others]}},
        "claims in the": {"learner": {"certificate": [{**first, "assumptions": ["independent rows"]}, *others]}},
        "levels that the model knows": {"columns": levels},
        "": {"learner": {"test": {**card["learner"]["test"], "method": "exact"}}},
        "test rows in the card": {"training": {**card["training"], "held_out": nobody}},
    }
    for said, changes in edits.items():
        outcome = run("certify", edited(trained, tmp_path, **changes), trained / "table.csv", "--json")
        assert outcome.exit_code == 1, said
        assert any(one.startswith(said) for one in failing(outcome)), said


def test_claims_that_the_learner_carries_are_found_again(run, trained, tmp_path):
    """Whoever loads the model reads these, and not those of the card."""
    saved = load(trained / "model.skops")
    told = saved.pipeline["learn"].certificate_
    first = told[0]
    card = {key: value for key, value in saved.card.items() if key != "schema"}
    for subject, claims, unverified in (
        (told.subject, [first._replace(statement="it is the best of all models"), *told[1:]], told.unverified),
        (told.subject, [first._replace(bound=1.0), *told[1:]], told.unverified),
        (told.subject, told[1:], told.unverified),
        ("PerfectClassifier", list(told), told.unverified),
        (told.subject, list(told), ("nothing",)),
    ):
        saved.pipeline["learn"].certificate_ = Certificate(subject, claims, unverified)
        forged = tmp_path / "forged.skops"
        forged.write_bytes(dump(saved.pipeline, card))
        outcome = run("certify", forged, trained / "table.csv", "--json")
        assert outcome.exit_code == 1
        assert ["carries" in one for one in failing(outcome)] == [True]


def test_a_tree_that_rows_do_not_come_down_is_not_built(tmp_path):
    """Nodes in a circle would be gone round for ever, and what lies beyond an array would be read."""
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    coder = TableCoder().fit(X)
    learner = DecisionTreeClassifier(max_depth=3).fit(coder.transform(X), y.astype(str))
    tree = learner.tree_
    root, leaf = tree.children_left.copy(), tree.children_left.copy()
    root[np.flatnonzero(root >= 0)[-1]] = 0
    leaf[0] = 10**6
    for broken in (
        tree._replace(children_left=root),
        tree._replace(children_left=leaf),
        tree._replace(feature=np.where(tree.feature >= 0, 7, tree.feature)),
        tree._replace(feature=np.where(tree.feature >= 0, 7, tree.feature), n_features=8),
        tree._replace(threshold=tree.threshold[:2]),
        tree._replace(value=tree.value[:2]),
    ):
        learner.tree_ = broken
        path = tmp_path / "broken.skops"
        path.write_bytes(dump(Pipeline([("code", coder), ("learn", learner)]), SMALL_CARD))
        with pytest.raises(UserError, match="a tree"):
            load(path)
    learner.tree_ = tree
    path.write_bytes(dump(Pipeline([("code", coder), ("learn", learner)]), SMALL_CARD))
    assert np.array_equal(load(path).pipeline["learn"].tree_.feature, tree.feature)
