"""One direction of a link, from what is written to a draft of its specification, which lacks its rate."""

from collections.abc import Callable
from dataclasses import dataclass

from bentpipe.model.draft.link import CapacitySpec, ConstantCapacitySpec, DirectionSpec
from bentpipe.model.draft.queue import BytesQueueSpec, QueueSpec
from bentpipe.model.draft.schedule import ScheduleSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.channel import jitter_spec, loss_spec
from bentpipe.scenario.link.dvbs2 import dvbs2_spec
from bentpipe.scenario.link.epochs import EpochDraft
from bentpipe.scenario.link.queue import ByteLimit, bdp_bytes, check_limits, read_queue
from bentpipe.scenario.link.rcs2 import rcs2_spec
from bentpipe.scenario.link.schedule import ScheduleDraft, schedule_draft
from bentpipe.scenario.written.link_schema import DirectionTable, ForwardTable, ReturnTable
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import rate_bps
from bentpipe.scenario.written.satellite_schema import QueueTable
from bentpipe.scenario.written.table import or_default, refuse


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
    epochs : EpochDraft, optional
        What both directions follow, unless they have a schedule of their own.
    recorded : ScheduleSpec, optional
        What the direction follows by a recording.
    """

    delay_ns: int
    opposite_delay_ns: int
    mtu_bytes: int
    epochs: EpochDraft | None = None
    recorded: ScheduleSpec | None = None


class Queues:
    """The queues of one direction; limits in BDP are filled in when its rate is known."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._waiting: list[Callable[[int], None]] = []

    def spec(self, table: QueueTable | None, where: Location) -> QueueSpec:
        """Return a queue, with the least that its limits can be."""
        if table is None:
            default: BytesQueueSpec = {"kind": "bytes", "limit_bytes": 0}
            self.default_limit(default)
            return default
        queue, mtu_bytes = read_queue(table, where), self._surroundings.mtu_bytes
        spec = queue.spec(bdp_bytes=0, mtu_bytes=mtu_bytes)

        def fill(bdp: int) -> None:
            queue.fill(spec, bdp_bytes=bdp, mtu_bytes=mtu_bytes)
            check_limits(spec, table, where)

        self._waiting.append(fill)
        return spec

    def default_limit(self, spec: ByteLimit) -> None:
        """Put the limit into a specification that says none."""

        def fill(bdp: int) -> None:
            least_bytes = defaults.QUEUE_LEAST_PACKETS * self._surroundings.mtu_bytes
            spec["limit_bytes"] = max(defaults.QUEUE_BDP * bdp, least_bytes)

        fill(0)
        self._waiting.append(fill)

    def fill(self, nominal_bps: int, *, propagation_ns: int) -> None:
        """Fill in all limits."""
        bdp = bdp_bytes(nominal_bps, propagation_ns)
        for fill in self._waiting:
            fill(bdp)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A direction with all but what follows from its rate: that itself and limits of queues."""

    spec: DirectionSpec
    queues: Queues
    schedule: ScheduleDraft | None

    def complete(self, nominal_bps: int, *, propagation_ns: int) -> DirectionSpec:
        """Return the specification; limits are checked against each other now.

        Parameters
        ----------
        nominal_bps : int
            The direction's rate.
        propagation_ns : int
            There and back, the longest where it changes.
        """
        capacity = self.spec["capacity"]
        if capacity["kind"] != "constant":
            capacity["nominal_bps"] = nominal_bps
        self.queues.fill(nominal_bps, propagation_ns=propagation_ns)
        if self.schedule is not None:
            self.schedule.complete(nominal_bps)
        return self.spec


def forward_draft(
    table: ForwardTable, surroundings: Surroundings, where: Location, *, report_wait_ns: int
) -> Draft:
    """Return the direction from server to client: a constant rate, or a DVB-S2 carrier.

    Parameters
    ----------
    table : ForwardTable
        As written.
    surroundings : Surroundings
        Of its link.
    where : Location
        Its place.
    report_wait_ns : int
        How long a report of the terminal waits for its turn on the return link.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no direction can have.
    """
    queues = Queues(surroundings)
    if table.dvbs2 is None:
        refuse(table, ("acm", "classes", "background"), where, why="there is no dvbs2")
        return _draft(table, _constant(table, where, instead="dvbs2"), queues, surroundings, where)
    _refuse_rate(table, where, carrier="dvbs2")
    capacity = dvbs2_spec(
        table,
        where,
        queue=queues.spec,
        background_limit=queues.default_limit,
        report_delay_ns=surroundings.opposite_delay_ns + report_wait_ns,
        mtu_bytes=surroundings.mtu_bytes,
    )
    return _draft(table, capacity, queues, surroundings, where)


def return_draft(table: ReturnTable, surroundings: Surroundings, where: Location) -> Draft:
    """Return the direction from client to server: a constant rate, or a DVB-RCS2 return link.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no direction can have.
    """
    queues = Queues(surroundings)
    if table.rcs2 is None:
        refuse(table, ("mixes", "classes", "background"), where, why="there is no rcs2")
        dama = or_default(table.dama, defaults.DAMA_CONSTANT)
        if dama != defaults.DAMA_CONSTANT:
            expected = f"{quoted(defaults.DAMA_CONSTANT)}, as there is no rcs2 with slots to assign"
            raise where.at("dama").error(expected=expected, found=quoted(dama))
        return _draft(table, _constant(table, where, instead="rcs2"), queues, surroundings, where)
    _refuse_rate(table, where, carrier="rcs2")
    capacity = rcs2_spec(
        table,
        where,
        queue=queues.spec,
        background_limit=queues.default_limit,
        delay_ns=surroundings.delay_ns,
        plan_delay_ns=surroundings.opposite_delay_ns,
        mtu_bytes=surroundings.mtu_bytes,
    )
    return _draft(table, capacity, queues, surroundings, where)


def _constant(table: DirectionTable, where: Location, *, instead: str) -> ConstantCapacitySpec:
    refuse(table, ("clear_sky", "attenuation"), where, why=f"there is no {instead}")
    if table.rate is None:
        raise where.at("rate").error(expected=f'a rate such as "10 Mbit/s", or {instead}', found="nothing")
    return {"kind": "constant", "rate_bps": rate_bps(table.rate, where.at("rate"))}


def _draft(
    table: DirectionTable,
    capacity: CapacitySpec,
    queues: Queues,
    surroundings: Surroundings,
    where: Location,
) -> Draft:
    delay_ns = surroundings.delay_ns
    spec: DirectionSpec = {
        "capacity": capacity,
        "delay_ns": delay_ns,
        "jitter": jitter_spec(
            or_default(table.jitter, defaults.JITTER), where.at("jitter"), delay_ns=delay_ns
        ),
        "queue": queues.spec(table.queue, where.at("queue")),
        "loss": {"kind": "none"} if table.loss is None else loss_spec(table.loss, where.at("loss")),
    }
    schedule = schedule_draft(table, surroundings.epochs, surroundings.recorded, where)
    if schedule is not None:
        spec["schedule"] = schedule.spec
    return Draft(spec=spec, queues=queues, schedule=schedule)


def _refuse_rate(table: DirectionTable, where: Location, *, carrier: str) -> None:
    if table.rate is not None:
        expected = f"nothing, as {carrier} decides on the rate; presets that end in -flat have a constant one"
        raise where.at("rate").error(expected=expected, found=quoted(table.rate))
