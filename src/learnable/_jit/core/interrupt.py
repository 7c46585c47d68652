"""Ctrl-C while a kernel takes its arguments or hands back its results."""


class interrupts_pass:
    """Raise what a signal handler raised, where a kernel returned a result all the same.

    Compiled code runs a line of Python for each array that it returns. An exception that a handler raises in there is
    noticed only after the call, and wrapped into SystemError, once or several times.

    >>> with interrupts_pass():
    ...     raise SystemError("returned a result with an exception set") from TimeoutError("time is up")
    Traceback (most recent call last):
        ...
    TimeoutError: time is up
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: object) -> None:
        if not isinstance(error, SystemError):
            return
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if cause is not None:
            raise cause from None
