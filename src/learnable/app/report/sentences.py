"""What the report says in sentences: what is guaranteed and with what probability, and what to keep in mind.

Plain text; the template escapes it.
"""

from learnable.app.report.words import Losses, clean, count, isolated, listing, percent, short
from learnable.app.result import AgainstResult, LearnResult
from learnable.evaluation import clopper_pearson_interval
from learnable.selection.super_learner import ORACLE

# The textbooks' rule for the normal approximation of a mean.
FEW_TEST_ROWS = 30
METHODS = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper–Pearson",
    "t": "Student’s t",
    "normal": "normal approximation",
}
ALIKE = {
    "grouped": "Rows of one group are alike: intervals on the held-out rows count every row for itself and are too "
    "narrow. Those over the folds keep groups together.",
    "forward in time": "Rows that follow one another may be alike: intervals on the held-out rows count every row for "
    "itself and may be too narrow.",
}


def rivals(result: LearnResult) -> tuple[list[str], list[str]]:
    """Labels that may be the best as well as the chosen learner, and labels shown not to be."""
    if result.comparison is None:
        return [], []
    if result.comparison.best:
        others = [one for one in result.comparison.best if one.label != result.chosen]
        return [one.label for one in others if not one.different], [one.label for one in others if one.different]
    equal, worse = [], []
    for pair in result.comparison.pairs:
        if result.chosen not in (pair.first, pair.second):
            continue
        other, sign = (pair.second, 1) if pair.first == result.chosen else (pair.first, -1)
        if not pair.different:
            equal.append(other)
        elif sign * pair.difference.estimate < 0:
            worse.append(other)
    return equal, worse


def urgent(result: LearnResult) -> list[str]:
    """What must stand beside the verdict: a learner that does not beat the baseline, and a solver that did not end."""
    winner = result.winner
    said = []
    if result.comparison is not None and not winner.reference:
        found = result.comparison.with_baseline(winner.label)
        if found is not None and found.difference.high >= 0 and not result.verdict:
            said.append(f"{isolated(winner.label)} is not shown to be better than {isolated(found.other)}.")
    if winner.solver and winner.solver not in {"optimal", "stationary"}:
        said.append(
            f"The solver of {isolated(winner.label)} ended with status “{clean(winner.solver).replace('_', ' ')}”."
        )
    return said


def against_guessing(found: AgainstResult) -> str:
    """The verdict on one learner beside the baseline.

    >>> from learnable.app.result import Interval
    >>> found = AgainstResult("ridge", "mean", Interval(-2.0, -3.0, -1.0, 0.95, "t"), 0.01, 0.09, False)
    >>> against_guessing(found)
    'beats guessing if asked alone'
    """
    side = "beats guessing" if found.difference.estimate < 0 else "worse than guessing"
    if found.different:
        return side
    return f"{side} if asked alone" if found.difference.low * found.difference.high > 0 else "not shown"


def guarantees(result: LearnResult) -> list[str]:
    """What holds for new rows and for the fits, each with its probability and its condition."""
    winner, losses = result.winner, Losses.of(result)
    said = []
    if winner.test is not None:
        interval = winner.test
        method = METHODS.get(interval.method, clean(interval.method))
        anew = ""
        if result.file_rows is None and result.fitted_rows:
            anew = " the model that they judged; the one in the file is fitted anew on all rows, theirs too"
        said.append(
            f"The {count(result.test_rows)} held-out rows took no part in fitting, tuning or choosing"
            f"{anew}. If they and the "
            f"rows to come are drawn independently from the same source, the interval "
            f"{losses.interval(result.shown(interval))}"
            f"{f' ({method})' if method else ''} covers the true {result.measure} of {isolated(winner.label)} "
            f"in about {percent(interval.level)} of such draws."
        )
        error = interval if result.metric == "error rate" else winner.extra.get("error rate")
        if error is not None and result.splitting == "random":
            rates = Losses(1, True)
            mistakes = round(error.estimate * result.test_rows)
            low, high = clopper_pearson_interval(mistakes, result.test_rows, interval.level)
            said.append(
                f"Whatever that source is, with probability at least {percent(interval.level)} the true error rate "
                f"lies between {rates.show(float(low))} and {rates.show(float(high))} (Clopper–Pearson, exact for "
                f"{count(mistakes)} {'mistake' if mistakes == 1 else 'mistakes'} in {count(result.test_rows)} rows, "
                f"δ = {1 - interval.level:.2g})."
            )
        elif result.task == "regression":
            said.append(
                "A squared error has no upper limit, so no bound holds for every source: "
                "this interval is an approximation that gets better with more rows."
            )
        tested = sum(learner.test is not None for learner in result.learners)
        if tested > 1:
            together = max(0.0, 1 - tested * (1 - interval.level))
            said.append(
                f"Each interval of the leaderboard holds on its own; all {tested} hold together with probability at "
                f"least about {percent(together)} (union bound)."
                if together > 0
                else f"Each of the {tested} intervals of the leaderboard holds on its own, not all of them together."
            )
    if winner.test is None and winner.cv is not None and result.nested:
        said.append(
            f"Every row was held out once in each of {result.repeats} rounds, from the choice of settings too. The "
            f"interval {losses.interval(result.shown(winner.cv))} allows for the common training rows by an "
            "approximation (Nadeau and Bengio); it is about learners trained on nine tenths of these rows."
        )
    if result.comparison and result.comparison.best:
        said.append(
            f"The chance that the truly best learner is called worse is at most {percent(1 - result.comparison.level)} "
            "(multiple comparisons with the best), and so is the chance that any learner is said to beat guessing "
            "although none does (Holm), as far as the corrected t-test, which is approximate, is right about each pair."
        )
    if winner.weights:
        said.append(f"The weights of the blend: {ORACLE}.")
    if result.comparison and len(result.comparison.pairs) > 1:
        said.append(
            f"The chance that even one of the {len(result.comparison.pairs)} pairs is called different although it is "
            f"not is at most {percent(1 - result.comparison.level)} (Holm's correction), as far as the corrected "
            "paired t-test, which is approximate, is right about each pair."
        )
    claims = [claim for learner in result.learners for claim in learner.certificate or [] if claim.bound is not None]
    exact = sum(claim.kind == "exact" and claim.holds for claim in claims)
    if exact:
        said.append(
            f"{count(exact)} exact {'claim about the fits holds' if exact == 1 else 'claims about the fits hold'} with "
            f"certainty: {'it was' if exact == 1 else 'they were'} computed again from the training rows and the "
            "fitted numbers alone, without the code that did the fitting."
        )
    return said


def caveats(result: LearnResult) -> list[str]:
    """What a reader should keep in mind, the gravest first."""
    winner = result.winner
    broken = [learner.label for learner in result.learners if learner.certified is False]
    against = result.comparison.with_baseline(winner.label) if result.comparison else None
    said = []
    if broken:
        said.append(
            f"The certificate of {listing(isolated(label) for label in broken)} fails: do not rely on "
            f"{'that fit' if len(broken) == 1 else 'those fits'} before you know why."
        )
    if against is not None and against.difference.high >= 0:
        said.append(
            f"{isolated(winner.label)} is not shown to be better than {isolated(against.other)}, which looks at no "
            "feature. More rows or better features are needed before its predictions mean much."
        )
    if winner.solver and winner.solver not in {"optimal", "stationary"}:
        said.append(
            f"The solver of {isolated(winner.label)} ended with status “{clean(winner.solver).replace('_', ' ')}”."
        )
    said += [clean_sentence(warning) for warning in result.warnings]
    if 0 < result.test_rows < FEW_TEST_ROWS:
        said.append(f"Only {result.test_rows} rows were held out, so the intervals on them are wide.")
    if result.test_rows and result.splitting in ALIKE:
        said.append(ALIKE[result.splitting])
    if result.tuning_rows < result.train_rows:
        said.append(
            f"Tuning and comparison used a sample of {count(result.tuning_rows)} of the {count(result.train_rows)} "
            "training rows; the final fits used all of them."
        )
    if not result.nested:
        said.append(
            "Cross-validated errors of tuned learners are slightly optimistic; the errors on the held-out rows are not."
        )
    said.append("All of this is about rows like these. When the source of the rows changes, so may every figure here.")
    if result.coefficients:
        said.append(
            "A weight says how the prediction moves with a column, not what would happen if the column were changed."
        )
    return said


def clean_sentence(text: str) -> str:
    """A sentence from elsewhere, ended with a full stop and kept to a readable length.

    >>> clean_sentence("3 rows were dropped")
    '3 rows were dropped.'
    """
    sentence = short(text, 400)
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."
