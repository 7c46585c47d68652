"""The least mistakes of any tree of some depth, counted by products of matrices; the solver counts bits.

Rows with the same answers to every question stay together in every tree, and so are counted together; the mistakes
that each such group makes by itself are a bound from below. Trees of two levels come from the counts of all pairs of
questions, deeper ones from recursion.
"""

import numpy as np

# Products in the time of one look at a set of groups, however small it is.
CALL = 1e5


class OutOfWork(Exception):
    """The search was given up: it would take more products than it was allowed."""


def least_mistakes(
    answers: np.ndarray, onehot: np.ndarray, depth: int, below: float = np.inf, work: float = np.inf
) -> int:
    """The least mistakes of a tree of at most this depth; some number less than `below` as soon as a tree makes it.

    Depth by depth, since what the parameter of a forged model says costs nothing where a smaller tree refutes it.

    Parameters
    ----------
    answers : (n, F), booleans.
    onehot : (n, K), the classes.
    depth : of the trees.
    below : the mistakes to beat; where no tree does, they are returned.
    work : products that may be computed before `OutOfWork` is raised.

    Examples
    --------
    >>> xor, onehot = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]) > 0, np.eye(2)[[0, 1, 1, 0]]
    >>> [least_mistakes(xor, onehot, depth) for depth in (0, 1, 2)]
    [2, 2, 0]
    """
    groups, member = np.unique(answers, axis=0, return_inverse=True)
    counts = np.zeros((onehot.shape[1], len(groups)))
    np.add.at(counts.T, member.ravel(), onehot)
    search = _Search(groups.astype(float), counts, work)
    everything, least = np.arange(len(groups)), float(_wrong(counts.sum(axis=1)))
    enough = below if np.isfinite(below) else 0.0
    for level in range(1, min(int(depth), len(groups) - 1) + 1):
        if least < enough:
            break
        least = search.least(everything, level, min(below, least), enough)
    return round(min(below, least))


def _wrong(counts: np.ndarray) -> np.ndarray:
    """The mistakes of the most frequent class, for counts (K, …)."""
    return counts.sum(axis=0) - counts.max(axis=0)


class _Search:
    """The search over trees of groups of rows, with a memory of the sets of groups that were searched."""

    def __init__(self, answers: np.ndarray, counts: np.ndarray, work: float):
        self.answers, self.counts, self.work = answers, counts, work
        self.floor = _wrong(counts)
        # What is known of the least mistakes: (a number, whether it is that number or only at least that).
        self.known: dict[tuple[bytes, int], tuple[float, bool]] = {}

    def least(self, groups: np.ndarray, depth: int, below: float, enough: float = 0.0) -> float:
        """The least mistakes of a tree of at most this depth on some groups, where less than `below`; else `below`.

        The first number less than `enough` that is met will do.
        """
        counts = self.counts[:, groups].sum(axis=1)
        least = min(below, float(_wrong(counts)))
        if depth == 0 or least <= self.floor[groups].sum():
            return least
        members = np.zeros(len(self.floor), dtype=bool)
        members[groups] = True
        key = (np.packbits(members).tobytes(), depth)
        number, exactly = self.known.get(key, (-np.inf, False))
        if exactly or number >= least:
            return min(least, number)
        if depth <= 2:
            least = min(least, self._two_levels(groups, counts, depth))
        else:
            for question in range(self.answers.shape[1]):
                least = self._with_root(question, groups, depth, least)
                if least < enough:
                    return least
        self.known[key] = (least, least < below)
        return least

    def _with_root(self, question: int, groups: np.ndarray, depth: int, least: float) -> float:
        """The least mistakes with this question at the root, where less than `least`."""
        yes = self.answers[groups, question] > 0.5
        if not yes.any() or yes.all():
            return least
        no, yes = groups[~yes], groups[yes]
        floor = float(self.floor[yes].sum())
        first = self.least(no, depth - 1, least - floor)
        if first + floor >= least:
            return least
        return min(least, first + self.least(yes, depth - 1, least - first))

    def _two_levels(self, groups: np.ndarray, counts: np.ndarray, depth: int) -> float:
        answers, each = self.answers[groups], self.counts[:, groups]
        (n, F), K = answers.shape, len(counts)
        self.work -= CALL + n * F * K * (F if depth == 2 else 1)
        if self.work < 0.0:
            raise OutOfWork
        yes = each @ answers
        no = counts[:, None] - yes
        side_yes, side_no = _wrong(yes), _wrong(no)
        if depth == 2:
            # Counts of those who say yes to both, to the first alone, to the second alone, to neither.
            both = np.stack([(answers * column[:, None]).T @ answers for column in each])
            first, second = yes[:, :, None] - both, yes[:, None, :] - both
            side_yes = np.minimum(side_yes, (_wrong(both) + _wrong(first)).min(axis=1))
            side_no = np.minimum(side_no, (_wrong(second) + _wrong(no[:, :, None] - second)).min(axis=1))
        return float((side_yes + side_no).min())
