"""Reading transitions and rewards in their many forms, and what is refused."""

import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.plain import plain

# A row may miss 1 by this much, as numbers printed with nine digits do; it is then scaled to 1.
ROW_TOLERANCE = 1e-8


class Pairs(NamedTuple):
    """One row for each available state-action pair, sorted by state, then action."""

    states: np.ndarray
    actions: np.ndarray
    transitions: Any
    rewards: np.ndarray
    ending: np.ndarray
    outcome_rewards: np.ndarray | None = None
    ending_rewards: np.ndarray | None = None


def read(transitions, rewards, available, terminal: Iterable[Hashable], ending, states) -> tuple[Pairs, int, int]:
    """(pairs, number of states, number of actions) from whole arrays."""
    rows, n_states, n_actions = _rows(transitions)
    allowed = np.ones((n_states, n_actions), dtype=bool)
    if available is not None:
        available = np.asarray(available)
        if available.shape != allowed.shape or available.dtype != bool:
            raise ValueError(
                f"MDP(available=...): a bool array of shape {allowed.shape} is needed, not {available.dtype} "
                f"of {available.shape}"
            )
        allowed = available.copy()
    labels = list(names(states, n_states, "states"))
    allowed[_places(terminal, labels)] = False
    kept = np.flatnonzero(allowed.ravel())
    if len(kept) == 0:
        raise ValueError("MDP: no action is available in any state")
    rows = rows if len(kept) == rows.shape[0] else rows[kept]
    by_pair, by_outcome = _rewards(rewards, rows, kept, n_states, n_actions)
    if by_outcome is not None:
        rows = sparse.csr_matrix(rows)
    ends = np.zeros(len(kept))
    if ending is not None:
        ends = np.asarray(ending, dtype=float)
        if ends.shape != (n_states, n_actions):
            raise ValueError(f"MDP(ending=...): shape {(n_states, n_actions)} is needed, not {ends.shape}")
        ends = ends.ravel()[kept]
    return Pairs(kept // n_actions, kept % n_actions, rows, by_pair, ends, by_outcome), n_states, n_actions


def read_pairs(pair_states, pair_actions, transitions, rewards, ending) -> tuple[Pairs, int, int]:
    """The same from one row for each pair, in any order."""
    s, a = np.asarray(pair_states), np.asarray(pair_actions)
    rows = compressed(transitions) if sparse.issparse(transitions) else _numbers(transitions, "transitions")
    r = _numbers(rewards, "rewards")
    ends = np.zeros(len(s)) if ending is None else _numbers(ending, "ending")
    if s.dtype.kind not in "iu" or a.dtype.kind not in "iu":
        raise TypeError(f"MDP.from_pairs: states and actions are numbered by ints, not {s.dtype} and {a.dtype}")
    if rows.ndim != 2 or not len(s) == len(a) == rows.shape[0] == len(r) == len(ends) or len(s) == 0:
        raise ValueError(
            f"MDP.from_pairs: {len(s)} states, {len(a)} actions, transitions of shape {rows.shape} and {len(r)} "
            "rewards do not describe one list of pairs"
        )
    if s.min() < 0 or s.max() >= rows.shape[1] or a.min() < 0:
        raise ValueError(f"MDP.from_pairs: states must lie in 0, …, {rows.shape[1] - 1}; found {s.min()} to {s.max()}")
    order = np.lexsort((a, s))
    s, a = s[order], a[order]
    twice = np.flatnonzero((np.diff(s) == 0) & (np.diff(a) == 0))
    if len(twice):
        raise ValueError(f"MDP.from_pairs: state {s[twice[0]]} with action {a[twice[0]]} is given twice")
    sorted_already = np.array_equal(order, np.arange(len(order)))
    pairs = Pairs(s, a, rows if sorted_already else rows[order], r[order], ends[order])
    return pairs, rows.shape[1], int(a.max()) + 1


def checked(pairs: Pairs, states: Sequence, actions: Sequence) -> Pairs:
    """The pairs with rows that sum to 1 to the last bit, or an error that says which row does not, and by how much."""

    def name(k):
        s, a = int(pairs.states[k]), int(pairs.actions[k])
        return f"state {states[s]!r}, action {actions[a]!r}"

    P: Any = pairs.transitions if sparse.issparse(pairs.transitions) else np.ascontiguousarray(pairs.transitions)
    entries: np.ndarray = P.data if sparse.issparse(P) else P
    if not np.all(entries >= 0.0):  # also false for NaN
        rows = P.tocoo() if sparse.issparse(P) else None
        k, to = (rows.row, rows.col) if rows is not None else np.divmod(np.arange(P.size), P.shape[1])
        worst = int(np.flatnonzero(~(entries.ravel() >= 0.0))[0])
        raise ValueError(
            f"MDP: P of {name(k[worst])} gives state {states[int(to[worst])]!r} the probability "
            f"{entries.ravel()[worst]}; probabilities must be >= 0"
        )
    for what, numbers in (("reward", pairs.rewards), ("ending probability", pairs.ending)):
        wrong = ~np.isfinite(numbers) if what == "reward" else ~((numbers >= 0.0) & (numbers <= 1.0))
        if wrong.any():
            k = int(np.argmax(wrong))
            remedy = "leave the action out with available=" if what == "reward" else "it must lie in [0, 1]"
            raise ValueError(f"MDP: the {what} of {name(k)} is {numbers[k]}; {remedy}")
    sums = np.asarray(P.sum(axis=1)).ravel() + pairs.ending
    off = sums - 1.0
    if (worst_off := float(np.abs(off).max())) > ROW_TOLERANCE:
        k, count = int(np.argmax(np.abs(off))), int(np.sum(np.abs(off) > ROW_TOLERANCE))
        others = f" ({count} rows are off; this is the worst)" if count > 1 else ""
        raise ValueError(
            f"MDP: the probabilities of {name(k)} sum to {sums[k]:.9g}, which is {abs(off[k]):.3g} too "
            f"{'much' if off[k] > 0 else 'little'}{others}; mass that ends the episode is given by ending="
        )
    ending = pairs.ending
    if worst_off > 1e-14:
        if sparse.issparse(P):
            entries = P.data / np.repeat(sums, np.diff(P.indptr))
            P = sparse.csr_matrix((entries, P.indices, P.indptr), shape=P.shape)
        else:
            P = P / sums[:, None]
        ending = ending / sums
    elif not entries.flags.writeable:  # borrowed, see `_borrowed`
        P = sparse.csr_matrix((P.data.copy(), P.indices, P.indptr), shape=P.shape) if sparse.issparse(P) else P.copy()
    return pairs._replace(transitions=P, ending=ending, rewards=np.ascontiguousarray(pairs.rewards, dtype=float))


def compressed(matrix) -> sparse.csr_matrix:
    """A CSR matrix of floats with sorted places and summed duplicates; what the caller gave is not touched."""
    P = matrix.tocsr()
    if not P.has_canonical_format:
        P = P.copy()
        P.sum_duplicates()
    if P is not matrix:
        return sparse.csr_matrix((P.data.astype(float, copy=False), P.indices, P.indptr), shape=P.shape)
    entries = _borrowed(P.data.astype(float, copy=False), P.data)
    return sparse.csr_matrix((entries, P.indices.copy(), P.indptr.copy()), shape=P.shape)


def check_discount(discount: Any, owner: str) -> float:
    if not isinstance(discount, (int, float, np.integer, np.floating)) or isinstance(discount, bool):
        raise TypeError(f"{owner}(discount={plain(discount)!r}): the discount must be a number in [0, 1]")
    if not 0.0 <= discount <= 1.0:
        raise ValueError(f"{owner}(discount={discount}): the discount must lie in [0, 1]")
    return float(discount)


def names(given: Sequence[Hashable] | None, n: int, what: str) -> Sequence[Hashable]:
    """Names of states or actions: as given, checked, or numbers."""
    if given is None:
        return range(n)
    given = [plain(name) for name in given]
    if len(given) != n:
        raise ValueError(f"MDP({what}=...): {len(given)} names for {n} {what}")
    if len(set(given)) != n:
        twice = next(name for name in given if given.count(name) > 1)
        raise ValueError(f"MDP({what}=...): the name {twice!r} is given twice")
    return given


def shown(labels: Sequence) -> str:
    """The first few names."""
    return ", ".join(repr(label) for label in labels[:6]) + (", …" if len(labels) > 6 else "")


def _rows(transitions) -> tuple[Any, int, int]:
    """P as a matrix (S·A, S)."""
    if sparse.issparse(transitions):
        rows = compressed(transitions)
        n_states = rows.shape[1]
        if n_states == 0 or rows.shape[0] % n_states:
            raise ValueError(f"MDP: a sparse P has shape (S·A, S); {rows.shape[0]} rows are no multiple of {n_states}")
        return rows, n_states, rows.shape[0] // n_states
    if isinstance(transitions, (list, tuple)) and any(sparse.issparse(matrix) for matrix in transitions):
        n_actions, n_states = len(transitions), transitions[0].shape[-1]
        if any(matrix.shape != (n_states, n_states) for matrix in transitions):
            raise ValueError(
                f"MDP: P has matrices of shapes {[matrix.shape for matrix in transitions]}; all must be S×S"
            )
        stacked = sparse.vstack([sparse.csr_matrix(matrix) for matrix in transitions], format="csr")
        by_state = np.arange(n_actions * n_states).reshape(n_actions, n_states).T.ravel()
        return compressed(stacked[by_state]), n_states, n_actions
    array = _state_first(transitions, _numbers(transitions, "transitions"), "transitions")
    if array.ndim != 3 or array.shape[0] != array.shape[2] or array.size == 0:
        raise ValueError(f"MDP: P must have the shape (S, A, S), or be A matrices of S×S; found {array.shape}")
    n_states, n_actions, _ = array.shape
    return array.reshape(n_states * n_actions, n_states), n_states, n_actions


def _state_first(given, array: np.ndarray, what: str) -> np.ndarray:
    """Numbers indexed by (state, action, next state).

    So are an array and nested lists; a list of arrays has one matrix for each action, and so have nested lists whose
    shape is (A, S, S) and cannot be (S, A, S). Where S = A the shape does not tell, and a warning says what is read.
    """
    if array.ndim != 3 or not isinstance(given, (list, tuple)):
        return array
    first, second, third = array.shape
    nested = isinstance(given[0], (list, tuple))
    if not nested or first != second == third:
        return array.transpose(1, 0, 2)
    if first == second == third and not np.array_equal(array, array.transpose(1, 0, 2)):
        warnings.warn(
            f"MDP({what}=...): nested lists of {first} × {second} × {third} numbers are read as "
            f"{what}[state][action][next state]; with as many states as actions they could be one matrix for each "
            "action too. Give np.array(...) if the reading is right, else a list of arrays, one for each action",
            stacklevel=5,
        )
    return array


def _places(terminal: Any, labels: list[Hashable]) -> list[int]:
    """The numbers of the states that are named."""
    if isinstance(terminal, str) or not isinstance(terminal, Iterable):
        given = plain(terminal)
        raise TypeError(f"MDP(terminal={given!r}): a list of states is needed; for one state terminal=[{given!r}]")
    found = []
    for name in map(plain, terminal):
        if isinstance(name, bool) and not any(isinstance(label, bool) for label in labels):
            raise TypeError(f"MDP(terminal=...): {name} is no name of a state; for a mask give np.flatnonzero(mask)")
        if name not in labels:
            raise ValueError(f"MDP(terminal=...): no state is called {name!r}; the names are {shown(labels)}")
        found.append(labels.index(name))
    return found


def _rewards(rewards, rows, kept, n_states: int, n_actions: int) -> tuple[np.ndarray, np.ndarray | None]:
    """(mean reward of each kept pair, reward of each stored entry of `rows` or None)."""
    per_action = isinstance(rewards, (list, tuple)) and len(rewards) > 0
    if per_action and any(sparse.issparse(matrix) for matrix in rewards):
        per_outcome, _, found = _rows(rewards)
        if per_outcome.shape != (n_states * n_actions, n_states):
            raise ValueError(f"MDP: rewards of {found} actions over {per_outcome.shape[1]} states do not fit P")
        return _of_outcomes(per_outcome.tocsr()[kept], rows)
    array = _state_first(rewards, _numbers(rewards, "rewards"), "rewards")
    if array.ndim == 3:
        if array.shape != (n_states, n_actions, n_states):
            raise ValueError(f"MDP: rewards of shape {array.shape}; {(n_states, n_actions, n_states)} are needed")
        return _of_outcomes(array.reshape(-1, n_states)[kept], rows)
    if array.ndim == 0:
        return np.full(len(kept), float(array)), None
    if array.shape == (n_states,):
        return array[kept // n_actions], None
    if array.shape == (n_states, n_actions):
        return array.ravel()[kept], None
    raise ValueError(f"MDP: rewards of shape {array.shape} fit neither {(n_states, n_actions)} nor {(n_states,)}")


def _of_outcomes(per_outcome, rows) -> tuple[np.ndarray, np.ndarray]:
    P = sparse.csr_matrix(rows)
    at = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    entries = np.asarray(per_outcome[at, P.indices], dtype=float).ravel()
    return np.bincount(at, weights=P.data * entries, minlength=P.shape[0]), entries


def _numbers(given, what: str) -> np.ndarray:
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"MDP({what}=...): numbers are needed; {error}") from None
    return array if isinstance(given, (list, tuple)) else _borrowed(array, given)


def _borrowed(array: np.ndarray, given: Any) -> np.ndarray:
    """The array, read-only where its memory is the caller's.

    Whatever is computed from it has memory of its own and can be written; what is still read-only at the end was not
    copied yet.
    """
    if np.may_share_memory(array, given):
        array = array.view()
        array.flags.writeable = False
    return array
