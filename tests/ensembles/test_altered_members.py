"""Members of an ensemble that were altered: refuted before compiled code follows links of theirs that lead nowhere."""

import copy

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier as TheirAdaBoost
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC as TheirSVC
from tests.cases import each

from learnable import certify
from learnable.certificates.core.verdict import Verdict
from learnable.ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    L1AdaBoost,
)
from learnable.neural import MLPClassifier
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.votes import Stumps
from learnable.problems.trees.tree import Tree
from learnable.trees import DecisionTreeClassifier

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(80, 3))
Y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
TREE = DecisionTreeClassifier(max_depth=3)
HOLDERS = {
    "boosted trees": AdaBoostClassifier(TREE, n_estimators=3),
    "boosted forests": AdaBoostClassifier(ExtraTreesClassifier(n_estimators=2, max_depth=2), n_estimators=2),
    "bagged trees": BaggingClassifier(TREE, n_estimators=2),
    "bagged votes of trees": BaggingClassifier(AdaBoostClassifier(TREE, n_estimators=2), n_estimators=2),
    "bagged votes of stumps": BaggingClassifier(AdaBoostClassifier(n_estimators=3), n_estimators=2),
    "bagged boosted trees": BaggingClassifier(HistGradientBoostingClassifier(max_iter=2), n_estimators=2),
    "boosted from trees": GradientBoostingClassifier(n_estimators=2, init=TREE),
    "boosted stumps": AdaBoostClassifier(n_estimators=3),
    "stumps of an optimum": L1AdaBoost(penalty=0.05),
}
LINKS = {
    Tree: ("children_left", "children_right", "feature", "threshold", "category_row", "missing_go_to_left"),
    BoostedTrees: ("first", "children_left", "children_right", "feature", "threshold", "category_row"),
    Stumps: ("feature", "threshold", "sign"),
}


def with_altered_records(held):
    """(the same with one array of one tree or of its stumps altered, what was done), for the first that is met."""
    if type(held) in LINKS:
        for name in LINKS[type(held)]:
            values = getattr(held, name)
            yield held._replace(**{name: values[:-1]}), f"{name} cut"
            yield held._replace(**{name: np.concatenate([values, values[-1:]])}), f"{name} drawn out"
            if name not in ("threshold", "sign", "missing_go_to_left"):
                for place in (0, -1):
                    for number in (0, len(values) + 10**6):
                        other = values.copy()
                        other.flat[place] = number
                        if not np.array_equal(other, values):
                            yield held._replace(**{name: other}), f"{name}[{place}] = {number}"
        return
    items = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
    items = vars(held).items() if hasattr(held, "get_params") else items
    for key, part in list(items):
        for other, what in with_altered_records(part):
            altered = copy.copy(held)
            (vars(altered) if hasattr(held, "get_params") else altered)[key] = other
            yield altered, what
        if type(part) in LINKS:
            return


@each("name", HOLDERS)
def test_links_that_lead_nowhere_are_refuted_before_anybody_follows_them(name):
    model = clone(HOLDERS[name]).set_params(**{} if name == "stumps of an optimum" else {"random_state": 0}).fit(X, Y)
    assert certify(model, X, Y).holds
    tried = 0
    for altered, what in with_altered_records(model):
        assert certify(altered, X, Y).verdict is Verdict.REFUTED, what
        tried += 1
    assert tried >= 6


@each(
    "model, number",
    [
        (BaggingClassifier(KNeighborsClassifier(3), n_estimators=2), "n_neighbors"),
        (GradientBoostingClassifier(n_estimators=2, init=KNeighborsClassifier(3)), "n_neighbors"),
        (GradientBoostingClassifier(n_estimators=2, init=KNeighborsClassifier(3)), "_fit_X"),
        (AdaBoostClassifier(TheirSVC(), n_estimators=2), "_gamma"),
    ],
)
def test_numbers_by_which_members_predict_are_those_of_the_fit(model, number):
    model = clone(model).set_params(random_state=0).fit(X, Y)
    assert certify(model, X, Y).holds
    member = model.init_ if hasattr(model, "init_") else model.members_[0]
    kept = member if isinstance(member, dict) else vars(member)
    kept[number] = kept[number] * 3
    assert not certify(model, X, Y).holds


def test_members_may_keep_logs_and_words():
    """A list of losses, say, is no answer that is no array."""
    member = MLPClassifier((3,), tol=1.0, n_iter_no_change=2)
    assert certify(BaggingClassifier(member, n_estimators=2, random_state=0).fit(X, Y), X, Y).holds


def test_votes_after_an_error_that_all_but_vanishes_are_those_of_the_errors():
    # With a learning rate above one the errors fall to 1e-15, where scikit-learn holds the shares of rows up.
    for kind, rate, seeds in ((TheirAdaBoost, 3.0, (6,)), (AdaBoostClassifier, 2.0, (0,))):
        for seed in seeds:
            random = np.random.default_rng(seed)
            rows = random.normal(size=(60, 3))
            y = (rows[:, 0] + 0.3 * rows[:, 1] + 0.2 * random.normal(size=60) > 0).astype(int)
            model = kind(n_estimators=30, learning_rate=rate).fit(rows, y)
            assert certify(model, rows, y).verdict is Verdict.PROVED
            small = np.flatnonzero(np.asarray(model.estimator_errors_) <= 1e-12)
            model.estimator_weights_[small[-1]] = 1e4
            assert certify(model, rows, y).verdict is Verdict.REFUTED


def test_no_round_follows_one_without_an_error():
    y = (X[:, 0] > 0.2).astype(int)
    model = AdaBoostClassifier(learning_rate=0.5).fit(X, y)
    assert certify(model, X, y).verdict is Verdict.PROVED
    sign = np.where(y == 1, 1.0, -1.0)
    low, high = np.sort(X[:, 1])[39:41]
    second = model.stumps_._replace(feature=np.array([1]), threshold=np.array([0.5 * (low + high)]))
    model.stumps_ = Stumps(*(np.concatenate(parts) for parts in zip(model.stumps_, second)))
    model.estimator_weights_ = np.append(model.estimator_weights_, 2.0)
    model.estimator_errors_ = np.append(model.estimator_errors_, 0.5)
    model.normalizers_ = np.append(model.normalizers_, 1.0)
    model.margins_ = (1.0 + 2.0 * sign * np.where(X[:, 1] > second.threshold, 1.0, -1.0)) / 3.0
    assert certify(model, X, y).verdict is Verdict.REFUTED
