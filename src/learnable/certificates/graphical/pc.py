"""The PC algorithm: evidence for every pair, and orientations that follow. Syllabus: G13, G14, G16."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.graphical.independence import judge_of
from learnable.certificates.graphical.orientation import flaws
from learnable.problems.graphical import fisher_z
from learnable.rows import as_rows

# Two routes to a statistic agree to this, relative to its size; p-values likewise, and absolutely.
AGREE = 1e-6
# p-values below this are as good as zero.
LEAST = 1e-300


@certifies(
    "PC",
    ledger=Ledger(
        verified=("graph_", "orientations_", "conflicts_"),
        derived=("evidence_",),
        unverified=("n_tests_", "n_untestable_", "untestable_pairs_", "n_iter_", "adopted_"),
    ),
    foreign=False,
)
def pc_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a learned graph on the table X."""
    graph, evidence = model.graph_, model.evidence_
    p, adjacent = len(graph.nodes), graph.adjacency
    known = _background(model.background, graph.nodes)
    shape = Claim.at_most(
        "G13", "every pair has its row of evidence, which agrees with the graph (rows that do not)",
        _misshapen(evidence, adjacent, p), 0.0,
    )  # fmt: skip
    names = getattr(model, "feature_names_in_", range(p))
    named = Claim.at_most("G13", "the nodes are the columns, by their names or numbers (that differ)",
                          sum(a != b for a, b in zip(graph.nodes, names, strict=False)), 0.0)  # fmt: skip
    loops = int(np.trace(graph.arrows) + np.trace(graph.lines) + np.sum(graph.lines != graph.lines.T))
    looped = Claim.at_most("G13", "no node is its own neighbour, lines have no direction (how many)", loops, 0.0)
    if not (shape.holds and named.holds and looped.holds):
        return [shape, named, looped]
    alpha = float(model.alpha)
    tested = evidence.size >= 0
    sizes = evidence.size[tested]
    columns = (evidence.pairs[tested].tolist(), sizes.tolist(), evidence.sets[tested].tolist())
    triples = [(i, j, tuple(S[:size])) for (i, j), size, S in zip(*columns)]
    p_value = evidence.p_value[tested]
    claims = [shape, named, looped]
    if not callable(model.test) or thorough():
        statistic, again = judge_of(model.test, X)(triples)
        claims.append(
            Claim.at_most(
                "G13",
                "statistics and logarithms of p-values are those of the data, by another route (largest difference)",
                max(
                    _difference(
                        _capped(statistic, model, sizes, X), _capped(evidence.statistic[tested], model, sizes, X)
                    ),
                    _difference(_logs(again, model, sizes, X), _logs(p_value, model, sizes, X)),
                ),
                AGREE,
            )
        )
    kept = evidence.kept[tested]
    wrong = np.sum(kept & (p_value >= alpha)) + np.sum(~kept & ~(p_value >= alpha))
    claims.append(Claim.at_most("G13", "an edge is kept just when no p-value reaches alpha (pairs)", int(wrong), 0.0))
    # Edges without evidence: required ones are kept, forbidden ones not; what could not be tested is kept.
    bare = evidence.pairs[~tested]
    unexplained = sum(
        not evidence.kept[row] and known.possible[tuple(pair)] for row, pair in zip(np.flatnonzero(~tested), bare)
    )
    claims.append(Claim.at_most("G13", "every missing edge has a reason (edges without)", int(unexplained), 0.0))
    claims.append(
        Claim.at_most(
            "G13",
            "separating sets are among the neighbours of one end (sets that are not)",
            _outside(evidence, tested, adjacent),
            0.0,
        )
    )
    gone = [(*triple, value) for triple, k, value in zip(triples, kept.tolist(), p_value.tolist()) if not k]
    separators, order = {(i, j): S for i, j, S, _ in gone}, {(i, j): value for i, j, _, value in gone}
    wrongs = flaws(
        graph.arrows, graph.lines, separators, order, known.one_way, model.orientations_, model.conflicts_
    )  # fmt: skip
    # Where colliders contradict each other, other programs take them in an order of their own.
    asked = np.inf if getattr(model, "adopted_", False) and len(model.conflicts_) else 0.0
    claims += [Claim.reached("G14", f"no {what} (how many)", value, 0.0, asked=asked) for what, value in wrongs.items()]
    astray = int(np.sum(known.required & ~graph.arrows) + np.sum(known.forbidden & graph.arrows))
    claims.append(Claim.at_most("G14", "background knowledge is respected (arrows against it)", astray, 0.0))
    statement = "colliders and arrows asked for that contradict others"
    claims.append(
        Claim.reached("G14", statement, len(model.conflicts_), 0.0, asked=asked) if asked
        else Claim.disclosure("G14", statement, len(model.conflicts_))
    )  # fmt: skip
    if thorough():
        claims.append(
            Claim.at_most(
                "G13",
                "no set among the final neighbours, up to the largest size asked for, separates a kept pair (pairs)",
                _separable(model, X, adjacent & ~(known.required | known.required.T)),
                0.0,
            )
        )
    return claims


class _Known:
    """Background knowledge as matrices, read from its lists."""

    def __init__(self, background: Any, nodes: tuple):
        p = len(nodes)
        self.required, self.forbidden = np.zeros((p, p), dtype=bool), np.zeros((p, p), dtype=bool)
        if background is not None:
            place = {node: i for i, node in enumerate(nodes)}
            for a, b in background.required:
                self.required[place[a], place[b]] = self.forbidden[place[b], place[a]] = True
            for a, b in background.forbidden:
                self.forbidden[place[a], place[b]] = True
            for early, late in combinations(background.tiers, 2):
                for a in early:
                    for b in late:
                        self.forbidden[place[b], place[a]] = True
        self.possible = ~(self.forbidden & self.forbidden.T)
        self.one_way = self.required | (self.forbidden.T & ~self.forbidden)


def _background(background: Any, nodes: tuple) -> _Known:
    return _Known(background, nodes)


def _misshapen(evidence: Any, adjacent: np.ndarray, p: int) -> int:
    """Rows of evidence that cannot be: wrong pair, wrong set, kept although not adjacent."""
    i, j = np.triu_indices(p, 1)
    m = len(i)
    lengths = {len(column) for column in evidence}
    if lengths != {m} or evidence.pairs.shape != (m, 2) or evidence.sets.ndim != 2:
        return max(m, 1)
    bad = (evidence.pairs[:, 0] != i) | (evidence.pairs[:, 1] != j) | (evidence.kept != adjacent[i, j])
    most = evidence.sets.shape[1]
    bad |= (evidence.size < -1) | (evidence.size > most)
    place = np.arange(most)[None, :]
    used = place < np.maximum(evidence.size, 0)[:, None]
    bad |= np.any(used & ((evidence.sets < 0) | (evidence.sets >= p)), axis=1) | np.any(
        ~used & (evidence.sets != -1), axis=1
    )
    bad |= np.any(used & ((evidence.sets == i[:, None]) | (evidence.sets == j[:, None])), axis=1)
    rising = np.diff(evidence.sets, axis=1) > 0
    bad |= np.any(used[:, 1:] & ~rising, axis=1)
    # A pair without a test has no numbers.
    bad |= (evidence.size < 0) & ~(np.isnan(evidence.statistic) & np.isnan(evidence.p_value))
    return int(bad.sum())


def _capped(statistic: np.ndarray, model: Any, sizes: np.ndarray, X: Any) -> np.ndarray:
    """Fisher's z of columns that determine each other is infinite but for rounding: |r| > 1 − 1e-8 counts as that."""
    if model.test != "fisher_z":
        return statistic
    return np.minimum(statistic, np.where(statistic >= 0.0, _largest(sizes, X), np.nan))


def _logs(p_value: np.ndarray, model: Any, sizes: np.ndarray, X: Any) -> np.ndarray:
    """Logarithms, so that small ones count by their digits too; of columns that determine each other as above."""
    least = fisher_z.p_value(_largest(sizes, X)) if model.test == "fisher_z" else 0.0
    known = np.isnan(p_value) | (p_value >= 0.0)
    return np.where(known, np.log(np.maximum(p_value, np.maximum(least, LEAST))), np.inf)


def _largest(sizes: np.ndarray, X: Any) -> np.ndarray:
    return np.asarray(fisher_z.statistic(1.0 - 1e-8, as_rows(X).n_rows, sizes))


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference relative to 1 + size; infinite numbers must be equal, and undefined ones in the same place."""
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    same = a == b
    if np.any(~same & ~(np.isfinite(a) & np.isfinite(b))):
        return np.inf
    return float(np.max(np.abs(a[~same] - b[~same]) / (1.0 + np.abs(b[~same])), initial=0.0))


def _outside(evidence: Any, tested: np.ndarray, adjacent: np.ndarray) -> int:
    """Sets with a member that was no neighbour of either end when sets of that size were tried.

    At size ℓ the neighbours are those of the end, and those that later sets, of at least this size, took away.
    """
    until = np.where(adjacent, np.iinfo(np.int64).max, -1)
    gone = tested & ~evidence.kept
    i, j = evidence.pairs[gone].T
    until[i, j] = until[j, i] = evidence.size[gone]
    outside = 0
    for size in range(1, int(evidence.size.max(initial=0)) + 1):
        rows = evidence.size == size
        ends, members = evidence.pairs[rows, :, None], evidence.sets[rows, None, :size]
        beside = np.all(until[ends, members] >= size, axis=2)
        outside += int(np.sum(~beside.any(axis=1)))
    return outside


def _separable(model: Any, X: Any, adjacent: np.ndarray) -> int:
    """Kept pairs that some set among the neighbours of either end separates after all."""
    judge, alpha = judge_of(model.test, X), float(model.alpha)
    neighbours = model.graph_.adjacency
    largest = int(neighbours.sum(axis=1).max(initial=0)) - 1
    largest = largest if model.max_level is None else min(largest, int(model.max_level))
    separable = 0
    for i, j in np.argwhere(np.triu(adjacent)).tolist():
        triples = {
            (i, j, S)
            for a, b in ((i, j), (j, i))
            for size in range(largest + 1)
            for S in combinations([int(k) for k in np.flatnonzero(neighbours[a]) if k != b], size)
        }
        separable += bool(np.any(judge(sorted(triples))[1] >= alpha * (1.0 + AGREE)))
    return separable
