"""The most telling words: exact posterior moments, a ranking that is not fooled by rare words."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable.bayes import telling_words

WORDS = ["common", "here", "rare", "there"]
COUNTS = np.array([[50, 40, 1, 5], [50, 45, 0, 4], [60, 5, 0, 44], [40, 6, 0, 40]])
Y = np.array(["a", "a", "b", "b"])


def test_log_odds_and_deviation_by_simulation():
    a, _ = telling_words(COUNTS, Y, WORDS, top=4)
    rng = np.random.default_rng(0)
    share_a = rng.dirichlet(COUNTS[:2].sum(axis=0) + 1, 400_000)
    share_b = rng.dirichlet(COUNTS[2:].sum(axis=0) + 1, 400_000)
    odds = np.log(share_a / (1 - share_a)) - np.log(share_b / (1 - share_b))
    place = [WORDS.index(word) for word in a.words]
    np.testing.assert_allclose(a.log_odds, odds.mean(axis=0)[place], atol=0.01)
    np.testing.assert_allclose(a.deviation, odds.std(axis=0)[place], rtol=0.01)
    inside = (odds[:, place] > a.interval(0.95)[:, 0]) & (odds[:, place] < a.interval(0.95)[:, 1])
    assert np.all(np.abs(inside.mean(axis=0) - 0.95) < 0.02)


def test_two_classes_are_mirror_images():
    a, b = telling_words(COUNTS, Y, WORDS, top=4)
    assert a.words == b.words[::-1]
    np.testing.assert_allclose(a.log_odds, -b.log_odds[::-1])


def test_a_word_seen_once_does_not_lead():
    a, _ = telling_words(COUNTS, Y, WORDS, top=4)
    assert a.words[0] == "here"
    assert a.z[0] > 5 > abs(a.z[a.words.index("rare")])
    assert (a.counts[0], a.other_counts[0]) == (85.0, 11.0)
    assert "here" in str(a)


def test_sparse_counts_and_repeated_documents_agree():
    dense, thin = (telling_words(kind, Y, WORDS, top=2)[0] for kind in (COUNTS, sparse.csr_matrix(COUNTS)))
    assert dense.words == thin.words
    np.testing.assert_array_equal(dense.log_odds, thin.log_odds)


@each(
    ("call", "message"),
    [
        (lambda: telling_words(-COUNTS, Y, WORDS), "counts must be finite and >= 0"),
        (lambda: telling_words(COUNTS, Y[:2], WORDS), "as many labels and words"),
        (lambda: telling_words(COUNTS, ["a"] * 4, WORDS), "only one class"),
        (lambda: telling_words(COUNTS, Y, WORDS, smoothing=0), "smoothing must be"),
        (lambda: telling_words(COUNTS, Y, WORDS, top=0), "top must be"),
        (lambda: telling_words(COUNTS[:, :1], Y, WORDS[:1]), "at least two"),
        (lambda: telling_words(COUNTS, Y, WORDS)[0].interval(2), "level must be in"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
