"""Values of a kernel between training rows, computed by blocks when they are asked for and kept up to a ceiling."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from learnable._jit.kernels.radial import radial
from learnable._jit.kernels.smo import add_kept, put_block, take_block
from learnable.config import get_config
from learnable.device import DeviceRows, place_for, rbf_table
from learnable.problems.kernels.basic import RBF, Precomputed
from learnable.problems.kernels.kernel import Kernel, products, squares
from learnable.rows.threads import in_order, one_blas_thread_meanwhile, worker_count

# Kernel values computed by one thread at a time: half of a second-level cache.
BLOCK = 2**16
# Side of a square of values.
TILE = 256
MEGABYTE = 2**20
# Kernel values that a device holds at a time.
DEVICE_BLOCK = 2**28
# Up to this many rows of a table are not taken out of it before they are met.
SMALL = 1000
ALL = np.zeros(0, dtype=np.intp)


class KernelRows:
    """k(xᵢ, xⱼ) over the rows of X.

    Threads go over blocks of columns, each of which is computed and added up by one thread: the bits of every result
    are those of one thread.

    Parameters
    ----------
    kernel : a `Kernel`.
    X : (n, p) array or sparse matrix; the table of values itself for `Precomputed`.
    megabytes : ceiling of what is kept of the values.
    """

    def __init__(self, kernel: Kernel, X: Any, megabytes: float = 200.0):
        self.kernel, self.n, self.megabytes = kernel, X.shape[0], megabytes
        given = isinstance(kernel, Precomputed)
        # All values, where they may be kept: those of the rows that are ready.
        self.table = np.require(kernel(X), float, ["C", "W"]) if given else np.empty((0, 0))
        self.ready = np.full(self.n, given)
        # Which rows and columns of the table are meant, where not all of them.
        self.members = ALL
        self.radial = isinstance(kernel, RBF)
        self.gamma = kernel.gamma if isinstance(kernel, RBF) else 0.0
        self.X = centred(X) if self.radial else X
        self.squares = squares(self.X) if self.radial else np.zeros(0)
        most = max(int(min(megabytes * MEGABYTE / (8.0 * max(self.n, 1)), self.n)), 0)
        # Whether all values may be kept; else how many rows.
        self.fits = given or most == self.n
        self.capacity = 0 if self.fits else most
        # Whether a row had to be dropped, and may be computed once more.
        self.dropping = False
        self.forget()

    @classmethod
    def of_values(cls, K: np.ndarray) -> "KernelRows":
        """Rows whose values are all known."""
        return cls(Precomputed(), K)

    def among(self, chosen: np.ndarray) -> "KernelRows":
        """The same kernel between some of the rows, under the same ceiling; a row may be there twice."""
        if self.fits and self.n < len(chosen) <= SMALL:
            self.whole()
        if not self.ready.all():
            return KernelRows(self.kernel, self.X[chosen], self.megabytes)
        if len(chosen) > SMALL:
            return KernelRows.of_values(take_block(self.table, chosen, chosen))
        some = KernelRows.__new__(KernelRows)  # `copy` takes as long as the solution of a small machine
        vars(some).update(vars(self))
        some.n, some.members = len(chosen), chosen
        return some

    def ordered(self, order: np.ndarray) -> "KernelRows":
        """All rows in another order, with all values known."""
        if self.ready.all():
            return KernelRows.of_values(take_block(self.table, order, order))
        ordered = KernelRows(self.kernel, self.X[order], self.megabytes)
        ordered.whole()
        return ordered

    def forget(self) -> None:
        """Keep no row."""
        self.kept: np.ndarray | None = None
        self.slot = np.full(self.n, -1, dtype=np.intp)
        self.owner = np.full(self.capacity, -1, dtype=np.intp)
        self.used = np.zeros(self.capacity, dtype=np.int64)
        self.clock = 0

    def worth_a_table(self, size: int) -> bool:
        """Whether so many rows should get a table of their own: here rows are dropped, and there none would be."""
        return self.dropping and size <= min(self.n // 2, np.sqrt(self.megabytes * MEGABYTE / 8.0))

    def whole(self) -> np.ndarray:
        """The matrix of all values, one half computed and mirrored; for n rows that fit under the ceiling.

        Where only some `members` of it are meant, the caller takes them.
        """
        if self.ready.all():
            return self.table
        if self._on_device():
            return self.table
        if self.n <= TILE:
            with one_blas_thread_meanwhile():
                self.table = np.require(self._block(slice(None), slice(None)), float, ["C", "W"])
            self.ready[:] = True
            return self.table
        table = self.table = np.empty((self.n, self.n))
        starts = range(0, self.n, TILE)

        def fill(tile: tuple[int, int]) -> None:
            rows, columns = (slice(start, min(start + TILE, self.n)) for start in tile)
            block = self._block(rows, columns)
            table[rows, columns] = block
            if tile[0] != tile[1]:
                table[columns, rows] = block.T

        in_threads(fill, [(i, j) for i in starts for j in starts if i <= j])
        self.ready[:] = True
        return table

    def _make_ready(self, chosen: np.ndarray) -> None:
        """Fill rows of the table: what other rows know of them is taken from there."""
        missing = chosen[~self.ready[chosen]]
        if not len(missing) or self._on_device():
            return
        if not len(self.table):
            self.table = np.empty((self.n, self.n))
        table, fresh, known = self.table, np.flatnonzero(~self.ready), np.flatnonzero(self.ready)

        def compute(part: slice) -> None:
            put_block(table, missing, fresh[part], self._block(missing, fresh[part]))

        def mirror(part: slice) -> None:
            put_block(table, missing, known[part], take_block(table, known[part], missing).T)

        in_threads(compute, blocks(len(fresh), len(missing)))
        in_threads(mirror, blocks(len(known), len(missing)))
        self.ready[missing] = True

    def _on_device(self) -> bool:
        """All values at once where the setting `device` says, if that is not here; whether it was done."""
        if not self.radial or not isinstance(self.X, np.ndarray):
            return False
        place = place_for(get_config()["device"], 2.0 * self.n * self.X.size, self.X.nbytes)
        if place.is_device:
            block_rows = max(1, DEVICE_BLOCK // max(self.n, 1))
            self.table = rbf_table(DeviceRows(self.X, place, block_rows=block_rows), self.gamma)
            self.ready[:] = True
        return place.is_device

    def between(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(values, which of their rows and columns are the chosen ones: all where none are named)."""
        if len(self.members):
            return self.table, self.members[chosen]
        if self.fits:
            self._make_ready(chosen)
            return self.table, chosen
        out = np.empty((len(chosen), len(chosen)))
        known = self.slot[chosen] >= 0
        if self.kept is not None and known.any():
            out[known] = take_block(self.kept, self.slot[chosen[known]], chosen)
        if not known.all():
            with one_blas_thread_meanwhile():
                out[~known] = self._block(chosen[~known], chosen)
        return out, ALL

    def add_to(self, total: np.ndarray, chosen: np.ndarray, change: np.ndarray) -> None:
        """total ← total + Σ changeᵢ k(xᵢ, ·) over the chosen rows, which are kept as far as the ceiling allows."""
        if len(self.members):
            total += change @ take_block(self.table, self.members[chosen], self.members)
            return
        if self.fits:
            self._make_ready(chosen)
            in_threads(
                lambda columns: add_kept(self.table, chosen, change, columns.start, total[columns]),
                blocks(self.n, len(chosen)),
            )
            return
        known = self.slot[chosen] >= 0
        missing, places = chosen[~known], np.zeros(0, dtype=np.intp)
        if len(chosen) <= self.capacity:
            places = self._places(chosen[known], missing)
        else:
            self.dropping = True
        slots, before, after = self.slot[chosen[known]], change[known], change[~known]

        def fill(columns: slice) -> None:
            part = total[columns]
            if len(slots):
                add_kept(self.kept, slots, before, columns.start, part)
            if len(missing):
                block = self._block(missing, columns)
                part += after @ block
                if len(places) and self.kept is not None:
                    self.kept[places, columns] = block

        in_threads(fill, blocks(self.n, len(missing)))

    def add_elsewhere(self, total: np.ndarray, chosen: np.ndarray, change: np.ndarray, where: np.ndarray) -> None:
        """As `add_to`, but only at the rows `where`, and nothing is kept."""
        if self.fits:
            self.add_to(rest := np.zeros(self.n), chosen, change)
            total[where] += rest[where]
            return

        def fill(columns: slice) -> None:
            for start in range(0, len(chosen), BLOCK // TILE):
                part = slice(start, start + BLOCK // TILE)
                total[where[columns]] += change[part] @ self._block(chosen[part], where[columns])

        in_threads(fill, blocks(len(where), BLOCK // TILE))

    def _places(self, known: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Where the missing rows will be kept: the slots unused for longest."""
        if self.kept is None:
            self.kept = np.empty((self.capacity, self.n))
        self.clock += 1
        self.used[self.slot[known]] = self.clock
        if not len(missing):
            return np.zeros(0, dtype=np.intp)
        # Those of this call carry the present time and are never among them.
        places = np.argpartition(self.used, len(missing) - 1)[: len(missing)]
        dropped = self.owner[places][self.owner[places] >= 0]
        self.dropping |= len(dropped) > 0
        self.slot[dropped] = -1
        self.slot[missing], self.owner[places], self.used[places] = places, missing, self.clock
        return places

    def _block(self, one: Any, two: Any) -> np.ndarray:
        if not self.radial:
            return np.asarray(self.kernel.matrix(self.X[one], self.X[two]), dtype=float)
        found = np.ascontiguousarray(products(self.X[one], self.X[two]))
        radial(found, self.squares[one], self.squares[two], self.gamma)
        return found


def blocks(n: int, height: int) -> list[slice]:
    """Columns in parts whose values with `height` rows fill a block, whatever the number of threads."""
    width = max(64, BLOCK // max(height, 1))
    return [slice(start, min(start + width, n)) for start in range(0, n, width)]


def in_threads(task: Callable[[Any], None], parts: Sequence[Any]) -> None:
    """The task on each part, by as many threads as are granted; a single one here and now."""
    with one_blas_thread_meanwhile() as granted:
        workers = worker_count(None, granted, len(parts))
        if workers == 1:
            for part in parts:
                task(part)
            return
        for _ in in_order(task, iter(parts), workers):
            pass


def centred(X: Any) -> Any:
    """Rows less their mean, which changes no distance and saves digits; a sparse matrix stays as it is."""
    return X if sparse.issparse(X) or not X.shape[0] else X - X.sum(axis=0) / X.shape[0]
