"""Code points of differentiated services by name or number."""

from bentpipe.scenario.written.location import Location, closest, quoted

MOST = 63
"""Six bits (RFC 2474)."""

NAMES = {
    "DF": 0,
    **{f"CS{selector}": selector << 3 for selector in range(8)},
    # AFij: class i, drop precedence j (RFC 2597 section 6).
    **{f"AF{group}{drop}": (group << 3) + (drop << 1) for group in range(1, 5) for drop in range(1, 4)},
    "EF": 46,
    "VOICE-ADMIT": 44,
    "LE": 1,
}
"""RFC 2474, 2597, 3246, 5865 and 8622; RFC 4594 says what each is for."""


def code_point(written: int | str, where: Location) -> int:
    """Return the number of a code point.

    Raises
    ------
    InputError
        When there is none of that name or number.
    """
    if isinstance(written, str) and written in NAMES:
        return NAMES[written]
    if isinstance(written, int) and 0 <= written <= MOST:
        return written
    suggestion = closest(written, NAMES) if isinstance(written, str) else None
    expected = f"a number from 0 to {MOST} or one of {', '.join(NAMES)}"
    raise where.error(expected=expected, found=quoted(written), suggestion=suggestion)


def code_point_name(point: int) -> str:
    """Return the name of a code point, or its number where it has none."""
    return next((name for name, number in NAMES.items() if number == point), str(point))
