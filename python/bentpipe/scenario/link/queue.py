"""The queue of one direction, from what is written to the run specification."""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns, fraction, size_bytes
from bentpipe.scenario.written.satellite_schema import QueueTable

MOST_PACKETS = 10**9
MOST_BDP = 1000
LIMIT = 'a queue such as "1 BDP", "100 packets", "36 MB" or "200 ms"'
VOLUME = 'bytes such as "36 MB" or "1 BDP"'


def bdp_bytes(rate_bps: int, rtt_ns: int) -> int:
    """Return the bandwidth-delay product, rounded up to a whole byte."""
    return -(-rate_bps * rtt_ns // (8 * SECOND_NS))


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How much waits at most: a number of bandwidth-delay products, or a limit of another kind."""

    bdp: Fraction | None = None
    other: dict[str, Any] | None = None

    def spec(self, *, bdp_bytes: int, mtu_bytes: int) -> dict[str, Any]:
        """Return the limit; one in BDP holds a full packet at least, or else nothing could ever wait."""
        if self.bdp is None:
            return dict(self.other or {})
        return {"kind": "bytes", "limit_bytes": max(round(self.bdp * bdp_bytes), mtu_bytes)}


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A queue whose quantities are read: what it drops, and limits that may wait for a rate."""

    limit: Limit
    start: Limit | None = None
    rest: dict[str, Any] = field(default_factory=dict)

    def spec(self, *, bdp_bytes: int, mtu_bytes: int) -> dict[str, Any]:
        """Return the queue of a direction with this bandwidth-delay product."""
        limit = self.limit.spec(bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)
        if not self.rest:
            return limit
        spec = {"kind": self.rest["kind"], "limit_bytes": limit["limit_bytes"]}
        if self.start is not None:
            spec["start_bytes"] = self.start.spec(bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)["limit_bytes"]
        return {**spec, **self.rest}

    def check(self, spec: dict[str, Any], table: QueueTable, where: Location) -> None:
        """Raise an InputError when limits do not belong together, which may hang on the rate."""
        if self.start is not None and spec["start_bytes"] >= spec["limit_bytes"]:
            raise where.at("start").error(expected="less than the limit", found=quoted(table.start))


def read_queue(table: QueueTable, where: Location) -> Queue:
    """Return a queue with its quantities read; which keys are written decides on the discipline.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no queue can have.
    """

    def volume(key: str, text: str | None) -> Limit:
        place = where.at(key)
        limit = _limit(text or "", place)
        if limit.other is not None and limit.other["kind"] != "bytes":
            raise place.error(expected=VOLUME, found=quoted(text))
        return limit

    match table.written():
        case ("limit",):
            return Queue(limit=_limit(table.limit or "", where))
        case ("limit", "start", "p"):
            limit, start = volume("limit", table.limit), volume("start", table.start)
            rest = {"kind": "random-early-drop", "p": fraction(table.p or 0, where.at("p"))}
            return Queue(limit=limit, start=start, rest=rest)
        case ("limit", "target", "interval"):
            target_ns = duration_ns(table.target or "", where.at("target"), least_ns=1)
            interval_ns = duration_ns(table.interval or "", where.at("interval"), least_ns=1)
            if target_ns > interval_ns:
                raise where.at("target").error(
                    expected="no more than the interval", found=quoted(table.target)
                )
            rest = {"kind": "codel", "target_ns": target_ns, "interval_ns": interval_ns}
            return Queue(limit=volume("limit", table.limit), rest=rest)
        case found:
            expected = "the keys limit, or limit, start and p, or limit, target and interval"
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")


def _limit(text: str, where: Location) -> Limit:
    """Return a limit in BDP, bytes, packets or time."""
    error = where.error(expected=LIMIT, found=quoted(text))
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(BDP|packets?)\s*", text)
    if match is not None:
        number, unit = Fraction(match[1]), match[2]
        if unit == "BDP":
            if number > MOST_BDP:
                raise error
            return Limit(bdp=number)
        if number.denominator != 1 or not 1 <= number <= MOST_PACKETS:
            raise error
        return Limit(other={"kind": "packets", "limit_packets": int(number)})
    if text.rstrip().endswith("s"):
        return Limit(other={"kind": "time", "limit_ns": duration_ns(text, where, least_ns=1)})
    if text.rstrip().endswith("B"):
        return Limit(other={"kind": "bytes", "limit_bytes": size_bytes(text, where)})
    raise error
