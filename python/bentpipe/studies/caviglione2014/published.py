"""Every number of the publication that ours are compared with."""

from collections.abc import Mapping
from dataclasses import dataclass

TITLE = "Performance Evaluation of HTTP and SPDY over a DVB-RCS Satellite Link with Different BoD Schemes"
CITATION = (
    "Caviglione, Gotta, Abdel Salam, Luglio, Roseti, Zampognaro: Performance Evaluation of HTTP and SPDY "
    "over a DVB-RCS Satellite Link with Different BoD Schemes. 6th International Conference on Personal "
    "Satellite Services (PSATS) 2014"
)
DOI: str | None = None
"""None is known."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """The page by one protocol: data in kB, load time, throughput in kB/s where a number is given."""

    data_kb: float
    plt_s: float
    throughput_kbps: float | None = None


LOADS: Mapping[str, Load] = {
    "http10": Load(data_kb=508, plt_s=131, throughput_kbps=9),
    "http10s": Load(data_kb=871, plt_s=198),
    "h1": Load(data_kb=508, plt_s=10, throughput_kbps=200),
    "h1s": Load(data_kb=659, plt_s=12),
    "spdy": Load(data_kb=416, plt_s=9, throughput_kbps=250),
}
"""At a constant rate. HTTP/1.1 has "above" 200 kB/s, over TLS "slightly less".

None of the throughputs is the data over the load time, which are 4, 51 and 46 kB/s.
"""

VBDC_PLT_S: Mapping[str, float] = {"http10": 300, "h1": 150, "spdy": 21}
"""By volume, transfers on the return link."""
SPDY_VBDC_RTT_S = 1.6
SPDY_VBDC_ABOVE_CRA_S = 10.0
