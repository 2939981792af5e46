"""Verdicts in the XML of JUnit, as programs that show tests read it."""

from collections.abc import Mapping
from xml.etree import ElementTree

from bentpipe.engine.packetdrill import Outcome, Verdict


def document(verdicts: Mapping[str, Verdict], *, engine: str) -> bytes:
    """Return the document of the verdicts of scripts, by their names."""
    count = {outcome: sum(each.outcome is outcome for each in verdicts.values()) for outcome in Outcome}
    suite = ElementTree.Element(
        "testsuite",
        name=f"packetdrill {engine}",
        tests=str(len(verdicts)),
        failures=str(count[Outcome.FAILED]),
        skipped=str(count[Outcome.SKIPPED]),
    )
    for name, verdict in verdicts.items():
        case = ElementTree.SubElement(suite, "testcase", classname=engine, name=name)
        if verdict.outcome is Outcome.FAILED:
            ElementTree.SubElement(case, "failure", message=verdict.words(name))
        elif verdict.outcome is Outcome.SKIPPED:
            ElementTree.SubElement(case, "skipped", message=verdict.words(name))
    ElementTree.indent(suite)
    text: str = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
    return text.encode()
