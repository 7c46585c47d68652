"""Attributes with finite domains: how a table of categories becomes a matrix of codes."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.plain import plain


@dataclass(frozen=True)
class Attributes:
    """Names and domains of the columns of a categorical table.

    A cell is coded by the place of its value in the domain of its column. Values are compared by equality, so
    strings, integers and booleans all do.

    Attributes
    ----------
    names : tuple of str
    domains : tuple of tuples, the values of each attribute in the order of their codes.

    Syllabus: V1.

    Examples
    --------
    >>> table = Attributes.infer([["Sunny", 1], ["Rainy", 0], ["Sunny", 0]], names=("Sky", "Windy"))
    >>> table.domains
    (('Rainy', 'Sunny'), (0, 1))
    >>> table.code([["Sunny", 0]])
    array([[1, 0]], dtype=int32)
    >>> table.code([["Cloudy", 0]])
    Traceback (most recent call last):
    ...
    ValueError: attribute 'Sky': row 0 holds 'Cloudy', which is not in its domain ('Rainy', 'Sunny'); ...
    """

    names: tuple[str, ...]
    domains: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.domains):
            raise ValueError(f"Attributes: {len(self.names)} names for {len(self.domains)} domains; give one for each")
        for name, domain in zip(self.names, self.domains):
            if not domain:
                raise ValueError(f"attribute {name!r} has no domain: list the values it can take")
            if len(set(domain)) < len(domain):
                raise ValueError(f"attribute {name!r}: its domain {domain} names a value twice")
            if missing := [value for value in domain if _is_missing(value)]:
                raise ValueError(f"attribute {name!r}: {missing[0]!r} stands for a missing cell and cannot be a value")

    @classmethod
    def infer(cls, X: Any, domains: Any = None, names: Iterable[str] | None = None) -> "Attributes":
        """Domains as declared or, where none is declared, as found in the table.

        A column of zeros and ones is boolean, and both are in its domain even if one is not seen; a categorical or
        enumerated column of a data frame has the domain it declares.

        Parameters
        ----------
        X : data frame, or array (n, d) of strings, integers or booleans.
        domains : mapping {name: values} for some or all columns, or a sequence with the values of every column.
        names : names of the columns; by default those of the data frame, or x0, x1, ...
        """
        columns, found_names, declared = _columns(X)
        found = tuple(found_names if names is None else names)
        if len(found) != len(columns):
            raise ValueError(f"Attributes: {len(found)} names for {len(columns)} columns; give one for each")
        given = _given(domains, found)
        values = []
        for j, (name, column) in enumerate(zip(found, columns)):
            if name in given:
                values.append(given[name])
            else:
                values.append(_domain(column, declared.get(j, ()), name))
        return cls(found, tuple(values))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        return tuple(len(domain) for domain in self.domains)

    def code(self, X: Any) -> np.ndarray:
        """Integer codes (n, d) of the cells.

        Parameters
        ----------
        X : data frame or array (n, d) with these columns, in this order.
        """
        columns, _, _ = _columns(X)
        if len(columns) != len(self):
            raise ValueError(f"the table has {len(columns)} columns, but there are {len(self)} attributes")
        codes = np.empty((len(columns[0]) if columns else 0, len(columns)), dtype=np.int32)
        for j, column in enumerate(columns):
            codes[:, j] = self._code_column(j, column)
        return codes

    def _code_column(self, j: int, column: np.ndarray) -> np.ndarray:
        place = {value: code for code, value in enumerate(self.domains[j])}
        distinct, index = _distinct(column)
        for value in distinct:
            if value not in place:
                row = int(np.flatnonzero(index == distinct.index(value))[0])
                what = "has a missing cell" if _is_missing(value) else f"holds {value!r}"
                raise ValueError(
                    f"attribute {self.names[j]!r}: row {row} {what}, which is not in its domain {self.domains[j]}; "
                    "declare the domain before the fit, or drop the row"
                )
        return np.array([place[value] for value in distinct], dtype=np.int32)[index]


def _columns(X: Any) -> tuple[list[np.ndarray], tuple[str, ...], dict[int, tuple[Any, ...]]]:
    """Columns as arrays, their names, and the domains that the table itself declares."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        array = np.asarray(X) if isinstance(X, np.ndarray) else _as_cells(X)
        if array.ndim != 2:
            raise ValueError(f"a table must have rows and columns, but X has shape {array.shape}")
        return [array[:, j] for j in range(array.shape[1])], tuple(f"x{j}" for j in range(array.shape[1])), {}
    declared: dict[int, tuple[Any, ...]] = {}
    for j, kind in enumerate(frame.schema.values()):
        if isinstance(kind, nw.Enum):
            declared[j] = tuple(kind.categories)
        elif kind == nw.Categorical and nw.dependencies.is_pandas_like_series(native := frame[:, j].to_native()):
            declared[j] = tuple(native.cat.categories.tolist())
        elif kind == nw.Boolean:
            declared[j] = (False, True)
    return [_as_column(frame[:, j].to_list()) for j in range(frame.shape[1])], tuple(map(str, frame.columns)), declared


def _as_cells(X: Any) -> np.ndarray:
    """Nested sequences cell by cell, so that NumPy does not turn the numbers of a mixed table into strings."""
    rows = [list(row) for row in X]
    width = len(rows[0]) if rows else 0
    cells = np.empty((len(rows), width), dtype=object)
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError(f"row {i} has {len(row)} cells, row 0 has {width}; every row needs the same number")
        cells[i] = row
    return cells


def _as_column(cells: Sequence[Any]) -> np.ndarray:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _distinct(column: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Distinct values as Python objects, and the place of each cell among them."""
    if column.dtype != object:
        values, index = np.unique(column, return_inverse=True)
        return values.tolist(), index
    place: dict[Any, int] = {}
    try:
        index = np.array([place.setdefault(_plain(cell), len(place)) for cell in column.tolist()], dtype=np.intp)
    except TypeError as fault:
        row = next(row for row, cell in enumerate(column.tolist()) if not isinstance(cell, Hashable))
        raise TypeError(f"row {row} holds {column[row]!r}; a cell of a categorical table is a plain value") from fault
    return list(place), index


def _plain(cell: Any) -> Any:
    return None if _is_missing(cell) else cell


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT and NA: what is not equal to itself."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _domain(column: np.ndarray, declared: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    seen = [value for value in _distinct(column)[0] if not _is_missing(value)]
    if not seen and not declared:
        raise ValueError(f"attribute {name!r} has no domain: no cell of its column has a value; declare its domain")
    if declared:
        return (*declared, *(value for value in seen if value not in declared))
    if all(isinstance(value, int | float) for value in seen) and set(seen) <= {0, 1}:
        return (False, True) if all(isinstance(value, bool) for value in seen) else (0, 1)
    try:
        return tuple(sorted(seen))
    except TypeError:  # values of several types have no common order
        return tuple(sorted(seen, key=lambda value: (type(value).__name__, repr(value))))


def _given(domains: Any, names: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    if domains is None:
        return {}
    if isinstance(domains, Mapping):
        if unknown := [name for name in domains if name not in names]:
            raise ValueError(f"domains: no attribute is named {unknown[0]!r}; the attributes are {names}")
        return {name: _values(values) for name, values in domains.items()}
    listed = list(domains)
    if len(listed) != len(names):
        raise ValueError(f"domains: {len(listed)} domains for {len(names)} attributes; give one for each, or a mapping")
    return {name: _values(values) for name, values in zip(names, listed)}


def _values(listed: Any) -> tuple[Any, ...]:
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise ValueError(
            f"domains: {plain(listed)!r} is a single value; list the values of the attribute, [{plain(listed)!r}, ...]"
        )
    return tuple(map(plain, listed))
