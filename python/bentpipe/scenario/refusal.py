"""What the link itself says of a specification that cannot be, as bad input."""

from bentpipe.errors import InputError
from bentpipe.scenario.where import Where


def refused(error: ValueError, where: Where) -> InputError:
    """Return the error of a specification, which says: FIELD: expected THIS, found THAT."""
    field, _, rest = str(error).partition(": expected ")
    expected, is_told, found = rest.partition(", found ")
    if not is_told:
        return where.error(expected="a link that can be", found=str(error))
    direction = field.partition(".")[0]
    place = where.at(direction) if direction in ("forward", "return") else where
    return place.error(expected=f"{expected} as {field}", found=found)
