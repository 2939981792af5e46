"""Our loader against servers of others, over the sockets of the kernel."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bentpipe.campaign.requirements import require_emulate
from bentpipe.engine.process.part import PartError
from tools.third_party import installing
from tools.third_party.check import Case, Check, Result
from tools.third_party.installing import PROGRAMS
from tools.third_party.world import ADDRESS, OBJECTS, Place, load_page

_Command = Callable[[Place], Sequence[str | Path]]


def run() -> Result:
    """Load the page from each."""
    require_emulate()
    cases = [_case(group, http, serve) for (group, http), serve in _servers().items()]
    versions = {
        "aioquic": installing.python_version("aioquic"),
        "quic-go": installing.go_version("quic_go", "github.com/quic-go/quic-go"),
        "ngtcp2": installing.debian_version("ngtcp2-server"),
        "nghttp2": installing.debian_version("nghttp2-server"),
    }
    return Result(versions=versions, cases=cases)


def _servers() -> Mapping[tuple[str, str], _Command]:
    python, quic_go = installing.python(), installing.go_program("quic_go")
    gtlsserver = installing.command("gtlsserver", package="ngtcp2-server")
    nghttpd = installing.command("nghttpd", package="nghttp2-server")

    def aioquic(place: Place) -> list[str | Path]:
        return [python, PROGRAMS / "aioquic_serve.py", place.document, place.certificate, place.key]

    def go(place: Place) -> list[str | Path]:
        return [quic_go, "serve", f"{ADDRESS}:443", place.document, place.certificate, place.key]

    def ngtcp2(place: Place) -> list[str | Path]:
        return [
            gtlsserver,
            "--quiet",
            f"--htdocs={place.root}",
            "0.0.0.0",
            "443",
            place.key,
            place.certificate,
        ]

    def nghttp2(place: Place) -> list[str | Path]:
        return [nghttpd, "--address=0.0.0.0", f"--htdocs={place.root}", "443", place.key, place.certificate]

    return {
        ("aioquic", "h3"): aioquic,
        ("quic-go", "h3"): go,
        ("ngtcp2 (gtlsserver)", "h3"): ngtcp2,
        ("nghttp2 (nghttpd)", "h2"): nghttp2,
    }


def _case(group: str, http: str, serve: _Command) -> Case:
    name = f"{http}, a page of {len(OBJECTS)} objects"
    try:
        report = load_page(http, serve)
    except PartError as error:
        return Case.judged(group, name, str(error))
    found = [item.status for item in report.objects]
    expected = [200] * (1 + len(OBJECTS))
    # A body that is not what it should be is a doubt.
    faults = [repr(fault) for fault in (*report.faults, *report.doubts)]
    if found == expected and not faults:
        return Case.judged(group, name, None)
    return Case.judged(group, name, f"statuses {found}, faults: {'; '.join(faults)}")


CHECK = Check(
    name="servers",
    title="Our loader against servers of others",
    about="""\
A page of 500 kB from each over the same link; the loader verifies the certificate and every body. nginx and
Caddy: `tests/emulate/test_servers.py`.""",
    run=run,
)
