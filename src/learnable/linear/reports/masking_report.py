"""Which classes indicator regression hides behind others. Syllabus: C3."""

from typing import NamedTuple

import numpy as np


class MaskingReport(NamedTuple):
    """Classes that are never predicted, and the fitted values along the line through the class means.

    The line runs through the mean of the class means in the direction in which they vary most; t is the position on
    it. Every fitted value is linear in t, so a class is the largest on an interval or nowhere.

    Attributes
    ----------
    classes : (K,) labels.
    members, predicted : (K,) total weight of the rows of each class and of those predicted to be in it.
    origin, direction : (p,) the line x(t) = origin + t · direction, of unit length.
    position : (K,) t of each class mean, projected on the line.
    fitted : (K, K) fitted values on the line at those positions; row: position, column: class.
    interval : (K, 2) where on the line the class has the largest fitted value; NaN where nowhere.
    """

    classes: np.ndarray
    members: np.ndarray
    predicted: np.ndarray
    origin: np.ndarray
    direction: np.ndarray
    position: np.ndarray
    fitted: np.ndarray
    interval: np.ndarray

    @property
    def masked(self) -> np.ndarray:
        """Classes that no training row is predicted to be in."""
        return self.classes[self.predicted == 0.0]

    def __str__(self) -> str:
        verdict = ", ".join(map(str, self.masked)) if len(self.masked) else "none"
        lines = [f"classes never predicted: {verdict}"]
        for k in np.argsort(self.position, kind="stable"):
            low, high = self.interval[k]
            where = "nowhere on the line" if np.isnan(low) else f"largest for t in [{low:.3g}, {high:.3g}]"
            values = " ".join(f"{value:6.3f}" for value in self.fitted[k])
            lines.append(
                f"  {self.classes[k]!s}: {self.members[k]:g} rows, {self.predicted[k]:g} predicted; mean at "
                f"t = {self.position[k]:.3g}, fitted {values}; {where}"
            )
        return "\n".join(lines)


def masking_report(classes, members, predicted, means, coef, intercept) -> MaskingReport:
    """The report from the fitted values x·coef_k + intercept_k and the class means (K, p).

    Examples
    --------
    >>> import numpy as np
    >>> steep = np.array([[-0.5], [0.0], [0.5]])
    >>> report = masking_report(np.array(["a", "b", "c"]), np.ones(3), np.array([1.0, 0.0, 2.0]),
    ...                         np.array([[-1.0], [0.0], [1.0]]), steep, np.full(3, 1 / 3))
    >>> print(report)
    classes never predicted: b
      a: 1 rows, 1 predicted; mean at t = -1, fitted  0.833  0.333 -0.167; largest for t in [-inf, 0]
      b: 1 rows, 0 predicted; mean at t = 0, fitted  0.333  0.333  0.333; nowhere on the line
      c: 1 rows, 2 predicted; mean at t = 1, fitted -0.167  0.333  0.833; largest for t in [0, inf]
    """
    origin = means.mean(axis=0)
    _, _, Vt = np.linalg.svd(means - origin, full_matrices=False)
    direction = Vt[0] * (-1.0 if Vt[0][np.argmax(np.abs(Vt[0]))] < 0.0 else 1.0)
    position = (means - origin) @ direction
    slope, level = coef @ direction, coef @ origin + intercept
    fitted = level + np.multiply.outer(position, slope)
    interval = np.array([_largest_on(k, slope, level) for k in range(len(classes))])
    return MaskingReport(classes, members, predicted, origin, direction, position, fitted, interval)


def _largest_on(k: int, slope: np.ndarray, level: np.ndarray) -> tuple[float, float]:
    """The interval of t on which level_k + slope_k t is the largest; (NaN, NaN) when it has no length."""
    rise, gap = slope[k] - slope, level - level[k]
    rounding = 1e-12 * (np.abs(slope).max() + np.finfo(float).tiny)
    flat = np.abs(rise) <= rounding
    if np.any(flat & (gap > 1e-12)):
        return np.nan, np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = gap / rise
    low = float(crossing[~flat & (rise > 0.0)].max(initial=-np.inf))
    high = float(crossing[~flat & (rise < 0.0)].min(initial=np.inf))
    # A single point, where two other classes tie with this one, is not a stretch of the line.
    low, high = low + 0.0, high + 0.0  # no negative zero
    return (low, high) if high - low > 1e-9 * (1.0 + abs(low)) or np.isinf(low) else (np.nan, np.nan)
