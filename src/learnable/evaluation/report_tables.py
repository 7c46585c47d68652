"""What the tables of a comparison need: a rule below the head, p-values for people, letters for groups."""

from collections.abc import Sequence

from learnable.tables import aligned


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the first column to the left, the others to the right.

    >>> print(text_table(["learner", "mean"], [["tree", "0.9"], ["k-NN", "0.85"]]))
    learner  mean
    -------  ----
    tree      0.9
    k-NN     0.85
    """
    table = [header, *rows]
    rule = ["-" * max(map(len, column)) for column in zip(*table)]
    return "\n".join(aligned([header, rule, *rows]))


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
