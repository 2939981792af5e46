"""iperf3 in place of our client and our origin: what a scenario may ask of it."""

from bentpipe import _core
from bentpipe.model.draft.flow import Iperf3Workload
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import SECOND_NS

NAME = "iperf3"
"""As client and as server."""


def is_wanted(*, client: str, server: str, where: Location) -> bool:
    """Whether iperf3 runs at both ends.

    Raises
    ------
    InputError
        When it runs at one end only: its protocol is its own.
    """
    if (client == NAME) == (server == NAME):
        return client == NAME
    key, other = ("client", "server") if client == NAME else ("server", "client")
    found = f"{quoted(NAME)} with {other} = {quoted(server if client == NAME else client)}"
    raise where.at(key).error(expected=f'"{NAME}" at both ends or at neither', found=found)


def flow(workload: Workload, where: Location) -> Iperf3Workload:
    """Return the flow of a run as one of iperf3's.

    Raises
    ------
    InputError
        When iperf3 cannot do it.
    """
    if workload["kind"] != "bulk":
        kind = workload["kind"]
        raise where.at("client").error(
            expected=f"another client for a {kind}, as iperf3 has a single bulk flow", found=quoted(NAME)
        )
    if workload["transport"] != "tcp":
        raise where.at("bulk.transport").error(
            expected='"tcp", as the client is iperf3', found=quoted(workload["transport"])
        )
    duration_ns = workload["duration_ns"]
    if duration_ns is not None and duration_ns % SECOND_NS:
        raise where.at("bulk.duration").error(
            expected="whole seconds, as the client is iperf3", found=_core.format_duration(duration_ns)
        )
    return {
        "kind": "iperf3",
        "transport": workload["transport"],
        "direction": workload["direction"],
        "bytes": workload["bytes"],
        "duration_ns": duration_ns,
    }
