"""The queue of one direction, from what is written to the run specification."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from bentpipe.model.draft.queue import QueueSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns, fraction, size_bytes
from bentpipe.scenario.written.satellite_schema import QueueTable
from bentpipe.scenario.written.table import or_default

MOST_PACKETS = 10**9
MOST_BDP = 1000
LIMIT = 'a queue such as "1 BDP", "100 packets", "36 MB" or "200 ms"'
VOLUME = 'bytes such as "36 MB" or "1 BDP"'


class ByteLimit(TypedDict):
    """What has a limit in bytes, which may follow from a rate."""

    limit_bytes: int


def bdp_bytes(rate_bps: int, rtt_ns: int) -> int:
    """Return the bandwidth-delay product, rounded up to a whole byte."""
    return -(-rate_bps * rtt_ns // (8 * SECOND_NS))


@dataclass(frozen=True, kw_only=True)
class Volume:
    """How many bytes wait at most: a number of bandwidth-delay products, or as many as are written."""

    bdp: Fraction = Fraction(0)
    written_bytes: int | None = None

    def bytes(self, *, bdp_bytes: int, mtu_bytes: int) -> int:
        """Return the limit; one in BDP holds a full packet at least, or else nothing could ever wait."""
        if self.written_bytes is not None:
            return self.written_bytes
        return max(round(self.bdp * bdp_bytes), mtu_bytes)


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A queue whose quantities are read; limits in BDP wait for a rate."""

    shape: QueueSpec
    """What it drops, with zeros where there are volumes."""
    limit: Volume | None = None
    start: Volume | None = None

    def spec(self, *, bdp_bytes: int, mtu_bytes: int) -> QueueSpec:
        """Return the queue of a direction with this bandwidth-delay product."""
        spec = self.shape.copy()
        self.fill(spec, bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)
        return spec

    def fill(self, spec: QueueSpec, *, bdp_bytes: int, mtu_bytes: int) -> None:
        """Put the volumes of a direction with this bandwidth-delay product into its queue."""
        if spec["kind"] == "packets" or spec["kind"] == "time":
            return
        if self.limit is not None:
            spec["limit_bytes"] = self.limit.bytes(bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)
        if self.start is not None and spec["kind"] == "random-early-drop":
            spec["start_bytes"] = self.start.bytes(bdp_bytes=bdp_bytes, mtu_bytes=mtu_bytes)


def check_limits(spec: QueueSpec, table: QueueTable, where: Location) -> None:
    """Raise an InputError when limits do not belong together, which may hang on the rate."""
    if spec["kind"] == "random-early-drop" and spec["start_bytes"] >= spec["limit_bytes"]:
        raise where.at("start").error(expected="less than the limit", found=quoted(table.start))


def read_queue(table: QueueTable, where: Location) -> Queue:
    """Return a queue with its quantities read; which keys are written decides on the discipline.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no queue can have.
    """
    match table.written():
        case ("limit",):
            return _drop_tail(table.limit or "", where)
        case ("limit", "start", "p"):
            limit, start = _volume(table.limit, where.at("limit")), _volume(table.start, where.at("start"))
            p = fraction(table.p or 0, where.at("p"))
            shape: QueueSpec = {"kind": "random-early-drop", "limit_bytes": 0, "start_bytes": 0, "p": p}
            return Queue(shape=shape, limit=limit, start=start)
        case ("limit", *_) if table.aqm is not None:
            return _dual(table, where)
        case ("limit", "target", "interval") | ("limit", "target", "interval", "ecn"):
            target_ns = duration_ns(table.target or "", where.at("target"), least_ns=1)
            interval_ns = duration_ns(table.interval or "", where.at("interval"), least_ns=1)
            if target_ns > interval_ns:
                raise where.at("target").error(
                    expected="no more than the interval", found=quoted(table.target)
                )
            limit = _volume(table.limit, where.at("limit"))
            shape = {"kind": "codel", "limit_bytes": 0, "target_ns": target_ns, "interval_ns": interval_ns}
            # What is not in use is not in a specification.
            if or_default(table.ecn, defaults.CODEL_ECN):
                shape["ecn"] = "on"
            return Queue(shape=shape, limit=limit)
        case found:
            expected = (
                "the keys limit, or limit, start and p, or limit, target, interval and ecn, "
                "or limit, aqm, target and rtt_max"
            )
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")


def _dual(table: QueueTable, where: Location) -> Queue:
    """Return DualPI2 with the gains that RFC 9332 appendix A.1 derives from its target and RTT_max."""
    vocabulary.AQM.checked(table.aqm or "", where.at("aqm"))
    unfit = [key for key in table.written() if key not in ("limit", "aqm", "target", "rtt_max")]
    if unfit:
        expected = "with aqm the keys limit, target and rtt_max"
        raise where.error(expected=expected, found=", ".join(unfit))
    target_ns = duration_ns(or_default(table.target, defaults.DUALPI2_TARGET), where.at("target"), least_ns=1)
    rtt_max_ns = duration_ns(
        or_default(table.rtt_max, defaults.DUALPI2_RTT_MAX), where.at("rtt_max"), least_ns=3
    )
    # Lines 6a to 7b: Tupdate = min(target, RTT_max/3), alpha = 0.1 Tupdate / RTT_max^2, beta = 0.3 / RTT_max.
    update_ns = min(target_ns, rtt_max_ns // 3)
    rtt_max_s = rtt_max_ns / SECOND_NS
    shape: QueueSpec = {
        "kind": "dualpi2",
        "limit_bytes": 0,
        "target_ns": target_ns,
        "update_ns": update_ns,
        "alpha_hz": 0.1 * (update_ns / SECOND_NS) / rtt_max_s**2,
        "beta_hz": 0.3 / rtt_max_s,
        "coupling": defaults.DUALPI2_COUPLING,
        "ramp_start_ns": defaults.DUALPI2_RAMP_START_NS,
        "ramp_range_ns": defaults.DUALPI2_RAMP_RANGE_NS,
        "classic_share": defaults.DUALPI2_CLASSIC_SHARE,
    }
    return Queue(shape=shape, limit=_volume(table.limit, where.at("limit")))


def _volume(text: str | None, where: Location) -> Volume:
    """Return the limit of a queue that counts bytes."""
    limit = _drop_tail(text or "", where).limit
    if limit is None:
        raise where.error(expected=VOLUME, found=quoted(text))
    return limit


def _drop_tail(text: str, where: Location) -> Queue:
    """Return a queue with a limit in BDP, bytes, packets or time, and nothing else."""
    error = where.error(expected=LIMIT, found=quoted(text))
    in_bytes: QueueSpec = {"kind": "bytes", "limit_bytes": 0}
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(BDP|packets?)\s*", text)
    if match is not None:
        number, unit = Fraction(match[1]), match[2]
        if unit == "BDP":
            if number > MOST_BDP:
                raise error
            return Queue(shape=in_bytes, limit=Volume(bdp=number))
        if number.denominator != 1 or not 1 <= number <= MOST_PACKETS:
            raise error
        return Queue(shape={"kind": "packets", "limit_packets": int(number)})
    if text.rstrip().endswith("s"):
        return Queue(shape={"kind": "time", "limit_ns": duration_ns(text, where, least_ns=1)})
    if text.rstrip().endswith("B"):
        return Queue(shape=in_bytes, limit=Volume(written_bytes=size_bytes(text, where)))
    raise error
