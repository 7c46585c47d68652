"""`summary`, `tidy` and `glance` as methods of the models that have a sampling theory."""

from typing import Any


class Summarised:
    """Mixin: what a fit says about its coefficients, from the data it was fitted on, which a model does not keep."""

    def summary(self, X: Any, y: Any = None, sample_weight: Any = None, level: float = 0.95) -> Any:
        """Standard errors, tests, intervals and fit statistics; see `learnable.linear.summary`.

        Parameters
        ----------
        X, y, sample_weight : the data of the fit.
        level : float, default=0.95
            Of the intervals.
        """
        from learnable.linear.reports.inference import summary

        return summary(self, X, y, sample_weight, level)

    def tidy(self, X: Any, y: Any = None, sample_weight: Any = None, level: float = 0.95) -> list[dict[str, Any]]:
        """One dictionary a coefficient: estimate, standard error, statistic, p-value, interval.

        Parameters
        ----------
        X, y, sample_weight : the data of the fit.
        level : float, default=0.95
        """
        return self.summary(X, y, sample_weight, level).tidy()

    def glance(self, X: Any, y: Any = None, sample_weight: Any = None) -> dict[str, float]:
        """One dictionary for the fit as a whole.

        Parameters
        ----------
        X, y, sample_weight : the data of the fit.
        """
        return self.summary(X, y, sample_weight).glance()
