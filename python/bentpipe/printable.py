"""Text that others wrote, as it may be printed."""


def printable(text: str, *, kept: str = "") -> str:
    r"""Return text in which each character that shows nothing of itself stands as its escape, such as \x1b.

    These are what terminals obey (U+0000 to U+001F and U+007F to U+009F), marks that turn the direction of
    text, blanks but the ordinary one, and whatever else `str.isprintable` refuses.

    Parameters
    ----------
    text : str
        What somebody wrote.
    kept : str
        Characters that stay as they are in any case.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in kept else each.encode("unicode_escape").decode("ascii")
        for each in text
    )
