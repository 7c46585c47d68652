"""Truth values of many literals on many rows, 64 rows to a machine word."""

from collections.abc import Iterator

import numpy as np

# Bytes of intermediate results worked on at a time.
CHUNK_BYTES = 1 << 24


class PackedTruth:
    """Truth of the 2n literals on a table, as bits; disjunctions and conjunctions of them take one pass a literal.

    Parameters
    ----------
    truth : bool array (rows, 2n), as of `Literals.truth`.

    Examples
    --------
    >>> truth = np.array([[1, 0, 0, 1], [0, 0, 1, 1]], dtype=bool)  # x0, x1, ¬x0, ¬x1 on the rows 10 and 00
    >>> packed = PackedTruth(truth)
    >>> packed.rows_where_any(np.array([[0, 1], [3, -1]])).astype(int)
    array([[1, 0],
           [1, 1]])
    """

    def __init__(self, truth: np.ndarray):
        self.n_rows, n_literals = truth.shape
        bits = np.packbits(truth.T, axis=1, bitorder="little")
        padded = np.zeros((n_literals, -(-self.n_rows // 64) * 8), dtype=np.uint8)
        padded[:, : bits.shape[1]] = bits
        words = padded.view(np.uint64)
        # One further row for the literal −1, which fills up short parts: false in a disjunction, true in a conjunction.
        self._for_any = np.vstack([words, np.zeros((1, words.shape[1]), dtype=np.uint64)])
        self._for_all = np.vstack([words, np.full((1, words.shape[1]), ~np.uint64(0))])

    def any_of(self, parts: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """(slice of the parts, words (parts, rows/64)): where at least one literal of each part is true."""
        return self._combined(self._for_any, parts, np.bitwise_or)

    def all_of(self, parts: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """(slice of the parts, words (parts, rows/64)): where all literals of each part are true."""
        return self._combined(self._for_all, parts, np.bitwise_and)

    def rows_where_any(self, parts: np.ndarray) -> np.ndarray:
        """bool (parts, rows): where at least one literal of each part is true."""
        return np.concatenate([self.unpacked(words) for _, words in self.any_of(parts)])

    def first_false(self, parts: np.ndarray) -> np.ndarray:
        """The first row on which no literal of each part is true; `n_rows` where there is none."""
        first = np.full(len(parts), self.n_rows, dtype=np.intp)
        for some, words in self.any_of(parts):
            np.invert(words, out=words)  # bits beyond the last row are now on, the first of them at n_rows
            place = (words != 0).argmax(axis=1)
            found = words[np.arange(len(words)), place]
            lowest = np.bitwise_count((found & (~found + np.uint64(1))) - np.uint64(1))
            first[some] = np.where(found != 0, 64 * place + lowest, self.n_rows)
        return first

    def unpacked(self, words: np.ndarray) -> np.ndarray:
        """bool (…, rows) of words (…, rows/64)."""
        bits = np.unpackbits(words.view(np.uint8), axis=-1, count=self.n_rows, bitorder="little")
        return bits.astype(bool)

    def _combined(self, words: np.ndarray, parts: np.ndarray, join: np.ufunc) -> Iterator[tuple[slice, np.ndarray]]:
        step = max(1, CHUNK_BYTES // (8 * max(words.shape[1], 1)))
        for start in range(0, len(parts), step):
            some = slice(start, min(start + step, len(parts)))
            result = words[parts[some, 0]]
            for literal in range(1, parts.shape[1]):
                join(result, words[parts[some, literal]], out=result)
            yield some, result
