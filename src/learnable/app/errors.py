"""What a user can put right, and text that is safe to show."""

import unicodedata


class UserError(Exception):
    """The input or the usage is at fault: shown as one line on stderr, exit code 2, no stack trace.

    The message names the thing, the cause and the remedy.
    """


class TimeUp(Exception):
    """The time limit came before the work was finished."""


def printable(text: object, limit: int = 200) -> str:
    r"""One line without control characters, so that a column name cannot drive the terminal.

    >>> printable("a\x1b[31mred\nline")
    'a?[31mred?line'
    """
    line = "".join("?" if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") else sign for sign in str(text))
    return line if len(line) <= limit else line[: limit - 1] + "…"
