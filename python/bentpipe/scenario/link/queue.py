"""The queue of one direction, from what is written to the run specification."""

import re
from fractions import Fraction
from typing import Any

from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns, fraction, size_bytes
from bentpipe.scenario.written.queue_schema import QueueTable
from bentpipe.scenario.written.where import Where, shown

MOST_PACKETS = 10**9
MOST_BDP = 1000
LIMIT = 'a queue such as "1 BDP", "100 packets", "36 MB" or "200 ms"'
VOLUME = 'bytes such as "36 MB" or "1 BDP"'


def bdp_bytes(rate_bps: int, rtt_ns: int) -> int:
    """Return the bandwidth-delay product, rounded up to a whole byte."""
    return -(-rate_bps * rtt_ns // (8 * SECOND_NS))


def queue_spec(table: QueueTable, where: Where, *, bdp_bytes: int, mtu_bytes: int) -> dict[str, Any]:
    """Return what a queue drops; which keys are written decides on the discipline.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no queue can have.
    """

    def volume(key: str, text: str | None) -> int:
        place = where.at(key)
        limit = _limit(text or "", place, bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)
        if limit["kind"] != "bytes":
            raise place.error(expected=VOLUME, found=shown(text))
        return int(limit["limit_bytes"])

    match table.written():
        case ("limit",):
            return _limit(table.limit or "", where, bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)
        case ("limit", "start", "p"):
            limit_bytes, start_bytes = volume("limit", table.limit), volume("start", table.start)
            if start_bytes >= limit_bytes:
                raise where.at("start").error(expected="less than the limit", found=shown(table.start))
            p = fraction(table.p or 0, where.at("p"))
            return {
                "kind": "random-early-drop",
                "limit_bytes": limit_bytes,
                "start_bytes": start_bytes,
                "p": p,
            }
        case ("limit", "target", "interval"):
            target_ns = duration_ns(table.target or "", where.at("target"), least_ns=1)
            interval_ns = duration_ns(table.interval or "", where.at("interval"), least_ns=1)
            if target_ns > interval_ns:
                raise where.at("target").error(
                    expected="no more than the interval", found=shown(table.target)
                )
            limit_bytes = volume("limit", table.limit)
            return {
                "kind": "codel",
                "limit_bytes": limit_bytes,
                "target_ns": target_ns,
                "interval_ns": interval_ns,
            }
        case found:
            expected = "the keys limit, or limit, start and p, or limit, target and interval"
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")


def _limit(text: str, where: Where, *, bdp_bytes: int, mtu_bytes: int) -> dict[str, Any]:
    """Return a limit in bytes, packets or time.

    A queue in BDP holds one full packet at least, for otherwise nothing could ever wait.
    """
    error = where.error(expected=LIMIT, found=shown(text))
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
