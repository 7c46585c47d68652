"""Why no hypothesis is consistent: a few rows that no conjunction tells apart."""

import numpy as np


def witness_rows(columns: np.ndarray, refused: np.ndarray, teachers: np.ndarray) -> tuple[int, ...]:
    """One of the refused rows, then a few teachers that force it: rows that no hypothesis tells apart.

    A refused row that equals a teacher is preferred, so that two contradictory examples are named as such.

    Parameters
    ----------
    columns : codes of the rows.
    refused : rows on which the hypothesis forced by the teachers is wrong.
    teachers : rows of the other label.

    >>> witness_rows(np.array([[0, 0], [1, 1], [0, 1], [1, 1]]), np.array([2, 3]), np.array([0, 1]))
    (3, 1)
    """
    if not len(refused):
        return ()
    known = {columns[row].tobytes() for row in teachers}
    row = next((row for row in refused if columns[row].tobytes() in known), refused[0])
    forcing = forcing_rows(columns[teachers], columns[row])
    return (int(row), *teachers[forcing].tolist())


def forcing_rows(rows: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Indices of a few rows (of codes) such that every conjunction covering them covers `target` too.

    A conjunction that covers some rows must leave an attribute free where they differ. So the rows force `target` when
    on each attribute one of them has its value, or two of them differ. At most d + 1 rows are returned, and a single
    one if it equals the target. All rows together must force the target.

    >>> forcing_rows(np.array([[0, 0, 1], [1, 1, 0], [0, 1, 1]]), np.array([0, 1, 0]))
    array([1, 0])
    >>> forcing_rows(np.array([[0, 0, 1], [0, 1, 0]]), np.array([0, 1, 0]))
    array([1])
    """
    agree = rows == target
    first = int(np.argmax(agree.sum(axis=1)))
    chosen, open_attributes = [first], ~agree[first]
    while open_attributes.any():
        # On an open attribute every chosen row has the value of the first, which is not the target's.
        settles = (rows != rows[first]) & open_attributes
        best = int(np.argmax(settles.sum(axis=1)))
        if not settles[best].any():
            raise ValueError("these rows do not force the target: a conjunction tells them apart")
        chosen.append(best)
        open_attributes &= ~settles[best]
    return np.array(chosen)
