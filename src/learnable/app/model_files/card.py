"""The card inside a model file: what the model is, what it needs, what it was trained on and how good it is."""

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from learnable.app.options import Options
from learnable.app.result import LearnResult, plain
from learnable.app.table.coding import Coded

DIGEST_BYTES, MOST_DIGESTS = 6, 100_000
"""Bytes a fingerprint, and rows beyond which a card holds none."""


def make_card(
    coded: Coded, result: LearnResult, used: Sequence[str], options: Options, training: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The card of the chosen model, in JSON types. `used` names the columns that it cannot do without.

    `training` says which rows it was trained on, unless they are the training rows of the table.
    """
    question, division = coded.question, coded.division
    kept = [column for column in question.features.columns if column.name not in coded.coder.dropped_]
    return plain(
        {
            "source": result.table.source,
            "task": result.task,
            "target": result.target,
            "target_kind": str(question.table.column(result.target).kind),
            "levels": question.goal.levels,
            "columns": [
                {"name": one.name, "kind": str(one.kind), "levels": one.levels, "written": one.written} for one in kept
            ],
            "used": list(used),
            "training": training
            or {
                "table_rows": question.table.n_rows,
                "rows": len(division.train),
                "mask": pack(division.train, question.table.n_rows),
                "digest": digest(coded.X_train, division.y_train),
                "row_digests": row_digests(coded.X_train, division.y_train),
            },
            "test_rows": result.test_rows,
            "folds": result.folds,
            "seed": result.seed,
            "metric": result.metric,
            "learner": asdict(result.winner),
            "choice": result.choice,
            "verdict": result.verdict,
            "refitted": bool(result.test_rows) and not len(division.test),
            "alarms": result.alarms,
            "costs": result.costs,
            "weight": options.weight,
            "class_weight": options.class_weight,
            "weighting": None if question.weighting is None else question.weighting._asdict(),
            "repeats": result.repeats,
            "validation": result.validation,
            "coefficients": [asdict(one) for one in result.coefficients],
            "versions": result.versions,
        }
    )


def digest(X: np.ndarray, y: np.ndarray) -> str:
    """A fingerprint of what the learner saw: shape, coded features and target.

    >>> digest(np.eye(2), np.array(["a", "b"])) == digest(np.eye(2), np.array(["a", "c"]))
    False
    """
    found = hashlib.sha256(repr(X.shape).encode())
    found.update(np.ascontiguousarray(X, dtype="<f8"))
    found.update("\x1f".join(map(repr, y.tolist())).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def row_digests(X: np.ndarray, y: np.ndarray) -> str | None:
    """Short fingerprints of the rows in order, in base 64, by which they are found in a shuffled table; None for many.

    >>> X, y = np.eye(3), np.array([0.0, 1.0, 2.0])
    >>> places_of(row_digests(X, y), X[[2, 0, 1]], y[[2, 0, 1]]).tolist()
    [1, 2, 0]
    """
    return b64encode(b"".join(_short_digests(X, y))).decode() if len(X) <= MOST_DIGESTS else None


def places_of(text: str | None, X: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Where in a table the rows stand that `row_digests` was given, in their order; None when one is not there."""
    try:
        packed = b64decode(text or "", validate=True)
    except ValueError:
        return None
    wanted = [packed[place : place + DIGEST_BYTES] for place in range(0, len(packed), DIGEST_BYTES)]
    there: dict[bytes, list[int]] = {}
    for place, found in enumerate(_short_digests(X, y)):
        there.setdefault(found, []).append(place)
    for places in there.values():
        places.reverse()
    try:
        return np.array([there[one].pop() for one in wanted], dtype=np.int64) if wanted else None
    except (KeyError, IndexError):
        return None


def _short_digests(X: np.ndarray, y: np.ndarray) -> list[bytes]:
    cells = np.ascontiguousarray(X, dtype="<f8")
    return [
        hashlib.blake2b(
            row.tobytes() + repr(target).encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES
        ).digest()
        for row, target in zip(cells, y.tolist())
    ]


def digest_of_rows(rows: Any) -> str:
    """The same fingerprint of rows that are read in blocks: every block of features first, then every target."""
    found = hashlib.sha256(repr((rows.n_rows, rows.n_columns)).encode())
    for load in rows.blocks():
        found.update(np.ascontiguousarray(load().X, dtype="<f8"))
    glue = ""
    for start, stop in zip(rows.cuts[:-1].tolist(), rows.cuts[1:].tolist()):
        written = "\x1f".join(map(repr, rows.target(start, stop).tolist()))
        found.update((glue + written).encode("utf-8", "surrogatepass"))
        glue = "\x1f"
    return found.hexdigest()


def pack(rows: np.ndarray, n: int) -> str:
    """Row numbers below n as one bit each, in base 64.

    >>> unpack(pack(np.array([0, 3]), 5), 5).tolist()
    [True, False, False, True, False]
    """
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return b64encode(np.packbits(mask).tobytes()).decode()


def unpack(text: str, n: int) -> np.ndarray:
    """The mask that `pack` wrote; a text that is too short, or not base 64, gives a mask of False."""
    try:
        packed = np.frombuffer(b64decode(text, validate=True), dtype=np.uint8)
    except ValueError:
        packed = np.empty(0, dtype=np.uint8)
    return np.unpackbits(packed, count=n).astype(bool)
