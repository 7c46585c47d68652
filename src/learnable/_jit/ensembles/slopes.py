"""Gradients and curvatures of the rows, in three kinds, and the words that histograms sum.

A gradient shares its word with the count of rows, (gradient << bits) + 1; curvatures have a word of their own, and none
where all are 1. The words of some rows are made when these are summed: those of all rows would take more room than the
bins of eight columns. Kinds are types: what the others need is not compiled.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_formula, inner_kernel
from learnable._jit.core.flat_sums import entry, put
from learnable._jit.core.lean import lean


@by_reference
class Residuals(NamedTuple):
    """Gradients of rows whose curvatures are all 1.

    units : those of gradients and of curvatures, and one over each: what a kernel divides by once and multiplies with
        often, the compiler divides by every time.
    """

    gradient: np.ndarray
    bits: int
    units: np.ndarray


@by_reference
class Curved(NamedTuple):
    """Gradients and curvatures."""

    gradient: np.ndarray
    curvature: np.ndarray
    bits: int
    units: np.ndarray


@by_reference
class Odds(NamedTuple):
    """What gives both for the binomial loss of rows without weights.

    gradient : the odds s against the class of each row, below zero for class 1: with e^f for class 0 and −e^{−f} for
        class 1 the gradient is s / (1 + |s|), and the curvature |s| / (1 + |s|)².
    """

    gradient: np.ndarray
    bits: int
    units: np.ndarray


Slopes = Residuals | Curved | Odds


def slopes_for(gradient: np.ndarray, curvature: np.ndarray, width: int, bits: int, units: np.ndarray) -> Slopes:
    """Slopes of their kind, where words have this width: 1 where all curvatures are 1, else 2."""
    if width == 1:
        return Residuals(gradient, bits, units)
    return Curved(gradient, curvature, bits, units) if len(curvature) > 0 else Odds(gradient, bits, units)


@inner_formula
def slopes_of(slopes, row):
    """The gradient and the curvature of a row."""


@slopes_of.of(Residuals)
def _(slopes, row):
    return slopes.gradient[row], 1.0


@slopes_of.of(Curved)
def _(slopes, row):
    return slopes.gradient[row], slopes.curvature[row]


@slopes_of.of(Odds)
def _(slopes, row):
    return slopes_of_odds(slopes.gradient[row])


@lean
@inner_kernel
def slopes_of_odds(odds):
    """The gradient and the curvature of the binomial loss."""
    share = np.divide(1.0, 1.0 + abs(odds))
    return odds * share, abs(odds) * share * share


@inner_formula
def bend_unit(slopes):
    """The unit of curvatures; where all are 1, they are the count of rows."""


@bend_unit.of(Residuals)
def _(slopes):
    return 1.0


@bend_unit.of(Curved)
@bend_unit.of(Odds)
def _(slopes):
    return slopes.units[1]


@inner_formula
def bend_of(slopes, line, code, mask):
    """Curvatures of a bin in units; where all are 1, its rows."""


@bend_of.of(Residuals)
def _(slopes, line, code, mask):
    return line[code, 0] & mask


@bend_of.of(Curved)
@bend_of.of(Odds)
def _(slopes, line, code, mask):
    return line[code, 1]


@inner_formula
def write_words(slopes, first, rows, words):
    """The words of some rows, numbered from `first` on, one after the other.

    Gradients are not asked for before their rows come: these loads do not wait for each other, and a look ahead takes
    as long as a row. Paid for by `python -m benchmarks trees`: 2.3 → 1.3 ns a row of one word, 8.7 → 5 where one row in
    fifty is summed (aarch64).
    """


@write_words.of(Residuals)
def _(slopes, first, rows, words):
    gradient, bits, up = slopes.gradient, slopes.bits, slopes.units[2]
    n, first = np.uintp(len(rows)), np.uintp(first)
    if without_gap(rows):
        start = first + np.uintp(entry(rows, np.uintp(0)))
        for i in range(n):
            put(words, i, (np.int64(np.rint(entry(gradient, start + i) * up)) << bits) + 1)
        return
    for i in range(n):
        word = np.int64(np.rint(entry(gradient, first + np.uintp(entry(rows, i))) * up))
        put(words, i, (word << bits) + 1)


@write_words.of(Curved)
def _(slopes, first, rows, words):
    first = np.uintp(first)
    _fetch_gradients(slopes.gradient, first, rows, words)
    bits, up, up_too, two, one = slopes.bits, slopes.units[2], slopes.units[3], np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        g = np.int64(entry(words, i * two + one)).view(np.float64)
        put(words, i * two, (np.int64(np.rint(g * up)) << bits) + 1)
        bend = entry(slopes.curvature, first + np.uintp(entry(rows, i)))
        put(words, i * two + one, np.int64(np.rint(bend * up_too)))


@write_words.of(Odds)
def _(slopes, first, rows, words):
    _fetch_gradients(slopes.gradient, np.uintp(first), rows, words)
    bits, up, up_too, two, one = slopes.bits, slopes.units[2], slopes.units[3], np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        g, bend = slopes_of_odds(np.int64(entry(words, i * two + one)).view(np.float64))
        put(words, i * two, (np.int64(np.rint(g * up)) << bits) + 1)
        put(words, i * two + one, np.int64(np.rint(bend * up_too)))


@lean
@inner_kernel
def _fetch_gradients(gradient, first, rows, words):
    """To where curvatures will be: few of them are underway at a time where each is worked on too."""
    two, one = np.uintp(2), np.uintp(1)
    for i in range(np.uintp(len(rows))):
        g = entry(gradient, first + np.uintp(entry(rows, i)))
        put(words, i * two + one, np.float64(g).view(np.int64))


@lean
@inner_kernel
def without_gap(rows):
    """Whether rows, one at least, which rise, follow each other, as those of the root do."""
    last = np.uintp(len(rows) - 1)
    return np.uintp(entry(rows, last)) - np.uintp(entry(rows, np.uintp(0))) == last


@inner_formula
def add_words(slopes, low, high, totals):
    """totals (2,) = sums of the words of rows low … high − 1."""


@add_words.of(Residuals)
def _(slopes, low, high, totals):
    up, total = slopes.units[2], np.int64(0)
    for i in range(np.uintp(low), np.uintp(high)):
        total += np.int64(np.rint(slopes.gradient[i] * up))
    totals[0], totals[1] = (total << slopes.bits) + (high - low), 0


@add_words.of(Curved)
@add_words.of(Odds)
def _(slopes, low, high, totals):
    up, up_too, total, other = slopes.units[2], slopes.units[3], np.int64(0), np.int64(0)
    for i in range(np.uintp(low), np.uintp(high)):
        g, bend = slopes_of(slopes, i)
        total += np.int64(np.rint(g * up))
        other += np.int64(np.rint(bend * up_too))
    totals[0], totals[1] = (total << slopes.bits) + (high - low), other
