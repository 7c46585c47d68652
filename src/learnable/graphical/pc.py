"""The PC algorithm. Syllabus: G13–G16."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.graphical.background_knowledge import BackgroundKnowledge, Knowledge
from learnable.graphical.dag import DAG
from learnable.graphical.mixed_graph import Node
from learnable.graphical.pdag import PDAG
from learnable.rows import Rows, as_rows, is_streamed, largest_magnitudes, moments
from learnable.rows.memory import check_square_fits
from learnable.solvers.graphical import skeleton
from learnable.solvers.graphical.d_separation import separated
from learnable.solvers.graphical.discrete_test import DiscreteTest, coded
from learnable.solvers.graphical.orientation import Oriented, orient_skeleton
from learnable.trace import Status, to_the_end


class EdgeEvidence(NamedTuple):
    """Why an edge is there or not.

    Attributes
    ----------
    x, y : the pair.
    kept : whether it is joined.
    given : the set that separated the pair; of a kept edge, the set that came nearest to it. None if no test was made.
    statistic, p_value : of the test given that set.
    """

    x: Node
    y: Node
    kept: bool
    given: tuple[Node, ...] | None
    statistic: float
    p_value: float


class DSeparation:
    """The test that knows the truth: independent if and only if d-separated in a given DAG. Syllabus: G15.

    For `PC(test=DSeparation(graph))`, which then returns the class of the graph whatever the data are.
    """

    def __init__(self, graph: DAG):
        self.graph = graph

    def __call__(self, X: Any, i: int, j: int, given: tuple[int, ...]) -> tuple[float, float]:
        return (0.0, 1.0) if separated(self.graph.arrows, i, j, given) else (1.0, 0.0)


class PC(Learner):
    """The PC algorithm: the class of graphs that says of the columns what tests of independence say.

    All pairs are joined; an edge goes when some set among the neighbours of one end separates the pair. Then
    i — k — j with i, j not joined is a collider i → k ← j where k is not in the separating set (R0), and rules R1–R3
    (Meek; R4 as well with background knowledge) make arrows of lines whose other direction would make a new collider
    or a cycle. Syllabus: G13, G14, G15, G16.

    Parameters
    ----------
    alpha : float, default=0.01
        Level of the tests: a set separates a pair when its p-value is at least this.
    test : {"fisher_z", "chi2", "g2"} or callable, default="fisher_z"
        Partial correlations; Pearson's χ² or G² for columns of categories; or a function of (X, i, j, S) that returns
        (statistic, p-value), a p-value alone, or None where the data cannot say.
    stable : bool, default=True
        The stable order, whose skeleton does not depend on the order of the columns; False for the original one.
    max_level : int or None, default=None
        Largest size of a separating set.
    background : BackgroundKnowledge or None, default=None

    Attributes
    ----------
    graph_ : PDAG. Its nodes are the names of the columns of a data frame, or their numbers.
    evidence_ : `solvers.graphical.skeleton.Evidence`, one row a pair; `evidence(x, y)` reads it.
    orientations_ : list of (i, j, rule), the arrows by numbers of columns, in the order in which they were made.
    conflicts_ : list of colliders and arrows that were asked for and contradict others, with the reason.
    n_tests_, n_untestable_ : arrays, tests made and sets that could not be tested at each size 0, 1, …
    untestable_pairs_ : array (k, 2), pairs with sets that could not be tested: too few rows (n ≤ |S| + 3, or fewer
        than 10 a degree of freedom), or columns that determine each other. Their edge stays unless another set
        separates them.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        G13 : every pair has its evidence, which holds when computed again by another route; separating sets are among
        the neighbours. By `certify` also: no set of the neighbours separates a kept pair.
        G14 : colliders are those of the separating sets, every arrow follows by its rule, no rule is left to apply,
        no directed cycle, no new collider, background knowledge respected.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.graphical import PC
    >>> noise = np.random.default_rng(0).standard_normal((500, 3))
    >>> X = np.column_stack([noise[:, 0], noise[:, 1], noise[:, 0] + noise[:, 1] + 0.5 * noise[:, 2]])
    >>> model = PC().fit(X)
    >>> model.graph_
    PDAG(0 → 2, 1 → 2)
    >>> model.evidence(0, 1).given, model.certificate_.holds
    ((), True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "test": [StrOptions({"fisher_z", "chi2", "g2"}), callable],
        "stable": ["boolean"],
        "max_level": [Interval(Integral, 0, None, closed="left"), None],
        "background": [BackgroundKnowledge, None],
    }
    _remedy = "check the columns for near dependence"

    def __init__(self, alpha=0.01, *, test="fisher_z", stable=True, max_level=None, background=None):
        self.alpha = alpha
        self.test = test
        self.stable = stable
        self.max_level = max_level
        self.background = background

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the graph.

        Parameters
        ----------
        X : array or data frame (n, p); with the test "fisher_z" also rows read in blocks.
        y : not used.
        """
        return self._learn(X, y)

    def _pose(self, X, y=None) -> Fitting:
        discrete = self.test in ("chi2", "g2")
        if discrete and not is_streamed(X):
            _refuse_missing(X)
        data = self._validated(
            X, blocks=self.test == "fisher_z", extremes=self.test != "fisher_z", dtype=None if discrete else float,
            ensure_min_samples=2,
        )  # fmt: skip
        p = self.n_features_in_
        check_square_fits(p, "PC: the tables of pairs")
        knowledge = self._knowledge()
        states = skeleton.iterates(
            self._judge(data.X), knowledge.possible, bool(self.stable), self.max_level,
            fixed=knowledge.required | knowledge.required.T,
        )  # fmt: skip
        return Fitting(
            iterates=states, stop=to_the_end, attributes=self._attributes, data=data, ended=Status.STATIONARY,
            max_steps=p, counts_steps=True,
        )  # fmt: skip

    def _names(self) -> tuple[Node, ...]:
        names = getattr(self, "feature_names_in_", None)
        return tuple(range(self.n_features_in_)) if names is None else tuple(str(name) for name in names)

    def _knowledge(self) -> Knowledge:
        return (BackgroundKnowledge() if self.background is None else self.background).matrices(self._names())

    def _judge(self, X: Any) -> skeleton.IndependenceTest:
        if self.test == "fisher_z":
            return skeleton.PartialCorrelations(self._correlations(X), as_rows(X).n_rows, float(self.alpha))
        if callable(self.test):
            return skeleton.OneByOne(_from_user(self.test, X), float(self.alpha))
        codes, levels = coded(X)
        if len(X) and np.any(levels < 2):
            raise ValueError(f"PC: {self._column(int(np.argmin(levels)))} is constant; leave it out")
        return skeleton.OneByOne(DiscreteTest(codes, levels, self.test == "g2"), float(self.alpha))

    def _correlations(self, X: np.ndarray | Rows) -> np.ndarray:
        rows = as_rows(X)
        found = moments(rows)
        if found.weight != rows.n_rows:
            raise ValueError("PC: the rows have weights, of which its tests know nothing; leave them out")
        length = np.sqrt(np.maximum(np.diag(found.scatter_xx), 0.0))  # rounding may leave it below
        sizes = largest_magnitudes(rows)[: rows.n_columns]
        rounding = 8.0 * np.finfo(float).eps * np.sqrt(rows.n_rows) * sizes
        if np.any(length <= rounding):
            raise ValueError(f"PC: {self._column(int(np.argmax(length <= rounding)))} is constant; leave it out")
        R = found.scatter_xx / length / length[:, None]
        np.fill_diagonal(R, 1.0)
        return R

    def _column(self, j: int) -> str:
        name = self._names()[j]
        return f"column {j}" if name == j else f"column {j} ({name!r})"

    def _attributes(self, state: skeleton.SkeletonState) -> dict[str, Any]:
        oriented = self._oriented(state.evidence, state.adjacent)
        return {
            "graph_": PDAG.from_matrices(self._names(), oriented.arrows, oriented.lines),
            "evidence_": state.evidence,
            "orientations_": oriented.steps,
            "conflicts_": [tuple(conflict) for conflict in oriented.conflicts],
            "n_tests_": state.tests,
            "n_untestable_": state.untestable,
            "untestable_pairs_": state.evidence.pairs[state.without_test > 0],
        }

    def _oriented(self, evidence: skeleton.Evidence, adjacent: np.ndarray) -> Oriented:
        # Only pairs with a common neighbour can be the ends of a collider.
        i, j = evidence.pairs.T
        common = (adjacent.astype(np.float32) @ adjacent.astype(np.float32)) > 0.5
        apart = ~evidence.kept & (evidence.size >= 0) & common[i, j]
        keys = [(int(i), int(j)) for i, j in evidence.pairs[apart]]
        sets = [tuple(S[:size].tolist()) for S, size in zip(evidence.sets[apart], evidence.size[apart])]
        order = dict(zip(keys, evidence.p_value[apart].tolist()))
        return orient_skeleton(adjacent, dict(zip(keys, sets)), order, self._knowledge().one_way)

    def adopt(self, evidence: skeleton.Evidence, arrows: np.ndarray, adjacent: np.ndarray) -> "PC":
        """Take over a graph that another program has found, for `certify` to judge.

        Parameters
        ----------
        evidence : one row a pair.
        arrows : bool array (p, p), i → j. adjacent : bool array (p, p), the skeleton; an edge that is no arrow is a
            line. A directed cycle is refused.
        """
        oriented = self._oriented(evidence, adjacent)
        self.graph_ = PDAG.from_matrices(self._names(), arrows, adjacent & ~(arrows | arrows.T))
        self.evidence_ = evidence
        self.orientations_ = oriented.steps
        self.conflicts_ = [tuple(conflict) for conflict in oriented.conflicts]
        self.adopted_ = True
        return self

    def evidence(self, x: Node, y: Node) -> EdgeEvidence:
        """The test that decided on a pair, or of a kept edge the one that came nearest to separating it.

        Parameters
        ----------
        x, y : names of two columns, or their numbers where they have no names.
        """
        check_is_fitted(self)
        i, j = sorted((self.graph_.index(x), self.graph_.index(y)))
        p, table = len(self.graph_.nodes), self.evidence_
        row = i * p - i * (i + 1) // 2 + j - i - 1
        size = int(table.size[row])
        given = None if size < 0 else tuple(self.graph_.nodes[k] for k in table.sets[row, :size])
        return EdgeEvidence(
            self.graph_.nodes[i], self.graph_.nodes[j], bool(table.kept[row]), given,
            float(table.statistic[row]), float(table.p_value[row]),
        )  # fmt: skip


def _refuse_missing(X: Any) -> None:
    """ValueError at the first missing cell of a table of objects, which scikit-learn does not look at or not name."""
    cells = np.asarray(X)
    if cells.ndim != 2 or cells.dtype.kind != "O":
        return
    names = list(getattr(X, "columns", range(cells.shape[1])))
    for name, column in zip(names, cells.T):
        for row, cell in enumerate(column):
            missing = cell is None or type(cell).__name__ in ("NAType", "NaTType")
            if missing or (isinstance(cell, float) and cell != cell):
                raise ValueError(
                    f"PC: Input X contains NaN in column {name!r}, row {row}; drop or impute it first, or make it a "
                    "category of its own"
                )


def _from_user(test: Callable, X: np.ndarray) -> Callable:
    """A user's test as a function of (i, j, S)."""

    def judge(i: int, j: int, given: tuple[int, ...]) -> tuple[float, float] | None:
        found = test(X, i, j, given)
        if found is None:
            return None
        statistic, p_value = (np.nan, found) if np.ndim(found) == 0 else found
        if not 0.0 <= p_value <= 1.0:
            raise ValueError(
                f"PC(test={test!r}): the p-value of ({i}, {j}, {given}) is {p_value}; it must be in [0, 1]"
            )
        return float(statistic), float(p_value)

    return judge
