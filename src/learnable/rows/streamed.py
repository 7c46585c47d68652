"""Rows read from outside memory, from the first to the last."""

from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial

from .local import LocalRows
from .source import Block
from .threads import read_ahead


class StreamedRows(LocalRows):
    """Rows read in order; the next block is read while one is in use."""

    @abstractmethod
    def read(self) -> Generator[Block, None, None]:
        """Read the blocks one after the other."""

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        in_turn = self.read()
        with closing(in_turn if len(self.cuts) == 2 else read_ahead(in_turn)) as stream:
            for block in stream:
                yield partial(_loaded, block)


def _loaded(block: Block) -> Block:
    return block
