"""Free text as numbers: how often its words occur, the frequent ones weighing less."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.features.word_counts import WordCounts

# Words of fewer texts say nothing of others; those of nearly all texts nothing of any.
FEWEST_TEXTS = 3
LARGEST_SHARE = 0.9


def learn_words(texts: Sequence[str | None], most: int) -> dict[str, Any]:
    """The words to count and their weights: those in at least 3 texts and at most 90% of them, the commonest `most`.

    The weight log((1 + n)/(1 + n_word)) + 1 is small for a word that is in most texts. No words at all when the texts
    share none.

    >>> learn_words(["red wine", "red wine", "red wine", "white wine", None], 10)["words"]
    ['red']
    """
    present = [text for text in texts if text is not None]
    try:
        counter = WordCounts(representation="set", min_count=FEWEST_TEXTS).fit(present)
    except ValueError:
        return {"words": [], "weights": []}
    words, counts = np.asarray(counter.vocabulary_), np.asarray(counter.counts_)
    found = np.asarray((counter.transform(present) > 0).sum(axis=0)).ravel()
    kept = np.flatnonzero((found >= FEWEST_TEXTS) & (found <= LARGEST_SHARE * len(present)))
    kept = kept[np.lexsort((words[kept], -counts[kept]))][:most]
    kept = np.sort(kept)
    weights = np.log((1 + len(present)) / (1 + found[kept])) + 1
    return {"words": [str(word) for word in words[kept]], "weights": weights.tolist()}


def word_names(name: str, state: dict[str, Any]) -> list[str]:
    """Names of the coded columns."""
    return [f"{name} says {word}" for word in state["words"]]


def code_words(texts: Sequence[str | None], state: dict[str, Any], out: np.ndarray) -> None:
    """Write weight · log(1 + count) of every word, scaled to length 1 a text; a missing text gives zeros."""
    if not state["words"]:
        return
    from sklearn.feature_extraction.text import CountVectorizer

    pattern = WordCounts().token_pattern
    splitter = CountVectorizer(vocabulary=state["words"], token_pattern=pattern)
    counts = splitter.transform(["" if text is None else text for text in texts]).toarray()
    coded = np.log1p(counts) * np.asarray(state["weights"])
    lengths = np.linalg.norm(coded, axis=1, keepdims=True)
    out[:, : coded.shape[1]] = coded / np.where(lengths > 0, lengths, 1.0)
