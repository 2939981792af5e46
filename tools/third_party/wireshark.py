"""Wireshark's reading of our captures: packets of virtual time, which are encoded for the capture alone."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bentpipe.engine.simulate import Simulator
from tools.specs import spec_of
from tools.third_party import installing
from tools.third_party.check import Case, Check, Result
from tools.third_party.tshark import CLIENT, SERVER, TsharkError, dissected

_LINK = "flat:down=20Mbit/s,up=5Mbit/s,rtt=60ms"
_PAGE = "uniform-100k"
_REPEAT = {"visit": "repeat", "tcp": {"fast_open": True}}
_AT_ONCE = 2
# Errors alone: a note of the same group says that the content of a file is not what its type says.
_MALFORMED = "(_ws.malformed && _ws.expert.severity == 8388608)"
# After CONNECT to a proxy, Wireshark sometimes takes ciphertext for the rest of an HTTP message.
_CIPHERTEXT_TAKEN_FOR_HTTP = "(http && !http.request.method && !http.response.code)"
_BAD_CHECKSUM = "ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"
_UNDECRYPTED = "quic.decryption_failed"

_PAGES: Mapping[str, tuple[str, ...]] = {
    "as it is": ("http10", "http10s", "h1", "h1s", "h2c", "h2", "spdy", "h3"),
    "loss of 2 %": ("h1", "h2", "h3"),
    "marked EF": ("h2", "h3"),
    "priorities": ("h2", "spdy", "h3"),
    "push": ("h2", "h2c", "spdy"),
    "pipelining": ("h1", "h1s"),
    "TLS 1.2": ("h1s", "h2", "spdy"),
    "tickets, TCP Fast Open, second visit": ("h1s", "h2"),
    "early data, second visit": ("h2", "h3"),
    "no timestamps": ("h1", "h2"),
    "a proxy that splits": ("h1", "h2"),
    "a tunnel": ("h2",),
    "an HTTP proxy": ("h1", "h2"),
    "DVB-S2 and DVB-RCS2": ("h2", "h3"),
    "several hosts": ("h1", "h2", "h3"),
}
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "as it is": {},
    "loss of 2 %": {"link": f"{_LINK},loss=2%"},
    "marked EF": {"dscp": "EF"},
    "priorities": {"priorities": "on"},
    "push": {"push": "50 %"},
    "pipelining": {"pipelining": 8},
    "TLS 1.2": {"tls": {"version": "1.2"}},
    "tickets, TCP Fast Open, second visit": {**_REPEAT, "tls": {"resumption": "ticket"}},
    "early data, second visit": {"visit": "repeat", "tls": {"resumption": "early-data"}},
    "no timestamps": {"tcp": {"timestamps": False}},
    "a proxy that splits": {"pep": "split"},
    "a tunnel": {"pep": "tunnel"},
    "an HTTP proxy": {"pep": "proxy"},
    "DVB-S2 and DVB-RCS2": {"link": "geo-alshagri"},
    "several hosts": {"page": "news-front"},
}
_OTHERS: Mapping[str, Mapping[str, Any]] = {
    "a flow over TCP down": {"bulk": {"size": "1 MB"}},
    "a flow over TCP up": {"bulk": {"size": "1 MB", "direction": "up"}},
    "a flow over QUIC": {"bulk": {"size": "1 MB", "transport": "quic"}},
    "flows that compete": {"bulk": {"duration": "2 s", "flows": ["cubic", "quic:bbr"]}},
    "pings": {"ping": {"count": 5}},
}


def run() -> Result:
    """Simulate each, and have its capture read with the secrets of TLS in it and without."""
    versions = {"tshark": installing.debian_version("tshark")}
    installing.command("tshark", package="tshark")
    editcap = installing.command("editcap", package="wireshark-common")
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        read = pool.map(lambda one: list(_read(one[0], one[1], editcap)), _runs())
        return Result(versions=versions, cases=[case for cases in read for case in cases])


def _runs() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for option, protocols in _PAGES.items():
        for http in protocols:
            yield f"{http}, {option}", {"link": _LINK, "page": _PAGE, "http": http, **_OPTIONS[option]}
    for name, workload in _OTHERS.items():
        yield name, {"link": _LINK, **workload}


def _read(name: str, run: Mapping[str, Any], editcap: Path) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # By either protocol: CONNECT is over HTTP/2.
        is_tunnelled = run.get("pep") == "proxy"
        spec = spec_of(run, "capture.pcapng=true")
        record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=folder)
        if record.status != "succeeded":
            yield Case.judged("with the secrets of TLS", name, f"the run did not succeed: {record.reasons}")
            return
        yield Case.judged(
            "with the secrets of TLS", name, _fault(folder, is_decrypted=True, is_tunnelled=is_tunnelled)
        )
        without = folder / "without"
        without.mkdir()
        packets = [folder / "packets.pcapng", without / "packets.pcapng"]
        subprocess.run([editcap, "--discard-all-secrets", *packets], check=True, capture_output=True)
        yield Case.judged(
            "without them", name, _fault(without, is_decrypted=False, is_tunnelled=is_tunnelled)
        )


def _fault(folder: Path, *, is_decrypted: bool, is_tunnelled: bool) -> str | None:
    """Say what of a capture is not as it should be; None when all is."""
    malformed = f"({_MALFORMED} && !{_CIPHERTEXT_TAKEN_FOR_HTTP})" if is_tunnelled else _MALFORMED
    bad = f"{malformed} || {_BAD_CHECKSUM}" + (f" || {_UNDECRYPTED}" if is_decrypted else "")
    # Whether both ends are whole does not go with the secrets.
    ends = (CLIENT, SERVER) if is_decrypted else (CLIENT,)
    try:
        for end in ends:
            if frames := dissected(folder, show=bad, end=end):
                return f"{len(frames)} packets at end {end}, the first is number {frames[0]}"
    except TsharkError as error:
        return str(error)
    return None


CHECK = Check(
    name="wireshark",
    title="Wireshark: our captures",
    about="""\
In captures of simulated page loads (every version of HTTP), flows and pings tshark must find no malformed
packet, no false checksum and, with the TLS secrets, no QUIC packet that it cannot decrypt; likewise after
editcap has removed the secrets.""",
    run=run,
)
