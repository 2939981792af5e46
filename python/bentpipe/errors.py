"""What can go wrong in a way that the user can mend. Everything else is a defect and shows as a traceback."""

BAD_INPUT_OR_ABILITY = 2
"""Exit status for bad input and for an ability that this machine or this version lacks."""


class BentpipeError(Exception):
    """The base of every error that is reported in one message and without a traceback."""

    exit_status = BAD_INPUT_OR_ABILITY


class InputError(BentpipeError):
    """Something that the user wrote cannot be used.

    Attributes
    ----------
    file : str
        The file it stands in, `command line`, or the call in Python.
    field : str
        The dotted key or the option.
    expected, found : str
        What would have been accepted, and what was there.
    suggestion : str or None
        The name that was probably meant.
    """

    def __init__(
        self, *, file: str, field: str, expected: str, found: str, suggestion: str | None = None
    ) -> None:
        self.file = file
        self.field = field
        self.expected = expected
        self.found = found
        self.suggestion = suggestion
        hint = f" (did you mean {suggestion!r}?)" if suggestion is not None else ""
        super().__init__(f"{file}: {field}: expected {expected}, found {found}{hint}")

    def at(self, *, file: str, field: str) -> "InputError":
        """Return the same of another place: where its author wrote what is wrong."""
        return InputError(
            file=file, field=field, expected=self.expected, found=self.found, suggestion=self.suggestion
        )


class AbilityError(BentpipeError):
    """What was asked for is beyond this machine or this version of Bentpipe.

    Attributes
    ----------
    missing : str
        What is not there.
    remedy : str
        What to install, to change or to use instead.
    """

    def __init__(self, missing: str, remedy: str) -> None:
        self.missing = missing
        self.remedy = remedy
        super().__init__(f"{missing}; {remedy}")


class StorageError(BentpipeError):
    """The disk or the file system refused: it is full, read-only, out of order, or closed to this user.

    Attributes
    ----------
    place : str
        The file or folder.
    said : str
        What the operating system or the library said.
    consequence : str
        What it means for what has been done so far; empty where nothing has.
    """

    def __init__(self, place: str, said: str, *, consequence: str = "") -> None:
        self.place = place
        self.said = said
        self.consequence = consequence
        super().__init__("; ".join(filter(None, (f"{place}: {said}", consequence))))


class ClusterError(BentpipeError):
    """A cluster is out of reach, or does what no cluster of Bentpipe's should.

    Attributes
    ----------
    place : str
        The scheduler or the worker.
    said : str
        What happened.
    consequence : str
        What it means for what has been done so far; empty where nothing has.
    """

    def __init__(self, place: str, said: str, *, consequence: str = "") -> None:
        self.place = place
        self.said = said
        self.consequence = consequence
        super().__init__("; ".join(filter(None, (f"{place}: {said}", consequence))))
