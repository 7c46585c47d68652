"""Text for people: tables, numbers and the summary of a run, safe to print whatever the names contain."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from learnable.app.errors import printable
from learnable.app.progress import duration
from learnable.app.result import ClaimResult, LearnerResult, LearnResult, TableSummary


def table(head: Sequence[str], rows: Sequence[Sequence[object]], indent: str = "  ") -> str:
    """Columns of text, as wide as their longest cell.

    >>> print(table(["name", "error"], [["ridge", "0.1"], ["lasso", "0.25"]], indent=""))
    name   error
    ridge  0.1
    lasso  0.25
    """
    cells = [[printable(cell, 60) for cell in row] for row in [head, *rows]]
    from rich.cells import cell_len  # letters of East Asia take two places

    widths = [max(cell_len(row[j]) for row in cells) for j in range(len(head))]
    return "\n".join(
        indent + "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths)).rstrip()
        for row in cells
    )


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


def describe_table(summary: TableSummary) -> str:
    """The columns, what they hold and what is done with them."""
    rows = [
        [column.name, column.kind, column.role, column.missing or "–", column.distinct, column.reason or column.detail]
        for column in summary.columns
    ]
    head = f"{printable(summary.source)}: {summary.rows} rows, {len(summary.columns)} columns"
    text = f"{head}\n{table(['column', 'kind', 'role', 'missing', 'distinct', ''], rows)}"
    if summary.classes:
        text += f"\n  classes: {', '.join(f'{printable(k, 40)} ({n})' for k, n in list(summary.classes.items())[:20])}"
    return text


def describe_result(result: LearnResult, files: Mapping[str, object], replaced: Collection[str] = ()) -> str:
    """The summary that `learnable learn` prints; `replaced` names the files that took the place of earlier ones."""
    winner = result.winner
    finished = [learner for learner in result.learners if learner.status == "finished"]
    rows = [
        [
            "→" if learner.label == result.chosen else "",
            learner.label,
            learner.cv or "–",
            learner.test or "–",
            _verdict(learner),
            parameters(learner.params),
            duration(learner.seconds or 0.0),
        ]
        for learner in finished
    ]
    lines = [
        f"{printable(result.table.source)}: {result.table.rows} rows; {result.task} of {printable(result.target)!r} "
        f"({printable(result.task_reason)})",
        f"{result.train_rows} training rows, {result.test_rows} test rows, {result.folds} folds"
        + (f", tuned on {result.tuning_rows} rows" if result.tuning_rows < result.train_rows else ""),
        "",
        f"{result.metric} with 95% intervals, smaller is better",
        table(["", "learner", "cross-validated", "test", "certificate", "parameters", "time"], rows),
    ]
    if winner.extra:
        figures = "; ".join(f"{printable(name, 40)} {interval}" for name, interval in winner.extra.items())
        lines += ["", f"{printable(winner.label)} on the test rows: {figures}"]
    lines += [
        f"  {printable(learner.label)}: {learner.status}: {printable(learner.reason)}"
        for learner in result.learners
        if learner.status != "finished"
    ]
    if result.comparison and result.comparison.groups:
        together = [
            "{" + ", ".join(printable(label, 40) for label in group) + "}" for group in result.comparison.groups
        ]
        lines += ["", f"groups that cannot be told apart, best first: {'; '.join(together)}"]
    lines += ["", printable(result.choice, 1000)]
    lines += [f"warning: {printable(warning, 500)}" for warning in result.warnings]
    lines += [
        "",
        *(f"{kind}: {path}{' (replaced an earlier file)' if kind in replaced else ''}" for kind, path in files.items()),
    ]
    return "\n".join(lines)


def describe_claims(claims: Sequence[ClaimResult]) -> str:
    """The claims of a certificate, one a line."""
    rows = [
        [
            "holds" if claim.holds else "FAILS",
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
        return "–"
    failing = [claim.id for claim in learner.certificate if not claim.holds]
    return f"fails ({', '.join(dict.fromkeys(failing))})" if failing else f"holds ({len(learner.certificate)})"
