"""Every claim of the study as a pure function of runs."""

from bentpipe.studies.caviglione2014.claims import (
    bytes_of_the_page,
    connections,
    load_times,
    schemes,
    throughput,
)
from bentpipe.studies.caviglione2014.claims.load_times import ORDER_PERCENT
from bentpipe.studies.caviglione2014.published import SIMILAR_PERCENT
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.rules import SMALLEST_EFFECT_PERCENT, TOLERANCE_POINTS
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict

RULES: tuple[str, ...] = (
    "Each load gives one value; means and their intervals are over loads (95 %, Student's t; of relative "
    "differences Fieller's, of seconds Welch's). Differences are in percent of the second of the two.",
    "A claimed direction agrees when the whole interval lies on its side of zero and the difference is "
    f"{SMALLEST_EFFECT_PERCENT:.0f} % or more. Of seconds gained or lost the interval alone decides.",
    f"Data agree within {LEVEL_MARGIN_PERCENT:.0f} %, load times of sections 4.1 to 4.3 within "
    f"{TIME_MARGIN_PERCENT:.0f} %; what the text calls about or above a number, and what it reads off a "
    f"figure, within {ROUGH_MARGIN_PERCENT:.0f} %.",
    f"Similar means within {SIMILAR_PERCENT:.0f} %: the text says it of 9 and 10 s, which may be 19 % apart "
    "before they are rounded. An order of magnitude is ten times, less the margin of about: "
    f"{ORDER_PERCENT / 100 + 1:g} times or more. Alike means that the whole interval lies within "
    f"{TOLERANCE_POINTS:.0f} % of equal.",
    "Sections 4.1 to 4.3 are judged on loads over the forward link with the scheme mixed, section 4.4 on "
    "loads over the return link with each scheme.",
    "A claim about several comparisons agrees only when each does, and differs when one does.",
    "HTTP/2 stands beside SPDY in tables and figures; the study has no claim about it.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "HTTP/1.1 is pipelined, as section 3 has it; one kind of it is judged, and how deep it was is varied.",
    "Data are what TCP carried to the client: bodies, header fields, frames, TLS. The size of the images "
    "follows from the study's 508 kB.",
    "Throughputs count all bytes of IP packets, both directions: 508 kB in 131 s would be 3.9 kB/s, and the "
    "study has 9 on average. Those of HTTP/1.1 and SPDY, four and five times their data over their load "
    "times, are of the busiest second, by which the study's Wireshark counts.",
    "Data transfers on the return link are pages whose server is behind the terminal.",
    "Over TLS connections take up the session of the first one.",
    "A round trip is the server's smoothed one, averaged over the load.",
    "What the study does not give of the return link, such as the length of slots, is the link's, geo-snep.",
    "Repetitions differ by the phase of the superframes; links and hosts are otherwise the same.",
)


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; without runs it is not testable."""
    return (
        *bytes_of_the_page.verdicts(runs),
        *connections.verdicts(runs),
        *load_times.verdicts(runs),
        *throughput.verdicts(runs),
        *schemes.verdicts(runs),
    )
