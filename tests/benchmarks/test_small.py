"""Small tables: every estimator that shares its name with one of scikit-learn is timed, the slowest is shown first."""

from benchmarks.small import ALL_PAIRS, SmallFigure, cases, medium_cases, small_figures, small_table
from sklearn.utils import all_estimators as of_scikit_learn

from learnable.checks.discovery import all_estimators


def test_every_shared_name_is_raced():
    shared = dict(all_estimators()).keys() & dict(of_scikit_learn()).keys()
    raced = {case.name.partition(",")[0] for case in cases() if case.rival is not None}
    assert shared <= raced
    assert all(type(case.ours).__name__ == type(case.rival).__name__ for case in cases() if case.rival is not None)


def test_the_furthest_behind_stands_first():
    times = {"even": (2.0, 2.0), "alone": (9.0, float("nan")), "behind": (4.0, 1.0), "ahead": (1.0, 3.0)}
    figures = [SmallFigure(name, ours, 1.0, rival, *[0.1] * 7) for name, (ours, rival) in times.items()]
    assert list(small_table(figures).columns[0].cells) == ["behind", "even", "ahead", "alone"]


def test_medium_tables_are_raced_by_all_but_those_that_look_at_every_pair_of_rows():
    shared = dict(all_estimators()).keys() & dict(of_scikit_learn()).keys()
    raced = {case.name.partition(",")[0]: case for case in medium_cases(40, 3)}
    assert raced.keys() == shared - set(ALL_PAIRS)
    assert raced["MultinomialNB"].data[0].min() == 0
    (figure,) = small_figures(1, "LinearRegression", 0.0, medium_cases(40, 3))
    assert figure.case == "LinearRegression, 40x3"
    assert figure.rival > 0.0
