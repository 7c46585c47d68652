"""What one page may ask of the machine; every refusal names the limit."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits of a lab.

    Attributes
    ----------
    body : bytes of a request.
    body_seconds : seconds until a request must have arrived.
    rows, columns : of a table after coding; of more rows evenly spaced ones are taken, and the page says so.
    drawn : points drawn by hand.
    seconds : of a fit with its film.
    question_seconds : of anything else: a certificate of an altered answer, a question to the theory.
    sessions : pages open at once.
    tables : uploaded tables of one session; the oldest goes first.
    idle_seconds : until a session that nobody has asked for anything is closed.
    memory : bytes of address space of one fit.
    frames, shown : frames of a film and rows drawn, at most.
    """

    body: int = 4_000_000
    body_seconds: float = 20.0
    rows: int = 5_000
    columns: int = 200
    drawn: int = 2_000
    seconds: float = 180.0
    question_seconds: float = 30.0
    sessions: int = 32
    tables: int = 4
    idle_seconds: float = 1_800.0
    memory: int = 8 * 2**30
    frames: int = 1_000
    shown: int = 500


LIMITS = Limits()


class Refused(Exception):
    """What was asked cannot be done: the sentence is for the user, `code` is that of the answer."""

    def __init__(self, sentence: str, code: int = 400):
        super().__init__(sentence)
        self.code = code
