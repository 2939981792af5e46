"""Verdicts on scripts in the XML of JUnit."""

from collections.abc import Mapping

from bentpipe import junit
from bentpipe.engine.packetdrill import Outcome, Verdict


def document(verdicts: Mapping[str, Verdict], *, engine: str) -> bytes:
    """Return the document of the verdicts of scripts, by their names."""
    cases = [
        junit.Case(
            classname=engine,
            name=name,
            failure=verdict.words(name) if verdict.outcome is Outcome.FAILED else "",
            skipped=verdict.words(name) if verdict.outcome is Outcome.SKIPPED else "",
        )
        for name, verdict in verdicts.items()
    ]
    return junit.document(f"packetdrill {engine}", cases)
