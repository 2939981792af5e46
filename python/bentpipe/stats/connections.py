"""Connections that a client opened beside one that was slow to come."""

from collections.abc import Mapping
from typing import Any


def duplicates(record: Mapping[str, Any]) -> int:
    """How many of a page load's connections are duplicates (`Purpose` of crates/run/src/report.rs)."""
    return sum(1 for connection in record["client_connections"] if connection.get("purpose") == "duplicate")
