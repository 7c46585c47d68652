"""Every alarm with its cause and without it, and columns that keep the books."""

import numpy as np
import pyarrow as pa

from learnable.app.judging.alarms import score_alarms, table_alarms
from learnable.app.learn import Options
from learnable.app.result import Interval, LearnerResult
from learnable.app.table.coding import code
from learnable.app.table.dividing import divide
from learnable.app.table.posing import pose
from learnable.app.table.reading import read

RNG = np.random.default_rng(0)
N = 400
X = RNG.normal(size=(N, 3))
CLASSES = np.where(X[:, 0] + RNG.normal(size=N) > 0, "yes", "no")
PLAIN = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}


def alarms(columns, **options):
    asked = Options(pa.table(columns), "y", **options)
    question = pose(read(asked), asked)
    return table_alarms(code(question, divide(question, asked)))


def question_of(columns):
    asked = Options(pa.table(columns), "y")
    return pose(read(asked), asked)


def test_a_sound_table_raises_none():
    assert alarms({**PLAIN, "y": CLASSES}) == []
    assert alarms({**PLAIN, "y": X[:, 0] + RNG.normal(size=N)}) == []


def test_the_target_is_a_function_of_a_column():
    code_ = np.where(CLASSES == "yes", "C1", np.where(X[:, 1] > 0, "C2", "C3"))
    (said,) = alarms({**PLAIN, "code": code_, "y": CLASSES})
    assert "function of column 'code'" in said
    quantity = X[:, 0] + RNG.normal(size=N)
    (said,) = alarms({**PLAIN, "celsius": (quantity - 32) / 1.8, "y": quantity})
    assert "function of column 'celsius'" in said


def test_one_column_predicts_alone():
    after = np.where(CLASSES == "yes", 10.0, 0.0) + RNG.normal(size=N)
    (said,) = alarms({**PLAIN, "paid": after, "y": CLASSES})
    assert "'paid' alone predicts" in said
    assert alarms({**PLAIN, "paid": after + 10 * RNG.normal(size=N), "y": CLASSES}) == []


def test_rows_that_repeat():
    doubled = {name: np.concatenate([values, values[:60]]) for name, values in {**PLAIN, "y": CLASSES}.items()}
    (said,) = alarms(doubled)
    assert said.startswith("60 rows repeat another row")
    assert "of the 92 test rows are among the training rows too" in said
    copies = {name: np.tile(values[:120], 3) for name, values in {**PLAIN, "y": CLASSES}.items()}
    (said,) = alarms(copies)
    assert said.startswith("240 rows repeat another row")
    coarse = {"a": np.round(X[:, 0]), "b": np.round(X[:, 1]), "y": CLASSES}  # alike by chance
    assert alarms(coarse) == []


def test_rows_of_one_identifier_that_hang_together():
    """60 patients, 5 visits each: the outcome is the patient's or the visit's, or folds keep patients together."""
    patient = [f"P{i // 5:03d}" for i in range(300)]
    ill = np.repeat(np.where(RNG.random(60) < 0.4, "ill", "well"), 5)
    table = {"patient": patient, "a": RNG.normal(size=300), "y": ill}
    (said,) = alarms(table)
    assert "--group 'patient'" in said
    assert alarms(table, group="patient") == []
    assert alarms({**table, "y": RNG.permutation(ill)}) == []
    amount = np.repeat(RNG.normal(size=60), 5) + 0.5 * RNG.normal(size=300)
    assert any("--group" in one for one in alarms({**table, "y": amount}))
    for name, values in (("patient", [f"P{i // 15:03d}" for i in range(300)]), ("patient_id", np.arange(300) // 15)):
        few = np.repeat(RNG.normal(size=20), 15) + 0.5 * RNG.normal(size=300)  # 20 are a category, or a number
        told = {name: values, "a": RNG.normal(size=300), "y": few}
        assert any(f"--group {name!r}" in one for one in alarms(told)), name
        assert alarms({**told, "y": RNG.permutation(few)}) == []
    place = [f"{'north' if i % 30 < 15 else 'south'}-{i // 30}" for i in range(300)]  # words of a meaning
    assert not any("--group" in one for one in alarms({"place": place, "a": RNG.normal(size=300), "y": few}))


def test_a_loss_too_good_to_be_true():
    def of(loss, rows=1000):
        one, base = (
            LearnerResult("A", name, "finished", cv=Interval(cv, cv, cv)) for name, cv in (("a", loss), ("b", 0.7))
        )
        return score_alarms(one, base, rows)

    (said,) = of(0.0014)
    assert said.startswith("the loss of a is only 0.2% of that of guessing")
    for tiny in (1e-30, 0.0):
        (said,) = of(tiny)
        assert said.startswith("the loss of a is less than 0.01% of that of guessing")
    assert of(0.1) == []
    assert of(0.0, rows=20) == []  # so few are easily told apart


def test_rows_of_few_groups_do_not_drift_by_being_few():
    """40 groups: what is one number for all rows of a group is much the same in two samples of groups."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(40), 15)
    table = {"patient": [f"P{k:03d}" for k in group], "a": rng.normal(size=600), "b": rng.normal(size=40)[group],
             "c": rng.choice(["u", "v", "w"], 40)[group], "y": rng.normal(size=600)}  # fmt: skip
    for seed in range(6):
        assert not any("not like" in one for one in alarms(table, group="patient", seed=seed)), seed


def test_drift():
    when = np.datetime64("2024-01-01") + np.arange(N)
    drifting = {**PLAIN, "b": X[:, 1] + np.linspace(0, 4, N), "when": when, "y": CLASSES}
    (said,) = alarms(drifting, time="when")
    assert "not like the training rows in 1 column ('b')" in said
    assert alarms({**PLAIN, "when": when, "y": CLASSES}, time="when") == []


def test_counters_and_splits_are_left_out_and_said():
    question = question_of({"row": np.arange(N) + 17, "train": ["T", "F"] * (N // 2), **PLAIN, "y": CLASSES})
    assert question.features.names == ("a", "b", "c")
    assert question.left_out == {"row": "it counts the rows", "train": "it says how the rows were split before"}
    assert len(question.warnings) == 2
    drawn = question_of({"row_names": 2 * np.arange(N) + 1, "size": 2 * np.arange(N) + 1, **PLAIN, "y": CLASSES})
    assert drawn.left_out == {"row_names": "it numbers the rows"}
    kept = question_of({"row": RNG.permutation(N), "train": ["freight", "coach"] * (N // 2), **PLAIN, "y": CLASSES})
    assert kept.left_out == {}
