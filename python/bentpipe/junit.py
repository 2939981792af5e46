"""Verdicts in the XML of JUnit, as programs that show tests read it.

Elements and attributes are those that Jenkins and GitLab know. There are no times: equal verdicts give
equal bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from bentpipe.printable import printable


@dataclass(frozen=True, kw_only=True)
class Case:
    """A verdict: failed, skipped or in error with a message, or none of these.

    Attributes
    ----------
    classname, name : str
        What it is about, the wider one first.
    failure, skipped, error : str
        Why; empty where it is none of these. In error is what could not be judged at all.
    output : str
        What is told of one that passed.
    """

    classname: str
    name: str
    failure: str = ""
    skipped: str = ""
    error: str = ""
    output: str = ""


def document(name: str, cases: Sequence[Case], *, properties: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return the document of a suite of verdicts, with names and values of what holds for all of them."""
    suite = ElementTree.Element(
        "testsuite",
        name=printable(name),
        tests=str(len(cases)),
        failures=str(sum(bool(case.failure) for case in cases)),
        errors=str(sum(bool(case.error) for case in cases)),
        skipped=str(sum(bool(case.skipped) for case in cases)),
    )
    if properties:
        listed = ElementTree.SubElement(suite, "properties")
        for key, value in properties:
            ElementTree.SubElement(listed, "property", name=printable(key), value=printable(value))
    for each in cases:
        case = ElementTree.SubElement(
            suite, "testcase", classname=printable(each.classname), name=printable(each.name)
        )
        for kind in ("failure", "skipped", "error"):
            if message := getattr(each, kind):
                ElementTree.SubElement(case, kind, message=printable(message, kept="\n"))
        if each.output:
            ElementTree.SubElement(case, "system-out").text = printable(each.output)
    ElementTree.indent(suite)
    text: str = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
    return text.encode()
