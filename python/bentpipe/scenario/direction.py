"""The parts of one direction of a link: queue, loss and jitter, from text to run specification."""

import re
from fractions import Fraction
from typing import Any

from bentpipe.scenario.quantity import SECOND_NS, duration_ns, fraction, size_bytes
from bentpipe.scenario.schema import LossTable
from bentpipe.scenario.where import Where, shown

MOST_PACKETS = 10**9
MOST_BDP = 1000
QUEUE = 'a queue such as "1 BDP", "100 packets", "36 MB" or "200 ms"'


def bdp_bytes(rate_bps: int, rtt_ns: int) -> int:
    """Return the bandwidth-delay product, rounded up to a whole byte."""
    return -(-rate_bps * rtt_ns // (8 * SECOND_NS))


def queue_spec(text: str, where: Where, *, bdp_bytes: int, mtu_bytes: int) -> dict[str, Any]:
    """Return a queue's limit in bytes, packets or time.

    A queue in BDP holds one full packet at least, for otherwise nothing could ever wait.
    """
    error = where.error(expected=QUEUE, found=shown(text))
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(BDP|packets?)\s*", text)
    if match is not None:
        number, unit = Fraction(match[1]), match[2]
        if unit == "BDP":
            if number > MOST_BDP:
                raise error
            return {"kind": "bytes", "limit_bytes": max(round(number * bdp_bytes), mtu_bytes)}
        if number.denominator != 1 or not 1 <= number <= MOST_PACKETS:
            raise error
        return {"kind": "packets", "limit_packets": int(number)}
    if text.rstrip().endswith("s"):
        return {"kind": "time", "limit_ns": duration_ns(text, where, least_ns=1)}
    if text.rstrip().endswith("B"):
        return {"kind": "bytes", "limit_bytes": size_bytes(text, where)}
    raise error


def jitter_spec(text: str, where: Where) -> dict[str, Any]:
    """Return normally distributed jitter of the given standard deviation; none for zero."""
    sd_ns = duration_ns(text, where)
    return {"kind": "normal", "sd_ns": sd_ns} if sd_ns > 0 else {"kind": "none"}


def loss_spec(table: LossTable, where: Where) -> dict[str, Any]:
    """Return the channel's loss model; which keys are written decides on the model."""
    values = {key: fraction(value, where.at(key)) for key, value in table if value is not None}
    match tuple(values):
        case ("ber",):
            return {"kind": "bit-error", **values} if values["ber"] > 0 else {"kind": "none"}
        case ("p",):
            return {"kind": "bernoulli", **values} if values["p"] > 0 else {"kind": "none"}
        case ("p", "r", "h", "k"):
            return {"kind": "gilbert-elliott", **values}
        case found:
            expected = "the keys p, or p, r, h and k, or ber"
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")
