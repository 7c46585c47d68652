"""Embedded tables follow the laws they state."""

import numpy as np
import pytest
from scipy import stats
from tests.cases import each

from learnable.datasets import Kind, entry, load, names
from learnable.datasets.embedded import classics
from learnable.datasets.embedded.houses import NOISE, houses
from learnable.datasets.embedded.loans import BAYES_ERROR, applicants, loans


@each("name", names())
def test_every_table_has_its_target(name):
    table = load(name)
    target = table.column(entry(name).target)
    assert target.n_missing == 0
    assert (target.kind is Kind.NUMBER) == (entry(name).task == "regression")
    assert table.source == name
    again = load(name)
    for a, b in zip(table.columns, again.columns):
        np.testing.assert_array_equal(a.values, b.values)


@each("name", ["iris", "wine", "breast_cancer", "digits", "diabetes"])
@pytest.mark.parametrize("shipped", [True, False])
def test_the_classics_are_those_of_scikit_learn(name, shipped, monkeypatch):
    """Read from its files where they are, and else through its package of datasets."""
    from sklearn import datasets

    if not shipped:
        monkeypatch.setattr(
            classics, "_FILES", {key: ("none.csv", names) for key, (_, names) in classics._FILES.items()}
        )
    given = getattr(datasets, f"load_{name}")()
    table = classics.classic(name)
    *features, target = table.columns
    assert [one.name for one in features] == [str(one) for one in given.feature_names]
    np.testing.assert_array_equal(np.column_stack([one.values for one in features]), given.data)
    if name == "diabetes":
        np.testing.assert_array_equal(target.values, given.target)
    else:
        np.testing.assert_array_equal(target.values, np.array(given.target_names, dtype=str)[given.target])


def test_the_files_of_scikit_learn_are_found():
    """Else its package of datasets would be imported without need: iris is what many try first."""
    assert all(classics._from_file(name) is not None for name in classics._FILES)


def test_unknown_name():
    with pytest.raises(ValueError, match="no embedded table 'lones'; did you mean 'loans'"):
        load("lones")


def test_loans_bayes_error():
    """E min(p, 1−p) by fresh draws, and the law error(Bayes rule) = that number, both within five standard errors."""
    rng = np.random.default_rng(5)
    p = applicants(400_000, rng).probability
    smaller = np.minimum(p, 1 - p)
    assert abs(smaller.mean() - BAYES_ERROR) < 5 * smaller.std() / np.sqrt(len(p)) + 5e-5
    wrong = (rng.random(len(p)) < p) != (p > 0.5)
    assert abs(wrong.mean() - BAYES_ERROR) < 5 * np.sqrt(BAYES_ERROR / len(p))


def test_loans_labels_follow_the_stated_probability():
    """Calibration on a large draw: the labels of the table have the logit given in its docstring, region none."""
    table = loans(n_rows=40_000, random_state=3)
    y = (table.column("default").values == "yes").astype(float)
    v = {column.name: column.values for column in table.columns}
    complete = ~(table.column("years_employed").missing | table.column("card_use").missing)
    complete &= ~table.column("education").missing
    education = np.array([table.column("education").levels.index(e) if e is not None else 0 for e in v["education"]])
    rent = v["home"] == "rent"
    logit = (
        -4.4
        + 3.2 * v["amount"] / v["income"]
        + 4.5 * v["card_use"]
        - 0.22 * v["years_employed"]
        - 0.5 * education
        + ((v["age"] - 45) / 11) ** 2
        + 1.1 * rent
        + 1.5 * (v["purpose"] == "business")
        - 1.6 * (v["guarantor"] == "yes")
        + 2.5 * rent * (v["card_use"] - 0.4)
    )[complete].astype(float)
    p, y = 1 / (1 + np.exp(-logit)), y[complete]
    for low in np.arange(0, 1, 0.1):
        within = (p >= low) & (p < low + 0.1)
        z = (y[within] - p[within]).sum() / np.sqrt((p[within] * (1 - p[within])).sum())
        assert abs(z) < 5
    assert 0.03 < table.column("years_employed").n_missing / 40_000 < 0.05


def test_houses_noise():
    """With the true mean as the only regressors, least squares leaves the stated noise."""
    table = houses(n_rows=20_000, random_state=3)
    v = {column.name: column.values for column in table.columns}
    complete = ~(table.column("age").missing | table.column("heating").missing)
    condition = [[c == level for level in table.column("condition").levels] for c in v["condition"]]
    heating = [[c == level for level in table.column("heating").levels[1:]] for c in v["heating"]]
    district = [[c == level for level in table.column("district").levels[1:]] for c in v["district"]]
    design = np.column_stack(
        [v["area"], v["age"], v["age"] ** 2, np.sqrt(v["distance"]), v["garage"] == "yes", condition, heating, district]
    )[complete].astype(float)
    price = v["price"][complete]
    beta, rss, rank, _ = np.linalg.lstsq(design, price, rcond=None)
    low, high = np.sqrt(rss[0] / stats.chi2.ppf([1 - 1e-6, 1e-6], len(price) - rank))
    assert low < NOISE < high
    np.testing.assert_allclose(beta[0], 2.1, atol=0.03)
    # The other columns explain nothing more of the residual.
    residual = price - design @ beta
    for name in ("rooms", "lot_width"):
        assert abs(np.corrcoef(residual, v[name][complete])[0, 1]) < 5 / np.sqrt(len(price))
