"""h2spec, a conformance test of HTTP/2 servers, against our origin."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from bentpipe.campaign.requirements import require_emulate
from bentpipe.errors import AbilityError
from tools.third_party import installing
from tools.third_party.check import Case, Check, Result
from tools.third_party.world import HOST, ask_origin

_PACKAGE = "github.com/summerwind/h2spec/cmd/h2spec"
_REVISION = "v0.0.0-20200804131034-70ac22940108"
"""Go knows version 2.6.0 by its commit alone: the tag does not fit to the path of the module."""
_VERSION = "2.6.0"
_NO_PREFACE = "3.5: Sends invalid connection preface"
_SPEAKS_HTTP_1 = (
    "in clear text the port speaks HTTP/1.1 too, by which the line that is sent is a malformed request: it "
    "is answered with status 400 and the end of the connection (RFC 9112 section 2.2). RFC 9113 section 3.4 "
    "lets the GOAWAY be left out, as the peer is not using HTTP/2"
)
_TRANSPORTS = {
    "over TLS": ["--port", "443", "--tls", "--insecure"],
    "in clear text": ["--port", "80"],
}


def run() -> Result:
    """Run all its sections over TLS and in clear text, with the cases that only its strict mode has."""
    require_emulate()
    program = installing.go_tool(_PACKAGE, _REVISION)
    cases = [case for transport in _TRANSPORTS for case in _cases(program, transport)]
    return Result(versions={"h2spec": _VERSION}, cases=cases)


def _cases(program: Path, transport: str) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        options: list[str | Path] = ["--host", HOST, "--strict", "--timeout", "3", "--junit-report", report]
        done = ask_origin(program, *options, *_TRANSPORTS[transport])
        if not report.is_file():
            raise AbilityError("h2spec did not run", f"it said: {done.stdout} {done.stderr}")
        for test in ElementTree.parse(report).iter("testcase"):
            yield _case(test, transport)


def _case(test: ElementTree.Element, transport: str) -> Case:
    # Such as `http2/6.5.3`.
    part, _, section = test.attrib["package"].partition("/")
    group = f"{part}, {transport}"
    name = f"{section}: {test.attrib['classname']}"
    failure = test.find("failure")
    if failure is None:
        failure = test.find("error")
    if failure is not None:
        if (name, transport) == (_NO_PREFACE, "in clear text"):
            return Case.known(group, name, _SPEAKS_HTTP_1)
        return Case.judged(group, name, " ".join("".join(failure.itertext()).split()))
    if test.find("skipped") is not None:
        return Case.skipped(group, name, "h2spec skipped it")
    return Case.judged(group, name, None)


CHECK = Check(
    name="h2spec",
    title="h2spec: our origin as a server of HTTP/2",
    about="""\
All sections in strict mode, over kernel sockets, with TLS and in clear text with prior knowledge: its own
cases (`generic`), RFC 7540 (`http2`, now RFC 9113) and RFC 7541 (`hpack`).""",
    run=run,
)
