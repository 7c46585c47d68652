"""Counts of categories tried at the end of a fit on many rows: one column counted, the others by their sums."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.bayes.class_members import row_labels
from learnable.certificates.bayes.count_claims import difference_claim
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.rows import Block, Rows

# Cells beyond which a fit tries its answer so; `certify` counts every cell again.
MANY = 2**20
# Rows that are added as one, which keeps the sums of few columns long, and cells that are gone through at once: threads
# that call NumPy for fewer wait for each other.
TOGETHER = 64
STRETCH = 2**20


def tried(model: Any, rows: Rows, n_values: list[int]) -> list[Claim] | None:
    """Members of the classes, all counts of a column drawn by a digest, sums of the codes of every column.

    None where cells are missing, rows weighted, or the drawn column is not what the answer says: look at every cell.
    """
    counts = [np.asarray(part, dtype=float) for part in model.category_count_]
    n_classes, p = len(model.classes_), rows.n_columns
    drawn = int(digest_generator(np.hstack(counts)).integers(p))
    n = n_values[drawn]

    def sums(block: Block) -> tuple[np.ndarray, np.ndarray]:
        nothing = np.zeros((n_classes, n)), np.full(p, np.nan)
        if block.weight is not None or sparse.issparse(block.X):
            return nothing
        cells, label = block.X, row_labels(block)
        code = np.empty(len(cells), dtype=cells.dtype)
        whole, step = len(cells) // TOGETHER * TOGETHER, max(STRETCH // (TOGETHER * p), 1) * TOGETHER
        code[whole:], total = cells[whole:, drawn], cells[whole:].sum(axis=0).astype(float)
        for start in range(0, whole, step):
            part = np.ascontiguousarray(cells[start : min(start + step, whole)])
            total += part.reshape(-1, TOGETHER * p).sum(axis=0).reshape(TOGETHER, p).sum(axis=0)
            code[start : start + len(part)] = part[:, drawn]
        if not (code.min() >= 0 and code.max() < n):  # NaN is neither
            return nothing
        places = label * n + code.astype(np.intp, copy=False)
        return np.bincount(places, None, n_classes * n).reshape(n_classes, n).astype(float), total

    found, total = rows.coarser(8).briefly(sums)
    if not np.isfinite(total).all():
        return None
    members = found.sum(axis=1)  # each row has one value in the drawn column
    sums_of = np.array([(part @ np.arange(part.shape[1])).sum() for part in counts])
    by_class = np.array([part.sum(axis=1) for part in counts])
    claims = [
        difference_claim("Y6", "class_count_ is the weight of the rows of each class", model.class_count_, members,
                         rows),
        difference_claim("Y6", f"category_count_ counts the values of column {drawn}, drawn by a digest", counts[drawn],
                         found, rows),
        difference_claim("Y6", "the counts of every column and class sum to the members of the class", by_class,
                         np.broadcast_to(members, by_class.shape), rows),
        difference_claim("Y6", "the values of every column, times their counts, sum to the sum of its cells", sums_of,
                         total, rows),
        Claim.at_most("Y6", "the drawn column has n_categories_ values, or min_categories (1 if not)",
                      _wrong_number(model, counts[drawn], drawn, p), 0.0),
    ]  # fmt: skip
    return claims if all(claim.holds for claim in claims) else None


def _wrong_number(model: Any, counts: np.ndarray, column: int, n_columns: int) -> bool:
    """Whether the last value was seen in no row, and is there for no `min_categories`."""
    least = np.broadcast_to(0 if model.min_categories is None else model.min_categories, (n_columns,))[column]
    return counts.shape[1] > least and not counts[:, -1].any()
