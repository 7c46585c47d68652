"""The scores in a card, measured again on the rows they are about."""

from typing import Any

import numpy as np

from learnable.app.judging.costs import Costs
from learnable.app.judging.figures import of_model
from learnable.app.judging.metrics import Metric, cost_metric, of_name
from learnable.app.result import ClaimResult, Interval
from learnable.app.trials.fitting import output_of

AGREEMENT, ROUNDING = 1e-6, 1e-13
"""Share of a figure, and of the largest target, by which another machine may find it different."""


def score_claims(
    card: dict[str, Any], learner: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None
) -> list[ClaimResult]:
    """One claim for each score in the card: it is what the learner reaches on the rows held out from training.

    A card is text beside the model and can be edited; these claims fail when it was. Cross-validated scores are left
    alone, since they are about other fits than the one in the file.

    Parameters
    ----------
    card : of the model file.
    learner : fitted, from the same file.
    X, y, weight : coded rows held out from training, their target, and their weights where there are such.
    """
    written = {card["metric"]: card["learner"]["test"], **card["learner"]["extra"]}
    metric = metric_of(card)
    try:
        if metric is None:
            raise ValueError(card["metric"])
        loss, further = of_model(y, output_of(learner, X), metric, weight)
        measured = {metric.name: loss, **further}
    except (FloatingPointError, ValueError):  # such as predictions that are not finite: then no score is reached
        measured = {}
    rounding = ROUNDING * (float(np.abs(y).max()) if y.dtype.kind == "f" else 1.0)
    return [
        test_row_claim(card, len(y)),
        *(_claim(name, Interval(**parts), measured.get(name), rounding) for name, parts in written.items()),
    ]


def test_row_claim(card: dict[str, Any], held_out: int) -> ClaimResult:
    """The claim that as many rows are held out from training as the card says."""
    return ClaimResult(
        "E10",
        f"test rows in the card: {card['test_rows']} (how many more or fewer are held out here)",
        float(abs(card["test_rows"] - held_out)),
        0.0,
        card["test_rows"] == held_out,
        "exact",
    )


def metric_of(card: dict[str, Any]) -> Metric | None:
    """The measure that the card names."""
    costs = costs_of(card)
    return cost_metric(costs) if costs is not None and card["metric"] == "mean cost" else of_name(card["metric"])


def costs_of(card: dict[str, Any]) -> Costs | None:
    """The costs of mistakes that the card holds."""
    given = card.get("costs")
    return None if given is None else Costs(tuple(sorted(card["levels"])), np.array(given, dtype=float))


def _claim(name: str, written: Interval, measured: Interval | None, rounding: float) -> ClaimResult:
    """How far the score and the ends of its interval are from those measured."""
    said = f"{name} in the card: {written}"
    if measured is None:
        return ClaimResult("E10", f"{said}, which cannot be had on the held-out rows", None, None, False, "exact")
    pairs = [(getattr(written, part), getattr(measured, part)) for part in ("estimate", "low", "high")]
    distance = max(abs(one - other) for one, other in pairs)
    bound = AGREEMENT * max(abs(other) for _, other in pairs) + rounding ** (1 + (name == "mean squared error"))
    return ClaimResult(
        "E10",
        f"{said}; on the held-out rows: {measured} (distance)",
        distance,
        bound,
        distance <= bound and (written.level, written.method) == (measured.level, measured.method),
        "exact",
    )
