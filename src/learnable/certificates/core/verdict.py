"""What a certificate says of an answer."""

from enum import StrEnum


class Verdict(StrEnum):
    """Proved: every assertion holds, and there is one. Refuted: one fails. Otherwise nothing was asserted."""

    PROVED = "proved"
    REFUTED = "refuted"
    NOTHING_ASSERTED = "nothing asserted"

    @property
    def mark(self) -> str:
        """The word in front of a claim.

        >>> [verdict.mark for verdict in Verdict]
        ['proved', 'REFUTED', 'stated']
        """
        return {"proved": "proved", "refuted": "REFUTED", "nothing asserted": "stated"}[self.value]
