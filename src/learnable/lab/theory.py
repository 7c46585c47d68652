"""The theory pages: bounds solved for a quantity, growth functions, shattering with its proof, intervals tried out."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.evaluation import PROPORTION_INTERVALS, coverage, least_coverage
from learnable.lab.limits import Refused
from learnable.theory import CATALOGUE, HalfSpaces, Rectangles, Stumps, pac_experiment, sauer_sum
from learnable.theory.classes import Hypothesis, Refutation, StructuredClass
from learnable.theory.dichotomies import dichotomies
from learnable.theory.frequency import Frequency
from learnable.theory.witness_check import realises, refutes

CLASSES: dict[str, Callable[[], StructuredClass]] = {
    "half-planes": lambda: HalfSpaces(2),
    "rectangles": lambda: Rectangles(2),
    "stumps": lambda: Stumps(2),
}
# 2^n labellings are decided in rational arithmetic.
MOST_POINTS = 7


def number(asked: dict[str, Any], name: str, low: float, high: float, *, whole: bool = False) -> Any:
    """A number of a question, within its range."""
    try:
        value = float(asked[name])
    except (KeyError, TypeError, ValueError) as fault:
        raise Refused(f"{name}: a number from {low:g} to {high:g} is needed") from fault
    if not low <= value <= high or (whole and not value.is_integer()):
        raise Refused(
            f"{name} = {value:g}: {'a whole number' if whole else 'a number'} from {low:g} to {high:g} is needed"
        )
    return int(value) if whole else value


def samples(asked: dict[str, Any]) -> dict[str, Any]:
    """How many examples bring the error down to ε with probability 1 − δ, by every bound that applies."""
    epsilon, delta = number(asked, "epsilon", 1e-6, 0.999), number(asked, "delta", 1e-12, 0.999)
    seen = {"empirical_risk": number(asked, "training_error", 0.0, 0.99)}
    if asked.get("finite"):
        size = number(asked, "size", 1, 1e300, whole=True)
        wanted = {"finite_consistent": {"size": size}, "finite_agnostic": {"size": size, **seen}}
    else:
        d = number(asked, "d", 1, 10_000, whole=True)
        wanted = {
            "double_sampling": {"d": d},
            "behw": {"d": d},
            "vapnik_bound": {"d": d, **seen},
            "vc_bound": {"d": d, **seen},
        }
    answers: list[dict[str, Any]] = []
    for name, known in wanted.items():
        bound = CATALOGUE[name]
        if seen["empirical_risk"] and "empirical_risk" not in known:
            answers.append({"bound": name, "row": bound.syllabus, "m": None, "why": "only without training error"})
            continue
        try:
            solved = bound.solve_for("m", epsilon=epsilon, delta=delta, **known)
        except (ValueError, OverflowError) as fault:
            answers.append({"bound": name, "row": bound.syllabus, "m": None, "why": str(fault)})
            continue
        m = float(solved.value)
        curve = []
        for share in np.geomspace(0.25, 4.0, 33):
            try:
                curve.append(
                    [share * epsilon, float(bound.solve_for("m", epsilon=share * epsilon, delta=delta, **known).value)]
                )
            except (ValueError, OverflowError):
                continue
        answers.append({
            "bound": name, "row": bound.syllabus, "m": m if math.isfinite(m) else None, "statement": bound.statement,
            "assumptions": list(bound.assumptions), "checked": bool(solved.check()), "curve": curve, "why": "",
        })  # fmt: skip
    return {"answers": answers}


def growth(asked: dict[str, Any]) -> dict[str, Any]:
    """The growth function of a class of VC dimension d at most, beside 2^m and (em/d)^d, as powers of two."""
    d, most = number(asked, "d", 1, 60, whole=True), number(asked, "m", 2, 400, whole=True)
    sizes = sorted({int(m) for m in np.linspace(1, most, min(most, 80))})
    return {
        "m": sizes,
        "all": [float(m) for m in sizes],
        "sauer": [math.log2(sauer_sum(m, d)) for m in sizes],
        "power": [d * math.log2(math.e * m / d) if m >= d else None for m in sizes],
        "break_point": d + 1,
        "exact": [str(sauer_sum(m, d)) for m in sizes],
    }


def shattering(asked: dict[str, Any]) -> dict[str, Any]:
    """Which labellings of the points a class realises: a hypothesis for each, checked; or one it lacks, and why."""
    name = str(asked.get("kind", ""))
    if name not in CLASSES:
        raise Refused(f"there is no class {name!r}; there are {', '.join(CLASSES)}", 404)
    points = asked.get("points")
    if not isinstance(points, list) or not 1 <= len(points) <= MOST_POINTS:
        raise Refused(f"from 1 to {MOST_POINTS} points")
    try:
        at = np.array([[float(x), float(y)] for x, y in points])
    except (TypeError, ValueError) as fault:
        raise Refused("a point is [x, y]") from fault
    if not np.isfinite(at).all() or np.abs(at).max() > 1e6:
        raise Refused("a point lies too far away")
    concepts = CLASSES[name]()
    found, witness = dichotomies(concepts, at)
    rows = [tuple(row) for row in at.tolist()]
    n = len(rows)
    listed: list[dict[str, Any]] = []
    for mask in range(2**n):
        labels = [bool(mask >> i & 1) for i in range(n)]
        hypothesis = witness.get(mask)
        listed.append({
            "labels": labels, "realised": hypothesis is not None,
            "checked": hypothesis is not None and realises(hypothesis, rows, labels),
            "hypothesis": None if hypothesis is None else _drawn(hypothesis),
        })  # fmt: skip
    answer: dict[str, Any] = {
        "count": len(found), "of": 2**n, "shattered": len(found) == 2**n, "labellings": listed, "refutation": None,
        "dimension": concepts.dimension, "argument": concepts.argument,
    }  # fmt: skip
    if len(found) < 2**n:
        # A structured class refutes any set larger than its dimension; a smaller one by a labelling that is missing.
        missing = next(labels["labels"] for labels in listed if not labels["realised"])
        reason = concepts.realise(at, missing)
        assert isinstance(reason, Refutation)
        answer["refutation"] = {
            "labels": missing, "checked": bool(refutes(reason, concepts, rows, missing)), **_why(reason, at)
        }  # fmt: skip
    return answer


def _drawn(hypothesis: Hypothesis) -> dict[str, Any]:
    """A hypothesis as numbers that the page can draw."""
    return {"kind": type(hypothesis).__name__, **{key: list(value) if isinstance(value, tuple) else value
            for key, value in vars(hypothesis).items()}}  # fmt: skip


def _why(reason: Refutation, at: np.ndarray) -> dict[str, Any]:
    name = type(reason).__name__
    support = sorted(reason.support)
    if name == "HullsMeet":
        weights = np.array(reason.weights)  # type: ignore[attr-defined]
        # The weights of the positive points add up to 1, and so do those of the others.
        meeting = (weights @ at / 2.0).tolist()
        return {"support": support, "at": meeting, "sentence":
                "the hulls of the two colours meet in the marked point, so no line has them on two sides"}  # fmt: skip
    if name == "Enclosed":
        inner = at[reason.point].tolist()  # type: ignore[attr-defined]
        return {"support": support, "at": inner, "sentence":
                "the marked point lies in the smallest rectangle around the others, and so in each"}  # fmt: skip
    return {"support": support, "at": None, "sentence":
            "along both axes the colours stand out of order both ways, so no single cut has them apart"}  # fmt: skip


def intervals(asked: dict[str, Any]) -> dict[str, Any]:
    """Intervals of many simulated samples: how many cover the true rate, beside the exact coverage."""
    method = str(asked.get("method", ""))
    if method not in PROPORTION_INTERVALS:
        raise Refused(f"there is no interval {method!r}; there are {', '.join(PROPORTION_INTERVALS)}", 404)
    n, p = number(asked, "n", 1, 2_000, whole=True), number(asked, "p", 0.0, 1.0)
    level = number(asked, "level", 0.5, 0.999)
    repeats, seed = number(asked, "repeats", 10, 20_000, whole=True), number(asked, "seed", 0, 2**31, whole=True)
    mistakes = np.random.default_rng(seed).binomial(n, p, repeats)
    low, high = PROPORTION_INTERVALS[method](mistakes, n, level)
    covers = (low <= p) & (p <= high)
    count = Frequency(int(covers.sum()), repeats)
    rates = np.linspace(0.0, 1.0, 121)
    worst = least_coverage(method, n, level)
    return {
        "shown": np.column_stack([low, high])[:60].round(5).tolist(), "covers": covers[:60].tolist(),
        "rate": count.value, "rate_low": count.low, "rate_high": count.high,
        "exact": float(coverage(method, n, p, level)), "curve": coverage(method, n, rates, level).round(5).tolist(),
        "worst": float(worst.coverage), "worst_at": float(worst.p), "methods": list(PROPORTION_INTERVALS),
    }  # fmt: skip


def tried(asked: dict[str, Any]) -> dict[str, Any]:
    """A bound tried out: the tightest rectangle around the positive points, on many samples of the stated size."""
    m = number(asked, "m", 1, 5_000, whole=True)
    delta, repeats = number(asked, "delta", 1e-6, 0.9), number(asked, "repeats", 50, 2_000, whole=True)
    bound = CATALOGUE["rectangle_learner"](m=m, delta=delta)
    low, high = np.array([0.25, 0.2]), np.array([0.8, 0.75])

    def draw(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.random((size, 2))
        return X, np.all((low <= X) & (high >= X), axis=1)

    def learner(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inside = X[y]
        return (inside.min(axis=0), inside.max(axis=0)) if len(inside) else (low, low)

    # Examples are uniform in the square, so the risk is an area: that of the target less that of the answer inside it.
    def risk(answer: tuple[np.ndarray, np.ndarray]) -> float:
        return float(np.prod(high - low) - np.prod(np.maximum(answer[1] - answer[0], 0.0)))

    risks: list[float] = []

    def noted(answer: tuple[np.ndarray, np.ndarray]) -> float:
        risks.append(risk(answer))
        return risks[-1]

    pac_experiment(draw, learner, noted, m=m, epsilon=min(float(bound.value), 1.0), repeats=repeats)
    over = Frequency(int(np.sum(np.array(risks) > bound.value)), len(risks))
    return {
        "epsilon": float(bound.value), "vacuous": bool(bound.vacuous), "statement": bound.statement,
        "row": bound.syllabus, "delta": delta, "over": over.value, "over_low": over.low, "over_high": over.high,
        "holds": over.low <= delta, "risks": np.quantile(risks, np.linspace(0.0, 1.0, 101)).round(6).tolist(),
        "observed": float(np.quantile(risks, 1.0 - delta)),
    }  # fmt: skip


QUESTIONS = {"samples": samples, "growth": growth, "shattering": shattering, "intervals": intervals, "tried": tried}
