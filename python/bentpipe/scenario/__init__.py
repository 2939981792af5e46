"""Scenarios: parse what is written, resolve it to complete run specifications in SI units."""

from bentpipe.scenario.cells import Override
from bentpipe.scenario.load import (
    Clock,
    Extent,
    WrittenScenario,
    load,
    parse_override,
    read_scenario,
    resolve_document,
)
from bentpipe.scenario.model import Cell, Scenario, canonical_json, digest, identity

__all__ = [
    "Cell",
    "Clock",
    "Extent",
    "Override",
    "Scenario",
    "WrittenScenario",
    "canonical_json",
    "digest",
    "identity",
    "load",
    "parse_override",
    "read_scenario",
    "resolve_document",
]
