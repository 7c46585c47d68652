"""A frequency counted in repeated experiments, with its exact binomial interval."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Frequency:
    """Successes in independent trials with the Clopper–Pearson interval.

    Attributes
    ----------
    successes, trials : int
        The count.
    level : float
        Confidence of the interval; its coverage is never below.

    Examples
    --------
    >>> count = Frequency(95, 100)
    >>> count.value, round(count.low, 3), round(count.high, 3)
    (0.95, 0.887, 0.984)
    """

    successes: int
    trials: int
    level: float = 0.95

    def __post_init__(self) -> None:
        whole = all(float(count).is_integer() for count in (self.successes, self.trials))
        if not whole or self.trials < 1 or not 0 <= self.successes <= self.trials:
            raise ValueError(
                f"Frequency(successes={self.successes}, trials={self.trials}): needs whole numbers with "
                "0 <= successes <= trials >= 1"
            )
        if not 0 < self.level < 1:
            raise ValueError(f"Frequency(level={self.level}): level must be in (0, 1)")

    @property
    def value(self) -> float:
        """Successes over trials."""
        return self.successes / self.trials

    @property
    def low(self) -> float:
        """Lower end: below it this many successes would be rarer than (1 − level)/2."""
        return self._ends()[0]

    @property
    def high(self) -> float:
        """Upper end."""
        return self._ends()[1]

    def _ends(self) -> tuple[float, float]:
        from learnable.problems.core.exact_proportion import clopper_pearson

        low, high = clopper_pearson(self.successes, self.trials, self.level)
        return float(low), float(high)

    def __str__(self) -> str:
        return (
            f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}] at {self.level:.0%} ({self.successes}/{self.trials})"
        )
