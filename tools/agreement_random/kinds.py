"""What a cell is one of: by what is varied, the values that it has; for counting what was drawn."""

from collections.abc import Mapping, Sequence

from bentpipe.model.flow import BulkWorkload, FlowsWorkload, Transport
from bentpipe.model.page import Http, PageLoadWorkload
from bentpipe.model.spec import RunSpec


def kinds(spec: RunSpec) -> Mapping[str, Sequence[str]]:
    """Return the kinds of a run's link, workload, hosts and proxy, in the words of specifications."""
    directions = spec.link.forward, spec.link.return_
    carriers = " and ".join(str(direction.capacity.kind) for direction in directions)
    changes = any(direction.schedule for direction in directions)
    workload = spec.workload
    return {
        "link": [f"{carriers}, changing" if changes else carriers],
        "queue": [str(direction.queue.kind) for direction in directions],
        "loss": [str(direction.loss.kind) for direction in directions],
        "delay variation": [str(direction.jitter.kind) for direction in directions],
        "workload": [workload.kind],
        "http": [str(workload.http)] if isinstance(workload, PageLoadWorkload) else [],
        "congestion control": _controls(spec),
        "proxy": ["none" if spec.pep is None else spec.pep.kind],
        "server behind": [str(spec.server_behind or "gateway")],
    }


def _controls(spec: RunSpec) -> Sequence[str]:
    match spec.workload:
        case FlowsWorkload(flows=flows):
            return [f"{flow.cc} over {flow.transport}" for flow in flows]
        case BulkWorkload(transport=transport):
            return [f"{spec.cc} over {transport}"]
        case PageLoadWorkload(http=http):
            return [f"{spec.cc} over {Transport.QUIC if http is Http.H3 else Transport.TCP}"]
        case _:
            return []
