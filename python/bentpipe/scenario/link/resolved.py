"""A link from tables as written: bases merged in, both directions drafted, then checked as a whole."""

from dataclasses import dataclass, replace
from pathlib import Path

from bentpipe import _core
from bentpipe.model.description import LinkDescription
from bentpipe.model.draft.link import CapacitySpec, LinkSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.catalogue import written_link
from bentpipe.scenario.link.description import describe_draft, describe_slots
from bentpipe.scenario.link.direction import Surroundings, forward_draft, return_draft
from bentpipe.scenario.link.epochs import epoch_draft
from bentpipe.scenario.link.errors import error_from_core
from bentpipe.scenario.link.queue import bdp_bytes
from bentpipe.scenario.link.recording import recorded_link
from bentpipe.scenario.written.link_schema import ForwardTable, LinkTable, ReturnTable
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.overlay import merged_links, with_delays, with_folder
from bentpipe.scenario.written.quantity import duration_ns, size_bytes
from bentpipe.scenario.written.table import or_default

CARRIERS = {"forward": "dvbs2", "return": "rcs2"}
"""What a direction may have in place of a constant rate."""

IPV4_HEADER_BYTES = 20
UDP_HEADER_BYTES = 8
LEAST_QUIC_BYTES = 1200
"""UDP payloads that QUIC needs (RFC 9000 section 14)."""
LEAST_MTU_BYTES = LEAST_QUIC_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES
MOST_MTU_BYTES = 65_535


@dataclass(frozen=True, kw_only=True)
class ResolvedLink:
    """A link's specification, and what it comes to.

    Attributes
    ----------
    spec : LinkSpec
        The specification.
    description : LinkDescription
        What it comes to.
    is_exchanged : bool
        Whether the server is behind the terminal: the return link then leads down to the client.
    """

    spec: LinkSpec
    description: LinkDescription
    is_exchanged: bool = False

    @property
    def mtu_bytes(self) -> int:
        """The largest packet."""
        return self.spec["mtu_bytes"]

    @property
    def down_bps(self) -> int:
        """The rate to the client."""
        described = self.description
        return (described.return_ if self.is_exchanged else described.forward).nominal_bps

    @property
    def up_bps(self) -> int:
        """The rate to the server."""
        described = self.description
        return (described.forward if self.is_exchanged else described.return_).nominal_bps

    @property
    def propagation_ns(self) -> int:
        """The longest propagation there and back."""
        return self.description.forward.longest_delay_ns + self.description.return_.longest_delay_ns

    @property
    def rtt_ns(self) -> int:
        """The longest round trip when the link is idle: propagation, and waiting for frames and slots."""
        there, back = self.description.forward, self.description.return_
        return self.propagation_ns + there.longest_wait_ns + back.longest_wait_ns

    @property
    def buffer_bytes(self) -> int:
        """What a buffer or a window holds that shall not limit."""
        bdp = bdp_bytes(max(self.down_bps, self.up_bps), self.rtt_ns)
        return max(defaults.BUFFER_BDP * bdp, defaults.BUFFER_LEAST_BYTES)


def resolved_link(
    table: LinkTable, where: Location, *, folder: Path, within: tuple[Path, ...] = ()
) -> ResolvedLink:
    """Return the link that a table describes.

    Parameters
    ----------
    table : LinkTable
        As written.
    where : Location
        Its place.
    folder : Path
        Where relative paths of link files start.
    within : tuple of Path
        The files that led here, against circles.
    """
    own, name, base = _own(table, where, folder), table.name, table.base
    if base is not None:
        found = written_link(base, where, folder=folder)
        if found.where != where:
            identity = Path(found.where.file).resolve()
            if identity in within:
                raise where.error(expected="a base that does not lead back to itself", found=quoted(base))
            within = (*within, identity)
        # What stands in one word in this file leads nowhere.
        # The base must be a link by itself: its faults are then reported where they are.
        resolved_link(found.table, found.where, folder=found.folder, within=within)
        unchanged = not own.written()
        own = merged_links(_flattened(found.table, found.where, found.folder), own)
        name = name or found.table.name or (found.name if unchanged else None)
    return _complete_link(own, name or "custom", where)


def _own(table: LinkTable, where: Location, folder: Path) -> LinkTable:
    """Return what a table itself says besides its base, so that it says the same wherever it is merged."""
    return with_folder(with_delays(table.model_copy(update={"base": None}), where), folder)


def _flattened(table: LinkTable, where: Location, folder: Path) -> LinkTable:
    """Return a table with its bases merged in."""
    own = _own(table, where, folder)
    if table.base is None:
        return own
    found = written_link(table.base, where, folder=folder)
    return merged_links(_flattened(found.table, found.where, found.folder), own)


def _complete_link(table: LinkTable, name: str, where: Location) -> ResolvedLink:
    recorded = recorded_link(table, where)
    table = recorded.table
    mtu = or_default(table.mtu, defaults.MTU)
    mtu_bytes = size_bytes(mtu, where.at("mtu"), least=LEAST_MTU_BYTES, most=MOST_MTU_BYTES)
    forward, return_ = or_default(table.forward, ForwardTable()), or_default(table.return_, ReturnTable())
    delays_ns = []
    for key, direction, carrier in (("forward", forward, forward.dvbs2), ("return", return_, return_.rcs2)):
        if direction.rate is None and carrier is None:
            expected = f'a rate such as "10 Mbit/s", or {CARRIERS[key]}'
            raise where.at(f"{key}.rate").error(expected=expected, found="nothing")
        if direction.delay is None:
            raise where.at("rtt").error(expected='a duration such as "600 ms"', found="nothing")
        delays_ns.append(duration_ns(direction.delay, where.at(f"{key}.delay")))
    there_ns, back_ns = delays_ns
    epochs = epoch_draft(table, where, delays_ns=(there_ns, back_ns))
    there = Surroundings(
        delay_ns=there_ns,
        opposite_delay_ns=back_ns,
        mtu_bytes=mtu_bytes,
        epochs=epochs,
        recorded=recorded.schedules.get("forward"),
    )
    back = replace(
        there, delay_ns=back_ns, opposite_delay_ns=there_ns, recorded=recorded.schedules.get("return")
    )
    backward = return_draft(return_, back, where.at("return"))
    report_wait_ns = _report_wait_ns(backward.spec["capacity"])
    onward = forward_draft(forward, there, where.at("forward"), report_wait_ns=report_wait_ns)
    spec: LinkSpec = {"name": name, "mtu_bytes": mtu_bytes, "forward": onward.spec, "return": backward.spec}
    try:
        description = describe_draft(spec)
    except _core.SpecError as error:
        raise error_from_core(error, table, where) from None
    resolved = ResolvedLink(spec=spec, description=description)
    propagation_ns = resolved.propagation_ns
    backward.complete(description.return_.nominal_bps, propagation_ns=propagation_ns)
    onward.complete(description.forward.nominal_bps, propagation_ns=propagation_ns)
    return resolved


def _report_wait_ns(capacity: CapacitySpec) -> int:
    """Return how long a report of the terminal waits for its turn: at most a superframe, if there are any."""
    if capacity["kind"] != "rcs2":
        return 0
    return describe_slots(capacity["layout"], capacity["burst"]).superframe_ns
