"""What one run of `learnable learn` found: the one thing that the report, the model file and `--json` read.

Everything here is numbers, strings, lists and records of those, so `LearnResult.to_dict()` is JSON without a custom
encoder. Errors are *losses*: smaller is better, for both tasks.
"""

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from learnable.panel import Task
from learnable.plain import json_value as plain

SCHEMA = "learnable.learn/1"

Status = Literal["finished", "not run", "failed"]
Role = Literal["feature", "target", "dropped"]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    >>> str(Interval(0.12, 0.08, 0.17))
    '0.12 [0.08, 0.17]'
    """

    estimate: float
    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def __str__(self) -> str:
        return f"{self.estimate:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True)
class ColumnSummary:
    """One column of the table: what it holds and what was done with it.

    Attributes
    ----------
    kind : "number", "category", "ordered", "boolean", "text", ... as the reader found it.
    role : "feature", "target" or "dropped".
    reason : why it was dropped; empty otherwise.
    detail : a short text: the range of a number, the commonest levels of a category.
    """

    name: str
    kind: str
    role: Role
    missing: int
    distinct: int
    detail: str = ""
    reason: str = ""


@dataclass(frozen=True)
class TableSummary:
    """The table that was read. `classes` maps the levels of a categorical target to their counts."""

    source: str
    rows: int
    columns: list[ColumnSummary]
    classes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimResult:
    """One claim of a certificate, checked on the training data.

    `open`: the value is not within the bound, and the fit does not say that it is: neither proved nor refuted.
    """

    id: str
    statement: str
    value: float | None
    bound: float | None
    holds: bool
    kind: str
    assumptions: list[str] = field(default_factory=list)
    delta: float | None = None
    open: bool = False

    @property
    def fails(self) -> bool:
        """Whether the claim is refuted."""
        return not self.holds and not self.open

    @property
    def word(self) -> str:
        """What is said of it: "holds", "FAILS", "open" or, of a number that nothing is asserted about, "told"."""
        if self.holds:
            return "told" if self.bound is None else "holds"
        return "open" if self.open else "FAILS"


@dataclass(frozen=True)
class LearnerResult:
    """One learner of the panel.

    Attributes
    ----------
    name : the estimator's class.
    label : unique name in tables and pictures.
    status : "finished", "not run" (the time limit came first) or "failed"; `reason` says why.
    params : the parameters chosen by cross-validation, with the fixed ones.
    tuning : for every candidate: {"params": {...}, "mean": mean loss over the folds, "interval": {...}}; None for
        both when a fit failed.
    cv_scores : mean loss on each validation fold with the chosen parameters; the same folds for every learner.
    cv : their mean with its interval; slightly optimistic for a tuned learner, `test` is not.
    test : loss on the held-out rows with its interval.
    extra : further figures on the held-out rows, such as "R²" or "log loss", each with its interval.
    fit_seconds : time of the final fit on the training rows.
    seconds : time of everything done for this learner.
    solver : how the final fit ended ("optimal", "budget_spent", ...); empty when there is no solver.
    certificate : the claims, recomputed from the training data; None when the learner makes none.
    reference : True for the baseline that every other learner must beat.
    plain : cross-validated error rate, or root mean squared error, with its interval.
    plain_scores : the same on each validation fold (error rate, or mean squared error).
    columns : number of columns of the table that the model uses; None when not asked.
    calibrated : whether its probabilities come from cross-fitted calibration, since it has none of its own.
    weights : of the learners in a blend.
    uncertified : why no certificate was made although there could be one; empty otherwise.
    """

    name: str
    label: str
    status: Status
    reason: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    tuning: list[dict[str, Any]] = field(default_factory=list)
    cv_scores: list[float] = field(default_factory=list)
    cv: Interval | None = None
    test: Interval | None = None
    extra: dict[str, Interval] = field(default_factory=dict)
    fit_seconds: float | None = None
    seconds: float | None = None
    solver: str = ""
    certificate: list[ClaimResult] | None = None
    reference: bool = False
    plain: Interval | None = None
    plain_scores: list[float] = field(default_factory=list)
    columns: int | None = None
    calibrated: bool = False
    weights: dict[str, float] = field(default_factory=dict)
    uncertified: str = ""

    @property
    def certified(self) -> bool | None:
        """Whether no claim fails; None without a certificate."""
        return None if self.certificate is None else not any(claim.fails for claim in self.certificate)


@dataclass(frozen=True)
class PairResult:
    """Two learners on the same folds: `difference` is loss of `first` minus loss of `second`.

    `p` is from the corrected paired t-test (Nadeau and Bengio), `p_adjusted` after Holm's correction over all pairs;
    `different` says whether the latter is below 1 - level.
    """

    first: str
    second: str
    difference: Interval
    p: float
    p_adjusted: float
    different: bool


@dataclass(frozen=True)
class AgainstResult:
    """One learner of a family of comparisons: `difference` is its loss minus that of `other`, over all splits.

    `p` is from the corrected t-test; `p_adjusted` allows for the whole family; `different` says whether that is below
    1 - level. `pooled` and `pooled_p` are from the paired test on the rows held out, which takes the fits as given: it
    is about these models, not about learners of their kind.
    """

    label: str
    other: str
    difference: Interval
    p: float
    p_adjusted: float
    different: bool
    pooled: Interval | None = None
    pooled_p: float | None = None
    standard_error: float = 0.0


@dataclass(frozen=True)
class ComparisonResult:
    """All pairs of finished learners, and the groups (of labels, best first) that cannot be told apart.

    `baseline` compares every learner with the baseline, `best` every learner with the one of smallest loss: two
    families with corrections of their own, so that these questions do not pay for all pairs. `different` in `best`
    says that the learner is shown not to be the best.
    """

    labels: list[str]
    pairs: list[PairResult]
    groups: list[list[str]]
    level: float = 0.95
    baseline: list[AgainstResult] = field(default_factory=list)
    best: list[AgainstResult] = field(default_factory=list)

    def with_baseline(self, label: str) -> AgainstResult | None:
        return next((one for one in self.baseline if one.label == label), None)

    def with_best(self, label: str) -> AgainstResult | None:
        return next((one for one in self.best if one.label == label), None)


@dataclass(frozen=True)
class Calibration:
    """Predicted against observed frequency of `positive` on the held-out rows, bin by bin, with intervals."""

    positive: str
    predicted: list[float]
    observed: list[Interval]
    counts: list[int]


@dataclass(frozen=True)
class Confusion:
    """counts[i][j]: held-out rows of class `labels[i]` that the chosen model calls `labels[j]`."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True)
class Residuals:
    """Predicted value and residual (true minus predicted) on the held-out rows; a sample when there are many."""

    predicted: list[float]
    residual: list[float]


@dataclass(frozen=True)
class LearningCurve:
    """Mean loss of the chosen learner on its own training rows and on validation rows, by number of training rows."""

    sizes: list[int]
    training: list[Interval]
    validation: list[Interval]


@dataclass(frozen=True)
class Coefficient:
    """Weight of one coded feature in the chosen model; `output` names the class of a multiclass model.

    `effect` is the change of the prediction (of the log odds, of the log of a count) for one unit of the column, or
    for this level instead of the reference level named in `against`; its interval is from the bootstrap, and
    `selected` is the share of bootstrap fits in which the weight is not zero.
    """

    feature: str
    weight: float
    output: str = ""
    effect: Interval | None = None
    against: str = ""
    selected: float | None = None


@dataclass(frozen=True)
class Importance:
    """How much the loss rises on rows not trained on when a column is shuffled, with its interval."""

    column: str
    rise: Interval


@dataclass(frozen=True)
class Dependence:
    """Mean prediction of the chosen model when a column is set to a value: numbers in `at`, or `levels`."""

    column: str
    output: str
    at: list[float]
    levels: list[str]
    mean: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True)
class Operating:
    """What calling `positive` from each threshold on would do to rows not trained on.

    `false_positive_rate`, `recall`, `precision` and, where costs are known, `cost` a row, by falling threshold.
    """

    positive: str
    threshold: list[float]
    false_positive_rate: list[float]
    recall: list[float]
    precision: list[float]
    cost: list[float]
    chosen: float
    auc: Interval
    average_precision: Interval
    share: float


@dataclass(frozen=True)
class LearnResult:
    """Everything that `learnable learn` found.

    Attributes
    ----------
    metric : what the losses are, in words: "error rate" or "mean squared error".
    learners : finished ones by rising cross-validated loss, then the others.
    chosen : label of the chosen learner; `choice` is the sentence that says why.
    train_rows, test_rows, tuning_rows, folds : how the rows were used; tuning_rows < train_rows means a subsample.
    calibration, confusion : for classification; residuals : for regression; of the chosen model. None when not there.
    coefficients : of the chosen model, largest in absolute value first; empty when it has none.
    warnings : sentences for the user.
    versions : of Python and the libraries.
    repeats : rounds of folds; settled : whether they ended because every question was settled.
    validation : "held-out rows", or "nested cross-validation" where the rows are too few to hold some out; then
        `test` of every learner is None, `cv` is honest, and the further figures are of rows held out in turn.
    splitting : how rows were dealt to folds: "random", "grouped" or "forward in time".
    verdict : the answer in a sentence; alarms : what may make it worthless.
    prefer, tolerance : the rule of the choice: share of the best loss and of the gain over guessing that simplicity may
        cost.
    counts : whether the target is a count of events.
    importances, dependences, operating : a closer look at the chosen model.
    costs : cost of calling a row of class i a j, by sorted class, where given; code : Python that builds the model.
    more_rows : what twice the rows would do to the loss, if it goes on falling as it did.
    file_rows : of a file larger than memory, of which the table is then a random sample.
    fitted_rows : rows that the model in the file was fitted on, where they are others than the training rows: of a file
        larger than memory, or all rows, those held out for the test too.
    association : where the chosen learner is not shown to beat guessing: the share of shufflings of the target that fit
        the columns at least as well; None where it was not asked.
    """

    table: TableSummary
    task: Task
    task_reason: str
    target: str
    metric: str
    learners: list[LearnerResult]
    comparison: ComparisonResult | None
    chosen: str
    choice: str
    train_rows: int
    test_rows: int
    tuning_rows: int
    folds: int
    seed: int
    seconds: float | None
    versions: dict[str, str]
    calibration: Calibration | None = None
    confusion: Confusion | None = None
    residuals: Residuals | None = None
    learning_curve: LearningCurve | None = None
    coefficients: list[Coefficient] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    repeats: int = 1
    settled: bool = False
    validation: str = "held-out rows"
    splitting: str = "random"
    verdict: str = ""
    alarms: list[str] = field(default_factory=list)
    prefer: str = "accuracy"
    tolerance: float = 0.01
    counts: bool = False
    importances: list[Importance] = field(default_factory=list)
    dependences: list[Dependence] = field(default_factory=list)
    operating: Operating | None = None
    costs: list[list[float]] | None = None
    code: str = ""
    more_rows: str = ""
    file_rows: int | None = None
    fitted_rows: int | None = None
    association: float | None = None

    def shown(self, interval: Interval) -> Interval:
        """A loss as it is shown: a mean squared error as its root, which has the units of the target."""
        if self.metric != "mean squared error":
            return interval
        estimate, low, high = (math.sqrt(max(end, 0.0)) for end in (interval.estimate, interval.low, interval.high))
        return Interval(estimate, low, high, interval.level, interval.method)

    @property
    def measure(self) -> str:
        """What is shown, in words."""
        return "root mean squared error" if self.metric == "mean squared error" else self.metric

    @property
    def nested(self) -> bool:
        return self.test_rows == 0

    @property
    def judged_on(self) -> str:
        """The rows of the further figures, in words."""
        if not self.nested:
            return "test rows"
        return "rows held out in turn" + (f", first of {self.repeats} rounds" if self.repeats > 1 else "")

    def learner(self, label: str) -> LearnerResult:
        """The learner of that label."""
        return next(learner for learner in self.learners if learner.label == label)

    @property
    def winner(self) -> LearnerResult:
        """The chosen learner."""
        return self.learner(self.chosen)

    @property
    def certified(self) -> bool:
        """Whether no certificate of a finished learner fails."""
        return all(learner.certified is not False for learner in self.learners)

    def untimed(self) -> "LearnResult":
        """Without how long things took."""
        learners = [replace(one, seconds=None, fit_seconds=None) for one in self.learners]
        return replace(self, seconds=None, learners=learners)

    def to_dict(self) -> dict[str, Any]:
        """As JSON: plain containers, with None for numbers that are not finite."""
        return {"schema": SCHEMA, **plain(asdict(self))}
