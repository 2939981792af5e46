"""One direction of a link, from what is written to the run specification."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bentpipe import _core
from bentpipe.scenario import defaults
from bentpipe.scenario.link.dvbs2 import dvbs2_spec
from bentpipe.scenario.link.es_n0 import es_n0_spec
from bentpipe.scenario.link.jitter import jitter_spec
from bentpipe.scenario.link.loss import loss_spec
from bentpipe.scenario.link.queue import bdp_bytes, queue_spec
from bentpipe.scenario.link.rcs2 import rcs2_spec
from bentpipe.scenario.link.refusal import refused
from bentpipe.scenario.written.link_schema import DirectionTable, ForwardTable, ReturnTable
from bentpipe.scenario.written.quantity import rate_bps
from bentpipe.scenario.written.queue_schema import QueueTable
from bentpipe.scenario.written.table import given, refuse
from bentpipe.scenario.written.where import Where, shown

LEAST_NOMINAL_BPS = 1
"""Stands for the rate of a carrier until what it carries is known; only limits in BDP depend on it."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a direction takes from the rest of its link.

    Attributes
    ----------
    delay_ns : int
        Its propagation delay.
    opposite_delay_ns : int
        The propagation delay of the other direction.
    mtu_bytes : int
        The largest packet.
    """

    delay_ns: int
    opposite_delay_ns: int
    mtu_bytes: int

    @property
    def rtt_ns(self) -> int:
        """Propagation there and back."""
        return self.delay_ns + self.opposite_delay_ns


def forward_spec(
    table: ForwardTable, surroundings: Surroundings, where: Where, *, report_wait_ns: int
) -> dict[str, Any]:
    """Return the direction from server to client: a constant rate, or a DVB-S2 carrier.

    Parameters
    ----------
    table : ForwardTable
        As written.
    surroundings : Surroundings
        Of its link.
    where : Where
        Its place.
    report_wait_ns : int
        How long a report of the terminal waits for its turn on the return link.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no direction can have.
    """
    if table.dvbs2 is None:
        refuse(table, ("acm", "classes"), where, why="there is no dvbs2")
        return _constant(table, surroundings, where, instead="dvbs2")
    _refuse_rate(table, where, carrier="dvbs2")
    es_n0 = es_n0_spec(table, where)

    def capacity(nominal_bps: int) -> dict[str, Any]:
        return dvbs2_spec(
            table,
            where,
            es_n0=es_n0,
            queue=_queue(nominal_bps, surroundings),
            nominal_bps=nominal_bps,
            report_delay_ns=surroundings.opposite_delay_ns + report_wait_ns,
        )

    return _carrier(table, capacity, surroundings, where)


def return_spec(table: ReturnTable, surroundings: Surroundings, where: Where) -> dict[str, Any]:
    """Return the direction from client to server: a constant rate, or a DVB-RCS2 return link.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no direction can have.
    """
    if table.rcs2 is None:
        refuse(table, ("mixes", "classes", "background"), where, why="there is no rcs2")
        dama = given(table.dama, defaults.DAMA_CONSTANT)
        if dama != defaults.DAMA_CONSTANT:
            expected = f"{shown(defaults.DAMA_CONSTANT)}, as there is no rcs2 with slots to assign"
            raise where.at("dama").error(expected=expected, found=shown(dama))
        return _constant(table, surroundings, where, instead="rcs2")
    _refuse_rate(table, where, carrier="rcs2")
    es_n0 = es_n0_spec(table, where)

    def capacity(nominal_bps: int) -> dict[str, Any]:
        return rcs2_spec(
            table,
            where,
            es_n0=es_n0,
            queue=_queue(nominal_bps, surroundings),
            background_bytes=_default_limit_bytes(nominal_bps, surroundings),
            nominal_bps=nominal_bps,
            delay_ns=surroundings.delay_ns,
            plan_delay_ns=surroundings.opposite_delay_ns,
            mtu_bytes=surroundings.mtu_bytes,
        )

    return _carrier(table, capacity, surroundings, where)


def _constant(
    table: DirectionTable, surroundings: Surroundings, where: Where, *, instead: str
) -> dict[str, Any]:
    refuse(table, ("clear_sky", "attenuation"), where, why=f"there is no {instead}")
    if table.rate is None:
        raise where.at("rate").error(expected=f'a rate such as "10 Mbit/s", or {instead}', found="nothing")
    rate = rate_bps(table.rate, where.at("rate"))
    return _direction(table, {"kind": "constant", "rate_bps": rate}, rate, surroundings, where)


def _carrier(
    table: DirectionTable,
    capacity: Callable[[int], dict[str, Any]],
    surroundings: Surroundings,
    where: Where,
) -> dict[str, Any]:
    """Return a direction with a carrier, whose rate follows from all its settings."""
    draft = json.dumps(capacity(LEAST_NOMINAL_BPS))
    try:
        nominal_bps = _nominal_bps(draft, surroundings.mtu_bytes)
    except ValueError as error:
        raise refused(error, where, link=where.above()) from None
    return _direction(table, capacity(nominal_bps), nominal_bps, surroundings, where)


@lru_cache(maxsize=256)
def _nominal_bps(capacity: str, mtu_bytes: int) -> int:
    """Return the rate of a carrier; cells of a matrix mostly have the same."""
    return _core.link_nominal_bps(capacity, mtu_bytes)


def _direction(
    table: DirectionTable,
    capacity: dict[str, Any],
    nominal_bps: int,
    surroundings: Surroundings,
    where: Where,
) -> dict[str, Any]:
    delay_ns = surroundings.delay_ns
    return {
        "capacity": capacity,
        "delay_ns": delay_ns,
        "jitter": jitter_spec(given(table.jitter, defaults.JITTER), where.at("jitter"), delay_ns=delay_ns),
        "queue": _queue(nominal_bps, surroundings)(table.queue, where.at("queue")),
        "loss": {"kind": "none"} if table.loss is None else loss_spec(table.loss, where.at("loss")),
    }


def _queue(
    nominal_bps: int, surroundings: Surroundings
) -> Callable[[QueueTable | None, Where], dict[str, Any]]:
    bdp = bdp_bytes(nominal_bps, surroundings.rtt_ns)

    def queue(table: QueueTable | None, where: Where) -> dict[str, Any]:
        if table is None:
            return {"kind": "bytes", "limit_bytes": _default_limit_bytes(nominal_bps, surroundings)}
        return queue_spec(table, where, bdp_bytes=bdp, mtu_bytes=surroundings.mtu_bytes)

    return queue


def _default_limit_bytes(nominal_bps: int, surroundings: Surroundings) -> int:
    bdp = bdp_bytes(nominal_bps, surroundings.rtt_ns)
    return max(defaults.QUEUE_BDP * bdp, defaults.QUEUE_LEAST_PACKETS * surroundings.mtu_bytes)


def _refuse_rate(table: DirectionTable, where: Where, *, carrier: str) -> None:
    if table.rate is not None:
        expected = f"nothing, as {carrier} decides on the rate; presets that end in -flat have a constant one"
        raise where.at("rate").error(expected=expected, found=shown(table.rate))
