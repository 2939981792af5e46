"""How slow start ends, from what is written to the run specification."""

from collections.abc import Collection

from bentpipe.model.draft.cc import SlowStartChoice
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.senders import Sender
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted


def slow_start_choice(
    written: str, where: Location, *, cc: str, workload: Workload, senders: Collection[Sender]
) -> SlowStartChoice | None:
    """Return how slow start ends, or None where that is each congestion control's own way in today's Linux.

    Parameters
    ----------
    written : str
        As written.
    where : Location
        Its place.
    cc : str
        Congestion control of every sender, where flows have none of their own.
    workload : Workload
        What is done.
    senders : collection of Sender
        Those of the run.
    """
    match vocabulary.SLOW_START.checked(written, where):
        case "linux":
            return None
        case "hystart++" | "search" as choice:
            _require_loss_based(cc, workload, written, where)
            return choice
        # The other two say what becomes of HyStart, which is CUBIC's; an old kernel's is no QUIC's.
        case "linux-4.15":
            return "linux-4.15" if Sender("tcp", "cubic") in senders else None
        case "loss":
            return "loss" if any(sender.cc == "cubic" for sender in senders) else None


def _require_loss_based(cc: str, workload: Workload, written: str, where: Location) -> None:
    ccs = [flow["cc"] for flow in workload["flows"]] if workload["kind"] == "flows" else [cc]
    other = next((cc for cc in ccs if cc not in vocabulary.LOSS_BASED), None)
    if other is not None:
        expected = f'"{defaults.SLOW_START}", as {other} is not one of {", ".join(vocabulary.LOSS_BASED)}'
        raise where.error(expected=expected, found=quoted(written))
