"""What the link itself says of a specification that cannot be, as bad input."""

from bentpipe.errors import InputError
from bentpipe.scenario.written.where import Where

MTU = "mtu_bytes"
"""A field of the link, whichever of its directions is asked."""


def refused(error: ValueError, where: Where, *, link: Where) -> InputError:
    """Return the error of a specification, which says: FIELD: expected THIS, found THAT.

    Parameters
    ----------
    error : ValueError
        What was said.
    where : Where
        The place of what was asked, the link or one of its directions.
    link : Where
        The place of the link.
    """
    field, _, rest = str(error).partition(": expected ")
    expected, is_told, found = rest.partition(", found ")
    if not is_told:
        return where.error(expected="a link that can be", found=str(error))
    if field == MTU:
        return link.at("mtu").error(expected=expected, found=found)
    direction = field.partition(".")[0]
    place = where.at(direction) if direction in ("forward", "return") else where
    return place.error(expected=f"{expected} as {field}", found=found)
