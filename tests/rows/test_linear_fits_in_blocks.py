"""Every linear fit that takes rows in blocks, clusters, mixtures and axes: an array, a dask array on two processes and
a file larger than memory give the same answer."""

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.base import clone, is_classifier
from tests.cases import each

from learnable import config_context
from learnable.checks import all_estimators
from learnable.linear import GeneralizedLinearRegressor, LogisticRegression
from learnable.linear import __name__ as LINEAR
from learnable.rows import ParquetRows
from learnable.unsupervised import PCA, GaussianMixture, KMeans

N, P = 80_000, 16
SPREAD = 2_000  # rows of the dask array
TABLE = N * P * 8  # bytes of the columns in memory
NAMES = [f"x{j}" for j in range(P)]
NEEDS_ALL_ROWS = {
    "AveragedPerceptron": "visits the rows in a shuffled order",
    "Perceptron": "visits the rows one by one, in an order of its own",
    "RandomLinearClassifier": "the errors of a draw are counted over all rows at once",
    "RandomMisclassifiedPerceptron": "draws one of the misclassified rows at each step",
}
BY_EPOCHS = {"SGDClassifier", "SGDRegressor"}  # their answer is no minimum: `test_epochs_in_blocks`
LINEAR_ESTIMATORS = {name: kind for name, kind in all_estimators() if kind.__module__.startswith(LINEAR)}


def exact(model):
    """To the last digits, so that two roads to the minimum end at the same point."""
    return model.set_params(tol=1e-12) if "tol" in model.get_params() else model


FITS = {
    name: exact(kind()) for name, kind in LINEAR_ESTIMATORS.items() if name not in {*NEEDS_ALL_ROWS, *BY_EPOCHS}
} | {
    "LogisticRegression, no penalty": exact(LogisticRegression(C=np.inf)),
    "GeneralizedLinearRegressor, binomial": exact(GeneralizedLinearRegressor("binomial")),
}
ANSWERS = ("coef_", "intercept_", "means_", "priors_", "alpha_", "grid_df_", "scalings_", "rotations_", "covariance_")


def target_of(name: str) -> str:
    if is_classifier(FITS[name]):
        return "kind"
    if "binomial" in name:
        return "chance"
    return "count" if "Poisson" in name else "positive"


def answers(model) -> dict[str, np.ndarray]:
    return {answer: np.asarray(getattr(model, answer), dtype=float) for answer in ANSWERS if hasattr(model, answer)}


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(20250301)
    X = random.normal(size=(N, P)) + 0.5 * random.normal(size=(N, 1)) + 0.5
    score = X[:, :4] @ [0.4, -0.3, 0.2, 0.1] + 0.3 * random.normal(size=N)
    return X, {
        "kind": np.digitize(score + random.logistic(size=N), [-0.5, 0.7]),
        "count": random.poisson(np.exp(0.4 * score)),
        "positive": np.exp(0.4 * score) * random.gamma(2.0, size=N),
        "chance": (score + random.logistic(size=N) > 0).astype(float),
        "weight": random.uniform(0.5, 2.0, size=N),
    }


def fitted(name, X, columns) -> dict[str, np.ndarray]:
    return answers(clone(FITS[name]).fit(X, columns[target_of(name)], sample_weight=columns["weight"]))


def assert_agree(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    assert "coef_" in expected or "means_" in expected
    for answer, right in expected.items():
        left = found[answer]
        if answer == "rotations_":  # the sign of an axis is free
            left, right = left[..., None, :] * left[..., :, None, :], right[..., None, :] * right[..., :, None, :]
        np.testing.assert_allclose(
            left, right, rtol=0.0, atol=1e-10 * np.max(np.abs(right), initial=1e-300), err_msg=answer
        )


@pytest.fixture(scope="module")
def on_two_processes(table, a_cluster):
    import os

    import dask.array as da

    with a_cluster(2) as client:
        workers = set(client.run(os.getpid).values())
        assert len(workers - {os.getpid()}) == 2
        X, columns = table
        chunks = SPREAD // 4 + 1
        yield (
            da.from_array(X[:SPREAD], chunks=(chunks, P)).persist(),
            {key: da.from_array(values[:SPREAD], chunks=chunks).persist() for key, values in columns.items()},
        )


@pytest.mark.filterwarnings("default")
@each("name", FITS)
def test_a_dask_array_on_two_processes(name, table, on_two_processes):
    X, columns = table
    expected = fitted(name, X[:SPREAD], {key: values[:SPREAD] for key, values in columns.items()})
    assert_agree(fitted(name, *on_two_processes), expected)


@pytest.mark.filterwarnings("default")
def test_clusters_mixtures_and_axes_on_two_processes(table, on_two_processes):
    far, X = on_two_processes[0], table[0][:SPREAD]
    learners = (
        (KMeans(3, init=X[:3], max_iter=3), ("cluster_centers_", "inertia_")),
        (
            GaussianMixture(2, init_params="random_from_data", max_iter=2, random_state=0),
            ("weights_", "means_", "covariances_", "lower_bound_"),
        ),
        (PCA(3), ("components_", "explained_variance_", "mean_")),
    )
    for learner, names in learners:
        with config_context(certificates=False):
            here, there = clone(learner).fit(X), clone(learner).fit(far)
        for name in names:
            np.testing.assert_allclose(getattr(there, name), getattr(here, name), rtol=1e-10, atol=1e-10)


IN_LITTLE_MEMORY = """
import sys, tracemalloc, warnings
import numpy as np, pyarrow
warnings.simplefilter("ignore")
sys.path.insert(0, {folder!r})
import test_linear_fits_in_blocks as here

def fit(path, name):
    return here.FITS[name].fit(here.ParquetRows(path, here.target_of(name), here.NAMES, "weight"))

small, large, out = {files!r}
found = {{}}
for name in here.FITS:
    fit(small, name)  # whatever has to be imported or compiled is
    tracemalloc.start()
    found |= {{f"{{name}}|{{answer}}": value for answer, value in here.answers(fit(large, name)).items()}}
    arrow = pyarrow.default_memory_pool().max_memory()
    found[f"{{name}}|memory"] = np.array(tracemalloc.get_traced_memory()[1] + arrow)
    tracemalloc.stop()
np.savez(out, **found)
"""


@pytest.fixture(scope="module")
def from_file(table, tmp_path_factory, said):
    """The answers of fits that read a file, and the most memory that Python, NumPy and Arrow held for them."""
    X, columns = table
    folder = tmp_path_factory.mktemp("table")
    whole = pyarrow.table({**{name: X[:, j] for j, name in enumerate(NAMES)}, **columns})
    small, large, out = folder / "small.parquet", folder / "large.parquet", folder / "found.npz"
    parquet.write_table(whole.slice(0, 3000), small)
    parquet.write_table(whole, large, row_group_size=4_000, compression="none", use_dictionary=False)
    assert large.stat().st_size > TABLE
    said(IN_LITTLE_MEMORY.format(folder=__file__.rpartition("/")[0], files=[str(small), str(large), str(out)]), ["."])
    with np.load(out) as found:
        return dict(found)


@each("name", FITS)
def test_a_file_larger_than_the_memory_it_takes(name, from_file, table):
    found = {key.partition("|")[2]: value for key, value in from_file.items() if key.partition("|")[0] == name}
    assert found.pop("memory") < TABLE
    assert_agree(found, fitted(name, *table))


@pytest.mark.parametrize("name", NEEDS_ALL_ROWS)
def test_fits_that_need_all_rows_say_so(name, tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_table(pyarrow.table({"x": [0.0, 1.0, 2.0], "y": [0, 1, 1]}), path)
    with pytest.raises(TypeError, match=name):
        LINEAR_ESTIMATORS[name]().fit(ParquetRows(path, target="y"), None)
