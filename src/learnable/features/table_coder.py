"""From a table of mixed columns to a matrix of floats, learnt from the training rows alone."""

from collections import Counter
from typing import Any

import numpy as np
from narwhals.dependencies import is_into_dataframe, is_polars_lazyframe
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from learnable.datasets import Column, Kind, Table, read_table
from learnable.datasets.column import is_none
from learnable.features.date_parts import code_dates, date_names, learn_dates
from learnable.features.text_words import code_words, learn_words, word_names
from learnable.plain import plain

_USELESS = {
    Kind.CONSTANT: "constant",
    Kind.IDENTIFIER: "identifier: too many distinct values for the rows to learn each",
}


def coder_for(table: Any, target: str, **options: Any) -> "TableCoder":
    """A `TableCoder` fitted on every column of a table but the target.

    >>> from learnable.datasets import load
    >>> coder_for(load("loans"), "default").transform(load("loans")).shape
    (600, 23)
    """
    return TableCoder(**options).fit(_as_table(table).drop(target))


class TableCoder(TransformerMixin, BaseEstimator):
    """Code a table as a float64 matrix.

    - A number is standardised; a missing one takes the median first.
    - A category is coded one-hot, by its levels in the training rows; a level that is not among them gives zeros.
    - An ordered category gives thermometer bits [value ≥ level], without the lowest, which would always be on; a
      missing or unknown level takes the median level first.
    - A boolean is an ordered category of two levels, so it gives one column; its words match in any case.
    - A column with missing cells in the training rows gets an indicator, `name missing`.
    - A date gives the days elapsed, standardised, and its month, weekday and hour where they vary.
    - Free text gives the weighted counts of its most frequent words.
    - Constants and identifiers are dropped; `dropped_` says why.

    Columns are matched by name, so their order is free and further columns (the target) are ignored.

    Syllabus: D8, D9.

    Parameters
    ----------
    max_levels : int, default=20
        The most frequent levels of a category that get a column; the others are listed in `rare_` and coded by zeros.
    max_words : int, default=200
        The most frequent words of a text that get a column; 0 drops texts.

    Attributes
    ----------
    kinds_ : dict, name -> kind, of the columns in use.
    ordered_ : dict, name -> levels in order, of the ordered ones.
        `read_table(path, kinds=coder.kinds_, ordered=coder.ordered_)` reads another file the same way.
    dropped_ : dict, name -> reason.
    levels_ : dict, name -> levels that have a column.
    rare_ : dict, name -> levels that have none.
    steps_ : dict, name -> all levels in order, of ordered categories and booleans.
    medians_ : dict, name -> median of a number, or median level of an ordered category or boolean.
    units_, means_, deviations_ : dict, name -> float; a number x is coded as ((x − median)/unit − mean)/deviation.
    dates_ : dict, name -> what the coding of a date needs (origin, spread, parts that vary).
    texts_ : dict, name -> the words that are counted, and their weights.
    indicators_ : list of names with an indicator of missing cells.

    >>> import pyarrow as pa
    >>> frame = pa.table({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> coder = TableCoder().fit(frame)
    >>> coder.get_feature_names_out()
    array(['size', 'size missing', 'colour=blue', 'colour=red'], dtype=object)
    >>> coder.transform(pa.table({"size": [2.0], "colour": ["green"]}))
    array([[0., 0., 0., 0.]])
    """

    def __init__(self, max_levels: int = 20, max_words: int = 200):
        self.max_levels = max_levels
        self.max_words = max_words

    def fit(self, X, y=None) -> "TableCoder":
        """Learn medians, scales and levels from these rows."""
        if not isinstance(self.max_levels, int | np.integer) or self.max_levels < 1:
            raise ValueError(f"TableCoder(max_levels={plain(self.max_levels)!r}): max_levels must be an integer >= 1")
        if not isinstance(self.max_words, int | np.integer) or self.max_words < 0:
            raise ValueError(f"TableCoder(max_words={plain(self.max_words)!r}): max_words must be an integer >= 0")
        table = _as_table(X)
        self.dates_: dict[str, dict[str, Any]] = {}
        self.texts_: dict[str, dict[str, Any]] = {}
        self.kinds_: dict[str, str] = {}
        self.ordered_: dict[str, list[str]] = {}
        self.dropped_: dict[str, str] = {}
        self.steps_: dict[str, list[str]] = {}
        self.levels_: dict[str, list[str]] = {}
        self.rare_: dict[str, list[str]] = {}
        self.medians_: dict[str, Any] = {}
        self.units_: dict[str, float] = {}
        self.means_: dict[str, float] = {}
        self.deviations_: dict[str, float] = {}
        self.indicators_: list[str] = []
        for column in table.columns:
            self._learn(column)
        self.n_features_in_ = len(table.columns)
        self.__dict__.pop("feature_names_in_", None)
        if _has_names(X):
            self.feature_names_in_ = np.array(table.names, dtype=object)
        if not self.kinds_:
            raise ValueError(f"{table.source}: no column to learn from in {table.n_rows} sample(s): {self.dropped_}")
        return self

    def transform(self, X) -> np.ndarray:
        """The matrix, one column for each of `get_feature_names_out()`."""
        check_is_fitted(self)
        table = self._matched(X)
        coded = np.zeros((table.n_rows, len(self._names_out())))
        at = 0
        for name, kind in self.kinds_.items():
            column = table.column(name)
            width = len(self._column_names(name, kind))
            self._code(column, kind, coded[:, at : at + width])
            at += width
        return coded

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names that read as conditions: `age`, `age missing`, `colour=red`, `grade>=B`."""
        check_is_fitted(self)
        if input_features is not None and len(input_features) != self.n_features_in_:
            raise ValueError(f"input_features should have length equal to number of features ({self.n_features_in_})")
        return np.array(self._names_out(), dtype=object)

    def names_of(self, name: str) -> list[str]:
        """The coded columns of one column of the table.

        >>> import pyarrow as pa
        >>> TableCoder().fit(pa.table({"size": [1.0, None, 3.0]})).names_of("size")
        ['size', 'size missing']
        """
        check_is_fitted(self)
        return self._column_names(name, self.kinds_[name])

    def scale_of(self) -> np.ndarray:
        """How much of a column makes 1 in its coded one: its standard deviation where it is standardised, else 1.

        >>> import pyarrow as pa
        >>> TableCoder().fit(pa.table({"size": [1.0, 3.0], "new": [True, False]})).scale_of().tolist()
        [1.0, 1.0]
        """
        check_is_fitted(self)
        found = []
        for name, kind in self.kinds_.items():
            own = np.ones(len(self.names_of(name)))
            if kind == Kind.NUMBER and name in self.deviations_:
                own[0] = self.units_[name] * self.deviations_[name]
            elif kind == Kind.DATE and self.dates_[name]["deviation"] > 0:
                own[0] = self.dates_[name]["deviation"]
            found.append(own)
        return np.concatenate(found)

    def unknown_levels(self, X) -> dict[str, dict[str, int]]:
        """Levels in these rows that training did not have, with their counts: name -> level -> rows."""
        check_is_fitted(self)
        table = self._matched(X)
        found = {}
        for name, kind in self.kinds_.items():
            if name in self.levels_:
                known = {*self.levels_[name], *self.rare_.get(name, ()), *self.steps_.get(name, ())}
                counts = Counter(word for word in self._words(table.column(name), kind).tolist() if word is not None)
                strange = {level: count for level, count in counts.items() if level not in known}
                if strange:
                    found[name] = strange
        return found

    # --- learning -------------------------------------------------------------------------------------------------

    def _learn(self, column: Column) -> None:
        name, missing = column.name, column.missing
        present = column.values[~missing]
        if column.kind in _USELESS:
            self.dropped_[name] = _USELESS[column.kind]
            return
        if len(present) == 0:
            self.dropped_[name] = "no value in the training rows"
            return
        varies = bool((present != present[0]).any())
        if not varies and not missing.any():
            self.dropped_[name] = "constant in the training rows"
            return
        if column.kind is Kind.TEXT:
            found = learn_words(column.values.tolist(), self.max_words)
            if not found["words"]:
                self.dropped_[name] = "free text without words that repeat"
                return
            self.texts_[name] = found
        self.kinds_[name] = str(column.kind)
        if missing.any():
            self.indicators_.append(name)
        if column.kind is Kind.TEXT:
            return
        if column.kind is Kind.DATE:
            self.dates_[name] = learn_dates(column.values)
        elif column.kind is Kind.NUMBER:
            self._learn_number(name, column.values, missing, varies)
        else:
            self._learn_levels(column, Counter(present.tolist()))

    def _learn_number(self, name: str, values: np.ndarray, missing: np.ndarray, varies: bool) -> None:
        present = values[~missing]
        median = float(np.median(present / 2)) * 2  # halved, for the middle two of an even count might overflow
        self.medians_[name] = median
        if varies:
            # A power of two near the largest size is taken out first, so that squares of very large or small numbers
            # stay within range, and the median before the mean, so that a large offset costs no digits.
            unit = float(np.ldexp(1.0, np.frexp(np.abs(present).max())[1] - 1))
            relative = np.where(missing, 0.0, values / unit - median / unit)
            self.units_[name] = unit
            self.means_[name] = float(relative.mean())
            self.deviations_[name] = float(relative.std())

    def _learn_levels(self, column: Column, counts: Counter) -> None:
        name = column.name
        seen = [level for level in column.levels if counts[level]]
        if column.kind in (Kind.ORDERED, Kind.BOOLEAN):
            if column.kind is Kind.ORDERED:
                self.ordered_[name] = list(column.levels)
            self.steps_[name] = list(column.levels)
            at_most = np.cumsum([counts[level] for level in column.levels])
            self.medians_[name] = column.levels[int(np.searchsorted(at_most, at_most[-1] / 2))]
            self.levels_[name] = seen[1:]
        else:
            frequent = set(sorted(seen, key=lambda level: -counts[level])[: self.max_levels])
            self.levels_[name] = [level for level in seen if level in frequent]
            rare = [level for level in seen if level not in frequent]
            if rare:
                self.rare_[name] = rare

    # --- coding ---------------------------------------------------------------------------------------------------

    def _code(self, column: Column, kind: str, out: np.ndarray) -> None:
        """Write the columns of one feature into `out`, which is zero."""
        name = column.name
        if kind == Kind.NUMBER:
            values = _as_numbers(column)
            missing = np.isnan(values)
            if name in self.deviations_:
                relative = np.where(missing, 0.0, values / self.units_[name] - self.medians_[name] / self.units_[name])
                out[:, 0] = (relative - self.means_[name]) / self.deviations_[name]
        elif kind == Kind.DATE:
            dates = _as_dates(column)
            missing = np.isnat(dates)
            code_dates(dates, self.dates_[name], out)
        elif kind == Kind.TEXT:
            texts = _as_words(column)
            missing = is_none(texts)
            code_words(texts.tolist(), self.texts_[name], out)
        else:
            words = self._words(column, kind)
            missing = is_none(words)
            levels = self.levels_[name]
            if name in self.steps_:
                rank = {level: i for i, level in enumerate(self.steps_[name])}
                middle = rank[self.medians_[name]]
                ranks = np.array([rank.get(word, middle) for word in words.tolist()])
                for j, level in enumerate(levels):
                    out[:, j] = ranks >= rank[level]
            else:
                position = {level: j for j, level in enumerate(levels)}
                places = np.array([position.get(word, -1) for word in words.tolist()])
                rows = np.flatnonzero(places >= 0)
                out[rows, places[rows]] = 1.0
        if name in self.indicators_:
            out[:, -1] = missing

    def _words(self, column: Column, kind: str) -> np.ndarray:
        """The words of a column; those of a boolean as training spelled them, whatever their case."""
        words = _as_words(column)
        if kind != Kind.BOOLEAN:
            return words
        spelling = {level.casefold(): level for level in self.steps_[column.name]}
        spelled = [None if word is None else spelling.get(word.casefold(), word) for word in words.tolist()]
        return np.array(spelled, dtype=object)

    def _column_names(self, name: str, kind: str) -> list[str]:
        if kind == Kind.NUMBER:
            names = [name] if name in self.deviations_ else []
        elif kind == Kind.DATE:
            names = date_names(name, self.dates_[name])
        elif kind == Kind.TEXT:
            names = word_names(name, self.texts_[name])
        else:
            sign = ">=" if kind == Kind.ORDERED else "="
            names = [f"{name}{sign}{level}" for level in self.levels_[name]]
        return [*names, f"{name} missing"] if name in self.indicators_ else names

    def _names_out(self) -> list[str]:
        """The output names, with primes where a column is named like the code of another one."""
        names: dict[str, None] = {}
        for name, kind in self.kinds_.items():
            for made in self._column_names(name, kind):
                while made in names:
                    made += "'"
                names[made] = None
        return list(names)

    def _matched(self, X) -> Table:
        """The table of X; rows of a plain array are matched by position."""
        table = _as_table(X)
        if not _has_names(X):
            if len(table.columns) != self.n_features_in_:
                raise ValueError(
                    f"X has {len(table.columns)} features, but TableCoder is expecting {self.n_features_in_} features "
                    "as input"
                )
            names = getattr(self, "feature_names_in_", table.names)
            columns = tuple(Column(str(name), c.kind, c.values) for name, c in zip(names, table.columns))
            return Table(columns, table.n_rows, table.source)
        return table

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _as_table(X: Any) -> Table:
    """A table as it is, a data frame through its reader, a numeric array with columns x0, x1, ..."""
    if isinstance(X, Table):
        return X
    if _has_names(X):
        return read_table(X)
    array = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
    columns = tuple(Column(f"x{j}", Kind.NUMBER, array[:, j]) for j in range(array.shape[1]))
    return Table(columns, len(array), "X")


def _has_names(X: Any) -> bool:
    return isinstance(X, Table) or is_into_dataframe(X) or is_polars_lazyframe(X)


def _as_numbers(column: Column) -> np.ndarray:
    """The values of a column that was a number in training."""
    if column.values.dtype == np.float64:
        return column.values
    numbers = np.full(len(column.values), np.nan)
    for row in np.flatnonzero(~column.missing):
        cell = column.values[row]
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError) as fault:
            raise ValueError(
                f"column {column.name!r} was a number in training, but row {row} holds {cell!r}; correct or empty it"
            ) from fault
    return numbers


def _as_dates(column: Column) -> np.ndarray:
    """The values of a column that was a date in training."""
    if column.values.dtype.kind == "M":
        return column.values
    try:
        return np.array([None if v is None else np.datetime64(str(v)) for v in column.values.tolist()], dtype="M8[us]")
    except ValueError as fault:
        raise ValueError(
            f"column {column.name!r} was a date in training: {fault}; write dates as 2024-05-31"
        ) from fault


def _as_words(column: Column) -> np.ndarray:
    """The values of a column that was a category in training; 3.0 is spelled 3, as readers spell it."""
    if column.values.dtype == object:
        return column.values
    spelled = [None if gone else _spell(cell) for cell, gone in zip(column.values.tolist(), column.missing.tolist())]
    return np.array(spelled, dtype=object)


def _spell(cell: Any) -> str:
    return f"{cell:.0f}" if isinstance(cell, float) and cell == round(cell) else str(cell)
