"""Documents as words: which words are kept, bags and sets."""

import pickle
from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from tests.cases import each

from learnable.bayes import BernoulliNB, MultinomialNB
from learnable.features import WordCounts

RNG = np.random.default_rng(0)
VOCABULARY = [f"w{i:02d}" for i in range(30)]
DOCUMENTS = [" ".join(RNG.choice(VOCABULARY, 40, p=np.arange(30, 0, -1) / 465)) for _ in range(25)]


def test_the_most_frequent_and_the_rarest_are_left_out():
    totals = Counter(word for document in DOCUMENTS for word in document.split())
    coder = WordCounts(drop_frequent=5, min_count=12).fit(DOCUMENTS)
    ranked = sorted(totals, key=lambda word: (-totals[word], word))
    assert coder.frequent_.tolist() == ranked[:5]
    assert coder.rare_.tolist() == sorted(word for word in ranked[5:] if totals[word] < 12)
    assert coder.vocabulary_.tolist() == sorted(word for word in ranked[5:] if totals[word] >= 12)
    assert coder.counts_.tolist() == [totals[word] for word in coder.vocabulary_]
    assert len(coder.rare_) > 2


def test_without_filters_it_is_the_vectoriser():
    coder = WordCounts()
    counts = coder.fit_transform(DOCUMENTS)
    theirs = CountVectorizer().fit(DOCUMENTS)
    np.testing.assert_array_equal(counts.toarray(), theirs.transform(DOCUMENTS).toarray())
    np.testing.assert_array_equal(coder.get_feature_names_out(), theirs.get_feature_names_out())


@each("representation", ["bag", "set"])
def test_one_pass_is_two_passes_and_sets_are_bags_cut_at_one(representation):
    coder = WordCounts(representation, drop_frequent=2, min_count=3)
    at_once = coder.fit_transform(DOCUMENTS).toarray()
    np.testing.assert_array_equal(at_once, clone(coder).fit(DOCUMENTS).transform(DOCUMENTS).toarray())
    bag = WordCounts(drop_frequent=2, min_count=3).fit_transform(DOCUMENTS).toarray()
    np.testing.assert_array_equal(at_once, np.minimum(bag, 1) if representation == "set" else bag)
    assert bag.max() > 1


def test_pipelines_with_the_right_classifier():
    y = np.arange(25) % 2
    documents = [document + (" cats cats" if label else " dogs dogs") for document, label in zip(DOCUMENTS, y)]
    for representation, classifier in (("bag", MultinomialNB()), ("set", BernoulliNB())):
        model = make_pipeline(WordCounts(representation, min_count=5), classifier).fit(documents, y)
        assert model.predict(["many cats", "dogs too"]).tolist() == [1, 0]


@each(
    ("call", "message"),
    [
        (lambda: WordCounts(min_count=0).fit(["a b"]), "'min_count' parameter"),
        (lambda: WordCounts(drop_frequent=-1).fit(["a b"]), "'drop_frequent' parameter"),
        (lambda: WordCounts("list").fit(["a b"]), "'representation' parameter"),
        (lambda: WordCounts(min_count=9).fit(["one two one"]), "no word of 2 is left; .* occurs 2 times"),
        (lambda: WordCounts(drop_frequent=2).fit(["one two"]), "no word of 2 is left"),
        (lambda: WordCounts().fit("one document"), "give a list of documents"),
        (lambda: WordCounts().fit(["fine", None]), "document 1 is None, not a string"),
        (lambda: WordCounts().fit([]), "no documents"),
        (lambda: WordCounts().fit(["a", "!"]), "empty vocabulary"),
        (lambda: WordCounts().transform(["a b"]), "not fitted"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_saved_coder_codes_the_same():
    coder = WordCounts(drop_frequent=2, min_count=3).fit(DOCUMENTS)
    loaded = pickle.loads(pickle.dumps(coder))
    np.testing.assert_array_equal(loaded.transform(DOCUMENTS).toarray(), coder.transform(DOCUMENTS).toarray())
    assert clone(coder).get_params() == coder.get_params()
