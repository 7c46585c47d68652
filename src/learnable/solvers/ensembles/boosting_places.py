"""What a worker of a cluster keeps beside its rows while trees are boosted on them, and what it is asked to do.

A pass over the rows is a list of steps, and has a number. The rows that one thread works on have a state, which knows
the number of the last pass made of it. The next one is done; the same one again, after a message was lost, is answered
as before; any other finds that passes were missed, because the rows were made anew on another worker. Then the pass
comes again with what has to be known to make the state, up to the pass before.
"""

import pickle
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from learnable._jit.ensembles import leafwise
from learnable._jit.ensembles.expansions import FEW
from learnable._jit.ensembles.far_rows import Place, expand_chunk, mark, plant, split, sum_leaves
from learnable._jit.ensembles.slopes import Curved, Slopes, slopes_for
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.boosting_losses import BinomialLoss, SquaredLoss, loss_values
from learnable.rows import Block
from learnable.rows.gathered import cells
from learnable.rows.marks import marked
from learnable.rows.source import add, own
from learnable.solvers.ensembles.binning import Coder, by_columns, codes_of
from learnable.solvers.ensembles.boosted_scores import add_scores, scores_of
from learnable.solvers.ensembles.histogram_boosting import BinnedRows, expanded, room_for_curvature


class Answer(NamedTuple):
    """What the steps of a pass have found.

    Attributes
    ----------
    sums : of numbers of each chunk, added up in the fixed order of chunks; None for none.
    words : whole numbers of all chunks, added up in any order; None for none.
    missed : how many threads have missed passes.
    """

    sums: Any = None
    words: Any = None
    missed: int = 0


Told = tuple[Any, int]


def merged(one: Told, two: Told) -> Told:
    """Words and misses of some threads, and of others; words of the latter may be answers that are kept."""
    words = own(two[0]) if one[0] is None else one[0] if two[0] is None else add(one[0], two[0])
    return words, one[1] + two[1]


class Targets(NamedTuple):
    """How targets and weights become those of the loss: the classes, if there are any, and a factor for each."""

    classes: np.ndarray | None = None
    factors: np.ndarray | None = None

    def of(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        weight = np.ones(block.X.shape[0]) if block.weight is None else block.weight.astype(float)
        if self.classes is None:
            return np.asarray(block.y, dtype=float), weight
        index = np.searchsorted(self.classes, np.asarray(block.y))
        return index.astype(float), weight if self.factors is None else weight * self.factors[index]


class Problem(NamedTuple):
    """What is the same for all rounds: bins, targets, loss, starting scores, one bit a row for those held out (None for
    none), whether weights are not all 1, and words a row."""

    coder: Coder
    targets: Targets
    loss: Any
    start: np.ndarray
    held_out: np.ndarray | None
    weighted: bool
    width: int


class Step(Protocol):
    """Something to do with a state; the sums of each chunk, and whole numbers of all."""

    def do(self, state: "State") -> tuple[Sequence[np.ndarray] | None, np.ndarray | None]: ...


class Past(NamedTuple):
    """What makes a state: the problem, the trees of the rounds before, and the steps of this round so far."""

    problem: Problem
    trees: BoostedTrees
    steps: tuple[Step, ...]


class State:
    """Rows of some chunks while trees grow: bins, targets, scores (K, n), slopes, and the nodes that rows are in.

    Attributes
    ----------
    cuts : where the training rows of each chunk begin, and the last of them end.
    held_out : those held out of each chunk, with their scores; None for none.
    nodes : beginning and end of a node in `place.rows`.
    """

    def __init__(self, past: Past, blocks: Sequence[Block]) -> None:
        self.problem = problem = past.problem
        parts = [_Chunk(problem, past.trees, block) for block in blocks]
        self.cuts = np.cumsum([0, *(len(part.train.y) for part in parts)])
        self.held_out = None if problem.held_out is None else [(part.rest, part.rest_score) for part in parts]
        self.codes = np.concatenate([part.train.X for part in parts])
        self.columns = by_columns(self.codes)
        self.y = np.concatenate([part.train.y for part in parts])
        self.weight = np.concatenate([part.train.weight for part in parts])
        self.score = np.ascontiguousarray(np.concatenate([part.score for part in parts]).T)
        n = len(self.y)
        self.gradient = np.empty_like(self.score)
        self.curvature = room_for_curvature(problem.loss, problem.weighted, self.score.shape)
        self.words = np.empty((leafwise.BLOCK, problem.width), dtype=np.int64)
        self.rows = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
        self.spare, self.leaf = np.empty_like(self.rows), np.empty_like(self.rows)
        self.nodes: dict[int, tuple[int, int]] = {}
        self.place: Place | None = None
        for step in past.steps:
            step.do(self)

    def chunks(self) -> list[slice]:
        return [slice(*cut) for cut in pairwise(self.cuts.tolist())]


class _Chunk:
    """The rows of a chunk, in bins and not, those for training and the rest, with their scores."""

    def __init__(self, problem: Problem, trees: BoostedTrees, block: Block) -> None:
        codes, whole = codes_of(problem.coder, block), BinnedRows(cells(block), *problem.targets.of(block))
        if problem.held_out is None:
            train = whole
        else:
            rest = marked(problem.held_out, block)
            train, self.rest = (BinnedRows(*(each[part] for each in whole)) for part in (~rest, rest))
            self.rest_score = scores_of(trees, self.rest.X, problem.start)
            codes = codes[~rest]
        self.score = scores_of(trees, train.X, problem.start)
        self.train = train._replace(X=codes)


class Move(NamedTuple):
    """Add the values of the leaves of the last tree to score k."""

    k: int
    value: np.ndarray

    def do(self, state: State) -> tuple[None, None]:
        state.score[self.k] += self.value[state.leaf]
        return None, None


class Begin(NamedTuple):
    """Gradients and curvatures at the scores; the sums of `expanded`, and the loss of the rows held out, after `trees`
    are added to their scores."""

    trees: BoostedTrees | None = None

    def do(self, state: State) -> tuple[list[np.ndarray], None]:
        problem, found = state.problem, []
        for number, rows in enumerate(state.chunks()):
            sums = _slopes_written(state, rows)
            if state.held_out is not None:
                rest, score = state.held_out[number]
                if self.trees is not None:
                    add_scores(self.trees, rest.X, score)
                values = loss_values(problem.loss, rest.y, score if score.shape[1] > 1 else score[:, 0])
                sums = np.append(sums, values @ rest.weight)
            found.append(sums)
        return found, None


def _slopes_written(state: State, rows: slice) -> np.ndarray:
    """Slopes of these rows; Σ w loss, and for each score Σ |gradient| and Σ curvature."""
    problem, y = state.problem, state.y[rows]
    slopes = [each[:, rows] for each in (state.score, state.gradient, state.curvature)]
    two_classes = isinstance(problem.loss, BinomialLoss)
    if problem.weighted or not (two_classes or isinstance(problem.loss, SquaredLoss)):
        return expanded(problem.loss, y, state.weight[rows], problem.weighted, *slopes)
    sums = np.empty(3)
    room = np.empty(FEW), np.empty(FEW, dtype=np.int64)
    expand_chunk(two_classes, y, state.score[0, rows], state.gradient[0, rows], *room, sums)
    return sums


class Root(NamedTuple):
    """Begin the tree of score k: slopes as whole numbers of units, and their histogram (1, p, 256, 1 or 2).

    Attributes
    ----------
    bits : for the count of rows.
    units : of gradients and of curvatures, and one over each.
    """

    k: int
    bits: int
    units: np.ndarray

    def do(self, state: State) -> tuple[None, np.ndarray]:
        k, width = self.k, state.problem.width
        slopes = slopes_for(state.gradient[k], state.curvature[k], width, self.bits, self.units)
        state.place = Place(slopes, state.codes, state.columns, state.rows, state.spare, state.words)
        state.nodes = {0: (0, len(state.rows))}
        histograms = np.zeros((1, state.codes.shape[1], 256, state.problem.width), dtype=np.int64)
        plant(state.place, histograms[0])
        return None, histograms


class Split(NamedTuple):
    """Part nodes; the histograms of children that are wanted.

    Attributes
    ----------
    nodes, left : (m,) the nodes, and the number of the left child of each; that of the right is the next.
    columns, goes : (m,) and (m, 256) the column of a split, and which of its bins go left.
    summed : (m, 2) the place of the histogram of the left and of the right child; −1 for none.
    """

    nodes: np.ndarray
    left: np.ndarray
    columns: np.ndarray
    goes: np.ndarray
    summed: np.ndarray

    def do(self, state: State) -> tuple[None, np.ndarray | None]:
        shape = (int(self.summed.max(initial=-1)) + 1, state.codes.shape[1], 256, state.problem.width)
        histograms = np.zeros(shape, dtype=np.int64)
        for node, left, column, goes, summed in zip(*(each.tolist() for each in self[:3]), *self[3:]):
            start, end = state.nodes[node]
            middle = split(state.place, start, end, column, goes, histograms, summed)
            state.nodes[left], state.nodes[left + 1] = (start, middle), (middle, end)
        return None, histograms if len(histograms) else None


class Leaves(NamedTuple):
    """Note which of these nodes each row is in; the sums of gradients and curvatures (nodes, 2) of each chunk."""

    k: int
    nodes: np.ndarray

    def do(self, state: State) -> tuple[list[np.ndarray], None]:
        bounds = np.array([state.nodes[node] for node in self.nodes.tolist()], dtype=np.int64)
        assert state.place is not None  # `Root` came before
        mark(state.rows, bounds[:, 0].copy(), bounds[:, 1].copy(), state.leaf)
        found = []
        for rows in state.chunks():
            found.append(np.empty((len(self.nodes), 2)))
            sum_leaves(state.leaf[rows], _some(state.place.slopes, rows), found[-1])
        return found, None


def _some(slopes: Slopes, rows: slice) -> Slopes:
    """The slopes of some rows."""
    if isinstance(slopes, Curved):
        slopes = slopes._replace(curvature=slopes.curvature[rows])
    return slopes._replace(gradient=slopes.gradient[rows])


class Pass(NamedTuple):
    """Steps, of which one at most finds sums and one words; passes of a fit are numbered. `past` comes where it was
    missed."""

    fit: str
    number: int
    steps: tuple[Step, ...]
    past: Past | None = None

    def __reduce__(self) -> tuple:
        # Arrays that travel apart from what they belong to come read-only: kernels would be compiled anew for them.
        return _read, (pickle.dumps(tuple(self)),)

    def answers(self, blocks: Sequence[Block]) -> tuple[Sequence[np.ndarray] | None, Told]:
        """What the chunks of a thread have to say: sums of each, if any, and the words of all."""
        missed = None, (None, 1)
        with _door:
            if self.fit in _ended:
                return missed
            kept = _kept.setdefault((self.fit, blocks[0].start), _Kept())
        with kept.lock:
            if kept.number not in (self.number - 1, self.number):
                if self.past is None:
                    return missed
                kept.state = None  # before another one takes its room
                kept.keep((self.fit, blocks[0].start), State(self.past, blocks), blocks[0].X)
            if kept.number != self.number:
                # What is left behind by an error is no state.
                kept.number = None
                found = [step.do(kept.state) for step in self.steps]
                sums, words = (next((each for each in some if each is not None), None) for some in zip(*found))
                kept.answers = sums, (words, 0)
                kept.number = self.number
            return kept.answers


def _read(written: bytes) -> Pass:
    return Pass(*pickle.loads(written))


class _Kept:
    """The state of some chunks, the number of the last pass and its answers; gone when the chunks are let go."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.state: Any = None
        self.number: int | None = None
        self.answers: tuple[Sequence[np.ndarray] | None, Told] = (None, (None, 0))
        self.end: weakref.finalize | None = None

    def keep(self, key: tuple[str, int], state: State, X: Any) -> None:
        self.let_go()
        self.state = state
        self.end = weakref.finalize(X, _kept.pop, key, None)
        self.end.atexit = False

    def let_go(self) -> None:
        if self.end is not None:
            self.end.detach()


# The states of this process, by fit and first row, and the last fits that have ended.
_kept: dict[tuple[str, int], _Kept] = {}
_ended: deque[str] = deque(maxlen=1000)
_door = threading.Lock()


def forget(fit: str) -> None:
    """Drop the states of a fit; a pass of it that comes late, as after an error, makes none any more."""
    with _door:
        _ended.append(fit)
        gone = [_kept.pop(key, None) for key in list(_kept) if key[0] == fit]
    for kept in filter(None, gone):
        kept.let_go()
