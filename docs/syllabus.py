"""The syllabus: which of its rows are done, and by what.

`syllabus.toml` maps the id of a row to the object and the test that show it. `python docs/syllabus.py` (or
`make syllabus`) prints rows done and rows left, chapter by chapter. `python docs/syllabus.py --alter ROW ...` (or
`--alter all`, or a chapter's letters) breaks the formula of each row and runs its test, which must fail
(`altered.py`); it prints the rows whose test does not notice, and exits 1 if there are any.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from learnable.lab.chapters import CHAPTERS, N_ROWS

SOURCE = Path(__file__).with_name("syllabus.toml")


def read() -> dict[str, dict[str, Any]]:
    """Row id -> {"shows": what the row is, "object": dotted name, "test": path::function}.

    Where the object is not what computes the row, "formula" names the functions (or a single one) that do.
    """
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def table(entries: dict[str, dict[str, Any]]) -> str:
    """Rows done and left, one line a chapter."""
    width = max(len(chapter.title) for chapter in CHAPTERS)
    lines = [f"{'':4}{'chapter':{width}}  done  left"]
    for chapter in CHAPTERS:
        left = [row for row in chapter.ids() if row not in entries]
        done = chapter.n_rows - len(left)
        lines.append(f"{chapter.letters:4}{chapter.title:{width}}{done:6}{len(left):6}  {' '.join(left)}".rstrip())
    lines.append(f"{'':4}{'all':{width}}{len(entries):6}{N_ROWS - len(entries):6}")
    return "\n".join(lines)


def chosen(entries: dict[str, dict[str, Any]], words: list[str]) -> list[str]:
    """Rows by id ("T7"), by chapter ("T") or "all"."""
    rows = []
    for word in words:
        found = [row for row in entries if word in ("all", row, re.sub(r"\d+$", "", row))]
        if not found:
            raise SystemExit(f"--alter {word}: no such row or chapter among those done")
        rows += found
    return list(dict.fromkeys(rows))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="The syllabus: rows done and left.")
    parser.add_argument("--alter", nargs="+", metavar="ROW", help="break the formulas of these rows, run their tests")
    options = parser.parse_args(arguments)
    entries = read()
    if not options.alter:
        print(table(entries))
        return 0
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    from altered import alter, survivors

    rows = chosen(entries, options.alter)
    trials = alter(entries, rows)
    lost = [row for row in rows if row not in {trial.row for trial in trials}]
    lines = survivors(trials) + [f"{row}: its test was not found" for row in lost]
    print(
        f"\n{len(rows)} rows, {len(trials)} alterations; rows whose test does not notice: {len(lines)}",
        *lines,
        sep="\n",
    )
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
