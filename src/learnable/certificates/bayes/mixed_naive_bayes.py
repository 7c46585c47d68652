"""Naive Bayes of mixed columns: everything counted again, cell by cell. Syllabus: Y6, Y9."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from learnable.certificates.bayes.count_claims import largest_difference
from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.worst import worst_of

# Of sums in double precision and of a difference of logarithms.
_ROUNDING = 1e-8
_WORD = re.compile(r"(?u)\b\w\w+\b")


@certifies(
    "NaiveBayes",
    ledger=Ledger(("class_count_", "columns_", "kinds_"), derived=("class_log_prior_", "dropped_")),
    foreign=False,
)
def naive_bayes(model: Any, X: np.ndarray, y: Any, sample_weight: np.ndarray | None = None) -> Sequence[Claim]:
    """Claims about the counts of every column."""
    index = np.searchsorted(model.classes_, y)
    weight = np.ones(len(index)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    K = len(model.classes_)
    wrong = misshapen("Y6", model, {"class_count_": (K,), "class_log_prior_": (K,)}) or _wrong_kinds(model, X)
    if wrong:
        return wrong
    members = np.array([weight[index == k].sum() for k in range(K)])
    gaps = {"number": 0.0, "category": 0.0, "text": 0.0}
    columns = iter(model.columns_)
    for j, kind in enumerate(model.kinds_.values()):
        if kind != "dropped":
            check = {"number": _number_gap, "category": _category_gap, "text": _text_gap}[kind]
            gaps[kind] = max(gaps[kind], check(next(columns), X[:, j], index, weight, K))
    off = largest_difference(model.class_count_, members)
    return [
        Claim.at_most("Y6", "examples of each class, counted again (largest relative difference)", off, _ROUNDING),
        Claim.at_most("Y6", "P(class) is the share of the class or the one given (largest relative difference)",
                      _prior_gap(model, members), _ROUNDING),
        Claim.at_most("Y6", "levels of each category by class, counted again (largest relative difference)",
                      gaps["category"], _ROUNDING),
        Claim.at_most("Y6", "mean and scatter of each number by class, computed again (largest relative difference)",
                      gaps["number"], _ROUNDING),
        Claim.at_most("Y9", "words by class, counted again (largest relative difference)", gaps["text"], _ROUNDING),
    ]  # fmt: skip


def _wrong_kinds(model: Any, X: np.ndarray) -> list[Claim]:
    """A refuted claim where names and kinds of columns are not those of the table; otherwise none."""
    names, kinds = list(model.kinds_), list(model.kinds_.values())
    dropped = [name for name, kind in model.kinds_.items() if kind == "dropped"]
    if all(name.lstrip("-").isdigit() for name in names):
        expected = names  # a frame whose columns have numbers for names, of which nobody keeps a list
    else:
        expected = [str(name) for name in getattr(model, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])]
    wrong = int(names != expected or len(names) != X.shape[1])
    wrong += sum(kind not in ("number", "category", "text", "dropped") for kind in kinds)
    wrong += int(list(model.dropped_) != dropped) + int(len(model.columns_) != len(kinds) - len(dropped))
    wrong += int(not all(isinstance(why, str) for why in model.dropped_.values()))
    if not wrong:
        # Numbers are numbers: neither left out nor taken for words, unless the caller says so.
        asked = dict(model.kinds or {})
        numbers = [name for name, cells in zip(names, X.T) if name not in asked and _holds_numbers(cells)]
        wrong += sum(model.kinds_[name] not in ("number", "category") for name in numbers)
        wrong += sum(model.kinds_[name] == "number" for name, cells in zip(names, X.T) if not _may_be_numbers(cells))
    if not wrong:
        return []
    return [Claim.at_most("Y6", "columns have the names and kinds of the table (how many things do not)", wrong, 0.0)]


def _holds_numbers(cells: np.ndarray) -> bool:
    return cells.dtype.kind in "fiu"


def _may_be_numbers(cells: np.ndarray) -> bool:
    if _holds_numbers(cells):
        return True
    try:
        [float(cell) for cell in cells.tolist() if not _missing(cell)]
    except (TypeError, ValueError):
        return False
    return True


def _prior_gap(model: Any, members: np.ndarray) -> float:
    given = model.class_prior
    expected = members / members.sum() if given is None else np.asarray(given, dtype=float)
    with np.errstate(over="ignore"):
        return largest_difference(np.exp(np.asarray(model.class_log_prior_, dtype=float)), expected)


def _number_gap(column: Any, cells: np.ndarray, index: np.ndarray, weight: np.ndarray, K: int) -> float:
    if cells.dtype.kind != "f":
        cells = np.array([np.nan if _missing(cell) else float(cell) for cell in cells.tolist()])
    x = cells.astype(float)
    known = ~np.isnan(x) & (weight > 0.0)
    if any(np.shape(part) != (K,) for part in column):
        return np.inf
    if not known.any():
        return float(np.max(np.abs(np.array(column, dtype=float))))
    middle = float(np.median(x[known]))
    spread = float(np.sqrt(weight[known] @ (x[known] - middle) ** 2 / weight[known].sum())) or 1.0
    # A spread below the rounding of the numbers themselves cannot be resolved any better.
    spread = max(spread, 1e-8 * float(np.max(np.abs(x[known]))))
    worst = 0.0
    for k in range(K):
        here = known & (index == k)
        total = float(weight[here].sum())
        gap = _apart(total, float(column.observed[k]))
        if total == 0.0:
            gap = gap or float(column.mean[k] != 0.0 or column.scatter[k] != 0.0)
        else:
            z, w = (x[here] - middle) / spread, weight[here]
            mean = float(w @ z) / total
            scatter = float(w @ (z - mean) ** 2)
            gap = worst_of(gap, abs((float(column.mean[k]) - middle) / spread - mean) / (1.0 + abs(mean)))
            gap = worst_of(gap, abs(float(column.scatter[k]) / spread**2 - scatter) / total)
        worst = max(worst, gap) if np.isfinite(gap) else np.inf
    return worst


def _category_gap(column: Any, cells: np.ndarray, index: np.ndarray, weight: np.ndarray, K: int) -> float:
    place = {cell: code for code, cell in enumerate(dict.fromkeys(cells.tolist()))}
    codes = np.fromiter(map(place.__getitem__, cells.tolist()), dtype=np.intp, count=len(cells))
    table = np.bincount(index * len(place) + codes, weight, K * len(place)).reshape(K, len(place))
    found: list[dict[str, float]] = [defaultdict(float) for _ in range(K)]
    for cell, code in place.items():
        if not _missing(cell):
            for k in range(K):
                found[k][_spelled(cell)] += float(table[k, code])
    return _largest_gap(column.levels, column.counts, found)


def _text_gap(column: Any, cells: np.ndarray, index: np.ndarray, weight: np.ndarray, K: int) -> float:
    occurrences: list[dict[str, float]] = [defaultdict(float) for _ in range(K)]
    documents: list[dict[str, float]] = [defaultdict(float) for _ in range(K)]
    known = np.zeros(K)
    for cell, k, w in zip(cells.tolist(), index.tolist(), weight.tolist()):
        if _missing(cell) or w == 0.0:
            continue
        known[k] += w
        for word, count in Counter(_WORD.findall(str(cell).lower())).items():
            occurrences[k][word] += w * count
            documents[k][word] += w
    tables = ((column.occurrences, occurrences), (column.documents, documents))
    gaps = [_largest_gap(column.words, table, found) for table, found in tables]
    return max(*gaps, largest_difference(column.known, known))


def _largest_gap(names: Sequence[str], table: np.ndarray, found: Sequence[dict[str, float]]) -> float:
    """Largest relative difference between a table (classes × names) and counts by name; names must be in order."""
    if np.shape(table) != (len(found), len(names)) or list(names) != sorted(set(names)):
        return np.inf
    return max(_differences(names, table, found), default=0.0)


def _differences(names: Sequence[str], table: np.ndarray, found: Sequence[dict[str, float]]) -> Iterator[float]:
    known = set(names)
    for row, counts in zip(table, found):
        yield from (_apart(float(value), counts.get(name, 0.0)) for name, value in zip(names, row))
        yield from (1.0 for name, count in counts.items() if name not in known and count > 0.0)


def _apart(a: float, b: float) -> float:
    """|a − b| relative to the larger; infinite where one is undefined."""
    gap = abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0
    return gap if np.isfinite(gap) else np.inf


def _missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


def _spelled(cell: Any) -> str:
    """A level as readers spell it: whole floats without a fraction, truth values in small letters."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell == round(cell) else repr(cell)
    return str(cell)
