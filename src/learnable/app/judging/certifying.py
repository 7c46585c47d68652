"""Certificates of the learners of a run: of every one that is quickly checked, and of the chosen one in any case."""

import ctypes
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from learnable.app.commands.certify import recompute
from learnable.app.errors import TimeUp, printable
from learnable.app.judging.traits import parts_of, size_of
from learnable.app.result import ClaimResult
from learnable.app.trials.workers import CHECKING_SHARE, Deadline, run_tasks

if TYPE_CHECKING:
    from learnable.app.learn import Run
    from learnable.app.trials.trying import Fitted

QUICK, FOREST = 20_000, 25
"""Numbers in trees up to which a learner that is not chosen is checked: every split is sought anew, in about a tenth of
a millisecond a number, so that boosting takes twenty times as long to check as to fit; and how many of a forest, whose
splits are sought a tree at a time, take as long as one."""
UNCHOSEN = "it is not chosen, and its trees take long to check"
LATE = "the time limit came first"


class Certificates:
    """The finished learners of a run, with certificates as far as they were made.

    Attributes
    ----------
    fitted : label -> learner; late : labels of those whose certificate the time limit came before.
    """

    def __init__(self, run: "Run", fitted: dict[str, "Fitted"]):
        self.run, self.fitted = run, dict(fitted)
        self.late: set[str] = set()
        self._own = {label: one.result.certificate or [] for label, one in fitted.items()}
        self._asked: set[str] = set()
        for label, one in fitted.items():
            trees = _in_trees(one)
            if trees > QUICK:
                self._put(label, None, UNCHOSEN)
            elif trees and run.deadline.expired:
                self._put(label, None, LATE)
            else:
                self.ask(label)

    def ask(self, label: str) -> bool:
        """Make the certificate of a learner, of a blend those of its members; False where that was done before."""
        if label in self._asked:
            return False
        self._asked.add(label)
        members = list(self.fitted[label].result.weights)
        for member in members:
            self.ask(member)
        if self.late & set(members):
            self.late.add(label)
        claims = [claim for member in members for claim in self.fitted[member].result.certificate or []]
        found = [*claims, *self._own[label]] if members else self._claims(self.fitted[label])
        self._put(label, None if label in self.late else found, LATE if label in self.late else "")
        return True

    def _put(self, label: str, claims: list[ClaimResult] | None, why: str) -> None:
        one = self.fitted[label]
        self.fitted[label] = one._replace(result=replace(one.result, certificate=claims, uncertified=why))

    def _claims(self, one: "Fitted") -> list[ClaimResult] | None:
        coded, limit = self.run.coded, self.run.options.time_limit
        thread = []

        def made() -> list[ClaimResult] | None:
            thread.append(threading.get_ident())
            try:
                return recompute(one.model, coded.X_train, coded.division.y_train, coded.w_train)
            except Exception as error:
                # Whatever a certificate raises is a finding about the learner: it is not proved.
                said = f"the certificate can be made, which ends in {type(error).__name__}: {printable(error)}"
                return [ClaimResult("certificate", said, None, None, False, "exact")]

        left = self.run.deadline.left
        if limit is None or left is None or _in_trees(one) <= QUICK:
            return made()
        try:
            (claims,) = run_tasks([made], 1, Deadline(max(left, CHECKING_SHARE * limit)))
            return claims
        except TimeUp:
            self.late.add(one.result.label)
            # It is Python all through, so an exception at its next step ends it; else it would keep a processor.
            for ident in thread:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(SystemExit))
            return None


def _in_trees(one: "Fitted") -> int:
    """Numbers that its trees hold, those of a forest as far as they take time."""
    found = 0
    for part in parts_of(one.model):
        if hasattr(part, "trees_") or hasattr(part, "tree_"):
            found += size_of(part) // (FOREST if hasattr(part, "seeds_") else 1)
    return found
