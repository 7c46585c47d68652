"""The fitted model inside a search or at the end of a pipeline, and what these say of it. Syllabus: MS7, O7."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.again import AGAIN
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.methods import hidden, overridden_claim
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import refitted_apart, to_write_on


class Inner(NamedTuple):
    """A fitted model, the data as they reach it, claims about what stands around it, what nothing is claimed about."""

    model: Any
    X: Any
    claims: tuple[Claim, ...] = ()
    unverified: tuple[str, ...] = ()


def innermost(model: Any, X: Any, y: Any = None) -> Inner:
    """Through searches and pipelines of scikit-learn's, whose predictions are those of the model inside."""
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.pipeline import Pipeline

    unverified: tuple[str, ...] = ()
    if isinstance(model, BaseSearchCV):
        if not hasattr(model, "best_estimator_"):
            raise TypeError(f"certify: {type(model).__name__}(refit=False) holds no fitted model; set refit=True")
        inner = innermost(model.best_estimator_, X, y)
        claims, unverified = _choice_claims(model), ("cv_results_",)
    elif isinstance(model, Pipeline):
        X, claims = _through_steps(model.steps[:-1], X, y)
        inner = innermost(model.steps[-1][1], X, y)
    else:
        return Inner(model, X)
    claims += _as_scikit_learn_answers(model)
    return inner._replace(claims=(*inner.claims, *claims), unverified=(*inner.unverified, *unverified))


def astray_claim(model: Any) -> Claim | None:
    """What is wrong with the trees in a model of scikit-learn's, whose compiled code would follow them anywhere."""
    if is_ours(model):
        return None
    from learnable.certificates.ensembles.member_links import ANY, leads_astray

    if not leads_astray(model, getattr(model, "n_features_in_", ANY)):
        return None
    return Claim.at_most("O7", "trees lead every row to one leaf, by columns that there are (1 if not)", 1.0, 0.0)


def _through_steps(steps: list[tuple[str, Any]], X: Any, y: Any) -> tuple[Any, list[Claim]]:
    """(the rows as the last step is given them, that each step before it is what the same fit gives again).

    What a step does to cells that no row of these has, missing ones say, nothing else would show. One that draws random
    numbers, or was given more than rows and targets, may be another every time.
    """
    claims = []
    for name, step in steps:
        if step is None or isinstance(step, str):
            continue
        statement = (
            f"the step {name!r}, fitted again, is that of the pipeline (largest difference, relative, 1 if more)"
        )
        claims.append(Claim.reached("O7", statement, refitted_apart(step, X, y), AGAIN, asked=1.0))
        X = step.transform(to_write_on(step, X))
    return X, claims


def _as_scikit_learn_answers(model: Any) -> list[Claim]:
    """Whether what stands around a model answers by it, and not by methods of its own."""
    kind: Any = type(model)
    judged = next(each for each in kind.__mro__ if each.__module__.partition(".")[0] in ("sklearn", "learnable"))
    found = []
    if others := hidden(kind, tuple(vars(model))):
        statement = f"methods of {kind.__name__} are those of the class (hidden by attributes: {', '.join(others)})"
        found.append(Claim.at_most("O7", statement, len(others), 0.0))
    if (redefined := overridden_claim(kind, judged, vars(model))) is not None:
        found.append(redefined)
    return found


def _choice_claims(search: Any) -> list[Claim]:
    """That the model inside is the one whose scores, as they are told, are the best; they are not found again."""
    told = [name for name in ("cv_results_", "best_index_", "best_params_") if name in vars(search)]
    if len(told) < 3:
        statement = "a search that chose says of whom (attributes missing)"
        return [Claim.at_most("O7", statement, 3 - len(told), 0.0)]
    results, best, chosen = search.cv_results_, int(search.best_index_), search.best_params_
    other = not _same(dict(chosen), dict(results["params"][best])) or _unlike(search, chosen)
    statement = "the model inside has the parameters that were chosen (1: others)"
    claims = [Claim.at_most("MS7", statement, float(other), 0.0)]
    if callable(search.refit):
        return claims
    metric = search.refit if getattr(search, "multimetric_", False) else "score"
    scores = np.asarray(results[f"mean_test_{metric}"], dtype=float)
    splits = [values for key, values in results.items() if key.startswith("split") and key.endswith(f"_test_{metric}")]
    size = max(float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)), np.finfo(float).tiny)
    off = np.abs(np.append(np.mean(splits, axis=0) - scores if splits else [], search.best_score_ - scores[best]))
    statement = "scores are the means over the folds, and that of the choice is the one told (largest difference)"
    claims.append(Claim.at_most("MS7", statement, float(np.nanmax(off, initial=0.0)) / size, 1e-9))
    if "iter" not in results:  # the last round of halving has the say
        below = float(np.nanmax(scores, initial=-np.inf) - scores[best]) if len(scores) else 0.0
        statement = "no score told is above that of the choice (difference)"
        claims.append(Claim.at_most("MS7", statement, below / size if np.isfinite(scores).any() else 0.0, 1e-9))
    return claims


def _unlike(search: Any, chosen: dict[str, Any]) -> bool:
    """Whether the model inside is not made with the parameters of what was searched, and those chosen."""
    from sklearn.base import clone

    kind, inside = type(search.estimator), search.best_estimator_
    if type(inside) is not kind:
        return True
    asked = clone(search.estimator).set_params(**clone(chosen, safe=False)).get_params()
    made = inside.get_params()
    return asked.keys() != made.keys() or not all(_same(value, made[name]) for name, value in asked.items())


def _same(one: Any, other: Any) -> bool:
    """Whether two parameters are equal; objects that are no numbers, words or collections are told apart by class."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.shape(one) == np.shape(other) and bool(np.all(np.asarray(one) == np.asarray(other)))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    plain = (int, float, str, np.generic)
    if one is None or isinstance(one, plain) or isinstance(other, plain):
        return bool(one == other or (one != one and other != other))
    return type(one) is type(other)
