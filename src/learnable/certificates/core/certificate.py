"""A certificate: the short list of claims that a fit carries."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from learnable.certificates.core.claim import Claim


class Certificate(Sequence[Claim]):
    """What has been proved about an answer, from (problem, data, answer) alone.

    Prints as text, as HTML in notebooks, as JSON by `to_json()`.

    Examples
    --------
    >>> certificate = Certificate("Lasso", [Claim.at_most("L3", "duality gap", 1e-9, 1e-6)])
    >>> certificate.holds
    True
    >>> print(certificate)
    Certificate of Lasso: holds
      [holds] L3: duality gap: 1e-09 <= 1e-06
    """

    def __init__(self, subject: str, claims: Sequence[Claim]):
        self.subject = subject
        self.claims = tuple(claims)

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(claim.holds for claim in self.claims)

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
        verdict = "holds" if self.holds else "FAILS"
        return "\n".join([f"Certificate of {self.subject}: {verdict}", *(f"  {claim}" for claim in self.claims)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.id)}</td><td>{escape(c.statement)}</td><td>{c.value:.3g}</td>"
            f"<td>{'' if c.bound is None else f'≤ {c.bound:.3g}'}</td><td>{'✓' if c.holds else '✗ fails'}</td>"
            f"<td>{escape(c.kind)}</td></tr>"
            for c in self.claims
        )
        head = "<tr><th>row</th><th>claim</th><th>value</th><th>bound</th><th></th><th>kind</th></tr>"
        verdict = "holds" if self.holds else "FAILS"
        return f"<table><caption>Certificate of {escape(self.subject)}: {verdict}</caption>{head}{rows}</table>"

    def to_dict(self) -> dict[str, Any]:
        return {"subject": self.subject, "holds": self.holds, "claims": [claim.to_dict() for claim in self.claims]}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)
