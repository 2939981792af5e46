"""The factors of a cell: how it is told from the others, in the scenario's own words."""

from collections.abc import Mapping

from bentpipe import _core
from bentpipe.model.draft.spec import CellSpec
from bentpipe.model.flow import FlowSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.flows import flow_label
from bentpipe.scenario.written.dotted import flattened
from bentpipe.scenario.written.schema import PepTable, RunTable
from bentpipe.scenario.written.table import or_default

NAMED = ("link", "page", "bulk.flows")
"""Keys that may hold tables, whose factor is a name."""

CONDITIONS = (
    "link",
    "server_behind",
    "terrestrial",
    "page",
    "response_header",
    "visit",
    "client",
    "ping",
    "bulk",
)
"""Keys that say under what is measured: nobody chooses a protocol by them."""
NO_CHOICES = ("validity", "capture")
"""Keys that say how it is measured."""
CHOICES = ("bulk.transport", "bulk.flows")
"""Keys below those of conditions that are choices all the same."""


def is_choice(name: str) -> bool:
    """Whether a factor is one that a user chooses, such as `http`, `cc`, `pep` or a setting of TCP.

    The others are conditions: cells that differ in one of them are not to be compared as better and worse.
    """
    return name in CHOICES or name.partition(".")[0] not in (*CONDITIONS, *NO_CHOICES)


def factors_of(
    run: RunTable, spec: CellSpec, varied: Mapping[str, object], *, link: object
) -> dict[str, str]:
    """Return the factors of a cell: those that every cell of its kind has, then what the matrix varies.

    `link` is the link as written, before the matrix changed settings below it, for these are factors too.
    """
    workload = spec["workload"]
    factors = {"link": link["name"] if isinstance(link, dict) and "name" in link else label(link)}
    match workload["kind"]:
        case "page-load":
            factors |= {
                "http": workload["http"],
                "cc": spec["cc"],
                "page": workload["page"]["name"],
                "connections": str(run.connections or defaults.CONNECTIONS),
            }
        case "bulk" | "iperf3":
            factors |= {
                "cc": spec["cc"],
                "bulk.transport": workload["transport"],
                "bulk.direction": workload["direction"],
                **_extent(workload.get("bytes"), workload.get("duration_ns")),
            }
        case "flows":
            factors |= {
                "bulk.flows": " ".join(
                    flow_label(FlowSpec.model_validate(flow)) for flow in workload["flows"]
                ),
                "bulk.direction": workload["direction"],
                **_extent(workload.get("bytes"), workload.get("duration_ns")),
            }
        case _:
            factors |= {"ping.size": _core.format_size(workload["payload_bytes"])}
    factors |= {
        "client": run.client or defaults.CLIENT,
        "server": run.server or defaults.SERVER,
        "pep": or_default(or_default(run.pep, PepTable()).kind, defaults.PEP),
    }
    written = {key: label(value) for key, value in varied.items() if key not in NAMED}
    return factors | written


def _extent(size_bytes: int | None, duration_ns: int | None) -> dict[str, str]:
    """Return the length of flows, which is limited by either."""
    if size_bytes is not None:
        return {"bulk.size": _core.format_size(size_bytes)}
    assert duration_ns is not None
    return {"bulk.duration": _core.format_duration(duration_ns)}


def label(value: object) -> str:
    """Write a value of the matrix as one word or two."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ", ".join(f"{key}={label(leaf)}" for key, leaf in flattened(value).items())
    if isinstance(value, list):
        return " ".join(label(item) for item in value)
    return str(value)
