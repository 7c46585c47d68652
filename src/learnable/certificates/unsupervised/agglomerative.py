"""Dendrograms: every height from the definition of its linkage, rising heights, the cut, and greedy merges."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.unsupervised import linked_merges
from learnable.certificates.unsupervised.dendrograms import (
    ROUNDING,
    cut_claim,
    distances,
    heights_of,
    least_distances,
    measured,
    misfits,
    ward_heights,
)

# Rows up to which every merge is compared with all others: n² distances, kept and mended n times. Of more rows the fit
# is done again.
SMALL = 2000

LEDGER = Ledger(
    verified=("children_", "labels_", "distances_", "connectivity_"),
    derived=("n_clusters_", "n_leaves_", "n_connected_components_"), sometimes=("distances_", "connectivity_"),
)  # fmt: skip


@certifies("AgglomerativeClustering", ledger=LEDGER, foreign=False, again=lambda model, found: model.n_leaves_ > SMALL)
def agglomerative_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of an agglomerative clustering."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    if model.connectivity is not None:
        return [*linked_merges.linked_claims(model, X, n <= SMALL), _parameters(model)]
    children, heights = np.asarray(model.children_), np.asarray(model.distances_, dtype=float)
    sound = Claim.at_most("U1", "every merge joins two clusters that are there, each once (violations)",
                          misfits(children, n, n - 1) + abs(len(heights) - n + 1) + abs(model.n_leaves_ - n)
                          + abs(model.n_connected_components_ - 1), 0.0)  # fmt: skip
    if not sound.holds:
        return [sound]
    X = measured(X, model.metric)
    size = max(float(heights.max(initial=0.0)), np.finfo(float).tiny)
    ward = model.linkage == "ward"
    check_greed = thorough() and n <= SMALL
    pairs = np.zeros((0, 0)) if ward and not check_greed else distances(X, model.metric)
    again = ward_heights(X, children) if ward else heights_of(pairs, children, model.linkage)
    wrong = float(np.max(np.abs(again - heights), initial=0.0)) / size
    claims = [
        sound,
        Claim.at_most("U1", "each height is the distance of the clusters it joins (relative difference)", wrong,
                      ROUNDING),
        Claim.at_most("U1", "heights rise (largest fall, relative)",
                      float(np.max(-np.diff(heights), initial=0.0)) / size, ROUNDING),
        cut_claim(model, children, heights),
        _parameters(model),
    ]  # fmt: skip
    if check_greed:
        clumsy = float(np.max(heights - least_distances(pairs, children, model.linkage), initial=0.0)) / size
        claims.append(Claim.at_most("U1", "each merge joins the two nearest clusters (relative excess)", clumsy,
                                    ROUNDING))  # fmt: skip
    return claims


def _parameters(model: Any) -> Claim:
    """What a fit refuses states no problem."""
    refused = int((model.n_clusters is None) == (model.distance_threshold is None))
    refused += int(model.linkage == "ward" and model.metric not in ("euclidean", "l2"))
    refused += int(model.distance_threshold is not None and not model.compute_full_tree)
    refused += int(model.connectivity is None and hasattr(model, "connectivity_"))
    return Claim.at_most("U1", "parameters that say nothing, or contradict each other", refused, 0.0)
