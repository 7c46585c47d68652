"""`learnable certify`: the claims about a saved model, computed again from a table."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from learnable.app.errors import UserError, printable
from learnable.app.model_files.model_file import load
from learnable.app.report.text import describe_claims
from learnable.app.result import ClaimResult, plain
from learnable.app.table.reading import AS_FOUND, HowToRead


@dataclass(frozen=True)
class Verdict:
    """The claims, and whether the data are those that the model was trained on.

    Attributes
    ----------
    rows : rows that the certificate was computed on.
    training_data : whether their digest is that of the training rows.
    held_out : rows behind the claims about new rows; only where `training_data` is true are they known to be new.
    scores_checked : whether the rows were there on which the scores in the card were measured.
    asserts : whether every learner in the model has a claim with a bound, and none of its claims is left open.
    refitted : whether the model was fitted anew on all rows, so that its scores are those of another fit.
    """

    model: str
    learner: str
    data: str
    rows: int
    training_data: bool
    claims: list[ClaimResult]
    held_out: int = 0
    scores_checked: bool = False
    asserts: bool = False
    refitted: bool = False

    @property
    def fails(self) -> bool:
        """Whether a claim is refuted."""
        return any(claim.fails for claim in self.claims)

    @property
    def holds(self) -> bool:
        """Whether the learner's own claims prove something, and none fails."""
        return self.asserts and not self.fails

    @property
    def verdict(self) -> str:
        """ "proved", "refuted" or "nothing asserted"."""
        return "refuted" if self.fails else "proved" if self.asserts else "nothing asserted"

    def to_dict(self) -> dict[str, Any]:
        said = {"holds": self.holds, "verdict": self.verdict}
        return {"schema": "learnable.certify/1", **said, **plain(asdict(self))}

    def text(self) -> str:
        if self.training_data:
            origin = f"the {self.rows} training rows, as their digest shows"
        else:
            origin = (
                f"{self.rows} rows that are NOT exactly the training rows (their digest differs): "
                "claims may well fail here"
            )
        state = {"proved": "holds", "refuted": "FAILS", "nothing asserted": "nothing is asserted"}[self.verdict]
        head = f"certificate of {printable(self.learner)} in {printable(self.model)}: {state}"
        lines = [head, f"computed on {origin}"]
        if self.held_out and self.training_data:
            lines.append(f"claims about new rows are from {self.held_out} rows of the table held out from training")
        elif self.held_out:
            lines.append(
                f"claims about new rows are from all {self.held_out} rows: true if none of them was trained on, "
                "which the model file cannot tell"
            )
        if self.refitted and not self.scores_checked:
            lines.append(
                "the scores in the card are not checked: they are those of a fit without the test rows, and the model "
                "in the file is fitted anew on all rows"
            )
        elif not self.scores_checked:
            lines.append(
                "the scores in the card are not checked: that takes the whole table given to `learnable learn`, with "
                "rows held out from training; cross-validated scores are about other fits"
            )
        return "\n".join([*lines, describe_claims(self.claims)])


def certify_file(
    path: Path, data: str, vc: int | None = None, delta: float = 0.05, how: HowToRead = AS_FOUND
) -> Verdict:
    """Find the training rows in a table, or take all of its rows, and compute the certificate again.

    Of a classifier the error on new rows is claimed too, with probability 1 − `delta`: from the rows that are not
    training rows, and, given the VC dimension `vc` of its class, from the training rows. Where the rows held out from
    training are in the table, the scores in the card are measured again. A file larger than memory is read in blocks.
    """
    # Brings scikit-learn, which `learnable learn` imports after it has read the table.
    from sklearn.base import is_classifier

    from learnable.app.model_files.calibration_claims import calibrated_in, calibration_claims
    from learnable.app.model_files.card_claims import (
        card_claims,
        carried_claims,
        name_claim,
        row_claim,
        stored_claims,
    )
    from learnable.app.model_files.card_scores import score_claims, test_row_claim
    from learnable.app.model_files.evidence import evidence_in

    saved = load(path)
    learner, label = saved.pipeline["learn"], saved.card["learner"]["label"]
    task = "classification" if is_classifier(learner) else "regression"
    if saved.card["task"] != task:
        said = printable(saved.card["task"], 40)
        raise UserError(f"{path} is damaged: its card says {said!r}, but its learner is for {task}")
    named = name_claim(saved.card, learner)
    with _readable(path), evidence_in(saved, data, how) as seen:
        found = recompute(learner, *seen.training)
        claims = [*(found or []), named]
        if not named.fails:  # of another learner the card has nothing to say
            claims += card_claims(saved.card, saved.pipeline)
        if len(seen.training) > 1:
            claims += [claim for part in calibrated_in(learner) for claim in calibration_claims(part, *seen.training)]
        if seen.same:
            claims += [stored_claims(saved.card, found or []), row_claim(saved.card, seen.n_rows)]
            claims += [carried_claims(*each) for each in carried(learner, *seen.training)]
            if seen.whole and not saved.card["refitted"] and not len(seen.held[0]):
                claims.append(test_row_claim(saved.card, 0))
        scored = score_claims(saved.card, learner, *seen.held) if seen.whole and len(seen.held[0]) else []
        claims += scored
        classifier = task == "classification"
        if vc is not None:
            if not (classifier and seen.same):
                raise UserError("--vc is about the training rows of a classifier; leave it out here")
            X, y = seen.in_memory()
            claims += _about_new_rows("certify_training", learner, X, y, vc=vc, delta=delta)
        X_new, y_new = seen.new
        if classifier and len(X_new):
            about = _about_new_rows("certify_held_out", learner, X_new, y_new, delta=delta)
            claims += about if seen.same else [_conditional(claim) for claim in about]
        held_out = len(X_new) if classifier else 0
        asserts = asserting(learner, found)
        return Verdict(str(path), label, data, seen.n_rows, seen.same, claims, held_out, bool(scored), asserts,
                       saved.card["refitted"])  # fmt: skip


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Where the parts of a model do not fit together, as after an edit, that is said of the file."""
    try:
        with np.errstate(all="ignore"):  # a number that is none is found by the claims
            yield
    except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        said = printable(f"{type(error).__name__}: {error}")
        raise UserError(
            f"{path} cannot be judged: its parts do not fit together ({said}); compare it with the file that "
            "`learnable learn` wrote, or train the model again"
        ) from error


def _about_new_rows(how: str, learner: Any, X: np.ndarray, y: np.ndarray, **given: Any) -> list[ClaimResult]:
    from learnable import theory

    try:
        return claims_of(getattr(theory, how)(learner, X, y, **given))
    except ValueError as error:
        raise UserError(str(error)) from error


def _conditional(claim: ClaimResult) -> ClaimResult:
    """The claim for rows of which nobody knows whether they were trained on."""
    statement = claim.statement.replace("held-out rows", "rows of this table")
    return replace(claim, statement=statement + ("" if claim.delta is None else ", if none of them was trained on"))


def recompute(
    model: Any, X: Any, y: np.ndarray | None = None, weight: np.ndarray | None = None
) -> list[ClaimResult] | None:
    """The claims about a fitted learner on coded rows; None for a class that no certificate is known for.

    `X` may be `SpooledRows`, which carry their target and their weights.

    Of a blend, the claims of its members; of a calibrated learner, those of the learner. Who is judged is decided by
    class: what the learner carries as its certificate is not read.
    """
    from learnable.app.judging.traits import parts_of
    from learnable.certificates import certify

    claims: list[ClaimResult] = []
    certified = [part for part in parts_of(model) if can_certify(type(part))]
    for part in map(_without_its_word, certified):
        claims += claims_of(certify(part, *_rows_for(part, X, y, weight)))
    return claims if certified else None


def carried(
    model: Any, X: Any, y: np.ndarray | None = None, weight: np.ndarray | None = None
) -> Iterator[tuple[list[ClaimResult], list[ClaimResult], int]]:
    """(the claims that a learner carries since its fit, those found again as a fit finds them, whether they are said of
    another model or leave out other attributes), learner by learner.
    """
    from learnable.app.judging.traits import parts_of
    from learnable.certificates import Certificate
    from learnable.certificates.core.admitted import admitted, says_it_fell_short
    from learnable.certificates.core.certify import certificate_of

    for part in parts_of(model):
        told = vars(part).get("certificate_")
        if isinstance(told, Certificate) and told.claims:
            again = certificate_of(part, *_rows_for(part, X, y, weight))
            another = (told.subject, told.unverified) != (again.subject, again.unverified)
            yield claims_of(told), claims_of(admitted(again) if says_it_fell_short(part) else again), int(another)


def _rows_for(part: Any, X: Any, y: np.ndarray | None, weight: np.ndarray | None) -> tuple[Any, ...]:
    """What a learner was fitted on: with weights, if it takes any."""
    from learnable.app.trials.fitting import takes_weights

    if y is None:  # `SpooledRows`
        return X if takes_weights(part) else X.unweighted(), None
    return (X, y, weight) if weight is not None and takes_weights(part) else (X, y)


def _without_its_word(model: Any) -> Any:
    """A copy that admits nothing: to a verifier, what a fit says it missed is missed."""
    silent = copy.copy(model)
    vars(silent).pop("certificate_", None)
    return silent


def can_certify(kind: type) -> bool:
    """Whether a certificate is known for a class."""
    from learnable.certificates.core.certify import ledger_of

    try:
        ledger_of(kind)
    except TypeError:
        return False
    return True


def asserting(model: Any, claims: list[ClaimResult] | None) -> bool:
    """Whether each learner inside has a class with a certificate, something is asserted and nothing left open."""
    from learnable.app.judging.traits import parts_of

    known = all(can_certify(type(part)) for part in parts_of(model))
    return known and any(one.bound is not None for one in claims or []) and not any(one.open for one in claims or [])


def claims_of(certificate: Any) -> list[ClaimResult]:
    """The claims of a certificate as records."""
    return [
        ClaimResult(
            claim.id,
            claim.statement,
            float(claim.value),
            None if claim.bound is None else float(claim.bound),
            bool(claim.holds),
            claim.kind,
            list(claim.assumptions),
            claim.delta,
            claim.open,
        )
        for claim in certificate
    ]
