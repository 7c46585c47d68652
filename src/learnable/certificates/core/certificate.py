"""A certificate: the short list of claims that a fit carries."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.verdict import Verdict

_SIGNS = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗ refuted", Verdict.NOTHING_ASSERTED: ""}


def _loud(verdict: Verdict) -> str:
    return "REFUTED" if verdict is Verdict.REFUTED else str(verdict)


class Certificate(Sequence[Claim]):
    """What has been proved about an answer, from (problem, data, answer) alone.

    Prints as text, as HTML in notebooks, as JSON by `to_json()`.

    Examples
    --------
    >>> certificate = Certificate("Lasso", [Claim.at_most("L3", "duality gap", 1e-9, 1e-6)])
    >>> certificate.holds
    True
    >>> print(certificate)
    Certificate of Lasso: proved
      [proved] L3: duality gap: 1e-09 <= 1e-06
    >>> Certificate("Lasso", []).verdict
    <Verdict.NOTHING_ASSERTED: 'nothing asserted'>

    Attributes
    ----------
    subject : the class of the model.
    claims : tuple of `Claim`.
    unverified : names of fitted attributes that no claim answers for.
    """

    def __init__(self, subject: str, claims: Sequence[Claim], unverified: Sequence[str] = ()):
        self.subject = subject
        self.claims = tuple(claims)
        self.unverified = tuple(unverified)

    @property
    def verdict(self) -> Verdict:
        """Refuted if a claim fails; proved if something is asserted, nothing fails and nothing is left open."""
        asserted, left_open = False, False
        for claim in self.claims:
            if not (claim.holds or claim.open):
                return Verdict.REFUTED
            asserted, left_open = asserted or claim.bound is not None, left_open or claim.open
        return Verdict.PROVED if asserted and not left_open else Verdict.NOTHING_ASSERTED

    @property
    def holds(self) -> bool:
        """Whether something is asserted and every claim holds."""
        return self.verdict is Verdict.PROVED

    def __getitem__(self, index):
        return self.claims[index]

    def __len__(self) -> int:
        return len(self.claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and (self.subject, self.claims) == (other.subject, other.claims)

    def __hash__(self) -> int:
        return hash((self.subject, self.claims))

    def claim(self, id: str) -> Claim:
        """The first claim of one syllabus row."""
        for claim in self.claims:
            if claim.id == id:
                return claim
        raise KeyError(f"no claim of row {id!r}; rows here: {', '.join(dict.fromkeys(c.id for c in self.claims))}")

    def __str__(self) -> str:
        lines = [f"Certificate of {self.subject}: {_loud(self.verdict)}", *(f"  {claim}" for claim in self.claims)]
        if self.unverified:
            lines.append(f"  nothing is claimed about {', '.join(self.unverified)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.id)}</td><td>{escape(c.statement)}</td><td>{c.value:.3g}</td>"
            f"<td>{'' if c.bound is None else f'≤ {c.bound:.3g}'}</td><td>{_SIGNS[c.verdict]}</td>"
            f"<td>{escape(c.kind)}</td></tr>"
            for c in self.claims
        )
        head = "<tr><th>row</th><th>claim</th><th>value</th><th>bound</th><th></th><th>kind</th></tr>"
        caption = f"<caption>Certificate of {escape(self.subject)}: {_loud(self.verdict)}</caption>"
        rest = ""
        if self.unverified:
            names = escape(", ".join(self.unverified))
            rest = f"<tfoot><tr><td colspan=6>nothing is claimed about {names}</td></tr></tfoot>"
        return f"<table>{caption}{head}{rows}{rest}</table>"

    def to_dict(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "holds": self.holds,
            "verdict": str(self.verdict),
            "claims": [claim.to_dict() for claim in self.claims],
            "unverified": list(self.unverified),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)
