"""Fig. 4, 5, 6: throughput over time of HTTP/1.0, HTTP/1.1 and SPDY, in clear and over TLS."""

from collections.abc import Iterator

from bentpipe.figures import rates_over_time
from bentpipe.figures.drawing import Drawing
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import H1, H1_TLS, H2, HTTP10, HTTP10_TLS, SPDY, Variant
from bentpipe.studies.loads import median_load
from bentpipe.studies.study import Runs

_FIGURES = (
    ("fig-4-http10", "Fig. 4: throughput of HTTP/1.0", (HTTP10, HTTP10_TLS)),
    ("fig-5-h1", "Fig. 5: throughput of HTTP/1.1", (H1, H1_TLS)),
    ("fig-6-spdy", "Fig. 6: throughput of SPDY", (SPDY, H2)),
)
_LEVELS = {
    "http10": published.RATE_HTTP10,
    "h1": published.RATE_H1,
    "spdy": published.RATE_SPDY,
}


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw each figure of which a protocol was measured."""
    for name, title, variants in _FIGURES:
        panels = [panel for variant in variants if (panel := _panel(runs, variant)) is not None]
        if panels:
            yield rates_over_time.draw(name=name, title=title, panels=panels)


def _panel(runs: Runs, variant: Variant) -> rates_over_time.Panel | None:
    run = median_load(runs, variant.forward())
    if run is None or not len(run.series("link").get("time_s", ())):
        return None
    theirs = _LEVELS.get(variant.http)
    return rates_over_time.Panel(
        title=variant.label,
        protocol=variant.http,
        link=run.series("link"),
        path=run.series("path"),
        published_kbps=None if theirs is None else theirs.value,
    )
