"""Small tables of cells, as aligned text and as HTML with every cell escaped."""

from collections.abc import Callable, Sequence
from html import escape


def aligned(lines: Sequence[Sequence[str]], left: int = 1, width: Callable[[str], int] = len) -> list[str]:
    """Cells padded to the widest of their column: the first `left` columns to the left, the others to the right.

    `width` says how many places a text takes.

    >>> print("\\n".join(aligned([["learner", "mean"], ["tree", "0.9"], ["k-NN", "0.85"]])))
    learner  mean
    tree      0.9
    k-NN     0.85
    """
    widths = [max(map(width, column)) for column in zip(*lines)]
    return ["  ".join(_padded(line, widths, left, width)).rstrip() for line in lines]


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """An HTML table without scripts, styles or raw user text.

    >>> html_table(["a"], [["<b>"]], "x")[-50:]
    '<tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _padded(line: Sequence[str], widths: Sequence[int], left: int, width: Callable[[str], int]) -> list[str]:
    spaces = [" " * (widest - width(cell)) for cell, widest in zip(line, widths)]
    return [cell + space if j < left else space + cell for j, (cell, space) in enumerate(zip(line, spaces))]
