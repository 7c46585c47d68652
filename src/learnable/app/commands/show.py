"""`learnable show`: what a saved model is."""

from pathlib import Path
from typing import Any, NamedTuple

from learnable.app.errors import printable
from learnable.app.model_files.model_file import load_card
from learnable.app.report.text import describe_claims, parameters, table
from learnable.app.result import ClaimResult, Interval

TOP = 15


class Shown(NamedTuple):
    """The card of a model file."""

    path: Path
    card: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {**self.card, "schema": "learnable.show/1", "model": str(self.path)}

    def text(self) -> str:
        card, learner = self.card, self.card["learner"]
        training = card["training"]
        where = "on the test rows" if learner["test"] else "on rows held out in turn"
        lines = [
            f"{printable(self.path)}: {printable(learner['label'])} ({printable(learner['name'])}), "
            f"{card['task']} of {printable(card['target'])!r}",
            f"  trained on {training['rows']} of the {training['table_rows']} rows of {printable(card['source'])}, "
            f"seed {card['seed']}, digest {printable(training['digest'], 13)}",
            f"  parameters: {printable(parameters(learner['params']))}",
            f"  needs the columns: {printable(', '.join(card['used']), 1000)}",
            f"  {card['metric']}: {_tested(card)}cross-validated {_interval(learner['cv'])} over {card['folds']} folds",
            *(f"  {printable(name)}: {_interval(found)} {where}" for name, found in learner["extra"].items()),
            f"  {printable(card['choice'], 1000)}",
            f"  versions: {printable(', '.join(f'{name} {one}' for name, one in card['versions'].items()))}",
        ]
        if learner["certificate"] is not None:
            lines += ["", "certificate, as checked in training (check it again with `learnable certify`)"]
            lines.append(describe_claims([ClaimResult(**claim) for claim in learner["certificate"]]))
        if card["coefficients"]:
            rows = [[one["feature"], f"{one['weight']:+.4g}", one["output"]] for one in card["coefficients"][:TOP]]
            lines += [
                "",
                f"largest weights on the coded features ({len(rows)} shown)",
                table(["feature", "weight", ""], rows),
            ]
        return "\n".join(lines)


def show_file(path: Path) -> Shown:
    """Read the card; the file is examined as a whole, so that a damaged one is noticed."""
    return Shown(path, load_card(path))


def _tested(card: dict[str, Any]) -> str:
    test = card["learner"]["test"]
    fit = " of a fit without them" if card["refitted"] else ""
    return f"test {_interval(test)} on {card['test_rows']} rows{fit}, " if test else "nested, "


def _interval(parts: dict[str, Any]) -> str:
    return str(Interval(**parts))
