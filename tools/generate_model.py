"""Writes python/bentpipe/model: frozen classes of specs and records, from the JSON schemas of crates/run.

`make model` calls it; a test generates them anew and compares (tests/tidy/test_model.py).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bentpipe import _core

PACKAGE = Path(__file__).parents[1] / "python/bentpipe/model"

MODULES = {
    "switch": (("Switch",), "Something that is on or off."),
    "queue": (("QueueSpec",), "Queues and how they drop or mark, as crates/link takes them."),
    "channel": (("JitterSpec", "LossSpec"), "What becomes of packets on their way: jitter and losses."),
    "dvbs2": (("Dvbs2CapacitySpec",), "A DVB-S2 carrier: frames, MODCODs, encapsulation and fading."),
    "rcs2": (
        ("Rcs2CapacitySpec",),
        "A DVB-RCS2 return link: superframes, requests, assignment and other terminals.",
    ),
    "schedule": (("ScheduleSpec",), "A path that changes: schedules, epochs, and satellites over sites."),
    "link": (("LinkSpec",), "A link and its parts, as crates/link takes them."),
    "cc": (
        ("Algorithm", "SlowStartChoice", "BbrSpec", "ResumeSpec"),
        "Congestion control: the algorithms, and how a sender starts.",
    ),
    "hosts": (
        ("TcpSpec", "QuicSpec", "Http2Spec", "TlsSpec", "KeyExchange", "DnsSpec", "HostsSpec"),
        "The hosts at both ends: their protocols' settings, and how fast they are.",
    ),
    "pep": (("PepSpec",), "Performance-enhancing proxies."),
    "flow": (("BulkWorkload", "FlowsWorkload", "Iperf3Workload"), "Flows, and what sends them."),
    "page": (("PageLoadWorkload",), "Page loads: protocols, pages and their objects."),
    "spec": (("RunSpec",), "A run: its hosts, its proxy, its workload and when its numbers are valid."),
    "reason": (("Reason",), "Why a run failed or is invalid: a code and its fields."),
    "metrics": (("Metrics",), "The figures of a run."),
    "record": (("RunRecord",), "What a run measured."),
    "report": (("RunReports",), "What client, origin and link saw of a run, before it is a record."),
    "description": (("LinkDescription",), "What a link comes to: rates, frames, MODCODs and waits."),
}
"""Each with the types that are in it with all that they consist of, unless that is in a module before."""

DRAFTS = {
    **{name: MODULES[name] for name in ("switch", "queue", "channel", "dvbs2", "rcs2", "schedule")},
    "link": (("LinkSpec",), "A link and its parts."),
    **{name: MODULES[name] for name in ("cc", "hosts", "pep", "flow", "page")},
    "spec": (("CellSpec",), "A run without its seed."),
}
"""Likewise, of those that a scenario is resolved to: dictionaries, while they are put together."""

FROZEN = (
    "--output-model-type=pydantic_v2.BaseModel",
    "--base-class=bentpipe.model.frozen.Frozen",
    "--use-annotated",
    "--use-generic-container-types",
    "--use-one-literal-as-default",
    "--enum-field-as-literal=one",
    "--capitalise-enum-members",
)
TYPED_DICT = ("--output-model-type=typing.TypedDict", "--enum-field-as-literal=all")
OPTIONS = (
    "--input-file-type=jsonschema",
    "--target-python-version=3.11",
    "--treat-dot-as-module",
    "--use-exact-imports",
    "--strict-nullable",
    "--skip-root-model",
    "--use-type-alias",
    "--use-schema-description",
    "--use-field-description",
    "--use-single-line-docstring",
    "--use-double-quotes",
    "--disable-timestamp",
    "--disable-warnings",
    "--custom-file-header=#",
    "--formatters=builtin",
)

_NUMBERS = {"integer", "number"}
_CHECKED_BY_RUST = {"minimum", "maximum", "format", "additionalProperties"}

NOTICE = "Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`)."

Modules = Mapping[str, tuple[tuple[str, ...], str]]
Schema = dict[str, Any]
"""A JSON schema, which may hold anything."""


def main() -> None:
    """Write the package."""
    generate(PACKAGE)


def generate(package: Path) -> None:
    """Write the generated modules into a folder."""
    definitions = _shared_schema()
    _write(package, MODULES, definitions, FROZEN)
    cell = json.loads(json.dumps(definitions["RunSpec"]))
    del cell["properties"]["seed"]
    cell["required"].remove("seed")
    (package / "draft").mkdir(exist_ok=True)
    _write(package / "draft", DRAFTS, {**definitions, "CellSpec": cell}, TYPED_DICT)


def _write(
    package: Path, modules: Modules, definitions: Mapping[str, Schema], options: Sequence[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        schema, output = Path(folder, "schema.json"), Path(folder, "model")
        schema.write_text(json.dumps(_modules(definitions, modules)))
        generator = [sys.executable, "-m", "datamodel_code_generator", *OPTIONS, *options]
        subprocess.run([*generator, f"--input={schema}", f"--output={output}"], check=True)
        for module, (_, title) in modules.items():
            written, kept = output / f"{module}.py", package / f"{module}.py"
            kept.write_text(f'"""{title}\n\n{NOTICE}\n"""\n' + written.read_text().removeprefix("#\n"))
            _format(kept)


def _format(file: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select=I,UP,F401", "--fix", file], check=True)
    subprocess.run([*ruff, "format", "--quiet", file], check=True)


def _shared_schema() -> dict[str, Schema]:
    """Every definition by its name, those of what crosses the seam as a whole among them."""
    definitions: dict[str, Schema] = {}
    for text in (_core.run_record_schema(), _core.run_reports_schema(), _core.link_description_schema()):
        whole = json.loads(text)
        definitions |= whole.pop("$defs")
        definitions[whole["title"]] = whole
    for schema in definitions.values():
        for name, inner in schema.get("properties", {}).items():
            # Rust leaves out maps that are empty.
            if "additionalProperties" in inner and name not in schema.get("required", ()):
                inner["default"] = {}
    return _with_named_variants(_without_numbers(definitions))


def _without_numbers(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """Put numbers in place of the types of units: names of fields have the unit, and Rust checks bounds."""
    numbers = {name: schema["type"] for name, schema in definitions.items() if schema.get("type") in _NUMBERS}
    inlined: dict[str, Schema] = _replaced(
        {name: schema for name, schema in definitions.items() if name not in numbers},
        {f"#/$defs/{name}": {"type": kind} for name, kind in numbers.items()},
    )
    return inlined


def _with_named_variants(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """Give each variant of a tagged union a name: `CodelQueueSpec` is the `QueueSpec` of kind `codel`."""
    named: dict[str, Schema] = {}
    for name, schema in definitions.items():
        tag = _tag(schema)
        if tag is None:
            named[name] = schema
            continue
        mapping = {}
        for variant in schema["oneOf"]:
            kind = variant["properties"][tag]["const"]
            title = "".join(word.capitalize() for word in kind.split("-")) + name
            named[title] = variant
            mapping[kind] = f"#/$defs/{title}"
        union = [{"$ref": place} for place in mapping.values()]
        named[name] = {
            "description": schema.get("description", ""),
            "oneOf": union,
            "discriminator": {"propertyName": tag, "mapping": mapping},
        }
    return named


def _tag(schema: Schema) -> str | None:
    """The property that tells the variants of a union apart; None of what is no tagged union."""
    for tag in ("kind", "code"):
        if all(
            "const" in variant.get("properties", {}).get(tag, {}) for variant in schema.get("oneOf", [{}])
        ):
            return tag
    return None


def _modules(definitions: Mapping[str, Schema], modules: Modules) -> Schema:
    """Name each definition with its module; those of none are left out."""
    module: dict[str, str] = {}
    for name, (roots, _) in reversed(list(modules.items())):
        for root in roots:
            module |= dict.fromkeys(_reachable(root, definitions), name)
    place = {name: f"{module[name]}.{name}" for name in definitions if name in module}
    moved = {f"#/$defs/{name}": {"$ref": f"#/$defs/{to}"} for name, to in place.items()}
    return {"$defs": {place[name]: _replaced(definitions[name], moved) for name in place}}


def _reachable(name: str, definitions: Mapping[str, Schema]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [ref.removeprefix("#/$defs/") for ref in _references(definitions[name])]
    return found


def _references(value: Any) -> list[str]:
    match value:
        case {"$ref": str(reference)}:
            return [reference]
        case dict():
            return [found for inner in value.values() for found in _references(inner)]
        case list():
            return [found for inner in value for found in _references(inner)]
    return []


def _replaced(value: Any, by_reference: dict[str, Schema]) -> Any:
    """The same with other schemas, or references, where the keys are referred to."""
    match value:
        case {"$ref": str(reference), **others} if reference in by_reference:
            return {**by_reference[reference], **_replaced(others, by_reference)}
        case dict():
            return {
                key: _replaced(inner, by_reference)
                for key, inner in value.items()
                if not (key in _CHECKED_BY_RUST and not isinstance(inner, dict))
            }
        case list():
            return [_replaced(inner, by_reference) for inner in value]
        case str() if value in by_reference and "$ref" in by_reference[value]:
            return by_reference[value]["$ref"]
    return value


if __name__ == "__main__":
    main()
