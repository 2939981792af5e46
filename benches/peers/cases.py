"""The flows that are compared, and how each simulator is told."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bentpipe.model.spec import RunSpec
from bentpipe.scenario import resolve_document

BYTES = 100_000_000
RATE_BPS = 144_000_000
RTT_NS = 600_000_000
BDP_BYTES = RATE_BPS * RTT_NS // 8 // 1_000_000_000
SEGMENT_BYTES = 1448
"""1500 bytes less the headers of IP and TCP with timestamps."""
INITIAL_WINDOW = 10
LINUX_HYSTART_DELAY_MAX_MS = 16
NS3_HYSTART_DELAY_MAX_MS = 1000
"""As ns-3 ships it: slow start is left when the queue holds a whole RTT of this path."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One flow: what both simulators are given, and what ns-3 has to be told besides."""

    name: str
    queue_bdp: float
    ns3_buffer_bdp: float
    """Socket buffers at both ends of ns-3; Bentpipe has the default of its scenarios, 4 BDP."""
    ns3_hystart_delay_max_ms: int
    judged: bool
    """Whether the bar holds for it; the others are for information, and run once."""


CASES = (
    Case(
        name="HyStart as in Linux",
        queue_bdp=1,
        ns3_buffer_bdp=4,
        ns3_hystart_delay_max_ms=LINUX_HYSTART_DELAY_MAX_MS,
        judged=True,
    ),
    # Fills the link, as Bentpipe does with 1.2 to 1.6 BDP in flight, and cannot overflow the queue. What ns-3
    # needs for a packet grows with the packets in flight: more would be in Bentpipe's favour.
    Case(
        name="window of 1.25 BDP in ns-3",
        queue_bdp=1,
        ns3_buffer_bdp=1.25,
        ns3_hystart_delay_max_ms=NS3_HYSTART_DELAY_MAX_MS,
        judged=True,
    ),
    Case(
        name="queue of 0.25 BDP",
        queue_bdp=0.25,
        ns3_buffer_bdp=4,
        ns3_hystart_delay_max_ms=LINUX_HYSTART_DELAY_MAX_MS,
        judged=False,
    ),
    Case(
        name="ns-3 as shipped, overflows",
        queue_bdp=1,
        ns3_buffer_bdp=4,
        ns3_hystart_delay_max_ms=NS3_HYSTART_DELAY_MAX_MS,
        judged=False,
    ),
)


def ns3_flow(case: Case, *, limit_s: float) -> dict[str, Any]:
    """Return what `ns3_worker.py` is told."""
    return {
        "rate_bps": RATE_BPS,
        "rtt_ns": RTT_NS,
        "queue_bytes": int(case.queue_bdp * BDP_BYTES),
        "buffer_bytes": int(case.ns3_buffer_bdp * BDP_BYTES),
        "segment_bytes": SEGMENT_BYTES,
        "initial_window": INITIAL_WINDOW,
        "hystart_delay_max_ms": case.ns3_hystart_delay_max_ms,
        "bytes": BYTES,
        "limit_s": limit_s,
    }


def bentpipe_spec(case: Case) -> RunSpec:
    """Return the same flow as a run specification. Up: whoever connects sends, as in ns-3."""
    pipe = f"flat:down={RATE_BPS}bit/s,up={RATE_BPS}bit/s,rtt={RTT_NS}ns,queue={case.queue_bdp}BDP"
    run = {
        "link": pipe,
        "cc": "cubic",
        "tcp": {"initial_window": INITIAL_WINDOW},
        "bulk": {"transport": "tcp", "direction": "up", "size": f"{BYTES} B"},
    }
    scenario = resolve_document(
        {"repetitions": 1, "run": run}, file="peers", folder=Path(), default_name="peers", overrides=[]
    )
    return RunSpec.model_validate({**scenario.cells[0].spec, "seed": 1})
