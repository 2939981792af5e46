"""Who sends in a run, and by which congestion control."""

from dataclasses import dataclass

from bentpipe.model.draft.pep import PepSpec
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.vocabulary import Transport


@dataclass(frozen=True)
class Sender:
    """Connections of one kind."""

    transport: Transport
    cc: str


def senders(workload: Workload, *, cc: str, pep: PepSpec | None) -> frozenset[Sender]:
    """Return the senders of a run, those of a proxy included.

    Parameters
    ----------
    workload : Workload
        What is done.
    cc : str
        Congestion control of every sender, where flows have none of their own.
    pep : PepSpec or None
        A proxy on the path.
    """
    hosts = _hosts(workload, cc)
    if pep is not None and (pep["kind"] == "masque" or pep["kind"] == "quic-split"):
        return hosts | {Sender("quic", pep["cc"])}
    # QUIC passes the others by.
    if pep is None or pep["kind"] == "tunnel" or all(sender.transport == "quic" for sender in hosts):
        return hosts
    return hosts | {Sender("tcp", pep["cc"])}


def check_over_tcp(
    workload: Workload, where: Location, *, cc: str, pep: PepSpec | None, pep_has_own: bool
) -> None:
    """Refuse congestion controls that TCP cannot have on any engine.

    Parameters
    ----------
    workload, cc, pep
        As of `senders`.
    where : Location
        The place of the run.
    pep_has_own : bool
        Whether the proxy's congestion control is written, and not that of the run.

    Raises
    ------
    InputError
        For a sender over TCP, or a proxy, with one of them.
    """

    def refuse_unless_possible(found: str, place: Location, *, why: str = "for TCP") -> None:
        if found not in vocabulary.OVER_TCP:
            expected = f"{why} {vocabulary.one_of(vocabulary.OVER_TCP)}"
            raise place.error(expected=expected, found=f'"{found}", which needs AccECN')

    if workload["kind"] == "flows":
        for number, flow in enumerate(workload["flows"], start=1):
            if flow["transport"] == "tcp":
                refuse_unless_possible(flow["cc"], where.at("bulk").at("flows").at(str(number)).at("cc"))
    elif Sender("tcp", cc) in _hosts(workload, cc):
        refuse_unless_possible(cc, where.at("cc"))
    # A proxy's sockets listen, whoever passes.
    if pep is not None and (pep["kind"] == "split" or pep["kind"] == "proxy"):
        if pep_has_own:
            refuse_unless_possible(pep["cc"], where.at("pep").at("cc"))
        else:
            why = "for the TCP of the proxy, which has no pep.cc beside it,"
            refuse_unless_possible(pep["cc"], where.at("cc"), why=why)


def _hosts(workload: Workload, cc: str) -> frozenset[Sender]:
    match workload["kind"]:
        case "page-load":
            return frozenset({Sender("quic" if workload["http"] == "h3" else "tcp", cc)})
        case "bulk" | "iperf3":
            return frozenset({Sender(workload["transport"], cc)})
        case "flows":
            return frozenset(Sender(flow["transport"], flow["cc"]) for flow in workload["flows"])
        case "ping":
            return frozenset()
