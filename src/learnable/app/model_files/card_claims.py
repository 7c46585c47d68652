"""What a card says of its model, compared with the model: class, settings, classes, columns, weights, stored claims."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from learnable.app.errors import printable
from learnable.app.judging.explaining import MOST_EFFECTS
from learnable.app.judging.traits import parts_of
from learnable.app.result import ClaimResult, plain
from learnable.app.trials.blend import is_blend
from learnable.app.trials.calibrated import Calibrated

# Share of a number by which another machine may find it different.
AGREEMENT = 1e-6
_BASELINES = {"DummyClassifier": "commonest class", "DummyRegressor": "mean"}


def name_claim(card: Mapping[str, Any], learner: Any) -> ClaimResult:
    """The claim that the learner in a file is of the class that its card says, and has a label of that class."""
    name, label = kind_of(learner), card["learner"]["label"]
    said = card["learner"]["name"]
    return _none_differ(
        f"names in the card, {printable(label, 60)!r} ({printable(said, 60)}), that are not those of the learner in "
        f"the file, a {name}",
        (said != name) + (label not in _labels(learner)),
    )


def kind_of(learner: Any) -> str:
    """The name of the class that learns: of a calibrated one, what is calibrated."""
    return type(learner.estimator_ if isinstance(learner, Calibrated) else learner).__name__


def _labels(learner: Any) -> set[str]:
    if is_blend(learner):
        return {"blend"}
    kind = type(learner.estimator_ if isinstance(learner, Calibrated) else learner)
    if kind.__name__ in _BASELINES:
        return {_BASELINES[kind.__name__]}
    labels = {entry.label for entry in vars(kind).get("panel", ())}
    return labels | {f"{label} ({kind.__name__})" for label in labels}


def card_claims(card: Mapping[str, Any], pipeline: Any) -> list[ClaimResult]:
    """One claim for each part of the card that the model itself can answer for: how many entries differ."""
    learner, coder = pipeline["learn"], pipeline["code"]
    stated = {one["name"]: one["kind"] for one in card["columns"]}
    claims = [
        _none_differ("settings in the card that are not those of the learner", _settings(card, learner)),
        _none_differ("columns in the card that the model was not trained on, or the other way round",
                     len(set(stated) ^ set(coder.kinds_))),
        _none_differ("columns in the card of another kind than they were read as, or in use without being there",
                     sum(kind != stated.get(name) for name, kind in coder.kinds_.items())
                     + len(set(card["used"]) - set(stated))),
        _none_differ("levels that the model knows and the card does not", _levels(card, coder)),
        _none_differ("weights in the card that are not those of the learner", _weights(card, learner, coder)),
    ]  # fmt: skip
    if hasattr(learner, "classes_"):
        classes = [str(each) for each in np.asarray(learner.classes_).tolist()]
        claims.append(_none_differ("classes in the card that are not those of the learner, or the other way round",
                                   len(set(card["levels"]) ^ set(classes))))  # fmt: skip
        within = [part.classes_ for part in parts_of(learner) if hasattr(part, "classes_")]
        moved = sum(not np.array_equal(learner.classes_, each) for each in within)
        claims.append(_none_differ("learners in the model whose classes stand in another order than those of the model",
                                   moved))  # fmt: skip
    return claims


def stored_claims(card: Mapping[str, Any], found: Sequence[ClaimResult]) -> ClaimResult:
    """The claim that those in the card are the ones found again, with the same numbers and the same verdicts.

    A card without a certificate, as a time limit may leave it, says nothing that could be wrong.
    """
    if card["learner"]["certificate"] is None:
        found = []
    # How the weights of a blend were found is about rows held out in turn, which the file does not have.
    stored = [one for one in card["learner"]["certificate"] or [] if one["id"] != "blend"]
    return _none_differ("claims in the card that are not found again", _not_found(stored, found))


def carried_claims(told: Sequence[ClaimResult], again: Sequence[ClaimResult], otherwise: int = 0) -> ClaimResult:
    """The claim that those which a learner carries since its fit are found again; `otherwise` is what else differs."""
    statement = "claims that the learner carries since its fit and that are not found again"
    return _none_differ(statement, otherwise + _not_found([plain(asdict(one)) for one in told], again))


def _not_found(stored: Sequence[Mapping[str, Any]], found: Sequence[ClaimResult]) -> int:
    """How many claims differ; members of a blend may make the same ones, each in its turn."""
    again: dict[tuple[str, str], list[ClaimResult]] = {}
    for one in reversed(found):
        again.setdefault((one.id, one.statement), []).append(one)
    pairs = [(told, again.get((told["id"], told["statement"]))) for told in stored]
    differ = sum(not _same_claim(told, same.pop() if same else None) for told, same in pairs)
    return differ + abs(len(stored) - len(found))


def _same_claim(stored: Mapping[str, Any], found: ClaimResult | None) -> bool:
    if found is None or (stored["holds"], bool(stored.get("open"))) != (found.holds, found.open):
        return False
    if stored.get("kind", found.kind) != found.kind or stored.get("delta") != found.delta:
        return False
    if list(stored.get("assumptions", found.assumptions)) != found.assumptions:
        return False
    if (stored["bound"] is None) != (found.bound is None) or (stored["value"] is None) != (found.value is None):
        return False
    # Numbers of the size of rounding differ from machine to machine: a bound says what size counts.
    size = max((abs(one) for one in (found.value, found.bound, stored["bound"]) if one is not None), default=0.0)
    pairs = [(stored["value"], found.value), (stored["bound"], found.bound)]
    slack = AGREEMENT * size + (1e-9 if found.bound is None else abs(found.bound))
    return all(
        one is None or other is None or one == other or (math.isfinite(one) and abs(one - other) <= slack)
        for one, other in pairs
    )


def row_claim(card: Mapping[str, Any], rows: int) -> ClaimResult:
    """The claim that the model was trained on as many rows as the card says."""
    return _none_differ("training rows in the card, more or fewer than there are", abs(card["training"]["rows"] - rows))


def _levels(card: Mapping[str, Any], coder: Any) -> int:
    """How many levels of categories the coder learned that the card does not name."""
    stated = {one["name"]: set(one["levels"]) for one in card["columns"]}
    known = {
        name: {*levels, *coder.rare_.get(name, ()), *coder.steps_.get(name, ())}
        for name, levels in coder.levels_.items()
    }
    return sum(len(levels - stated.get(name, set())) for name, levels in known.items())


def _settings(card: Mapping[str, Any], learner: Any) -> int:
    inner = learner.estimator_ if isinstance(learner, Calibrated) else learner
    weights = dict(zip(learner.labels, learner.weights)) if is_blend(learner) else {}
    stated = card["learner"].get("weights") or {}
    differ = len(set(weights) ^ set(stated)) + sum(
        not _close(stated[label], weights[label]) for label in set(weights) & set(stated)
    )
    if bool(card["learner"].get("calibrated")) != isinstance(learner, Calibrated):
        differ += 1
    if card["learner"]["solver"] != str(getattr(inner, "status_", "")):
        differ += 1
    known = {} if is_blend(learner) else plain(inner.get_params())
    return differ + sum(
        key not in known or not _close(value, known[key]) for key, value in card["learner"]["params"].items()
    )


def _weights(card: Mapping[str, Any], learner: Any, coder: Any) -> int:
    """How many of the weights in the card are not among those of the model, or are missing from the card."""
    inner = learner.estimator_ if isinstance(learner, Calibrated) else learner
    features = [str(name) for name in coder.get_feature_names_out()]
    coef = getattr(inner, "coef_", None)
    rows = np.zeros((0, 0)) if coef is None else np.atleast_2d(np.asarray(coef, dtype=float))
    if rows.shape[1] != len(features):
        return len(card["coefficients"])
    classes = [str(one) for one in getattr(inner, "classes_", [])]
    names = classes if len(rows) > 1 else classes[1:] if len(classes) == 2 else [""]
    true = {(f, name): rows[k, j] for k, name in enumerate(names) for j, f in enumerate(features)}
    stated = {(one["feature"], one["output"]): one["weight"] for one in card["coefficients"]}
    wrong = sum(key not in true or not _close(value, float(true[key])) for key, value in stated.items())
    wrong += sum(_another_effect(one, true, dict(zip(features, coder.scale_of()))) for one in card["coefficients"])
    # The card holds the largest ones; a level of weight zero stands there only beside its reference level.
    least = min((abs(value) for value in stated.values()), default=math.inf)
    full = len(card["coefficients"]) >= MOST_EFFECTS
    missing = sum(
        value != 0.0 and key not in stated and not (full and abs(value) <= least * (1.0 + AGREEMENT))
        for key, value in true.items()
    )
    return wrong + missing + len(card["coefficients"]) - len(stated)


def _another_effect(one: Mapping[str, Any], true: Mapping[tuple[str, str], float], scale: Mapping[str, float]) -> bool:
    """Whether an effect is not the weight in the units of the table, less that of the level it stands against."""
    if one["effect"] is None:
        return False
    key, against = (one["feature"], one["output"]), (one["against"], one["output"])
    if key not in true or (one["against"] and against not in true):
        return True
    contrast = true[key] - (true[against] if one["against"] else 0.0)
    return not _close(one["effect"]["estimate"], float(contrast / scale[one["feature"]]))


def _close(one: Any, other: Any) -> bool:
    numbers = (int, float)
    if isinstance(one, numbers) and isinstance(other, numbers) and not isinstance(one, bool):
        return one == other or abs(one - other) <= AGREEMENT * max(abs(one), abs(other))
    return bool(one == other)


def _none_differ(statement: str, how_many: int) -> ClaimResult:
    return ClaimResult("E10", f"{statement} (how many)", float(how_many), 0.0, how_many == 0, "exact")
