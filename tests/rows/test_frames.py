"""Data frames of dask: columns are known by their names, in every partition, and of any kind of numbers."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from learnable.linear import LogisticRegression, Ridge

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc"))
Y = FRAME.to_numpy() @ [1.0, -2.0, 0.5] + RNG.normal(size=60)
HERE = Ridge().fit(FRAME, Y)


def of_parts(*parts):
    """A data frame that promises the columns of its first partition."""
    numbered = dd.from_pandas(pd.DataFrame({"part": np.arange(len(parts))}), npartitions=len(parts))
    return numbered.map_partitions(
        lambda row: parts[int(row["part"].iloc[0])], meta=parts[0].iloc[:0], enforce_metadata=False
    )


def test_partitions_are_joined_by_the_names_of_their_columns():
    table = of_parts(FRAME[:20], FRAME[20:40][list("bca")], FRAME[40:40], FRAME[40:])
    np.testing.assert_allclose(Ridge().fit(table, Y).coef_, HERE.coef_)
    np.testing.assert_allclose(HERE.predict(table).compute(), HERE.predict(FRAME))
    for other in (FRAME[20:40][["a", "b"]], FRAME[20:40].rename(columns={"a": "z"})):
        table = of_parts(FRAME[:20], other, FRAME[40:])
        for act in (lambda table=table: Ridge().fit(table, Y), lambda table=table: HERE.predict(table).compute()):
            with pytest.raises(
                ValueError, match=r"a partition of X has the columns \[.*\] where .* promises \['a', 'b', 'c'\]"
            ):
                act()


def test_names_that_memory_refuses_are_refused():
    twice, mixed = FRAME.set_axis(["a", "a", "c"], axis=1), FRAME.set_axis(["a", 1, "c"], axis=1)
    for table, error, said in ((twice, ValueError, "two columns of X are called 'a'"), (mixed, TypeError, "names")):
        for given in (table, dd.from_pandas(table, npartitions=3)):
            with pytest.raises(error, match=said):
                Ridge().fit(given, Y)
    with pytest.raises(ValueError, match=r"NaN in column 'b', row 10 of chunk 1"):
        HERE.predict(dd.from_pandas(FRAME.assign(b=FRAME["b"].where(FRAME.index != 30)), npartitions=3)).compute()


def test_columns_of_any_kind_of_numbers_are_taken_and_others_named():
    kinds = {"Int64": pd.array([1, 2] * 30, dtype="Int64"), "bool": FRAME["c"] > 0, "float32": FRAME["c"].astype("f4")}
    for column in kinds.values():
        table = FRAME.assign(c=column)
        expected = Ridge().fit(table, Y).coef_
        np.testing.assert_allclose(Ridge().fit(dd.from_pandas(table, npartitions=3), Y).coef_, expected, rtol=1e-9)
    table = FRAME.assign(c=pd.array([1, None] * 30, dtype="Int64"))
    with pytest.raises(ValueError, match=r"NaN in column 'c', row 1 \(row 1 of chunk 0\)"):
        Ridge().fit(dd.from_pandas(table, npartitions=3), Y)
    for column in (pd.Categorical(["u", "v"] * 30), pd.Timestamp("2020-01-01"), "word"):
        with pytest.raises(TypeError, match=r"X: column 'c' has type .*: numbers are needed"):
            Ridge().fit(dd.from_pandas(FRAME.assign(c=column), npartitions=3), Y)


def test_targets_may_be_cut_elsewhere_or_be_a_frame_of_one_column():
    table, elsewhere = dd.from_pandas(FRAME, npartitions=3), dd.from_pandas(pd.Series(Y), npartitions=2)
    np.testing.assert_allclose(Ridge().fit(table, elsewhere).coef_, HERE.coef_)
    labels = dd.from_pandas(pd.DataFrame({"y": Y > 0.0}), npartitions=3)
    with pytest.warns(UserWarning, match="column-vector y"):
        model = LogisticRegression().fit(table, labels)
    assert model.score(table, labels["y"]) == model.score(FRAME, Y > 0.0)
