"""Why a kernel is positive semidefinite: the rules that built it, as a tree. Syllabus: K3."""

from typing import NamedTuple


class Proof(NamedTuple):
    """One step: what is said, by which rule, from which steps.

    Attributes
    ----------
    statement : the kernel, as a formula.
    rule : the reason, one sentence.
    given : proofs of the kernels it is built from.
    sound : False where the rule proves nothing (a sigmoid, a table of numbers, somebody's function).

    >>> print(Proof("<x, y>", "an inner product"))
    <x, y>  is positive semidefinite: an inner product
    """

    statement: str
    rule: str
    given: "tuple[Proof, ...]" = ()
    sound: bool = True

    @property
    def holds(self) -> bool:
        """Whether every step is sound."""
        return self.sound and all(step.holds for step in self.given)

    def __str__(self) -> str:
        return "\n".join(self._lines(0))

    def _lines(self, depth: int) -> list[str]:
        verdict = "is positive semidefinite" if self.holds else "is not proved positive semidefinite"
        if self.sound and not self.holds:
            verdict += " (a part of it is not)"
        own = f"{'  ' * depth}{self.statement}  {verdict}: {self.rule}"
        return [own, *(line for step in self.given for line in step._lines(depth + 1))]
