"""Files that others read, against their schemas: page loads as HAR 1.2, QUIC's events as qlog."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bentpipe import _core
from bentpipe.engine.simulate import Simulator
from tools.specs import spec_of
from tools.third_party import installing
from tools.third_party.check import Case, Check, Result
from tools.third_party.installing import PROGRAMS

_HAR_SCHEMA = "2.0.0"
_QLOG = Path(__file__).with_name("qlog.schema.json")
_LINK = "flat:down=20Mbit/s,up=5Mbit/s,rtt=60ms"
_SEPARATOR = "\x1e"
"""Starts every JSON text of a sequence (RFC 7464)."""

_HARS: Mapping[str, Mapping[str, Any]] = {
    **{http: {"http": http} for http in ("http10", "h1", "h1s", "h2c", "h2", "spdy", "h3")},
    "h2, several hosts": {"http": "h2", "page": "news-front"},
    "h2, pushed": {"http": "h2", "push": "50 %"},
    "h2, a second visit": {"http": "h2", "visit": "repeat", "tls": {"resumption": "ticket"}},
    "h2, a run that fails": {"http": "h2", "validity": {"timeout": "200 ms"}},
}
_QLOGS: Mapping[str, Mapping[str, Any]] = {
    "h3": {"http": "h3"},
    "h3, loss of 2 %": {"http": "h3", "link": f"{_LINK},loss=2%"},
    "h3, early data": {"http": "h3", "visit": "repeat", "tls": {"resumption": "early-data"}},
}
_LIBRARY = {
    "$.trace.event_schemas: [] should be non-empty": "writes none (main schema, `event_schemas: [+text]`)",
    "$.trace.common_fields.reference_time.epoch: '' is not valid under any of the given schemas": (
        "writes an empty one, which is neither a date nor `unknown` (main schema, ReferenceTime)"
    ),
}
"""What the header of the QUIC library (n0-qlog) lacks."""


def run() -> Result:
    """Simulate page loads, and judge the files that they leave."""
    python = installing.python()
    hars = installing.npm_package("har-schema", _HAR_SCHEMA) / "lib"
    with tempfile.TemporaryDirectory() as place:
        documents = [*_har_documents(), *_qlog_documents(Path(place))]
    asked = "".join(
        json.dumps({"schema": schema, "document": document}) + "\n" for _, schema, document in documents
    )
    files = [*sorted(hars.glob("*.json")), _QLOG]
    judged = subprocess.run(
        [python, PROGRAMS / "validate.py", *files], input=asked, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    faults: dict[tuple[str, str], list[str]] = {}
    for ((group, name), _, _), line in zip(documents, judged, strict=True):
        faults.setdefault((group, name), []).extend(json.loads(line))
    versions = {
        "har-schema": _HAR_SCHEMA,
        "draft-ietf-quic-qlog-main-schema": "13",
        "draft-ietf-quic-qlog-quic-events": "12",
        "jsonschema": installing.python_version("jsonschema"),
    }
    return Result(
        versions=versions, cases=[case for what, found in faults.items() for case in _cases(*what, found)]
    )


_Document = tuple[tuple[str, str], str, object]
"""Group and name of the case, reference of the schema, and what is to follow it."""


def _har_documents() -> Iterator[_Document]:
    for name, settings in _HARS.items():
        spec = spec_of({"link": _LINK, "page": "uniform-100k", **settings})
        record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)
        har = json.loads(_core.har_of(record.to_json(), record.provenance["started"]))
        yield ("HAR 1.2", name), "har.json", har


def _qlog_documents(place: Path) -> Iterator[_Document]:
    for number, (name, settings) in enumerate(_QLOGS.items()):
        folder = place / str(number)
        folder.mkdir()
        spec = spec_of({"link": _LINK, "page": "uniform-100k", **settings}, "capture.qlog=true")
        Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=folder)
        for file in sorted(folder.glob("*.qlog")):
            end = file.name.partition("-")[0]
            header, *events = (json.loads(text) for text in file.read_text().split(_SEPARATOR)[1:])
            yield ("qlog: headers", f"{name}, {end}"), f"{_QLOG.name}#/$defs/header", header
            for event in events:
                yield ("qlog: events", f"{name}, {end}"), f"{_QLOG.name}#/$defs/event", event


def _cases(group: str, name: str, faults: Sequence[str]) -> Iterator[Case]:
    others = [fault for fault in faults if fault not in _LIBRARY]
    yield Case.judged(group, name, "; ".join(others[:3]) or None)
    for fault in dict.fromkeys(fault for fault in faults if fault in _LIBRARY):
        field = fault.partition(":")[0].rpartition(".")[2]
        yield Case.known(group, f"{name}: {field}", f"the QUIC library {_LIBRARY[fault]}")


CHECK = Check(
    name="formats",
    title="HAR and qlog: files that others read",
    about="""\
Simulated page loads as HAR 1.2 against har-schema, and both ends' event logs against the drafts of qlog by a
schema of ours (`tools/third_party/qlog.schema.json`; none is published).""",
    run=run,
)
