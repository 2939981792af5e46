"""Every number of the publication that ours are compared with, and its place there."""

from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.published_number import PublishedNumber

TITLE = "Performance Evaluation of HTTP and SPDY over a DVB-RCS Satellite Link with Different BoD Schemes"
CITATION = (
    "Caviglione, Gotta, Abdel Salam, Luglio, Roseti, Zampognaro: Performance Evaluation of HTTP and SPDY "
    "over a DVB-RCS Satellite Link with Different BoD Schemes. 6th International Conference on Personal "
    "Satellite Services (PSATS) 2014"
)
DOI: str | None = None
"""None is known."""

OBJECTS = 642
"""Section 4: the last one's end is the end of the load."""
CONNECTIONS_AT_ONCE = 6
"""Section 4.2: "a batch of 6 parallel connections"."""
REQUESTS_PER_CONNECTION = 100
"""Section 4.2: "a limit imposed by the Apache web server"."""
PROPAGATION_S = 0.52
"""Section 3: the round trip of it."""
RETURN_BPS = 1e6
"""Section 3."""

_SOME_KB = 'printed with "~"; what another rig\'s headers and records make of two or three digits'
_SECONDS = "whole seconds: half a second of 4 s is 12.5 %"
_ABOUT = 'the text says "about" or prints "~"'


def _number(value: float, unit: str, source: str, margin_percent: float, because: str) -> PublishedNumber:
    return PublishedNumber(
        value=value, unit=unit, source=source, margin_percent=margin_percent, margin_because=because
    )


def _data(kilobytes: float) -> PublishedNumber:
    return _number(kilobytes, "kB", "section 4.1 of Fig. 2", LEVEL_MARGIN_PERCENT, _SOME_KB)


def _load_time(seconds: float) -> PublishedNumber:
    return _number(seconds, "s", "section 4.2 of Fig. 3", TIME_MARGIN_PERCENT, _SECONDS)


def _about(value: float, unit: str, source: str) -> PublishedNumber:
    return _number(value, unit, source, ROUGH_MARGIN_PERCENT, _ABOUT)


def _count(value: float, source: str, margin_percent: float, because: str) -> PublishedNumber:
    return _number(value, "", source, margin_percent, because)


DATA = {
    "http10": _data(508.0),
    "http10s": _data(871.0),
    "h1": _data(508.0),
    "h1s": _data(659.0),
    "spdy": _data(416.0),
}
"""Transferred to retrieve the page."""

PLT = {
    "http10": _load_time(131.0),
    "http10s": _load_time(198.0),
    "h1": _load_time(10.0),
    "spdy": _load_time(9.0),
}
H1_TLS_SLOWER = _about(2.0, "s", "section 4.2 of Fig. 3")
"""How much longer HTTP/1.1 takes over TLS."""
ORDER_OF_MAGNITUDE = _about(10.0, "times", "section 4.2 of Fig. 3")
"""Load time of HTTP/1.0 over that of HTTP/1.1."""
SIMILAR_PERCENT = 20.0
"""What the text calls similar: 9 s and 10 s, which are up to 19 % apart before they are rounded."""

_EXACT = "a count: one connection of 642 is 0.2 %"
CONNECTIONS_HTTP10 = _count(642.0, "section 4.3 of Fig. 4", 1.0, _EXACT)
CONNECTIONS_SPDY = _count(1.0, "section 4.2 of Fig. 3", 1.0, "a count")
CONNECTIONS_FIRST = _count(6.0, "section 4.2 of Fig. 3", 1.0, "a count")
CONNECTIONS_MORE = _count(
    6.0,
    "section 4.2 of Fig. 3",
    ROUGH_MARGIN_PERCENT,
    "whether the document's connection is one of the six is not said: one more or less is 17 %",
)
LAST_OBJECTS = _count(
    42.0,
    "section 4.2 of Fig. 3",
    LEVEL_MARGIN_PERCENT,
    "642 less 600, reckoned and not counted; the document's own connection may take one more",
)

RATE_HTTP10 = _about(9.0, "kB/s", "section 4.3 of Fig. 4")
"""On average."""
RATE_H1 = _about(200.0, "kB/s", "section 4.3 of Fig. 5")
""""More than 200", and less than the 250 that are the best."""
RATE_SPDY = _about(250.0, "kB/s", "section 4.3 of Fig. 6")

_BY_SCHEME = "section 4.4 of Fig. 7"
VBDC_PLT = {
    "http10": _about(300.0, "s", _BY_SCHEME),
    "h1": _about(150.0, "s", _BY_SCHEME),
    "spdy": _about(21.0, "s", _BY_SCHEME),
}
VBDC_ROUND_TRIP = _about(1.6, "s", _BY_SCHEME)
SPDY_VBDC_ABOVE_CRA = _about(10.0, "s", _BY_SCHEME)
SPDY_CRA_PLT_S = VBDC_PLT["spdy"].value - SPDY_VBDC_ABOVE_CRA.value
"""Not printed: 21 s less the 10 s that they are "greater than when using CRA"."""
