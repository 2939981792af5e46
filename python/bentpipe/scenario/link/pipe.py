"""Inline pipes: a constant-rate link written in one word, `flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms`."""

from collections.abc import Mapping

from bentpipe.scenario.link.queue import read_queue
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import duration_ns, fraction, rate_bps, size_bytes
from bentpipe.scenario.written.satellite_schema import QueueTable
from bentpipe.scenario.written.table import validated

PREFIX = "flat:"
REQUIRED = ("down", "up", "rtt")
BOTH_WAYS = ("loss", "queue", "jitter")
"""Keys that hold for both directions unless given for one, as in `loss_down`."""
WHOLE = ("rtt", "mtu")
"""Keys of the link as such."""
KEYS = (*REQUIRED, *(key + end for key in BOTH_WAYS for end in ("", "_down", "_up")), "mtu")


def parse_pipe(text: str, where: Location) -> LinkTable:
    """Return the link table that an inline pipe stands for.

    Raises
    ------
    InputError
        For an unknown, repeated or missing key and for a value that is not such a quantity.
    """
    values: dict[str, str] = {}
    for part in text.removeprefix(PREFIX).split(","):
        key, separator, value = (piece.strip() for piece in part.partition("="))
        if not separator:
            raise where.error(expected='pairs such as "rtt=600ms", parted by commas', found=quoted(part))
        if key not in KEYS:
            expected = f"one of {', '.join(KEYS)}"
            raise where.error(
                expected=expected, found=f"the unknown key {quoted(key)}", suggestion=closest(key, KEYS)
            )
        if key in values:
            raise where.at(key).error(expected="each key once", found=f"{quoted(key)} twice")
        _check(key, value, where.at(key))
        values[key] = value
    for key in REQUIRED:
        if key not in values:
            raise where.error(expected=f"the keys {', '.join(REQUIRED)}", found=f"no {quoted(key)}")
    table: dict[str, object] = {key: values[key] for key in WHOLE if key in values}
    table |= {"forward": _direction(values, "down"), "return": _direction(values, "up")}
    return validated(LinkTable, table, where)


def _direction(values: Mapping[str, str], end: str) -> dict[str, str]:
    own = {key: values.get(f"{key}_{end}", values.get(key)) for key in BOTH_WAYS}
    return {"rate": values[end], **{key: value for key, value in own.items() if value is not None}}


def _check(key: str, value: str, where: Location) -> None:
    """Read a value once, so that a fault is reported under the key that the author wrote."""
    quantity = key.partition("_")[0]
    if quantity in ("down", "up"):
        rate_bps(value, where)
    elif quantity in ("rtt", "jitter"):
        duration_ns(value, where)
    elif quantity == "loss":
        fraction(value, where)
    elif quantity == "queue":
        read_queue(QueueTable(limit=value), where)
    else:
        size_bytes(value, where)
