"""Gradient boosting: gradients again round by round, leaves and splits against all candidates, losses, predictions.

Syllabus: B7, B12.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, digest_generator, thorough
from learnable.certificates.ensembles.boosted_routes import FarCells, Route, route, unlinked
from learnable.certificates.ensembles.boosted_sums import Sums, add_values, mean_loss, summed, weighted_slopes
from learnable.certificates.ensembles.boosting_reading import (
    Boosted,
    boosted_of,
    given_beside,
    loss_of,
    rounds_off,
    set_aside_off,
    stated_losses,
    targets_of,
    unread,
    untold_rows,
)
from learnable.certificates.ensembles.kinks import best_start, has_line_search, leaf_constant
from learnable.certificates.trees.decision_tree import beyond_rounding, said_by
from learnable.certificates.trees.reading import categories_by_type, categories_off, is_foreign
from learnable.problems.ensembles.boosted_trees import ENOUGH_ROWS, FEWER_SIDE, SMOOTHING, BoostedTrees
from learnable.problems.ensembles.boosting_losses import SquaredLoss, mean_of
from learnable.problems.ensembles.steps import LEAST_CURVATURE
from learnable.problems.trees.tree import gone_down

# Cells read by a certificate that comes with a fit.
CELLS = 2**16
# Of the value of a node that no column binds.
FREE = (-np.inf, np.inf)
# Nodes that it looks at one by one, those whose candidates it tries, rows times trees that go down together for it.
NODES = 96
SEARCHED = 8
WALKERS = 2**20
ROUNDING = 1e-7
# scikit-learn keeps gradients in single precision.
SINGLE = 2e-3

LEDGER = Ledger(
    verified=("trees_", "baseline_"),
    derived=(
        "bin_thresholds_", "train_score_", "validation_score_", "n_iter_", "n_trees_per_iteration_", "is_categorical_",
        "categories_", "do_early_stopping_", "train_rows_",
    ),
    sometimes=("validation_score_", "categories_", "train_rows_"),
)  # fmt: skip


class Found(NamedTuple):
    """At worst: nodes with another number of rows, differences of leaf values, gains missed, nodes against rules.

    `whole` says whether every round was looked at.
    """

    miscounted: int = 0
    leaf: float = 0.0
    shortfall: float = 0.0
    refused: int = 0
    loss: float = 0.0
    rise: float = 0.0
    searched: int = 0
    whole: bool = True


@certifies(
    "HistGradientBoostingClassifier", "HistGradientBoostingRegressor", ledger=LEDGER,
    again=lambda model, found: not found[0].open and _hangs_on_the_fit(model),
)  # fmt: skip
def histogram_boosting_claims(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, X_val=None, y_val=None, sample_weight_val=None
) -> Sequence[Claim]:
    """The claims of a boosted model on its training data, and on those that it was given to stop by."""
    if is_foreign(model) and (model.do_early_stopping_ or model.is_categorical_ is not None):
        return [unread()]
    boosted = boosted_of(model, X, y, sample_weight)
    if X_val is not None and y_val is not None:
        boosted = boosted._replace(held_out=given_beside(model, X_val, y_val, sample_weight_val))
    elif not boosted.single and "validation_score_" in vars(model) and boosted.held_out is None:
        return [untold_rows()]
    loss, trees = loss_of(model), boosted.trees
    bound = SINGLE if boosted.single else ROUNDING
    missed = unlinked(trees, boosted.X.shape[1])
    claims = [Claim.at_most("B7", "nodes that are in no tree, or in two", missed, 0.0)]
    if missed:
        return claims
    depth = max(2.0, np.log2(max(2, len(trees.value) / max(1, trees.first.size))))
    rounds = trees.n_rounds
    if not thorough():
        rounds = min(rounds, max(1, int(CELLS / max(1.0, boosted.X.shape[0] * depth * trees.first.shape[1]))))
        rounds = min(rounds, max(1, NODES * trees.n_rounds // len(trees.value)))
    target = targets_of(model, boosted.y)
    start = best_start(loss, target, boosted.weight, boosted.start)
    scale = max(float(np.std(target)), 1e-300) if not hasattr(model, "classes_") else 1.0
    claims.append(
        Claim.at_most(
            "B7", "the starting score is the best constant, up to", np.abs(start - boosted.start).max() / scale, bound
        )
    )
    found = _rounds(model, loss, boosted, target, rounds)
    claims += [
        Claim.at_most(
            "B7",
            "nodes with another number of training rows (first rounds after a fit, all in `certify`)",
            found.miscounted,
            0.0,
        ),
        Claim.at_most(
            "B7",
            "leaf values differ from the best step of their rows by (relative)",
            beyond_rounding(found.leaf, bound),
            bound,
        ),
        Claim.at_most("B7", "nodes that the limits on trees forbid or call for", found.refused, 0.0),
        Claim.at_most(
            "B7",
            "gain that some candidate has over the split made, relative (some nodes after a fit, all in `certify`)",
            beyond_rounding(found.shortfall, bound),
            bound,
        ),
    ]
    if boosted.single:
        wrong = rounds_off(model, trees.n_rounds, model.max_iter, None)
        wrong += int(model.n_trees_per_iteration_ != trees.first.shape[1])
        wrong += int(_stops_early(model, len(boosted.X)))
        claims.append(Claim.at_most("B7", "counts of rounds and trees that are wrong", wrong, 0.0))
    else:
        claims += _score_claims(model, found, loss, boosted, X, X_val is not None)
    if thorough():
        claims.append(_prediction_claim(model, X, loss, boosted))
    return claims


def _hangs_on_the_fit(model: Any) -> bool:
    """Whether only the fit done again tells which columns were drawn, are categories by their type in a data frame, or
    which rows were set aside; and what scikit-learn's sums in single precision leave open.
    """
    drawn = model.max_features < 1.0 or bool(model.do_early_stopping_)
    return is_foreign(model) or drawn or categories_by_type(model)


def _stops_early(model: Any, n: int) -> bool:
    """Whether the parameters ask that rows held out end the fit."""
    return n > 10_000 if model.early_stopping == "auto" else bool(model.early_stopping)


def _score_claims(model: Any, found: Found, loss: Any, boosted: Boosted, table: Any, given: bool) -> list[Claim]:
    claims = [
        Claim.at_most(
            "B7",
            "mean losses of the rounds differ from those stated by",
            beyond_rounding(found.loss, ROUNDING),
            ROUNDING,
        )
    ]
    if (isinstance(loss, SquaredLoss) or has_line_search(loss)) and model.learning_rate <= 1.0:
        claims.append(
            Claim.at_most("B7", "the training loss never rises (largest rise)", beyond_rounding(found.rise, 1e-9), 1e-9)
        )
    elif found.whole:
        claims.append(Claim.disclosure("B7", "largest rise of the training loss in a round", found.rise))
    wrong = int(model.n_iter_ != boosted.trees.n_rounds) + int(len(model.train_score_) != model.n_iter_ + 1)
    wrong += int(model.n_trees_per_iteration_ != boosted.trees.first.shape[1])
    asked = _stops_early(model, len(boosted.all_cells))
    wrong += int(bool(model.do_early_stopping_) != (asked or given))
    aside = model.do_early_stopping_ and not given and model.validation_fraction is not None
    wrong += int((aside or given) != (boosted.held_out is not None))
    validation = None
    if model.do_early_stopping_:
        validation = -np.asarray(model.train_score_ if boosted.held_out is None else model.validation_score_)
    if aside and boosted.held_out is not None:
        wrong += set_aside_off(model, len(boosted.all_cells), len(boosted.held_out[1]))
    wrong += categories_off(model, table)
    wrong += rounds_off(model, boosted.trees.n_rounds, model.max_iter, validation)
    stated = model.is_categorical_
    if stated is None:
        wrong += int(boosted.categorical.any())
    else:
        wrong += int(not np.array_equal(stated, boosted.categorical))
    claims.append(
        Claim.at_most("B7", "counts of rounds, trees, rows held out and categories that are wrong", wrong, 0.0)
    )
    off = sum(int(b is not None and not np.array_equal(a, b)) for a, b in zip(boosted.thresholds, boosted.edges)) + abs(
        len(boosted.thresholds) - len(boosted.edges)
    )
    claims.append(
        Claim.at_most(
            "B7", "columns whose bins are not those of the rule (some after a fit, all in `certify`)", off, 0.0
        )
    )
    if boosted.held_out is not None and model.scoring == "loss" and thorough():
        X, y, weight = boosted.held_out
        score, away = np.tile(boosted.start, (len(X), 1)), 0.0
        target = targets_of(model, y)
        means = -np.asarray(model.validation_score_)
        for t in range(boosted.trees.n_rounds + 1):
            away = float(np.maximum(away, _off_stated(mean_loss(loss, target, score, weight), means, t)))
            if t < boosted.trees.n_rounds:
                for k in range(score.shape[1]):
                    add_values(boosted.trees, route(boosted.trees, int(boosted.trees.first[t, k]), X), score[:, k])
        claims.append(Claim.at_most("B12", "mean validation losses differ from those stated by", away, ROUNDING))
    return claims


def _off_stated(mean: float, stated: np.ndarray, t: int) -> float:
    """How far a mean loss is from the one stated, relative to the loss of the start, or its own where that is more."""
    return float(abs(mean - stated[t]) / max(abs(stated[0]), abs(stated[t]), 1e-300))


def _rounds(model: Any, loss: Any, boosted: Boosted, y: np.ndarray, rounds: int) -> Found:
    trees, X, w = boosted.trees, boosted.X, boosted.weight
    generator = digest_generator(trees.threshold, trees.value)
    score = np.tile(boosted.start, (len(X), 1))
    K = score.shape[1]
    stated = None if boosted.single else stated_losses(model)
    found = Found(whole=rounds == trees.n_rounds)
    cells = len(X) * X.shape[1] * 6 * rounds * K
    looked_at = max(1, rounds * len(trees.value) // trees.n_rounds)
    chance = 1.0 if thorough() else min(1.0, CELLS / cells, SEARCHED / looked_at)
    for t in range(rounds):
        ways = [route(trees, int(root), X) for root in trees.first[t]]
        sums = summed(loss, y, score, w, ways)
        before = sums.loss / float(w.sum())
        if stated is not None:
            away = _off_stated(before, stated, t)
            found = found._replace(loss=float(np.maximum(found.loss, away)))  # no number where a loss is none
        for k, way in enumerate(ways):
            found = _tree(found, model, loss, boosted, _Round(y, score, k, way, sums), chance, generator)
        for k, way in enumerate(ways):
            add_values(trees, way, score[:, k])
        after = mean_loss(loss, y, score, w)
        found = found._replace(rise=max(found.rise, (after - before) / max(abs(before), 1e-300)))
    if rounds < trees.n_rounds and len(X) * trees.first.size <= WALKERS:
        score, rounds = _final_scores(boosted), trees.n_rounds
    if stated is not None and rounds == trees.n_rounds:
        away = _off_stated(mean_loss(loss, y, score, w), stated, -1)
        found = found._replace(loss=float(np.maximum(found.loss, away)))
    return found


def _final_scores(boosted: Boosted) -> np.ndarray:
    """The scores after the last round: every row goes down every tree."""
    trees, n = boosted.trees, len(boosted.X)
    if isinstance(boosted.X, FarCells):
        return boosted.start + boosted.X.scores(trees)
    at = gone_down(trees, boosted.X, np.repeat(trees.first.ravel(), n))
    return boosted.start + trees.value[at].reshape(*trees.first.shape, n).sum(axis=0).T


class _Round(NamedTuple):
    """A tree of a round: targets, scores before the round, which of the scores it is for, the way of the rows, sums."""

    y: np.ndarray
    score: np.ndarray
    k: int
    way: Route
    sums: Sums

    def slopes(self, loss: Any, boosted: Boosted, here: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradients and curvatures of some rows."""
        g, h = weighted_slopes(loss, self.y[here], self.score[here], boosted.weight[here])
        return g[:, self.k], h[:, self.k]


def _tree(found: Found, model, loss, boosted: Boosted, at: _Round, chance: float, generator) -> Found:
    trees, rules, way, y, score = boosted.trees, boosted.rules, at.way, at.y, at.score[:, at.k]
    root = next(iter(way.spans))
    bounds = {root: FREE}
    used: dict[int, frozenset[int]] = {root: frozenset()}
    depth = {root: 0}
    # Values that are zero but for rounding are judged in units of that: of slopes over bends, of scores and targets.
    bend = max(float(at.sums.bend[at.k]) + rules.l2, 1e-300)
    size = float(at.sums.size[at.k]) / bend + float(max(score.max(), -score.min()))
    size += float(max(y.max(), -y.min())) if y.dtype.kind == "f" else 1.0
    rounding = 64.0 * float(np.finfo(float).eps) * model.learning_rate * size
    unit = max(float(np.abs(trees.value).max(initial=0.0)), rounding / ROUNDING, 1e-300)
    scale = max(float(at.sums.squares[at.k]) / bend, 1e-300)
    gains: dict[int, float] = {}
    sums = _sums(trees, way, at.sums.leaves[at.k])

    def best_at(node: int) -> float:
        here = way.rows(node)
        return _best(boosted, here, *at.slopes(loss, boosted, here), bounds[node], depth[node], used[node])

    for node in way.spans:
        lower, upper = bounds[node]
        G, H, n_here = sums[node]
        found = found._replace(miscounted=found.miscounted + int(trees.n_samples[node] != n_here))
        if n_here == 0:
            return found._replace(miscounted=found.miscounted + 1)
        searched = generator.random() < chance and rules.max_features >= 1.0
        if isinstance(boosted.X, FarCells):  # whose cells are brought here to be searched
            searched = searched and n_here * boosted.X.shape[1] <= CELLS
        if trees.children_left[node] < 0:
            if has_line_search(loss):
                here = way.rows(node)
                said = float(trees.value[node]) / model.learning_rate
                step = leaf_constant(loss, y[here] - score[here], boosted.weight[here], said)
            elif boosted.single and node == root:  # scikit-learn gives a tree without a split no value
                step = 0.0
            else:
                step = float(np.clip(-G / (H + rules.l2), lower, upper)) if H + rules.l2 >= LEAST_CURVATURE else 0.0
            found = found._replace(leaf=max(found.leaf, abs(model.learning_rate * step - trees.value[node]) / unit))
            if searched:
                gains[node] = best_at(node)
                found = found._replace(searched=found.searched + 1)
            continue
        f = int(trees.feature[node])
        children = (int(trees.children_left[node]), int(trees.children_right[node]))
        n_left, n_right = (sums[child][2] for child in children)
        gains[node] = _gain(boosted, sums[children[0]], sums[children[1]], (lower, upper))
        refused = min(n_left, n_right) < rules.min_leaf or depth[node] >= rules.max_depth
        refused = refused or f not in _columns(boosted, used[node])
        refused = refused or not _cut_is_an_edge(boosted, node)
        refused = refused or _astray(boosted, node, way, n_left, n_here)
        tiny = np.finfo(float).tiny
        values = [np.clip(-sums[c][0] / max(sums[c][1] + rules.l2, tiny), lower, upper) for c in children]
        sign = int(rules.monotone[f])
        middle = 0.5 * (values[0] + values[1])
        low, high = (lower, middle), (middle, upper)
        if sign:
            refused = refused or sign * (values[1] - values[0]) < -1e-9 * unit
        pair = ((low, high) if sign > 0 else (high, low)) if sign else ((lower, upper), (lower, upper))
        for child, bound in zip(children, pair):
            bounds[child], used[child], depth[child] = bound, used[node] | {f}, depth[node] + 1
        found = found._replace(refused=found.refused + int(refused))
        if searched:
            short = (best_at(node) - gains[node]) / scale
            found = found._replace(searched=found.searched + 1, shortfall=max(found.shortfall, short))
    if chance >= 1.0 and rules.max_features >= 1.0:
        found = found._replace(refused=found.refused + _out_of_turn(boosted, way.spans, gains, scale))
    return found


def _sums(trees: BoostedTrees, way: Route, leaves: np.ndarray) -> dict[int, tuple[float, float, int]]:
    """Gradients, curvatures and rows of every node, from those of the leaves."""
    sums: dict[int, tuple[float, float, int]] = {}
    for node in reversed(way.spans):  # children come after their parents
        if trees.children_left[node] < 0:
            g, h, n_here = leaves[way.spans[node][0]]
            sums[node] = float(g), float(h), int(n_here)
        else:
            a, b = sums[int(trees.children_left[node])], sums[int(trees.children_right[node])]
            sums[node] = a[0] + b[0], a[1] + b[1], a[2] + b[2]
    return sums


def _score(boosted: Boosted, G, H, bounds):
    """What a value takes off the loss: −(2 G v + (H + l2) v²), which scikit-learn takes for −G v, bounded or not."""
    curved = H + boosted.rules.l2
    v = -G / curved if bounds == FREE else np.clip(-G / curved, *bounds)
    return -G * v if boosted.single else -(2.0 * G * v + curved * v * v)


def _gain(boosted: Boosted, left: tuple[float, float, int], right: tuple[float, float, int], bounds) -> float:
    (G, H, _), (G_right, H_right, _) = left, right
    if min(H, H_right) + boosted.rules.l2 <= 0.0:
        return 0.0
    apart = _score(boosted, G, H, bounds) + _score(boosted, G_right, H_right, bounds)
    return float(apart - _score(boosted, G + G_right, H + H_right, bounds))


def _columns(boosted: Boosted, used: frozenset[int]) -> set[int]:
    p = boosted.X.shape[1]
    if boosted.rules.groups is None or not used:
        return set(range(p))
    return set().union(*(group for group in boosted.rules.groups if used <= group), frozenset())


def _best(boosted: Boosted, here, g, h, bounds, depth: int, used) -> float:
    """The largest gain among all candidates, from sorted cells and cumulative sums; 0 if none may be made.

    g, h : slopes of the rows here.
    """
    rules, best = boosted.rules, 0.0
    if depth >= rules.max_depth or len(here) < 2 * rules.min_leaf:
        return 0.0
    G, H = g.sum(), h.sum()
    for j in _columns(boosted, used):
        cells = boosted.X[here, j]
        missing = np.isnan(cells)
        if boosted.categorical[j]:
            place = np.unique(_together(np.where(missing, 255, cells)), return_inverse=True)[1]
            sums = [np.bincount(place, v) for v in (g, h, np.ones(len(here)))]
            order = np.argsort(sums[0] / (sums[1] + SMOOTHING), kind="stable")
            left = np.arange(1, len(order))
            cuts = np.flatnonzero(np.minimum(left, len(order) - left) <= FEWER_SIDE)
            options: list[tuple] = [tuple(np.cumsum(s[order])[cuts] for s in sums)]
        else:
            order = np.argsort(cells[~missing], kind="stable")
            line = cells[~missing][order]
            running = [np.concatenate([[0.0], np.cumsum(v[~missing][order])]) for v in (g, h)]
            count = np.searchsorted(line, boosted.thresholds[j], side="right")
            a, b, c = running[0][count], running[1][count], count.astype(float)
            options = [(a, b, c)]
            if missing.any():
                lost = (g[missing].sum(), h[missing].sum(), float(missing.sum()))
                options.append((a + lost[0], b + lost[1], c + lost[2]))
                options.append((running[0][-1:], running[1][-1:], np.array([float(len(line))])))
        for a, b, c in options:
            ok = (c >= rules.min_leaf) & (len(here) - c >= rules.min_leaf)
            ok &= (b >= rules.min_curvature * (1 + 1e-9)) & (H - b >= rules.min_curvature * (1 + 1e-9))
            if not ok.any():
                continue
            a, b = a[ok], b[ok]
            gain = _score(boosted, a, b, bounds) + _score(boosted, G - a, H - b, bounds) - _score(boosted, G, H, bounds)
            if rules.monotone[j]:
                u = np.clip(-a / (b + rules.l2), *bounds)
                v = np.clip(-(G - a) / (H - b + rules.l2), *bounds)
                gain = np.where(rules.monotone[j] * (v - u) >= 0.0, gain, 0.0)
            best = max(best, float(gain.max()))
    return best


def _together(codes: np.ndarray) -> np.ndarray:
    """Categories of rows, 256 for those that have few rows."""
    codes = codes.astype(int)
    return np.where(np.bincount(codes, minlength=256)[codes] < ENOUGH_ROWS, 256, codes)


def _cut_is_an_edge(boosted: Boosted, node: int) -> bool:
    trees = boosted.trees
    f, threshold = int(trees.feature[node]), float(trees.threshold[node])
    if boosted.categorical[f]:
        return trees.category_row[node] >= 0 and threshold == 0.0
    if trees.category_row[node] >= 0:
        return False
    return threshold == np.inf or bool(np.any(boosted.thresholds[f] == threshold))


def _astray(boosted: Boosted, node: int, way: Route, n_left: int, n_here: int) -> bool:
    """Whether cells that the rows do not show go another way than the majority (or, categories, the missing ones).

    Also whether categories of few rows part, or both sides have many.
    """
    trees = boosted.trees
    meets_missing = node in way.meets_missing
    if boosted.single and not meets_missing:  # the majority counts to scikit-learn where no row at all misses a cell
        meets_missing = bool(np.isnan(boosted.X[:, trees.feature[node]]).any())
    wrong = not meets_missing and bool(trees.missing_go_to_left[node]) != (2 * n_left > n_here)
    if trees.category_row[node] >= 0:
        cells = boosted.X[way.rows(node), trees.feature[node]]
        codes = np.where(np.isnan(cells), 255, cells).astype(int)
        rows, table = np.bincount(codes, minlength=256), trees.category_left[trees.category_row[node]]
        few, absent = (rows > 0) & (rows < ENOUGH_ROWS), rows == 0
        absent[255] = False
        many = [int(np.sum(table[rows >= ENOUGH_ROWS] == side) + np.any(table[few] == side)) for side in (0, 1)]
        wrong = wrong or len(set(table[few])) > 1 or min(many) > FEWER_SIDE
        wrong = wrong or bool(np.any(table[absent] != trees.missing_go_to_left[node]))
        wrong = wrong or table[255] != trees.missing_go_to_left[node]
    return wrong


def _out_of_turn(boosted: Boosted, members: Iterable[int], gains, scale: float) -> int:
    """Leaves with more to gain than splits made while they waited; leaves left although there was room."""
    trees, tie = boosted.trees, 1e-9 * scale + SINGLE * scale * boosted.single
    leaves = [node for node in members if trees.children_left[node] < 0]
    room = boosted.rules.max_leaves is None or len(leaves) < boosted.rules.max_leaves
    wrong = (
        sum(int(gains[leaf] > tie) for leaf in leaves) if room else int(len(leaves) > (boosted.rules.max_leaves or 0))
    )
    frontier = [next(iter(members))]
    while True:
        ready = [node for node in frontier if trees.children_left[node] >= 0]
        if not ready:
            return wrong
        most = max(gains[node] for node in ready)
        waiting = max((gains[node] for node in frontier if trees.children_left[node] < 0), default=0.0)
        wrong += int(waiting > most + tie)
        # No number is as large as one that is undefined.
        for node in [node for node in ready if gains[node] >= most - tie] or ready:
            frontier.remove(node)
            frontier += [int(trees.children_left[node]), int(trees.children_right[node])]


def _prediction_claim(model: Any, X: Any, loss: Any, boosted: Boosted) -> Claim:
    score = np.tile(boosted.start, (len(boosted.all_cells), 1))
    for t in range(boosted.trees.n_rounds):
        for k in range(score.shape[1]):
            way = route(boosted.trees, int(boosted.trees.first[t, k]), boosted.all_cells)
            add_values(boosted.trees, way, score[:, k])
    mean = mean_of(loss, score if score.shape[1] > 1 else score[:, 0])
    if hasattr(model, "classes_"):
        given = said_by(model.predict_proba, X)
        off = np.abs(given - (mean if mean.ndim == 2 else np.column_stack([1.0 - mean, mean]))).max()
    else:
        off = np.abs(said_by(model.predict, X) - mean).max() / max(float(np.abs(mean).max()), 1e-300)
    return Claim.at_most(
        "B7", "predictions differ from the sums of their leaves by", off, SINGLE if boosted.single else 1e-9
    )
