"""Tables as text, as HTML with every cell escaped, and results as plain JSON values."""

from collections.abc import Sequence
from html import escape


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the first column to the left, the others to the right.

    >>> print(text_table(["learner", "mean"], [["tree", "0.9"], ["k-NN", "0.85"]]))
    learner  mean
    -------  ----
    tree      0.9
    k-NN     0.85
    """
    table = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[j]) for row in table) for j in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(width) if j == 0 else cell.rjust(width) for j, (cell, width) in enumerate(zip(row, widths))
        )
        for row in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """An HTML table without scripts, styles or raw user text.

    >>> html_table(["a"], [["<b>"]], "x")[-50:]
    '<tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def p_text(p_value: float) -> str:
    """A p-value for people.

    >>> p_text(0.0421), p_text(1e-7), p_text(1.0)
    ('0.042', '<0.001', '1.000')
    """
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def group_letters(index: int, groups: Sequence[Sequence[int]]) -> str:
    """The letters of the groups that contain a learner; learners that share a letter cannot be told apart.

    >>> group_letters(1, ((0, 1), (1, 2)))
    'ab'
    """
    letters = [chr(97 + g) if g < 26 else f"({g + 1})" for g in range(len(groups))]
    return "".join(letter for letter, members in zip(letters, groups) if index in members)
