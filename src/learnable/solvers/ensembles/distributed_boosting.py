"""Gradient boosting on histograms where the rows are on the workers of a cluster: no cell comes here.

Workers part their rows and sum histograms; here these are added up, and splits are sought. Histograms are sums of whole
numbers, and sums of floating-point numbers are merged in an order that depends on the chunks alone: trees have the same
bits for any number of workers.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple
from uuid import uuid4

import numpy as np

from learnable._jit.ensembles.split_search import MixedTable
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.rows.dask import DaskRows
from learnable.solvers.ensembles import leafwise
from learnable.solvers.ensembles.boosting_places import (
    Answer,
    Begin,
    Move,
    Pass,
    Past,
    Problem,
    Root,
    Step,
    forget,
    merged,
)
from learnable.solvers.ensembles.far_tree import FarTree, bytes_at_once
from learnable.solvers.ensembles.histogram_boosting import BoostingState, Shape, joined, tree_of


class Totals(NamedTuple):
    """How many training rows there are, their weight, and the weight of those held out."""

    n: int
    weight: float
    held_out: float


def iterates(
    rows: DaskRows, problem: Problem, totals: Totals, shape: Shape, before: BoostingState
) -> Iterator[BoostingState]:
    """Boost from the constant scores of the problem and the trees `before`, whose losses go on."""
    trees = before.trees if before.packed.n_rounds else []
    passes, coder, K = _Passes(rows, problem, trees), problem.coder, len(problem.start)
    empty = np.empty((0, rows.n_columns), dtype=np.uint8)
    table = MixedTable(empty, empty.T.copy(), coder.n_bins, coder.categorical, shape.monotone, shape.groups)
    losses, validation = before.losses, before.validation
    guess = None
    try:
        while True:
            # Units are powers of two and seldom change from round to round: the root may come with the slopes.
            sums, words, _ = passes.next_round(trees, guess)
            losses = [*losses, sums[0] / totals.weight]
            if problem.held_out is not None:
                validation = [*validation, sums[-1] / totals.held_out]
            yield BoostingState(trees or [BoostedTrees.none(K)], losses, validation, losses[-1])
            of_round, roots = [], [_root(k, totals.n, sums) for k in range(K)]
            known = guess is not None and np.array_equal(guess.units, roots[0].units)
            histogram, guess = words[0] if known else None, roots[0]
            for root, following in zip(roots, [*roots[1:], None]):
                growing = FarTree(passes.ask, table, shape.growth, problem.width, root)
                tree = growing.grown(histogram, following)
                histogram = tree.following
                value = shape.learning_rate * leafwise.newton(tree.gradient, tree.curvature + shape.growth.l2)
                passes.before_next = (Move(root.k, value),)
                of_round.append(tree_of(tree.nodes, coder.thresholds, tree.leaves, value))
            trees = [*trees, joined(of_round, one_round=True)]
    finally:
        rows.tell(partial(forget, passes.fit))


def _root(k: int, n: int, sums: np.ndarray) -> Root:
    """What begins the tree of score k on n rows, from the sums of `Begin`."""
    return Root(k, n.bit_length(), leafwise.units_of(n, float(sums[1 + 2 * k]), float(sums[2 + 2 * k])))


class _Passes:
    """The passes of a fit, numbered, and what makes the state of a worker that has missed some.

    Attributes
    ----------
    before_next : steps that go with the next pass.
    """

    def __init__(self, rows: DaskRows, problem: Problem, trees: list[BoostedTrees]) -> None:
        self.fit, self.number = uuid4().hex, 0
        self.before_next: tuple[Step, ...] = ()
        self._rows, self._problem = rows, problem
        self._trees = trees
        self._steps: tuple[Step, ...] = ()
        self._n_bytes = bytes_at_once(rows.n_columns, problem.width)

    def next_round(self, trees: list[BoostedTrees], root: Root | None) -> Answer:
        """The sums of `Begin` after these trees, of which the workers have all but the last; the words of the root."""
        watched = len(trees) > len(self._trees) and self._problem.held_out is not None
        then = () if root is None else (root,)
        answer = self.ask(Begin(trees[-1] if watched else None), *then)
        self._trees, self._steps = trees, (Begin(), *then)
        return answer

    def ask(self, *steps: Step) -> Answer:
        """Have steps done wherever there are rows; what they find."""
        steps, self.before_next = (*self.before_next, *steps), ()
        answer = self._answered(steps, with_past=self.number == 0)
        if answer.missed:
            answer = self._answered(steps, with_past=True)
        self.number += 1
        self._steps += steps
        return answer

    def _answered(self, steps: tuple[Step, ...], with_past: bool) -> Answer:
        past = None
        if with_past:
            trees = joined(self._trees) if self._trees else BoostedTrees.none(len(self._problem.start))
            past = Past(self._problem, trees, self._steps)
        step = Pass(self.fit, self.number, steps, past)
        sums, told = self._rows.reduce_together(step.answers, merge_groups=merged, n_bytes=self._n_bytes)
        return Answer(sums, *told)
