"""Every claim of the study as a pure function of runs, by sections of the paper."""

from bentpipe.studies.alshagri2023.cells import SATELLITE
from bentpipe.studies.alshagri2023.claims.congestion_control import (
    FILL_PAGE,
    FILLED_PERCENT,
    congestion_control,
)
from bentpipe.studies.alshagri2023.claims.link import round_trips
from bentpipe.studies.alshagri2023.claims.overhead import overhead
from bentpipe.studies.alshagri2023.claims.page_structure import page_structure
from bentpipe.studies.alshagri2023.claims.parallel_streams import parallel_streams
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT
from bentpipe.studies.rules import SMALLEST_EFFECT_PERCENT, TOLERANCE_POINTS
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Verdict

RULES: tuple[str, ...] = (
    "Differences are relative, in percent of the second of the two, averaged over page sizes with equal "
    "weight; intervals are 95 % (Fieller's on one page, t by the delta method over several).",
    "A claimed direction agrees when the whole interval lies on its side of zero and the difference is "
    f"{SMALLEST_EFFECT_PERCENT:g} % or more, the smallest effect of interest. It differs otherwise.",
    f"About N % agrees when, besides, ours is within {TOLERANCE_POINTS:.0f} percentage points of N.",
    f"Alike agrees when the whole interval lies within {TOLERANCE_POINTS:.0f} % of equal, differs when it "
    "lies wholly beyond, and is not testable otherwise.",
    "Multiplexing offsets the overhead when HTTP/2 and HTTP/3 are not significantly slower than HTTP/1.1 and "
    f"the interval ends below {TOLERANCE_POINTS:.0f} %.",
    f"A number of table 6 agrees within {LEVEL_MARGIN_PERCENT:g} % of it; orders of overheads and gains are "
    "judged by the sign of their difference in points.",
    f"A link is filled when the busiest round trip of a load of {FILL_PAGE} carries {FILLED_PERCENT:.0f} % "
    "of the rate or more.",
    "A claim about several comparisons agrees only when each does, and differs when one does.",
    "Where some pages of a comparison were not measured, the others decide and the finding says so; without "
    "any, the claim is not testable.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "Table 6 does not say which cells it was measured on, nor whether both directions count: ours are the "
    "uniform pages on the satellite link with BBR, both directions. Its HTTP/1.1 column is 6.7 kB and 5.2 % "
    "of the page: so many bytes beside the page are those of nine requests, and so great a share has the "
    "acknowledgements in it.",
    "The average by which HTTP/3 is better than HTTP/2 is taken over all twelve pages on the satellite link "
    "with BBR, relative to HTTP/2.",
    "The text gives percentages without a page size: ours are means over the four sizes of the uniform page.",
    "The largest contentful paint of a page whose objects are equal is the time of the last of them: the "
    "study explains the lower LCP of the triangular page by its largest object not waiting for the others.",
    "HTTP/1.1 is in clear text: it has no handshake and encryption of TLS (section 6.5).",
    "That BBR beats CUBIC for HTTP/3 on the LAN is judged once, as CUBIC's suffering there.",
)


def claims(runs: Runs, *, satellite: str = SATELLITE) -> tuple[Verdict, ...]:
    """Judge every claim on the runs over a satellite link and the LAN; only succeeded ones count."""
    return (
        *parallel_streams(runs, satellite),
        *congestion_control(runs, satellite),
        *overhead(runs, satellite),
        *page_structure(runs, satellite),
        *round_trips(runs, satellite),
    )
