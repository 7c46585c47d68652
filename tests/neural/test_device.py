"""The device room: NumPy everywhere, torch where it is installed, a GPU where there is one."""

import sys
from importlib.util import find_spec
from unittest import mock

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.base import clone
from sklearn.datasets import load_digits
from tests.neural.networks import flat, small_network

from learnable import config_context
from learnable.device import DeviceRows, Place, agreement, devices, place_for, products
from learnable.device.agreement import DOUBLE, SINGLE
from learnable.kernels import RBF, SVC, KernelRidge
from learnable.linear import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
)
from learnable.neural import MLPClassifier, MLPRegressor
from learnable.problems.neural.network import evaluate
from learnable.rows import ParquetRows, as_rows
from learnable.rows.arrays import ArrayRows
from learnable.solvers.linear.device_likelihood import DeviceLikelihood
from learnable.solvers.linear.likelihood import CategoricalLikelihood
from learnable.solvers.unsupervised import gaussian_mixture
from learnable.solvers.unsupervised.assignment import cluster_sums, sums_on_device
from learnable.unsupervised import PCA, GaussianMixture, KMeans

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
needs_cuda = pytest.mark.skipif(devices.n_cuda() == 0, reason="torch or a CUDA device is missing")
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
PLACES = [
    "cpu",
    pytest.param("torch", marks=needs_torch),
    pytest.param("cuda:0", marks=needs_cuda),
]


@pytest.mark.parametrize("name", PLACES)
def test_every_product_agrees_with_numpy(name):
    rows = agreement(Place(name), n=900, p=7)
    assert len(rows) == 13
    for row in rows:
        assert row.double <= DOUBLE, row
        assert row.single <= SINGLE, row


@pytest.mark.parametrize("name", PLACES)
def test_products_by_their_definitions(name):
    random = np.random.default_rng(0)
    X, centres = random.standard_normal((200, 4)) + 100.0, random.standard_normal((3, 4)) + 100.0
    for block_rows, resident in ((None, True), (17, False)):
        rows = DeviceRows(X, Place(name), resident=resident, block_rows=block_rows)
        n, mean, scatter = products.moments(rows)
        assert n == 200
        np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-13)
        np.testing.assert_allclose(scatter, 200 * np.cov(X.T, bias=True), rtol=1e-9)
        np.testing.assert_allclose(products.gram(rows), X.T @ X, rtol=1e-12)
        squares = ((X[:, None] - centres) ** 2).sum(axis=2)
        lloyd = products.lloyd_pass(rows, centres)
        np.testing.assert_array_equal(lloyd.labels, squares.argmin(axis=1))
        np.testing.assert_allclose(lloyd.counts, np.bincount(lloyd.labels, minlength=3))
        np.testing.assert_allclose(lloyd.sums[1], X[lloyd.labels == 1].sum(axis=0), rtol=1e-12)
        assert lloyd.inertia == pytest.approx(squares.min(axis=1).sum(), rel=1e-8)
        kernel = np.exp(-0.3 * squares)
        np.testing.assert_allclose(products.kernel_product(rows, centres, 0.3, np.eye(3)), kernel, atol=1e-10)


def in_groups(folder, X, y, weight=None, size=130):
    """The same rows in a file, read `size` at a time."""
    parts = {"y": y} if weight is None else {"y": y, "weight": weight}
    table = pyarrow.table({**{f"x{j}": column for j, column in enumerate(X.T)}, **parts})
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    parquet.write_table(table, path, row_group_size=size)
    return ParquetRows(
        path, target="y", columns=[f"x{j}" for j in range(X.shape[1])], weight=None if weight is None else "weight"
    )


def fitted_attributes(folder):
    """Answers of fits whose sums over rows go through `rows`, and what their certificates say of them."""
    random = np.random.default_rng(3)
    X = random.standard_normal((400, 6)) @ random.standard_normal((6, 6)) + 5.0
    y, classes = X @ np.arange(6.0) + random.standard_normal(400), random.integers(3, size=400)
    w, squares = random.random(400), X[:, 0] ** 2
    file = in_groups(folder, X, classes)
    balanced = {"C": 0.3, "class_weight": "balanced"}
    to_its_end = {"random_state": 0, "tol": 1e-8, "max_iter": 1000}
    fits = {
        "LogisticRegression": (LogisticRegression(C=0.3).fit(X, classes), "coef_"),
        "LogisticRegression, two classes, weights": (LogisticRegression(**balanced).fit(X, classes == 1), "coef_"),
        "LinearRegression": (LinearRegression().fit(X, y), "coef_"),
        "LinearDiscriminantAnalysis": (LinearDiscriminantAnalysis().fit(X, classes), "coef_"),
        "QuadraticDiscriminantAnalysis": (QuadraticDiscriminantAnalysis().fit(X, classes), "means_"),
        "PCA": (PCA(3, svd_solver="covariance_eigh").fit(X), "explained_variance_"),
        **{
            f"GaussianMixture, {kind}": (GaussianMixture(2, covariance_type=kind, **to_its_end).fit(X), "means_")
            for kind in ("full", "tied", "diag", "spherical", "shared_spherical")
        },
        "GaussianMixture, weights": (GaussianMixture(2, **to_its_end).fit(X, sample_weight=w), "means_"),
        "KMeans": (KMeans(4, random_state=0, algorithm="full").fit(X), "cluster_centers_"),
        "KMeans, weights": (KMeans(4, random_state=0).fit(X, sample_weight=w), "cluster_centers_"),
        "KernelRidge": (KernelRidge(kernel="rbf", gamma=0.01).fit(X, squares), "dual_coef_"),
        "SVC": (SVC(gamma=0.01, tol=1e-12).fit(X[:80], classes[:80]), "dual_coef_"),
        "LogisticRegression, file": (LogisticRegression(C=0.3).fit(file), "coef_"),
        "GaussianMixture, file": (GaussianMixture(2, **to_its_end).fit(file), "means_"),
        "KMeans, file": (KMeans(4, random_state=0).fit(file), "cluster_centers_"),
    }
    return {name: (getattr(model, answer), model.certificate_.holds) for name, (model, answer) in fits.items()}


@pytest.mark.parametrize("name", PLACES)
def test_fits_on_a_device_are_those_of_the_cpu_and_certified_there(name, tmp_path):
    expected = fitted_attributes(tmp_path)
    with config_context(device=name):
        found = fitted_attributes(tmp_path)
    for kind, (answer, holds) in expected.items():
        assert holds
        assert found[kind][1], kind
        np.testing.assert_allclose(found[kind][0], answer, rtol=1e-10, atol=1e-10 * np.abs(answer).max(), err_msg=kind)


@pytest.mark.parametrize("name", PLACES)
def test_kernel_predictions_on_a_device_are_those_of_the_cpu(name):
    random = np.random.default_rng(4)
    X, Z = random.standard_normal((60, 3)) + 1e3, random.standard_normal((40, 3)) + 1e3
    model = KernelRidge(kernel="rbf", gamma=0.4).fit(X, X[:, 0] ** 2)
    expected = model.predict(Z)
    with config_context(device=name):
        np.testing.assert_allclose(model.predict(Z), expected, rtol=1e-9)


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_likelihood_on_a_device_is_that_of_the_rows(name, n_classes, tmp_path):
    random = np.random.default_rng(n_classes)
    X, y, w = random.standard_normal((50, 4)), random.integers(n_classes, size=50), random.random(50)
    for intercept in (True, False):
        for weight in (None, w):
            K = 1 if n_classes == 2 else n_classes
            here = CategoricalLikelihood(as_rows(X, y, weight), K, intercept)
            for rows in (as_rows(X, y, weight), in_groups(tmp_path, X, y, weight, 20)):
                there = DeviceLikelihood(rows, K, intercept, None, None, name)
                assert (there.held is None) == (not isinstance(rows, ArrayRows))
                here.alpha = there.alpha = 0.2
                theta, v = random.standard_normal((2, *here.shape))
                for found, wanted in zip(there.value_and_gradient(theta), here.value_and_gradient(theta)):
                    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)
                np.testing.assert_allclose(there.hessian(theta), here.hessian(theta), rtol=1e-10, atol=1e-12)
                product = there.hessian_product(theta)(v)
                np.testing.assert_allclose(product, here.hessian_product(theta)(v), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", PLACES)
def test_sums_of_a_weighted_lloyd_pass_are_those_of_the_rows(name):
    random = np.random.default_rng(2)
    X, w, centres = random.standard_normal((300, 3)), random.random(300), random.standard_normal((4, 3))
    wanted = as_rows(X, None, w).reduce(lambda block: cluster_sums(block, centres, None))
    found = sums_on_device(DeviceRows(X, Place(name), block_rows=110, weight=w), centres)
    for part, here in zip(found, wanted):
        np.testing.assert_allclose(part, here, rtol=1e-11)


@pytest.mark.parametrize("name", PLACES)
def test_a_table_of_kernel_values_from_a_device_is_that_of_the_formula(name):
    X = np.random.default_rng(7).standard_normal((90, 3))
    for resident in (True, False):
        K = products.rbf_table(DeviceRows(X, Place(name), resident=resident, block_rows=40), 0.4)
        np.testing.assert_allclose(K, RBF(0.4)(X), atol=1e-14)
        assert np.all(np.diag(K) == 1.0)


@pytest.mark.parametrize("name", PLACES)
def test_expected_sums_of_a_mixture_on_a_device_are_those_of_the_rows(name):
    random = np.random.default_rng(8)
    X, origin = random.standard_normal((300, 3)) * [1.0, 2.0, 0.5], np.array([0.3, -0.2, 0.1])
    w = random.random(300)
    r = random.dirichlet(np.ones(4), size=300)
    for kind in ("full", "tied", "diag", "spherical", "shared_spherical"):
        mixture = gaussian_mixture.from_memberships(as_rows(X), r, kind, origin, 1e-6)
        mixture = mixture._replace(means=mixture.means + random.standard_normal(mixture.means.shape))
        white = gaussian_mixture.whitening(mixture)
        for weight in (None, w):
            rows = as_rows(X, None, weight)
            wanted = rows.reduce(lambda block: gaussian_mixture.expected(block, mixture, white, origin))  # noqa: B023
            on_device = DeviceRows(X - origin, Place(name), block_rows=110, weight=weight)
            found = gaussian_mixture.expected_on_device(on_device, mixture, white)
            for part, here in zip(found, wanted):
                np.testing.assert_allclose(part, here, rtol=1e-10, atol=1e-10, err_msg=kind)


@needs_torch
def test_workers_of_a_cluster_sum_on_the_device_that_the_name_means_there():
    """Where every worker has a GPU of its own, each takes its blocks there; here their devices are CPUs."""
    pytest.importorskip("distributed", reason="a cluster needs distributed")
    from dask import array
    from distributed import Client, LocalCluster

    random = np.random.default_rng(6)
    X = random.standard_normal((600, 5)) + 2.0
    y, classes = X @ np.arange(5.0) + random.standard_normal(600), random.integers(3, size=600)
    models = (LinearDiscriminantAnalysis(), LogisticRegression(C=0.3), GaussianMixture(2, random_state=0))
    answers = ("coef_", "coef_", "means_")
    expected = [clone(model).fit(X, classes) for model in models]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster),
        config_context(device="torch"),
    ):
        table, target, labels = (array.from_array(part, chunks=150) for part in (X, y, classes))
        found = [clone(model).fit(table, labels) for model in models]
        with config_context(device="cuda:99"), pytest.raises(RuntimeError, match="cuda:99"):
            LinearRegression().fit(table, target)
    for ours, theirs, answer in zip(expected, found, answers, strict=True):
        assert theirs.certificate_.holds
        np.testing.assert_allclose(getattr(theirs, answer), getattr(ours, answer), rtol=1e-9, atol=1e-9)


def test_newton_parts_are_derivatives_of_the_loss():
    random = np.random.default_rng(1)
    X, classes = random.standard_normal((30, 2)), random.integers(3, size=30)
    rows = DeviceRows(X, Place("cpu"), block_rows=11)
    theta = random.standard_normal((3, 3))
    h = 1e-5

    def at(theta, **more):
        return products.multinomial_newton(rows, classes, theta[:, :2], theta[:, 2], **more)

    found = at(theta, hessian=True)
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = h
        assert (at(theta + step).loss - at(theta - step).loss) / (2 * h) == pytest.approx(
            found.gradient[place], abs=1e-8
        )
        column = (at(theta + step).gradient - at(theta - step).gradient) / (2 * h)
        np.testing.assert_allclose(found.hessian[:, 3 * place[0] + place[1]], column.ravel(), atol=1e-8)
        product = products.multinomial_hessian_product(rows, theta[:, :2], theta[:, 2], step / h)
        np.testing.assert_allclose(product, column, atol=1e-8)


@needs_torch
def test_the_core_is_the_same_on_tensors():
    place = Place("torch")
    for seed, options in enumerate(
        (
            {"activation": "relu", "output": "softmax"},
            {"activation": "tanh", "output": "logistic", "batch_norm": True},
            {"activation": "logistic", "output": "exp", "batch_norm": True, "running": True, "weighted": True},
            {"activation": "identity", "output": "sigmoid_squared", "dropout": 0.5},
        )
    ):
        net = small_network(seed, **options)

        def there(part):
            return None if part is None else tuple(map(there, part)) if isinstance(part, tuple) else place.put(part)

        theta = type(net.theta)(*map(there, net.theta))
        moments = net.moments and tuple(type(pair)(*there(tuple(pair))) for pair in net.moments)
        ours = evaluate(net.architecture, net.theta, *net[2:])
        theirs = evaluate(
            net.architecture, theta, there(net.X), there(net.y), there(net.weight), moments, there(net.masks)
        )
        assert float(theirs.objective) == pytest.approx(float(ours.objective), rel=1e-10)
        for part, other in zip(ours.gradient, theirs.gradient):
            for one, two in zip(part, other):
                np.testing.assert_allclose(place.get(two), one, atol=1e-10)
        assert flat(ours.gradient).size


@quiet
@needs_torch
def test_networks_trained_on_tensors_are_those_of_numpy_and_certified():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16.0, y[:300]
    for kind, target, options in (
        (MLPClassifier, y, {}),
        (MLPClassifier, y > 4, {"solver": "sgd", "clip_norm": 0.5, "l1": 0.01}),
        (MLPRegressor, y / 9.0, {"batch_norm": True}),
    ):
        model = kind(hidden_layer_sizes=(8,), max_iter=5, random_state=0, batch_size=64, **options)
        here = model.set_params(device="cpu").fit(X, target).coefs_
        there = model.set_params(device="torch").fit(X, target)
        for one, two in zip(here, there.coefs_):
            np.testing.assert_allclose(two, one, rtol=1e-10, atol=1e-12)
        assert there.certificate_.holds
    dropped = MLPClassifier((8,), dropout=0.5, max_iter=5, random_state=0, device="torch", dtype="float32").fit(X, y)
    assert dropped.certificate_.holds


@quiet
@needs_cuda
def test_a_gpu_trains_the_same_network():
    X, y = load_digits(return_X_y=True)
    here = MLPClassifier((8,), max_iter=3, random_state=0).fit(X, y)
    there = MLPClassifier((8,), max_iter=3, random_state=0, device="cuda").fit(X, y)
    np.testing.assert_allclose(there.coefs_[0], here.coefs_[0], rtol=1e-8, atol=1e-10)
    with pytest.raises(MemoryError, match="bytes are needed"):
        place_for("cuda", n_bytes=10**15)
    assert not place_for("cuda", n_bytes=10**15, fallback=True).is_device


def test_choosing_a_device_says_what_is_missing():
    assert not place_for("cpu").is_device
    with config_context(device="tpu"), pytest.raises(ValueError, match="'tpu' is not known"):
        MLPClassifier((3,)).fit(np.eye(8), np.arange(8) % 2)
    with pytest.raises(TypeError, match="give a name"), config_context(device=3):
        pass
    assert not place_for("auto", operations=1e3).is_device
    for name in ("gpu", "cuda:x", "cpu:1", ""):
        with pytest.raises(ValueError, match="is not known"):
            place_for(name)
    with mock.patch.object(devices, "find_spec", return_value=None):
        assert devices.n_cuda() == 0
        assert not place_for("auto", operations=1e15).is_device
        for name in ("cuda", "torch"):
            with pytest.raises(ImportError, match="needs torch, which is not installed"):
                place_for(name)
    with (
        mock.patch.object(devices, "find_spec", return_value=True),
        mock.patch.object(devices, "n_cuda", return_value=1),
        mock.patch.object(Place, "free_bytes", return_value=1000),
    ):
        with pytest.raises(RuntimeError, match="sees 1 CUDA devices"):
            place_for("cuda:3")
        with pytest.raises(MemoryError, match=r"5,000 bytes are needed and 900 are free"):
            place_for("cuda", n_bytes=5000)
        assert place_for("cuda", n_bytes=5000, fallback=True).name == "cpu"
        assert place_for("auto", n_bytes=5000).name == "cpu"
        assert place_for("auto", n_bytes=500).name == "cuda:0"


def test_numpy_alone_never_imports_torch():
    if "torch" in sys.modules:
        pytest.skip("torch was imported by another test of this process")
    MLPClassifier((3,), max_iter=500, tol=0.1, device="auto").fit(np.eye(8), np.arange(8) % 2)
    assert "torch" not in sys.modules
