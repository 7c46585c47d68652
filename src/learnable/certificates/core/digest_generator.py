"""Random numbers that nobody can choose: drawn from a digest of answer and data."""

import hashlib
from functools import cache
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from scipy import sparse


def digest_generator(*parts: Any) -> np.random.Generator:
    """A generator seeded by the bytes of the arrays: who alters the answer alters the directions it is tried in.

    >>> a, b = digest_generator(np.zeros(3)), digest_generator(np.array([0.0, 0.0, 1e-12]))
    >>> bool(a.random() == b.random())
    False
    """
    digest = hashlib.sha256()  # processors have instructions for it
    for part in parts:
        for array in (part.data, part.indices, part.indptr) if sparse.issparse(part) else (part,):
            array = np.ascontiguousarray(array)
            digest.update(f"{array.shape}{_name(array.dtype)}".encode())
            digest.update(repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes())
    # SFC64 takes half as long as the usual PCG64: directions have an entry for each column.
    return np.random.Generator(np.random.SFC64(_Digest(digest.digest())))  # type: ignore[arg-type]


class _Digest(ISeedSequence):
    """A digest as the seed that it is; to hash it once more takes longer than to certify a small fit."""

    def __init__(self, digest: bytes):
        self.words = np.frombuffer(digest, dtype="<u8").astype(np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint64) -> np.ndarray:
        """The first words; SFC64 asks for three of 64 bits, and there are four."""
        return self.words[:n_words].astype(dtype, copy=False)


@cache
def _name(dtype: np.dtype) -> str:
    return str(dtype)  # NumPy takes longer to spell it than to read a small table
