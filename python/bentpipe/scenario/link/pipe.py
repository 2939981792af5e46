"""Links in one word: pipes, `flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms`, and recordings, `trace:FILE`."""

from collections.abc import Mapping, Sequence

from bentpipe.scenario.link.queue import read_queue
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import duration_ns, fraction, rate_bps, size_bytes
from bentpipe.scenario.written.satellite_schema import QueueTable
from bentpipe.scenario.written.table import validated

PREFIX = "flat:"
TRACE_PREFIX = "trace:"
TRACE_KEYS = ("delays", "format", "offset", "repeats")
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
    values = _pairs(text.removeprefix(PREFIX).split(","), KEYS, where)
    for key in REQUIRED:
        if key not in values:
            raise where.error(expected=f"the keys {', '.join(REQUIRED)}", found=f"no {quoted(key)}")
    return validated(LinkTable, _table(values), where)


def parse_trace(text: str, where: Location) -> LinkTable:
    """Return the link table that a recording in one word stands for: its file, then keys of it and of a pipe.

    Raises
    ------
    InputError
        For an unknown or repeated key and for a value that is not such a quantity.
    """
    file, *parts = text.removeprefix(TRACE_PREFIX).split(",")
    values = _pairs(parts, (*TRACE_KEYS, *KEYS), where)
    trace: dict[str, object] = {key: values[key] for key in TRACE_KEYS if key in values}
    if "repeats" in trace:
        trace["repeats"] = trace["repeats"] == "true"
    return validated(LinkTable, {"trace": {"file": file, **trace}, **_table(values)}, where)


def _pairs(parts: Sequence[str], keys: Sequence[str], where: Location) -> Mapping[str, str]:
    values: dict[str, str] = {}
    for part in parts:
        key, separator, value = (piece.strip() for piece in part.partition("="))
        if not separator:
            raise where.error(expected='pairs such as "rtt=600ms", parted by commas', found=quoted(part))
        if key not in keys:
            expected = f"one of {', '.join(keys)}"
            raise where.error(
                expected=expected, found=f"the unknown key {quoted(key)}", suggestion=closest(key, keys)
            )
        if key in values:
            raise where.at(key).error(expected="each key once", found=f"{quoted(key)} twice")
        _check(key, value, where.at(key))
        values[key] = value
    return values


def _table(values: Mapping[str, str]) -> Mapping[str, object]:
    whole = {key: values[key] for key in WHOLE if key in values}
    return {**whole, "forward": _direction(values, "down"), "return": _direction(values, "up")}


def _direction(values: Mapping[str, str], end: str) -> dict[str, str]:
    own = {key: values.get(f"{key}_{end}", values.get(key)) for key in BOTH_WAYS}
    own["rate"] = values.get(end)
    return {key: value for key, value in own.items() if value is not None}


def _check(key: str, value: str, where: Location) -> None:
    """Read a value once, so that a fault is reported under the key that the author wrote."""
    if key in ("delays", "format"):
        # What they are is seen when the recording is read.
        return
    if key == "repeats":
        if value not in ("true", "false"):
            raise where.error(expected="true or false", found=quoted(value))
        return
    quantity = key.partition("_")[0]
    if quantity in ("down", "up"):
        rate_bps(value, where)
    elif quantity in ("rtt", "jitter", "offset"):
        duration_ns(value, where)
    elif quantity == "loss":
        fraction(value, where)
    elif quantity == "queue":
        read_queue(QueueTable(limit=value), where)
    else:
        size_bytes(value, where)
