"""Event logs of QUIC."""

import json

RECORD_SEPARATOR = "\x1e"
"""Starts every JSON text of a sequence (RFC 7464)."""


def events(file):
    """Return the events of a qlog file, a JSON text sequence headed by its schema."""
    first, *texts = file.read_text().split(RECORD_SEPARATOR)
    assert first == ""
    header, *events = [json.loads(text) for text in texts]
    assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    return events
