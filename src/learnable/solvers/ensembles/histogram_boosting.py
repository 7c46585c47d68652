"""Gradient boosting on histograms: one tree a score and round, fitted to gradients and curvatures."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.ensembles.expansions import expand, expand_classes
from learnable._jit.ensembles.split_search import Growth, MixedTable, Nodes
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.boosting_losses import (
    BinomialLoss,
    MultinomialLoss,
    SquaredLoss,
    has_line_search,
    leaf_constant,
    loss_values,
)
from learnable.rows.parts import in_parts
from learnable.solvers.ensembles import leafwise
from learnable.solvers.ensembles.binning import Bins, by_columns
from learnable.solvers.ensembles.boosted_scores import add_scores
from learnable.solvers.ensembles.leafwise import Grower
from learnable.solvers.ensembles.signed_odds import SignedOdds

# Rows at a time: their scores and slopes stay in the second cache.
BLOCK = 2**13


class BinnedRows(NamedTuple):
    """Rows with their targets and weights; of training rows without trees before them the cells are not read.

    X : cells, or `binning.BinCells`.
    """

    X: Any
    y: np.ndarray
    weight: np.ndarray


class Watched(NamedTuple):
    """Rows that say when to stop, and how bad scores of theirs are: by the mean loss, or by what users ask for."""

    rows: BinnedRows
    judge: Callable[[BinnedRows, np.ndarray], float]


class Shape(NamedTuple):
    """What trees may look like: growth, signs of effects, groups of columns that may meet, learning rate, seed."""

    growth: Growth
    monotone: np.ndarray
    groups: np.ndarray
    learning_rate: float
    seed: int


class BoostingState(NamedTuple):
    """Trees so far, mean training loss of every round (0 trees first), and how bad each was on the rows watched."""

    trees: list[BoostedTrees]
    losses: list[float]
    validation: list[float]
    objective: float

    @property
    def packed(self) -> BoostedTrees:
        """All trees in one set of arrays."""
        return joined(self.trees)

    @property
    def before(self) -> "BoostingState":
        """The same trees, with the losses that were there before those of this state."""
        return self._replace(losses=self.losses[:-1], validation=self.validation[:-1])


def after(trees: BoostedTrees) -> BoostingState:
    """Trees of which no losses are known."""
    return BoostingState([trees], [], [], np.nan)


def iterates(
    loss: Any,
    bins: Bins,
    train: BinnedRows,
    own: bool,
    watched: Watched | None,
    start: np.ndarray,
    shape: Shape,
    before: BoostingState,
) -> Iterator[BoostingState]:
    """Boost from the constant scores `start` and the trees `before`, whose losses come first.

    Parameters
    ----------
    own : whether the targets of `train` are a copy, whose place others may take.
    """
    earlier = before.packed
    train, losses, score = _begun(loss, earlier, train, own, start)
    boosting = _Boosting(loss, bins, train, shape, score)
    against, validation = np.empty((0, 0)), []
    if watched is not None:
        against = np.tile(start, (len(watched.rows.y), 1))
        validation = _replayed(watched, earlier, against)
    weight = train.weight.sum()
    del train, score  # `boosting` has what is needed of them
    trees = before.trees if earlier.n_rounds else []
    try:
        sums = _expanded(boosting, moved=False)
        losses, validation = [*(before.losses or losses), sums[0] / weight], before.validation or validation
        if watched is not None:
            validation = [*validation, watched.judge(watched.rows, against)]
        yield BoostingState(trees or [BoostedTrees.none(len(start))], losses, validation, losses[-1])
        while True:
            tree = boosting.round(sums, len(losses))
            trees = [*trees, tree]
            sums = _expanded(boosting, moved=True)
            losses = [*losses, sums[0] / weight]
            if watched is not None:
                add_scores(tree, watched.rows.X, against)
                validation = [*validation, watched.judge(watched.rows, against)]
            yield BoostingState(trees, losses, validation, losses[-1])
    finally:
        boosting.end()


class _Boosting:
    """Scores (K, n) of the training rows, their slopes, and what grows trees for them.

    As `_begun` has them: the scores of the squared loss without weights are its gradients; those of two classes are
    kept as odds, as long as these are numbers.
    """

    def __init__(self, loss: Any, bins: Bins, train: BinnedRows, shape: Shape, score: np.ndarray | SignedOdds) -> None:
        self.loss, self.bins, self.shape, self.train = loss, bins, shape, train
        self.weighted = weighted = _weighted(train)
        self.odds = score if isinstance(score, SignedOdds) else None
        if isinstance(score, SignedOdds):
            self.score = self.gradient = score.odds[None]
            self.curvature = np.empty((1, 0))
            self.train = train._replace(y=np.empty(0))  # odds tell the classes
        else:
            self._keep(np.ascontiguousarray(score.T))
        squared = isinstance(loss, SquaredLoss) and not weighted
        if squared:
            self.gradient = self.score
        # Those who help to grow trees expand these losses too.
        self.helped = squared or self.odds is not None
        table = MixedTable(
            bins.codes, by_columns(bins.codes), bins.n_bins, bins.categorical, shape.monotone, shape.groups
        )
        # A tree to a thread where there are several a round, else threads within a tree.
        self.new_grower = partial(
            Grower, table, shape.growth, words_of(loss, weighted), not squared, threads=len(self.score) == 1
        )
        self.growers = deque([self.new_grower()])

    def _keep(self, score: np.ndarray) -> None:
        """Scores as they are, with room for their slopes."""
        self.score, self.gradient = score, np.empty(score.shape)
        self.curvature = np.empty((len(score), 0) if words_of(self.loss, self.weighted) == 1 else score.shape)

    def round(self, sums: np.ndarray, number: int) -> BoostedTrees:
        """The trees of a round; what they add to the scores is added, or left to `_expanded`."""
        K, (n, p) = len(self.score), self.bins.codes.shape

        def some(part: slice) -> list[BoostedTrees]:
            try:
                grower = self.growers.pop()
            except IndexError:
                grower = self.new_grower()
            found = [self._grown(grower, k, sums, number) for k in range(part.start, part.stop)]
            self.growers.append(grower)
            return found

        parts = [some(slice(0, 1))] if K == 1 else in_parts(some, n * p * np.arange(1, K + 1))
        return joined([tree for part in parts for tree in part], one_round=True)

    def _grown(self, grower: Grower, k: int, sums: np.ndarray, number: int) -> BoostedTrees:
        """The tree of score k."""
        rate = self.shape.learning_rate
        size, bend = (float(each) for each in sums[1 + 2 * k : 3 + 2 * k])
        seed = (self.shape.seed + 0x632BE59BD9B4E019 * (number * len(self.score) + k)) % 2**64
        leaves = grower.grow(self.gradient[k], self.curvature[k], size, bend, seed)
        if has_line_search(self.loss):
            value = _best_constants(self.loss, grower.room, leaves, self.train, self.score[k], rate)
        else:
            value = leafwise.step(grower, leaves, rate)
        if self.odds is not None and not self.odds.may_move(value):
            self._keep(self.odds.scores()[None])
            self.train = self.train._replace(y=self.odds.classes())
            self.odds, self.helped = None, False
        if self.helped:
            grower.note(value)
        else:
            self.score[k] += value[grower.room.leaf]
        return tree_of(grower.room.nodes, self.bins.thresholds, leaves, value)

    def end(self) -> None:
        for grower in self.growers:
            grower.end()


def _expanded(boosting: _Boosting, moved: bool) -> np.ndarray:
    """Write gradients and curvatures; Σ w loss, and for each score Σ |gradient| and Σ curvature.

    Where the scores have `moved`, they are brought up to date, unless they are already.
    """
    gradient, curvature = boosting.gradient, boosting.curvature
    if boosting.helped:
        return boosting.growers[0].expand(gradient[0], curvature[0], moved)
    return expanded(boosting.loss, *boosting.train[1:], boosting.weighted, boosting.score, gradient, curvature)


def words_of(loss: Any, weighted: bool) -> int:
    """Words a row: one where all curvatures are 1."""
    return 1 if (isinstance(loss, SquaredLoss) or has_line_search(loss)) and not weighted else 2


def room_for_curvature(loss: Any, weighted: bool, shape: tuple[int, int]) -> np.ndarray:
    """(K, n) room for curvatures; (K, 0) where all are 1 or follow from odds (`histograms.Slopes`)."""
    told = isinstance(loss, BinomialLoss) and not weighted
    return np.empty((shape[0], 0) if told or words_of(loss, weighted) == 1 else shape)


def expanded(loss: Any, y, weight, weighted: bool, score, gradient, curvature) -> np.ndarray:
    """The sums of `_expanded`, of any loss, from scores that are up to date."""
    n, K = len(y), len(score)
    blocks = -(-n // BLOCK)
    sums = np.empty((blocks, 1 + 2 * K))

    def some(part: slice) -> None:
        for b in range(part.start, part.stop):
            rows = slice(b * BLOCK, (b + 1) * BLOCK)
            target, given = np.asarray(y[rows], dtype=float), (np.ascontiguousarray(weight[rows]), weighted)
            if isinstance(loss, MultinomialLoss):
                expand_classes(target, score[:, rows], *given, gradient[:, rows], curvature[:, rows], sums[b])
            else:
                expand(loss, target, score[0, rows], *given, gradient[0, rows], curvature[0, rows], sums[b])

    # The blocks, and with them the sums, are the same for any number of threads.
    in_parts(some, np.minimum(BLOCK * np.arange(1, blocks + 1), n) * 20 * K)
    return sums.sum(axis=0)


def _weighted(rows: BinnedRows) -> bool:
    return bool(np.any(rows.weight != 1.0))


def _begun(
    loss: Any, trees: BoostedTrees, rows: BinnedRows, own: bool, start: np.ndarray
) -> tuple[BinnedRows, list[float], np.ndarray | SignedOdds]:
    """The training rows, their mean loss before each round of the trees, and their scores after all.

    Of the squared loss without weights all targets are zero and scores (n, 1) what they are above those given: they
    move by the same steps, and are the gradients. A fit that goes on adds them up in the same order. Of the binomial
    loss without weights there are odds instead, of any other scores (n, K).
    """
    n, plain = len(rows.y), not _weighted(rows)
    if isinstance(loss, BinomialLoss) and plain:
        return rows, *_replayed_odds(loss, trees, rows, start)
    if isinstance(loss, SquaredLoss) and plain:
        score = np.subtract(start, rows.y, out=rows.y if own else None)[:, None]
        rows = rows._replace(y=np.broadcast_to(0.0, n))
    else:
        score = np.tile(start, (n, 1))
    return rows, _replayed(Watched(rows, partial(mean_loss, loss)), trees, score), score


def _replayed(watched: Watched, trees: BoostedTrees, score: np.ndarray) -> list[float]:
    """How bad the scores (n, K) are before each round of the trees, which are added to them."""
    found = []
    for t in range(trees.n_rounds):
        found.append(watched.judge(watched.rows, score))
        add_scores(trees._replace(first=trees.first[t : t + 1]), watched.rows.X, score)
    return found


def _replayed_odds(
    loss: Any, trees: BoostedTrees, rows: BinnedRows, start: np.ndarray
) -> tuple[list[float], SignedOdds | np.ndarray]:
    """The mean loss before each round, and the odds of all, or the scores (n, 1) where these become too large."""
    odds, roots = SignedOdds(rows.y, float(start[0])), np.append(trees.first[:, 0], len(trees.value))
    losses: list[float] = []
    for t, (low, high) in enumerate(pairwise(roots.tolist())):
        if not odds.may_move(trees.value[low:high]):
            score = odds.scores()[:, None]
            watched = Watched(rows, partial(mean_loss, loss))
            return losses + _replayed(watched, trees._replace(first=trees.first[t:]), score), score
        losses.append(odds.mean_loss())
        odds.replay(trees._replace(first=trees.first[t : t + 1]), rows.X)
    return losses, odds


def joined(trees: list[BoostedTrees], one_round: bool = False) -> BoostedTrees:
    """Several sets of trees in one: as further rounds, or as the scores of one round."""
    if len(trees) == 1:
        return trees[0]
    sizes = [len(tree.value) for tree in trees]
    nodes = np.cumsum([0, *sizes])
    categories = np.cumsum([0, *(len(tree.category_left) for tree in trees)])

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees])

    def moved(name: str, by: np.ndarray) -> np.ndarray:
        array = together(name)
        shift = np.repeat(by[:-1].astype(array.dtype), sizes)
        return np.add(array, shift, out=array, where=array >= 0)

    first = [tree.first + shift for tree, shift in zip(trees, nodes)]
    return BoostedTrees(
        np.concatenate(first, axis=1 if one_round else 0),
        moved("children_left", nodes),
        moved("children_right", nodes),
        together("feature"),
        together("threshold"),
        together("missing_go_to_left"),
        moved("category_row", categories),
        together("category_left"),
        together("value"),
        together("n_samples"),
    )


def _best_constants(
    loss: Any, room: leafwise.Room, leaves: np.ndarray, train: BinnedRows, score: np.ndarray, rate: float
) -> np.ndarray:
    value = np.empty(len(leaves))
    for k, node in enumerate(leaves):
        here = room.rows_of(node)
        value[k] = rate * leaf_constant(loss, train.y[here] - score[here], train.weight[here])
    return value


def mean_loss(loss: Any, rows: BinnedRows, score: np.ndarray) -> float:
    """Some rows at a time, since a loss has many parts."""
    total = 0.0
    for low in range(0, len(score), BLOCK):
        here = slice(low, low + BLOCK)
        f = score[here] if score.shape[1] > 1 else score[here, 0]
        total += float(rows.weight[here] @ loss_values(loss, rows.y[here], f))
    return total / float(np.sum(rows.weight))


def tree_of(nodes: Nodes, thresholds: list[np.ndarray], leaves: np.ndarray, value: np.ndarray) -> BoostedTrees:
    m = int(nodes.counters[0])
    values = np.zeros(m)
    values[leaves] = value
    split = nodes.left[:m] >= 0
    feature = np.where(split, nodes.feature[:m], -2).astype(np.int32)
    by_category = split & (nodes.by_category[:m] == 1)
    threshold = np.zeros(m)
    by_number = np.flatnonzero(split & ~by_category)
    cuts = zip(map(thresholds.__getitem__, feature[by_number].tolist()), nodes.bin[by_number].tolist())
    threshold[by_number] = [edges[cut] if cut < len(edges) else np.inf for edges, cut in cuts]
    category_row = np.full(m, -1, dtype=np.int32)
    category_row[by_category] = np.arange(int(by_category.sum()))
    return BoostedTrees(
        np.zeros((1, 1), dtype=np.int64),
        nodes.left[:m].copy(),
        np.where(split, nodes.right[:m], -1).astype(np.int32),
        feature,
        threshold,
        np.where(split, nodes.missing_left[:m], 0).astype(np.uint8),
        category_row,
        nodes.category_left[:m][by_category],
        values,
        nodes.sums[:m, 2].astype(np.int64),
    )
