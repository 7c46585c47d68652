"""What is known of a restricted eigenvalue, and how anyone can check it. Syllabus: L22."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.theory.sparsity.cone_cells import cell_of, proved

# A witness lies in its cone when its ℓ1 norms say so within this share.
ROUNDING = 1e-9


class Cell(NamedTuple):
    """One cell of the cone and the point whose tangent bounds it.

    Attributes
    ----------
    support : tuple of int, J.
    signs : tuple of int, ±1 on J, the first of them +1 (δ and −δ count the same).
    path : str of 0 and 1, the halves taken from the orthant.
    point : array (p,).
    """

    support: tuple[int, ...]
    signs: tuple[int, ...]
    path: str
    point: np.ndarray


class RestrictedEigenvalue(NamedTuple):
    """Two-sided bounds of κ(s, c₀).

    Attributes
    ----------
    s, c0 : of the cone.
    lower, upper : lower ≤ κ ≤ upper.
    exact : whether upper² − lower² is within the tolerance asked for.
    witness : array (p,), δ in the cone whose ratio is `upper`.
    support : tuple of int, J of the witness.
    relaxation : what proves `lower`: "cells", "smallest eigenvalue", "coherence", "one column" or "a square is >= 0".
    cells : tuple of `Cell`: cover the cone; empty unless relaxation is "cells".
    tol : the tolerance asked for, a share of the largest mean square of a column.
    """

    s: int
    c0: float
    lower: float
    upper: float
    exact: bool
    witness: np.ndarray
    support: tuple[int, ...]
    relaxation: str
    cells: tuple[Cell, ...]
    tol: float

    def __str__(self) -> str:
        number = f"= {self.upper:.6g}" if self.exact else f"in [{self.lower:.6g}, {self.upper:.6g}]"
        return f"κ({self.s}, {self.c0:g}) {number}, lower bound by {self.relaxation}, δ on {list(self.support)}"

    def certificate(self, X: Any) -> Certificate:
        """Both bounds computed again from the design, the witness and the cells alone."""
        X = np.asarray(X, dtype=float)
        n, p = X.shape
        gram = X.T @ X / n
        J = sorted({int(j) % p for j in self.support})
        inside = np.abs(self.witness[J]).sum()
        outside = np.abs(self.witness).sum() - inside
        length = np.linalg.norm(self.witness[J])
        ratio = np.linalg.norm(X @ self.witness) / (np.sqrt(n) * length) if length > 0.0 else np.inf
        scale = float(np.sqrt(np.diag(gram).max()))
        least = self._least(gram)
        claims = [
            Claim.at_most("L22", "columns in the support of the witness", len(J), self.s),
            Claim.at_most(
                "L22", "the witness lies in the cone: ‖δ outside J‖₁ against c₀‖δ on J‖₁",
                outside, self.c0 * inside * (1.0 + ROUNDING),
            ),
            Claim.at_most("L22", "its ratio is the upper bound (off by)", abs(ratio - self.upper), ROUNDING * scale),
            Claim.at_most("L22", "the lower bound follows from its proof", self.lower**2, max(least, 0.0)),
            Claim.at_most("L22", "the lower bound is not above the upper one", self.lower, self.upper),
        ]  # fmt: skip
        if self.cells:
            claims.append(
                Claim.at_most("L22", "orthants of the cone that the cells do not cover", self._uncovered(p), 0.0)
            )
        if self.exact:
            room = self.tol * scale**2
            claims.append(Claim.at_most("L22", "upper² − lower²", self.upper**2 - self.lower**2, room))
        return Certificate(f"restricted eigenvalue κ({self.s}, {self.c0:g})", claims)

    def _least(self, gram: np.ndarray) -> float:
        """The lower bound of κ² that the proof gives."""
        if self.relaxation == "cells":
            return min(
                proved(gram, np.array(cell.support), cell_of(np.array(cell.signs), cell.path), self.c0, cell.point)
                for cell in self.cells
            )
        if self.relaxation == "one column":
            wide = one_column_radius(self.s, self.c0)
            by_column = {cell.support: cell.point for cell in self.cells}
            columns = [(j,) for j in range(len(gram))]
            if set(columns) != set(by_column):
                return -np.inf
            return min(proved(gram, np.array(j), np.eye(1), wide, by_column[j]) for j in columns) / self.s
        if self.relaxation == "smallest eigenvalue":
            return smallest_eigenvalue(gram)
        return coherence_bound(gram, self.s, self.c0) if self.relaxation == "coherence" else 0.0

    def _uncovered(self, p: int) -> int:
        """How many pairs (J, signs) have no full binary tree of paths among the cells."""
        if self.relaxation == "one column":
            return 0
        trees: dict[tuple, list[str]] = {}
        for cell in self.cells:
            trees.setdefault((cell.support, cell.signs), []).append(cell.path)
        return sum(
            not _full_tree(trees.get((J, (1, *rest)), []))
            for J in combinations(range(p), self.s)
            for rest in product((1, -1), repeat=self.s - 1)
        )


def one_column_radius(s: int, c0: float) -> float:
    """c with κ(s, c₀)² ≥ κ(1, c)² / s: beside its largest entry, δ has at most (1 + c₀)s − 1 times that in ℓ1 norm.

    For δ in the cone of J, with |δⱼ| the largest on J: ‖δ‖₁ ≤ (1 + c₀)‖δ_J‖₁ ≤ (1 + c₀) s |δⱼ|, and ‖δ_J‖² ≤ s δⱼ².
    """
    return (1.0 + c0) * s - 1.0


def smallest_eigenvalue(gram: np.ndarray) -> float:
    """λ_min(G), less what rounding may do: δᵀGδ ≥ λ_min ‖δ‖² ≥ λ_min ‖δ_J‖²."""
    values = linalg.eigvalsh(gram)
    return float(values[0] - 8.0 * len(gram) * np.finfo(float).eps * max(abs(values[-1]), abs(values[0])))


def coherence_bound(gram: np.ndarray, s: int, c0: float) -> float:
    """d + θ − θ(1 + 2c₀)s, with d the least diagonal and θ the largest other entry of G in absolute value.

    δᵀGδ ≥ δ_JᵀG δ_J + 2 δ_JᵀG δ_{Jᶜ} ≥ (d + θ)‖δ_J‖² − θ‖δ_J‖₁² − 2θc₀‖δ_J‖₁², and ‖δ_J‖₁² ≤ s‖δ_J‖².

    >>> coherence_bound(np.eye(3), 2, 3.0)
    1.0
    """
    theta = float(np.abs(gram - np.diag(np.diag(gram))).max())
    return float(np.diag(gram).min()) + theta - theta * (1.0 + 2.0 * c0) * s


def _full_tree(paths: list[str]) -> bool:
    """Whether the paths are the leaves of a binary tree: none begins another, and their shares add up to one."""
    ordered = sorted(paths)
    apart = all(not b.startswith(a) for a, b in pairwise(ordered))
    return apart and sum(Fraction(1, 2 ** len(path)) for path in paths) == 1
