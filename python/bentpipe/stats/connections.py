"""Connections that a client opened beside one that was slow to come."""

from bentpipe.model.record import RunRecord


def duplicates(record: RunRecord) -> int:
    """How many of a page load's connections are duplicates (`Purpose` of crates/run/src/report.rs)."""
    return sum(connection.purpose is not None for connection in record.client_connections)
