"""A date as numbers: the time since the first one, and where in the year, the week and the day it falls."""

from typing import Any

import numpy as np

DAY = 86_400.0
_PARTS = {"month": 12, "weekday": 7, "hour": 24}
_NAMES = {
    "month": ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
              "November", "December"],
    "weekday": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "hour": [f"{hour:02d} h" for hour in range(24)],
}  # fmt: skip


def learn_dates(values: np.ndarray) -> dict[str, Any]:
    """What the coding of dates needs: origin and spread of the days, and the parts that vary.

    >>> found = learn_dates(np.array(["2024-01-01", "2024-03-05"], dtype="M8[us]"))
    >>> found["month"], found["hour"]
    ([0, 2], [])
    """
    present = values[~np.isnat(values)]
    days = _days(present)
    state: dict[str, Any] = {"origin": float(days.min()), "mean": float(days.mean()), "deviation": float(days.std())}
    for part in _PARTS:
        found = np.unique(_part(present, part))
        state[part] = found.tolist() if len(found) > 1 else []
    return state


def date_names(name: str, state: dict[str, Any]) -> list[str]:
    """Names of the coded columns, that read as conditions."""
    elapsed = [f"{name} (days)"] if state["deviation"] > 0 else []
    return elapsed + [f"{name} in {_NAMES[part][place]}" for part in _PARTS for place in state[part]]


def code_dates(values: np.ndarray, state: dict[str, Any], out: np.ndarray) -> None:
    """Write elapsed days, standardised, and one column a part; a missing date gives zeros."""
    there = ~np.isnat(values)
    present = values[there]
    at = 0
    if state["deviation"] > 0:
        out[there, 0] = (_days(present) - state["mean"]) / state["deviation"]
        at = 1
    for part in _PARTS:
        found = _part(present, part)
        for place in state[part]:
            out[there, at] = found == place
            at += 1


def _days(values: np.ndarray) -> np.ndarray:
    return values.astype("M8[s]").astype(np.int64) / DAY


def _part(values: np.ndarray, part: str) -> np.ndarray:
    if part == "month":
        return values.astype("M8[M]").astype(np.int64) % 12
    if part == "weekday":
        return (values.astype("M8[D]").astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday
    return values.astype("M8[h]").astype(np.int64) % 24
