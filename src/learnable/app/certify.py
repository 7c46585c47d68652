"""`learnable certify`: the claims about a saved model, computed again from a table."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable.app.card import digest, unpack
from learnable.app.errors import UserError, printable
from learnable.app.model_file import Model, load
from learnable.app.predict import code, read_for, target_of
from learnable.app.result import ClaimResult, plain
from learnable.app.text import describe_claims


@dataclass(frozen=True)
class Verdict:
    """The claims, and whether the data are those that the model was trained on."""

    model: str
    learner: str
    data: str
    rows: int
    training_data: bool
    claims: list[ClaimResult]
    held_out: int = 0

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(claim.holds for claim in self.claims)

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "learnable.certify/1", "holds": self.holds, **plain(asdict(self))}

    def text(self) -> str:
        if self.training_data:
            origin = f"the {self.rows} training rows, as their digest shows"
        else:
            origin = (
                f"{self.rows} rows that are NOT the training data (their digest differs): claims may well fail here"
            )
        state = "holds" if self.holds else "FAILS"
        head = f"certificate of {printable(self.learner)} in {printable(self.model)}: {state}"
        lines = [head, f"computed on {origin}"]
        if self.held_out:
            lines.append(
                f"claims about new rows are from {self.held_out} rows "
                + ("of the table held out from training" if self.training_data else "taken as never seen in training")
            )
        return "\n".join([*lines, describe_claims(self.claims)])


def certify_file(path: Path, data: str, vc: int | None = None, delta: float = 0.05) -> Verdict:
    """Find the training rows in a table, or take all of its rows, and compute the certificate again.

    Of a classifier the error on new rows is claimed too, with probability 1 − `delta`: from the rows that are not
    training rows, and, given the VC dimension `vc` of its class, from the training rows.
    """
    saved = load(path)
    learner, label = saved.pipeline["learn"], saved.card["learner"]["label"]
    table = read_for(saved, data, with_target=True)
    known, y = target_of(saved, table)
    X = code(saved, table.take(known))
    rows, same = training_rows(saved, X, y, known)
    claims = recompute(learner, X[rows], y[rows]) or []
    classifier = saved.card["task"] == "classification"
    unseen = (~rows if same else np.ones_like(rows)) & classifier
    if vc is not None:
        if not (classifier and same):
            raise UserError("--vc is about the training rows of a classifier; leave it out here")
        claims += _about_new_rows("certify_training", learner, X[rows], y[rows], vc=vc, delta=delta)
    if unseen.any():
        claims += _about_new_rows("certify_held_out", learner, X[unseen], y[unseen], delta=delta)
    if not claims:
        raise UserError(f"{path} holds the learner '{label}', which makes no claims: there is nothing to certify")
    return Verdict(str(path), label, data, int(rows.sum()), same, claims, int(unseen.sum()))


def _about_new_rows(how: str, learner: Any, X: np.ndarray, y: np.ndarray, **given: Any) -> list[ClaimResult]:
    from learnable import theory

    try:
        return _plain_claims(getattr(theory, how)(learner, X, y, **given))
    except ValueError as error:
        raise UserError(str(error)) from error


def training_rows(saved: Model, X: np.ndarray, y: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, bool]:
    """Mask, among the rows with a target, of the training rows; True when the digest proves that they are these."""
    training = saved.card["training"]
    everything = np.ones(len(X), dtype=bool)
    if len(known) == training["table_rows"]:
        rows = unpack(training["mask"], len(known))[known]
        if digest(X[rows], y[rows]) == training["digest"]:
            return rows, True
    return everything, digest(X, y) == training["digest"]


def recompute(model: Any, X: np.ndarray, y: np.ndarray) -> list[ClaimResult] | None:
    """The claims about a fitted learner on coded rows; None for a learner that carries no certificate."""
    from learnable.certificates import certify

    if not hasattr(model, "certificate_"):
        return None
    return _plain_claims(certify(model, X, y))


def _plain_claims(certificate: Any) -> list[ClaimResult]:
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
        )
        for claim in certificate
    ]
