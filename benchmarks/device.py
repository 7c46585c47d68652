"""`python -m benchmarks device`: what a GPU gives, beside its own ceilings, plain PyTorch, CuPy and our CPU.

Times are medians of device-timed repeats after a warm-up. The two ceilings, a large copy and a large product of single
precision, are measured in the same run. Needs torch and a CUDA device; nothing else of the benchmarks is imported, so
that `python benchmarks/device.py` runs where only NumPy and torch are.
"""

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from learnable.device import DeviceRows, Place, agreement, products
from learnable.problems.neural.network import Architecture
from learnable.solvers.neural.epochs import Patience, Schedule, iterates
from learnable.solvers.neural.packed import Layout, initial
from learnable.solvers.neural.plain import PlainNetwork
from learnable.solvers.neural.rules import Adam, Penalties


class Figure(NamedTuple):
    """One line of the table: seconds on the device, share of the ceiling that binds it, ratios to others."""

    what: str
    seconds: float
    ceiling_share: float | None
    beside: str

    def __str__(self) -> str:
        share = "" if self.ceiling_share is None else f"{100 * self.ceiling_share:5.0f} % of the ceiling"
        return f"{self.what:52s} {1e3 * self.seconds:10.3f} ms  {share:24s} {self.beside}"


def median_time(function: Callable[[], Any], repeats: int = 7, warm: int = 2) -> float:
    """Median seconds on the device, by its own events."""
    import torch

    for _ in range(warm):
        function()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return float(np.median(times))


def host_time(function: Callable[[], Any]) -> float:
    function()
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def ceilings() -> tuple[float, float]:
    """(bytes a second of a large copy, read and written; operations a second of a large single-precision product)."""
    import torch

    source = torch.randn(2**29, device="cuda")
    target = torch.empty_like(source)
    copy = median_time(lambda: target.copy_(source))
    A = torch.randn(8192, 8192, device="cuda")
    product = median_time(lambda: A @ A)
    return 2 * 4 * 2**29 / copy, 2 * 8192**3 / product


class Card(NamedTuple):
    """The card's ceilings: bytes and operations a second."""

    bytes_a_second: float
    operations_a_second: float

    def share(self, seconds: float, operations: float, n_bytes: float) -> float:
        """The least time these ceilings allow, over the time taken."""
        return max(operations / self.operations_a_second, n_bytes / self.bytes_a_second) / seconds


def figures(scale: float = 1.0) -> Iterator[Figure]:
    """Every figure; `scale` shrinks the tables."""
    card = Card(*ceilings())
    copy, product = card.bytes_a_second / 1e12, card.operations_a_second / 1e12
    yield Figure(f"copy: {copy:.2f} TB/s, product: {product:.1f} TFLOP/s", 0.0, None, "")
    yield _gram(card, int(10_000_000 * scale))
    yield _k_means(card, int(10_000_000 * scale))
    yield from _multinomial(card, int(5_000_000 * scale))
    yield _kernel(card, int(32_768 * scale**0.5))
    yield from networks(scale)


def _table(n: int, p: int) -> Any:
    import torch

    return torch.randn(n, p, device="cuda")


def _beside_cpu(function: Callable[[DeviceRows], Any], n: int, p: int, seconds: float, few: int = 100_000) -> str:
    """How many times as long our CPU takes, from some of the rows."""
    given = np.random.default_rng(0).standard_normal((few, p), dtype=np.float32)
    rows = DeviceRows(given, Place("cpu"))
    return f"{host_time(lambda: function(rows)) * n / few / seconds:8.1f} x our CPU"


def _beside_cupy(seconds: float, function: Callable[[Any], Any]) -> str:
    """How many times as long the same takes by hand in CuPy; empty where there is none."""
    if find_spec("cupy") is None:
        return ""
    from benchmarks import rival_cupy

    return f" {median_time(lambda: function(rival_cupy)) / seconds:8.2f} x CuPy"


def _gram(card: Card, n: int, p: int = 256) -> Figure:
    X = _table(n, p)
    rows = DeviceRows(X, Place("cuda:0"), np.float32)
    seconds = median_time(lambda: products.gram(rows))
    share = card.share(seconds, 2.0 * n * p * p, 4.0 * n * p)
    beside = _beside_cpu(products.gram, n, p, seconds) + _beside_cupy(seconds, lambda by: by.gram(by.here(X)))
    return Figure(f"Gram matrix (PCA), {n} x {p}", seconds, share, beside)


def _k_means(card: Card, n: int, p: int = 64, k: int = 256) -> Figure:
    X = _table(n, p)
    rows = DeviceRows(X, Place("cuda:0"), np.float32)
    centres = np.random.default_rng(1).standard_normal((k, p))
    seconds = median_time(lambda: products.lloyd_pass(rows, centres, labels=False))
    plain = median_time(lambda: _lloyd_by_hand(X, centres))
    beside = _beside_cpu(lambda r: products.lloyd_pass(r, centres, labels=False), n, p, seconds)
    share = card.share(seconds, 2.0 * n * p * k, 4.0 * n * p)
    beside += f" {plain / seconds:8.2f} x plain torch"
    beside += _beside_cupy(seconds, lambda by: by.lloyd_pass(by.here(X), centres))
    return Figure(f"k-means pass, {n} x {p}, k = {k}", seconds, share, beside)


def _multinomial(card: Card, n: int, p: int = 200, K: int = 10) -> Iterator[Figure]:
    X = _table(n, p)
    rows = DeviceRows(X, Place("cuda:0"), np.float32)
    random = np.random.default_rng(2)
    coef, intercept, direction = (random.standard_normal(shape) for shape in ((K, p), K, (K, p + 1)))
    classes = random.integers(K, size=n)
    there = rows.place.put_index(classes)

    def gradient(r):
        return products.multinomial_newton(r, there if r is rows else classes[: r.shape[0]], coef, intercept)

    def product(r):
        return products.multinomial_hessian_product(r, coef, intercept, direction)

    def gradient_by(by):
        return by.multinomial_gradient(by.here(X), by.here(there), coef, intercept)

    def product_by(by):
        return by.multinomial_hessian_product(by.here(X), coef, intercept, direction)

    # What is moved: the rows twice, for the scores and for the sum, and the slopes of 16 classes, written and read.
    moved = 2 * 4.0 * n * (p + 16)
    for what, function, by_hand in (("gradient", gradient, gradient_by), ("Hessian product", product, product_by)):
        seconds = median_time(lambda function=function: function(rows))
        share = card.share(seconds, 0.0, moved)
        beside = _beside_cpu(function, n, p, seconds) + _beside_cupy(seconds, by_hand)
        yield Figure(f"multinomial {what}, {n} x {p}, {K} classes", seconds, share, beside)


def _kernel(card: Card, n: int, p: int = 64) -> Figure:
    A, B = _table(n, p), _table(n, p)
    seconds = median_time(lambda: products.rbf_block(A, B, 0.1))
    small = np.random.default_rng(3).standard_normal((4096, p), dtype=np.float32)
    cpu = host_time(lambda: products.rbf_block(small, small, 0.1)) * n**2 / 4096**2
    share = card.share(seconds, 2.0 * n * n * p, 4.0 * n * n)
    beside = f"{cpu / seconds:8.1f} x our CPU" + _beside_cupy(
        seconds, lambda by: by.rbf_block(by.here(A), by.here(B), 0.1)
    )
    return Figure(f"RBF kernel block, {n} x {n}, {p} columns", seconds, share, beside)


def networks(scale: float) -> Iterator[Figure]:
    """An epoch of a network: ours on the device, the same network in plain PyTorch, ours on the CPU."""
    for n, sizes, batch in (
        (int(200_000 * scale), (100, 100, 10), 200),
        (int(200_000 * scale), (100, 256, 256, 10), 2000),
        (int(1_000_000 * scale), (256, 1024, 1024, 10), 10_000),
    ):
        random = np.random.default_rng(0)
        X = random.standard_normal((n, sizes[0]), dtype=np.float32)
        classes = random.integers(sizes[-1], size=n)
        epoch = _ours(Place("cuda:0"), X, classes, sizes, batch)
        seconds = median_time(epoch, repeats=3, warm=1)
        plain = median_time(_plain_torch(X, classes, sizes, batch), repeats=3, warm=1)
        few = min(n, 20 * batch)
        cpu = host_time(_ours(Place("cpu"), X[:few], classes[:few], sizes, batch)) * n / few
        name = "-".join(map(str, sizes))
        beside = f"{plain / seconds:8.2f} x plain torch {cpu / seconds:8.1f} x our CPU"
        yield Figure(f"network {name}, {n} rows, batches of {batch}", seconds, None, beside)


def _ours(place: Place, X, classes, sizes, batch) -> Callable[[], Any]:
    layout = Layout(sizes)
    architecture = Architecture("relu", "softmax", 1e-6)
    vector = place.put(initial(layout, "relu", np.random.default_rng(1), np.float32))
    y = np.eye(sizes[-1], dtype=np.float32)[classes]
    network = PlainNetwork(
        architecture, layout, vector, place.put(np.empty(0, np.float32)), place.put(X), place.put(y), None, 0.0, None,
        place.put_index,
    )  # fmt: skip
    rule = Adam(vector, Penalties(layout.n_weights, 1e-6, 0.0), 0.9, 0.999, 1e-8, None)
    states = iterates(
        network, rule, architecture, layout, len(X), batch, Schedule(1e-3), Patience(0.0, np.inf),
        np.random.default_rng(2), None, host=place.get,
    )  # fmt: skip
    return lambda: next(states)


def _plain_torch(X, classes, sizes, batch) -> Callable[[], Any]:
    """The same network, loss, penalty, rule and orders as one writes them in PyTorch."""
    import torch

    layers: list[Any] = []
    for k, (a, b) in enumerate(pairwise(sizes)):
        layers += [torch.nn.Linear(a, b)] + ([torch.nn.ReLU()] if k < len(sizes) - 2 else [])
    model = torch.nn.Sequential(*layers).cuda()
    weights = [p for p in model.parameters() if p.ndim == 2]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    rows, y = torch.from_numpy(X).cuda(), torch.from_numpy(classes).cuda()
    loss_of = torch.nn.CrossEntropyLoss()

    def epoch() -> float:
        order = torch.from_numpy(np.random.default_rng(2).permutation(len(X))).cuda()
        total = torch.zeros((), device="cuda")
        for start in range(0, len(X), batch):
            chosen = order[start : start + batch]
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(model(rows[chosen]), y[chosen]) + 0.5e-6 * sum((w * w).sum() for w in weights)
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(chosen)
        return float(total)

    return epoch


def _lloyd_by_hand(X, centres):
    """A Lloyd pass as one writes it in PyTorch, with blocks that fit."""
    import torch

    C = torch.from_numpy(centres).float().cuda()
    sums, counts = torch.zeros_like(C), torch.zeros(len(C), device="cuda")
    for part in X.split(2**20):
        nearest = torch.cdist(part, C).argmin(dim=1)
        sums.index_add_(0, nearest, part)
        counts += torch.bincount(nearest, minlength=len(C))
    return sums.cpu(), counts.cpu()


def main(scale: float = 1.0) -> int:
    """Print agreement and figures, or what is missing."""
    try:
        import torch
    except ImportError:
        print("benchmarks device: torch is not installed here")
        return 0
    if not torch.cuda.is_available():
        print("benchmarks device: torch sees no CUDA device here; agreement of torch on the CPU with NumPy:")
        for row in agreement(Place("torch")):
            print(f"  {row.what:45s} double {row.double:.1e}  single {row.single:.1e}")
        return 0
    print(torch.cuda.get_device_name(0), torch.__version__, flush=True)
    for row in agreement(Place("cuda:0")):
        print(f"  {row.what:45s} double {row.double:.1e}  single {row.single:.1e}")
    for figure in figures(scale):
        print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
