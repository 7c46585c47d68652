"""`learnable certify`: the claims about a saved model, computed again from a table."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from learnable.app.card import digest, places_of, unpack
from learnable.app.card_scores import score_claims
from learnable.app.errors import UserError, printable
from learnable.app.model_file import Model, load
from learnable.app.posing import row_weights
from learnable.app.predict import code, read_for, target_of
from learnable.app.result import ClaimResult, plain
from learnable.app.tasks import Goal
from learnable.app.text import describe_claims
from learnable.datasets import Table


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
        if not self.scores_checked:
            lines.append(
                "the scores in the card are not checked: that takes the whole table given to `learnable learn`"
            )
        return "\n".join([*lines, describe_claims(self.claims)])


def certify_file(path: Path, data: str, vc: int | None = None, delta: float = 0.05) -> Verdict:
    """Find the training rows in a table, or take all of its rows, and compute the certificate again.

    Of a classifier the error on new rows is claimed too, with probability 1 − `delta`: from the rows that are not
    training rows, and, given the VC dimension `vc` of its class, from the training rows. Where the rows held out from
    training are in the table, the scores in the card are measured again.
    """
    # Brings scikit-learn, which `learnable learn` imports after it has read the table.
    from sklearn.base import is_classifier

    from learnable.app.card_claims import card_claims, refuse_stranger, row_claim, stored_claims

    saved = load(path)
    learner, label = saved.pipeline["learn"], saved.card["learner"]["label"]
    task = "classification" if is_classifier(learner) else "regression"
    if saved.card["task"] != task:
        said = printable(saved.card["task"], 40)
        raise UserError(f"{path} is damaged: its card says {said!r}, but its learner is for {task}")
    refuse_stranger(saved.card, learner, path)
    table = read_for(saved, data, with_target=True)
    known, y = target_of(saved, table)
    X = code(saved, table.take(known))
    rows, same = training_rows(saved, X, y, known)
    weights = _weights_of(saved, table, known, y)
    found = recompute(learner, X[rows], y[rows], None if weights is None else weights[rows])
    claims = list(found or [])
    claims += card_claims(saved.card, saved.pipeline)
    if same:
        claims += [stored_claims(saved.card, found or []), row_claim(saved.card, len(rows))]
    classifier = task == "classification"
    held_out = np.full(len(y), same)
    held_out[rows] = False
    if (
        same
        and saved.card["training"].get("held_out") is not None
        and len(known) == saved.card["training"]["table_rows"]
    ):
        held_out &= unpack(saved.card["training"]["held_out"], len(known))[known]
    held_weights = None if weights is None else weights[held_out]
    whole = len(known) == saved.card["training"]["table_rows"] and held_out.any()
    scored = score_claims(saved.card, learner, X[held_out], y[held_out], held_weights) if whole else []
    claims += scored
    unseen = (held_out if same else np.ones_like(held_out)) & classifier
    if vc is not None:
        if not (classifier and same):
            raise UserError("--vc is about the training rows of a classifier; leave it out here")
        claims += _about_new_rows("certify_training", learner, X[rows], y[rows], vc=vc, delta=delta)
    if unseen.any():
        about = _about_new_rows("certify_held_out", learner, X[unseen], y[unseen], delta=delta)
        claims += about if same else [_conditional(claim) for claim in about]
    return Verdict(
        str(path), label, data, len(rows), same, claims, int(unseen.sum()), bool(scored), asserting(learner, found)
    )


def _weights_of(saved: Model, table: Table, known: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """The weights of the rows with a target, as they were in training."""
    weight, by_class = saved.card["weight"], saved.card["class_weight"]
    if weight is None and by_class is None:
        return None
    goal = Goal("classification" if by_class else "regression", "", known, y, ())
    found = row_weights(table, goal, weight, by_class)
    return None if found is None else found[known]


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


def training_rows(saved: Model, X: np.ndarray, y: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, bool]:
    """Numbers, among the rows with a target, of the training rows; True when the digest proves that they are these.

    Rows in another order are put into that of training: a fit may have met them one by one.
    """
    training = saved.card["training"]
    everything = np.arange(len(X))
    if len(known) == training["table_rows"]:
        rows = np.flatnonzero(unpack(training["mask"], len(known))[known])
        if digest(X[rows], y[rows]) == training["digest"]:
            return rows, True
    if digest(X, y) == training["digest"]:
        return everything, True
    places = places_of(training.get("row_digests"), X, y)
    if places is not None and digest(X[places], y[places]) == training["digest"]:
        return places, True
    return everything, False


def recompute(model: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> list[ClaimResult] | None:
    """The claims about a fitted learner on coded rows; None for a class that no certificate is known for.

    Of a blend, the claims of its members; of a calibrated learner, those of the learner. Who is judged is decided by
    class: what the learner carries as its certificate is not read.
    """
    from learnable.app.fitting import takes_weights
    from learnable.app.traits import parts_of
    from learnable.certificates import certify

    claims: list[ClaimResult] = []
    certified = [part for part in parts_of(model) if can_certify(type(part))]
    for part in certified:
        weighted = weight is not None and takes_weights(part)
        claims += claims_of(certify(part, X, y, sample_weight=weight) if weighted else certify(part, X, y))
    return claims if certified else None


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
    from learnable.app.traits import parts_of

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
