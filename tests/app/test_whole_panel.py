"""The panel with everything in it: trees by the hundred, networks, and a model file that can hold any of them."""

import json
from importlib import import_module

import numpy as np
import pytest

from learnable.app.model_files.model_file import load


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(220, 3))
    inside = np.where((X[:, 0] ** 2 + X[:, 1] ** 2 < 1.4) ^ (random.random(220) < 0.05), "yes", "no")
    path = tmp_path / "table.csv"
    path.write_text("a,b,c,y\n" + "".join(f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(X, inside)))
    return path


def test_every_learner_is_tried_and_the_chosen_one_is_saved(run, tmp_path, table, whole_panel, monkeypatch):
    monkeypatch.setattr(import_module("learnable.app.learn"), "candidates", whole_panel)
    monkeypatch.setattr(import_module("learnable.app.trials.rounds"), "MOST_ROUNDS", 1)
    done = run("learn", table, "--target", "y", "--out", tmp_path / "out", "--json", "--seed", 0)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    tried = {one["label"]: one for one in document["learners"]}
    assert {
        "tree",
        "forest",
        "extra trees",
        "boosting",
        "neural network",
        "support vectors",
        "logistic regression",
    } <= set(tried)
    assert tried["boosting"]["cv"]["estimate"] < tried["logistic regression"]["cv"]["estimate"]  # a ring, not a line
    assert load(tmp_path / "out" / "model.skops").card["target"] == "y"
