"""Numbers and names as the report writes them."""

import math
import statistics
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from learnable.app.judging.metrics import Metric, of_name
from learnable.app.result import Interval, LearnResult

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS = str.maketrans("-", "−")


def clean(text: object) -> str:
    """Text that is safe to show: what is invisible, reorders its surroundings or cannot be written becomes �.

    Escaping for HTML comes on top of this, in the template.

    >>> clean("a\\x00b\\n c"), clean("עברית")
    ('a�b c', 'עברית')
    """
    words = " ".join(str(text).split())
    # Cc control, Cf format (bidirectional overrides, zero width), Cs lone surrogates; joiners are part of spelling.
    return "".join(
        "�" if unicodedata.category(sign) in {"Cc", "Cf", "Cs"} and sign not in "\u200c\u200d" else sign
        for sign in words
    )


def clean_lines(text: object) -> str:
    """`clean`, line by line and with its indentation, for code.

    >>> clean_lines("if a:\\n    b\\x00")
    'if a:\\n    b�'
    """
    lines = str(text).split("\n")
    return "\n".join(" " * (len(line) - len(line.lstrip(" "))) + clean(line) for line in lines)


def short(text: object, limit: int = 36) -> str:
    """The text, cut in the middle when it is longer than `limit`.

    >>> short("abcdefghij", 7)
    'abc…hij'
    """
    name = clean(text)
    if len(name) <= limit:
        return name
    tail = (limit - 1) // 2
    return f"{name[: limit - 1 - tail]}…{name[-tail:]}"


def isolated(text: object) -> str:
    """A name inside a sentence; marks around it keep a right-to-left name from turning the words beside it.

    >>> isolated("a\u2069b") == "\u2068a�b\u2069"
    True
    """
    return f"\u2068{short(text)}\u2069"


def figure(value: float | None) -> str:
    """A number in a column of its like: three decimals, so that they align.

    >>> figure(0.3), figure(None), figure(-12345.6)
    ('0.300', '—', '−12,346')
    """
    plain = value is not None and math.isfinite(value) and 0.001 <= abs(value) < 1000
    return f"{value:.3f}".translate(_MINUS) if plain else number(value)


def number(value: float | None, digits: int = 3) -> str:
    """A number in at most `digits` significant digits, with a typographic minus and powers of ten spelled out.

    >>> [number(x) for x in (0.12345, -1e-7, 25000, -0.0, None, float("inf"))]
    ['0.123', '−1 × 10⁻⁷', '25,000', '0', '—', '∞']
    """
    if value is None or math.isnan(value):
        return "—"
    if value == 0.0:
        return "0"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    magnitude = abs(value)
    if magnitude and not 1e-4 <= magnitude < 1e6:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa.translate(_MINUS)} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    if magnitude >= 10 ** (digits - 1):
        return count(round(value))
    return f"{value:.{digits}g}".translate(_MINUS)


def count(value: int) -> str:
    """A whole number in groups of three digits.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,}".translate(_MINUS)


def tick(value: float) -> str:
    """A number on an axis: as many digits as it needs.

    >>> tick(0.30000000000000004), tick(-1500.0), tick(2e7)
    ('0.3', '−1,500', '2 × 10⁷')
    """
    return number(value, 6) if value and not 1e-4 <= abs(value) < 1e6 else f"{value:,.6g}".translate(_MINUS)


def probability(p: float) -> str:
    """A p-value.

    >>> probability(0.0312), probability(2e-9), probability(1.0)
    ('0.031', '< 0.001', '1.000')
    """
    if math.isnan(p):
        return "—"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float) -> str:
    """A share in percent, without digits that say nothing.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * share:.4g}%"


def duration(seconds: float | None) -> str:
    """A time.

    >>> duration(0.004), duration(3.21), duration(75), duration(7300)
    ('4 ms', '3.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds is None:
        return "—"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def listing(items: Iterable[str], last: str = "and") -> str:
    """Names as a sentence lists them.

    >>> listing(["a"]), listing(["a", "b", "c"], "or")
    ('a', 'a, b or c')
    """
    *head, tail = items
    return f"{', '.join(head)} {last} {tail}" if head else tail


def difference_words(difference: Interval, metric: Metric, at: float | None = None) -> str:
    """A difference of losses with its interval, in words: points for rates, units of the target for squared errors.

    `at` is the first of the two losses, with which a difference of squared errors becomes one of their roots.

    >>> from learnable.app.judging.metrics import METRICS
    >>> difference_words(Interval(0.008, -0.01, 0.03), METRICS["classification"])
    '0.8 points [−1, 3]'
    """
    scale, unit = (100.0, " points") if metric.rate else (1.0, "")
    if metric.root and at is not None and at > 0:
        scale = 1 / (math.sqrt(at) + math.sqrt(max(at - difference.estimate, 0.0)))
    estimate, low, high = (number(scale * value, 2) for value in (difference.estimate, difference.low, difference.high))
    return f"{estimate}{unit} [{low}, {high}]"


@dataclass(frozen=True)
class Losses:
    """How the losses of one report are written: all with the same number of decimals, error rates in percent.

    The decimals are those at which the middle interval, the baseline's aside, still has two digits.

    >>> losses = Losses(decimals=1, rate=True)
    >>> losses.show(0.1234), losses.interval(Interval(0.12, 0.08, 0.171))
    ('12.3%', '8.0% to 17.1%')
    """

    decimals: int
    rate: bool

    @classmethod
    def of(cls, result: LearnResult) -> "Losses":
        """How the losses of all learners are written."""
        judged = [one for one in result.learners if not one.reference] or result.learners
        shown = [interval for learner in judged for interval in (learner.test, learner.cv) if interval]
        metric = of_name(result.metric)
        return cls.fitting([result.shown(interval) for interval in shown], metric is not None and metric.rate)

    @classmethod
    def of_figure(cls, result: LearnResult, name: str) -> "Losses":
        """How one further figure of all learners is written."""
        shown = [learner.extra[name] for learner in result.learners if name in learner.extra]
        return cls.fitting(shown, name.endswith("error rate"))

    @classmethod
    def fitting(cls, intervals: Sequence[Interval], rate: bool) -> "Losses":
        """As many decimals as the middle one of these intervals asks for."""
        halves = [(100 if rate else 1) * (interval.high - interval.low) / 2 for interval in intervals]
        widths = [half for half in halves if half > 0 and math.isfinite(half)]
        decimals = 1 - math.floor(math.log10(statistics.median(widths))) if widths else 3
        return cls(min(max(decimals, 0), 1 if rate else 6), rate)

    def show(self, loss: float | None) -> str:
        if loss is None or not math.isfinite(loss):
            return number(loss)
        if self.rate:
            return f"{100 * loss:.{self.decimals}f}%".translate(_MINUS)
        if abs(loss) >= 1e6 or 0 < abs(loss) < 10.0**-self.decimals:
            return number(loss)
        return f"{loss:,.{self.decimals}f}".translate(_MINUS)

    def interval(self, interval: Interval) -> str:
        return f"{self.show(interval.low)} to {self.show(interval.high)}"

    def ranged(self, interval: Interval) -> str:
        """The estimate and its interval inside a sentence.

        >>> Losses(1, True).ranged(Interval(0.12, 0.08, 0.171))
        '12.0% (8.0% to 17.1%)'
        """
        return f"{self.show(interval.estimate)} ({self.interval(interval)})"

    def tick(self, loss: float) -> str:
        return f"{100 * loss:g}%" if self.rate else tick(loss)

    def signed(self, difference: float) -> str:
        """A difference of losses, with its sign; percentage points for rates.

        >>> Losses(1, True).signed(0.02), Losses(2, False).signed(-0.5)
        ('+2.0', '−0.50')
        """
        text = self.show(difference).removesuffix("%")
        return text if text.startswith("−") or difference == 0 else f"+{text}"
