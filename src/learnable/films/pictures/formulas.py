"""Learners of formulas: what is still in the formula."""

import numpy as np

from learnable.films.marks import table
from learnable.films.registry import Picture, Shot, draws


@draws(
    "concepts.literal_learner.LiteralState",
    "concepts.clause_elimination.EliminationState",
    "concepts.term_dnf_search.TermState",
)
def formula(shot: Shot) -> Picture:
    """The hypothesis as a formula, in parts."""
    said = str(shot.model.hypothesis_)
    joint = (
        " ∧ " if " ∧ " in said and ") ∧ (" not in said and " ∨ " not in said else ") ∧ (" if ") ∧ (" in said else " ∨ "
    )
    parts = [part.strip("()") for part in said.split(joint)]
    rows = [[k + 1, part] for k, part in enumerate(parts[:60])]
    note = "" if len(parts) <= 60 else f"the first 60 of {len(parts)} parts"
    left = getattr(shot.state, "kept", getattr(shot.state, "alive", None))
    count = len(parts) if left is None else int(np.count_nonzero(left))
    panel = table("The hypothesis", ["", "part"], rows, note=note)
    return Picture([panel], f"{count} parts are left.", {"parts": float(count)})
