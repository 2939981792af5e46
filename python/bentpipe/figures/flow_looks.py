"""How each of several flows looks: as its congestion control, or as itself where several have one."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe.figures import style
from bentpipe.figures.style import Look


@dataclass(frozen=True, kw_only=True)
class Flow:
    """What is known of a flow before it runs; `label` is as a scenario has it."""

    label: str
    congestion_control: str
    transport: str


def looks(flows: Sequence[Flow]) -> list[Look]:
    """The look of each flow; dashes besides tell QUIC from TCP.

    Flows of one congestion control and transport have colours of their own, unless there are more flows
    than colours.
    """
    kinds = {(flow.congestion_control, flow.transport) for flow in flows}
    if len(kinds) == len(flows) or len(flows) > len(style.PALETTE):
        return [style.control_look(flow.congestion_control) for flow in flows]
    return [
        Look(label=f"{number}: {flow.label}", colour=colour, marker="o")
        for number, (flow, colour) in enumerate(zip(flows, style.PALETTE, strict=False), start=1)
    ]
