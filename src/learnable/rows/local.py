"""Rows whose blocks this process loads: the sum runs over threads."""

from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from functools import reduce
from typing import Any

import numpy as np

from .parts import in_parts
from .source import Block, Rows, add, own, poured
from .threads import in_order, one_blas_thread_meanwhile, worker_count


class LocalRows(Rows):
    """Rows that this process can load block by block.

    Attributes
    ----------
    cuts : ndarray of shape (n_blocks + 1,)
        Block b holds the rows ``cuts[b] … cuts[b + 1] - 1``.
    """

    cuts: np.ndarray

    @abstractmethod
    def blocks(self) -> Generator[Callable[[], Block], None, None]: ...

    def reduce(
        self,
        function: Callable[[Block], Any],
        merge: Callable[[Any, Any], Any] = add,
        *,
        n_jobs: int | None = None,
    ) -> Any:
        with one_blas_thread_meanwhile() as granted, closing(self._partials(function, n_jobs, granted)) as partials:
            total = next(partials)
            for b, part in enumerate(partials):
                total = merge(total if b else own(total), part)
            return total

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        with one_blas_thread_meanwhile() as granted, closing(self._partials(function, n_jobs, granted)) as partials:
            return poured(partials, self.n_rows)

    def _partials(
        self, function: Callable[[Block], Any], n_jobs: int | None, granted: int
    ) -> Generator[Any, None, None]:
        """The results of the blocks in order. The caller holds BLAS to one thread, while it merges too."""
        workers = worker_count(n_jobs, granted, len(self.cuts) - 1)
        with closing(self.blocks()) as blocks:
            if workers == 1:
                for load in blocks:
                    yield function(load())
            else:
                with closing(in_order(lambda load: function(load()), blocks, workers)) as partials:
                    yield from partials

    def _in_parts(self, function: Callable[[Block], Any]) -> Any:
        """`briefly`, of rows in memory: the results of the blocks are added in order, whoever computed them."""
        blocks = list(self.blocks())
        work = self.cuts[1:] * self.n_columns
        parts = in_parts(lambda part: [function(load()) for load in blocks[part]], work)
        first, *others = (result for part in parts for result in part)
        return reduce(add, others, own(first))
