"""Text for people: tables, numbers and the summary of a run, safe to print whatever the names contain."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from learnable.app.errors import printable
from learnable.app.judging.metrics import of_name
from learnable.app.progress import duration
from learnable.app.report.words import difference_words
from learnable.app.result import ClaimResult, LearnerResult, LearnResult, TableSummary
from learnable.tables import aligned


def table(head: Sequence[str], rows: Sequence[Sequence[object]], indent: str = "  ") -> str:
    """Columns of text, as wide as their longest cell.

    >>> print(table(["name", "error"], [["ridge", "0.1"], ["lasso", "0.25"]], indent=""))
    name   error
    ridge  0.1
    lasso  0.25
    """
    cells = [[printable(cell, 60) for cell in row] for row in [head, *rows]]
    from rich.cells import cell_len  # letters of East Asia take two places

    return "\n".join(indent + line for line in aligned(cells, left=len(head), width=cell_len))


def number(value: float | None) -> str:
    """Four digits, or a dash.

    >>> number(0.123456), number(None)
    ('0.1235', '–')
    """
    return "–" if value is None else f"{value:.4g}"


def parameters(params: Mapping[str, Any]) -> str:
    """`alpha=0.1, solver=lbfgs`, or a dash.

    >>> parameters({"alpha": 0.1})
    'alpha=0.1'
    """
    shown = (f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in params.items())
    return ", ".join(shown) or "–"


MOST_COLUMNS = 50
"""Columns of a wide table that are listed."""


def describe_table(summary: TableSummary) -> str:
    """The columns, what they hold and what is done with them."""
    shown = summary.columns
    if len(shown) > MOST_COLUMNS:  # the target, and the first of the others
        first = [column for column in shown if column.role != "target"][: MOST_COLUMNS - 1]
        shown = [*first, *(column for column in shown if column.role == "target")]
    rows = [
        [column.name, column.kind, column.role, column.missing or "–", column.distinct, column.reason or column.detail]
        for column in shown
    ]
    head = f"{printable(summary.source)}: {summary.rows} rows, {len(summary.columns)} columns"
    text = f"{head}\n{table(['column', 'kind', 'role', 'missing', 'distinct', ''], rows)}"
    if len(rows) < len(summary.columns):
        text += f"\n  and {len(summary.columns) - len(rows)} more columns"
    if summary.classes:
        text += f"\n  classes: {', '.join(f'{printable(k, 40)} ({n})' for k, n in list(summary.classes.items())[:20])}"
    return text


def describe_result(
    result: LearnResult, files: Mapping[str, object], replaced: Collection[str] = (), width: int | None = None
) -> str:
    """The summary that `learnable learn` prints; `replaced` names the files that took the place of earlier ones.

    Columns of the leaderboard that would not fit into `width` are left to the report.
    """
    winner = result.winner
    rounds = f"{result.repeats} {'round' if result.repeats == 1 else 'rounds'} of {result.folds} folds"
    lines = [
        f"{printable(result.table.source)}: {result.table.rows} rows; {result.task} of {printable(result.target)!r} "
        f"({printable(result.task_reason)})",
        "",
        printable(result.verdict, 500),
        *(f"ALARM: {printable(alarm, 500)}" for alarm in result.alarms),
        "",
        f"{result.train_rows} training rows, {result.test_rows} test rows, {rounds}"
        + (f" ({result.splitting})" if result.splitting != "random" else "")
        + (", nested" if result.nested else "")
        + (f", tuned on {result.tuning_rows} rows" if result.tuning_rows < result.train_rows else ""),
        f"{result.measure} with 95% intervals, smaller is better",
        _leaderboard(result, width),
    ]
    if winner.extra:
        figures = "; ".join(f"{printable(name, 40)} {interval}" for name, interval in winner.extra.items())
        lines += ["", f"{printable(winner.label)} on the {result.judged_on}: {figures}"]
    lines += [
        f"  {printable(learner.label)}: {learner.status}: {printable(learner.reason)}"
        for learner in result.learners
        if learner.status != "finished"
    ]
    lines += ["", printable(result.choice, 1000)]
    lines += [f"warning: {printable(warning, 500)}" for warning in result.warnings]
    lines += [
        "",
        *(f"{kind}: {path}{' (replaced an earlier file)' if kind in replaced else ''}" for kind, path in files.items()),
    ]
    return "\n".join(lines)


LEAST_TOLD = ("parameters", "time", "columns", "certificate", "plain", "test")
"""Columns of the leaderboard that a narrow terminal goes without, in this order."""


def _leaderboard(result: LearnResult, width: int | None) -> str:
    """The learners, best first, in as many columns as fit."""
    finished = [learner for learner in result.learners if learner.status == "finished"]
    columns: dict[str, list[object]] = {
        "": ["→" if one.label == result.chosen else "" for one in finished],
        "learner": [one.label + (" (calibrated)" if one.calibrated else "") for one in finished],
        "cross-validated": ["–" if one.cv is None else result.shown(one.cv) for one in finished],
        "to the best": [_to_best(result, one) for one in finished],
        "test": ["–" if one.test is None else result.shown(one.test) for one in finished],
        "plain": ["–" if one.plain is None else one.plain for one in finished],
        "columns": ["–" if one.columns is None else one.columns for one in finished],
        "certificate": [_verdict(one) for one in finished],
        "parameters": [parameters({k: round(v, 3) for k, v in one.weights.items()} or one.params) for one in finished],
        "time": ["–" if one.seconds is None else duration(one.seconds) for one in finished],
    }
    if result.nested:
        del columns["test"]
    if result.measure in ("error rate", "root mean squared error"):
        del columns["plain"]
    names = {"plain": "error rate" if result.task == "classification" else "RMSE"}

    def drawn() -> str:
        return table([names.get(key, key) for key in columns], list(zip(*columns.values())))

    for name in LEAST_TOLD:
        if width is None or max(map(len, drawn().splitlines())) <= width:
            break
        columns.pop(name, None)
    return drawn()


def _to_best(result: LearnResult, learner: LearnerResult) -> str:
    """The difference to the best learner, in the units shown."""
    found = result.comparison.with_best(learner.label) if result.comparison else None
    metric = of_name(result.metric)
    if found is None or found.other == learner.label or learner.cv is None:
        return "best" if found is not None else "–"
    if metric is None:
        return str(found.difference)
    return difference_words(found.difference, metric, learner.cv.estimate)


def describe_claims(claims: Sequence[ClaimResult]) -> str:
    """The claims of a certificate, one a line."""
    rows = [
        [
            claim.word,
            claim.id,
            number(claim.value) + ("" if claim.bound is None else f" ≤ {number(claim.bound)}"),
            claim.kind if claim.delta is None else f"{claim.kind} 1 − {claim.delta:g}",
        ]
        for claim in claims
    ]
    width = table(["", "row", "value", "kind"], rows).splitlines()
    statements = ["claim", *(printable(claim.statement, 160) for claim in claims)]
    longest = max(map(len, width))
    return "\n".join(f"{line.ljust(longest)}  {statement}" for line, statement in zip(width, statements))


def _verdict(learner: LearnerResult) -> str:
    if learner.certificate is None:
        return "left out" if learner.uncertified else "–"
    failing = [claim.id for claim in learner.certificate if claim.fails]
    if failing:
        return f"fails ({', '.join(dict.fromkeys(failing))})"
    left = sum(claim.open for claim in learner.certificate)
    return f"open ({left})" if left else f"holds ({len(learner.certificate)})"
