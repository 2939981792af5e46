"""Figure 4: one download of each congestion control, second by second."""

from bentpipe.figures import flows_over_time
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.published_mark import Mark
from bentpipe.stats import Span, representative
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.downloads import Downloads

PUBLISHED = flows_over_time.Published(
    throughput={
        "cubic": [Mark(x=published.CUBIC_REACHES.value, y=published.CUBIC_REACHES_MBPS)],
        "bbr": [Mark(y=published.BBR_STEADY.value)],
    },
    round_trip={
        "bbr": [Mark(y=published.BBR_STEADY_RTT.value), Mark(x=published.BBR_OVERSHOOTS.value)],
        "cubic": [Mark(y=published.CUBIC_STEADY_RTT.value)],
        "vivace": [Mark(y=published.PCC_STEADY_RTT.value)],
    },
    resent={"bbr": [Mark(x=published.BBR_OVERSHOOTS.value)]},
)
"""Section IV.B. CUBIC's spikes, above 3 s and 20 %, would leave nothing to see of ours."""


def draw(downloads: Downloads) -> Drawing:
    """The median download of each by its length."""
    flows = {}
    for control, found in downloads.items():
        if found:
            flow = found[representative([each.flow.end_s for each in found])].flow
            flows[control] = flow.seconds(Span(from_s=0.0, to_s=flow.end_s))
    return flows_over_time.draw(
        name="downloads-over-time", title="Downloads over time", flows=flows, published=PUBLISHED
    )
