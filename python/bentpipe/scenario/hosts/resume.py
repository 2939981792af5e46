"""Careful Resume (RFC 9959) of senders, from what is written to the run specification."""

from collections.abc import Collection

from bentpipe.model.draft.cc import ResumeSpec, SavedSpec
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.programs import Programs
from bentpipe.scenario.hosts.senders import Sender
from bentpipe.scenario.link.queue import bdp_bytes
from bentpipe.scenario.link.resolved import ResolvedLink
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import duration_ns, scaled, size_bytes
from bentpipe.scenario.written.schema import ResumeTable
from bentpipe.scenario.written.table import first_written, or_default, quoted_part

TIMES = {"x": 1}
"""The unit of what is relative to the link."""
MOST_TIMES = 1000
"""Beyond a window of a gigabyte over any link here."""
LEAST_SAVED_BYTES = 1
LEAST_RTT_NS = 1_000
"""An RTT that no link here is below."""


def resume_spec(
    table: ResumeTable | None,
    where: Location,
    *,
    link: ResolvedLink,
    workload: Workload,
    senders: Collection[Sender],
    ends: Programs,
) -> ResumeSpec | None:
    """Return how senders resume, or None where they do not.

    Parameters
    ----------
    table : ResumeTable or None
        As written.
    where : Location
        Its place.
    link : ResolvedLink
        To which relative values are relative.
    workload : Workload
        What is done.
    senders : collection of Sender
        Those of the run.
    ends : Programs
        At both ends.

    Raises
    ------
    InputError
        When a sender cannot resume, or there is nothing to resume from.
    """
    if table is None or workload["kind"] == "ping":
        return None
    if vocabulary.RESUME.checked(or_default(table.method, defaults.RESUME), where.at("method")) == "none":
        return None
    _require_able(table, senders, ends, workload, where)
    saved = _saved(table, where, link=link, workload=workload)
    if saved is None and workload["kind"] != "page-load":
        expected = 'what is saved of the path, such as "1 x" of the link\'s: flows have no visit before'
        raise where.at("saved_capacity").error(expected=expected, found="nothing")
    spec: ResumeSpec = {
        "lifetime_ns": duration_ns(
            or_default(table.lifetime, defaults.RESUME_LIFETIME), where.at("lifetime"), least_ns=1
        )
    }
    if table.max_jump is not None:
        spec["max_jump_bytes"] = size_bytes(table.max_jump, where.at("max_jump"))
    if saved is not None:
        spec["saved"] = saved
    return spec


def _require_able(
    table: ResumeTable, senders: Collection[Sender], ends: Programs, workload: Workload, where: Location
) -> None:
    other = next((sender.cc for sender in senders if sender.cc not in vocabulary.RESUMING), None)
    foreign = next(iter(ends.of_others().values()), "iperf3" if workload["kind"] == "iperf3" else None)
    if other is not None:
        why = f"{other} is not one of {', '.join(vocabulary.RESUMING)}"
    elif foreign is not None:
        why = f"{foreign} cannot"
    else:
        return
    place, found = first_written(table, where)
    instead = '"none"' if table.method is not None else "nothing"
    raise place.error(expected=f"{instead}, as {why}", found=quoted_part(found))


def _saved(
    table: ResumeTable, where: Location, *, link: ResolvedLink, workload: Workload
) -> SavedSpec | None:
    if table.saved_capacity is None:
        for key in ("saved_rtt", "saved_age"):
            if getattr(table, key) is not None:
                raise where.at("saved_capacity").error(expected=f"a capacity beside {key}", found="nothing")
        return None
    is_up = workload["kind"] in ("bulk", "flows") and workload["direction"] == "up"
    bdp = bdp_bytes(link.up_bps if is_up else link.down_bps, link.rtt_ns)
    capacity_place = where.at("saved_capacity")
    times = _times(table.saved_capacity, capacity_place)
    capacity = (
        size_bytes(table.saved_capacity, capacity_place, least=LEAST_SAVED_BYTES)
        if times is None
        else max(round(times * bdp), LEAST_SAVED_BYTES)
    )
    rtt_text, rtt_place = or_default(table.saved_rtt, defaults.RESUME_SAVED_RTT), where.at("saved_rtt")
    times = _times(rtt_text, rtt_place)
    rtt_ns = (
        duration_ns(rtt_text, rtt_place, least_ns=LEAST_RTT_NS)
        if times is None
        else max(round(times * link.rtt_ns), LEAST_RTT_NS)
    )
    return {
        "cwnd_bytes": capacity,
        "rtt_ns": rtt_ns,
        "age_ns": duration_ns(or_default(table.saved_age, defaults.RESUME_SAVED_AGE), where.at("saved_age")),
    }


def _times(text: str, where: Location) -> float | None:
    """Return how many times the link's own value that is, or None where it is absolute."""
    times = scaled(text, TIMES)
    if times is None:
        return None
    if not 0 < times <= MOST_TIMES:
        raise where.error(expected=f"more than 0 x and at most {MOST_TIMES} x", found=quoted(text))
    return float(times)
