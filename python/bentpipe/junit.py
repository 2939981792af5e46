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
    """A verdict: failed or skipped with a message, or neither.

    Attributes
    ----------
    classname, name : str
        What it is about, the wider one first.
    failure, skipped : str
        Why; empty where it is neither.
    output : str
        What is told of one that passed.
    """

    classname: str
    name: str
    failure: str = ""
    skipped: str = ""
    output: str = ""


def document(name: str, cases: Sequence[Case]) -> bytes:
    """Return the document of a suite of verdicts."""
    suite = ElementTree.Element(
        "testsuite",
        name=printable(name),
        tests=str(len(cases)),
        failures=str(sum(bool(case.failure) for case in cases)),
        skipped=str(sum(bool(case.skipped) for case in cases)),
    )
    for each in cases:
        case = ElementTree.SubElement(
            suite, "testcase", classname=printable(each.classname), name=printable(each.name)
        )
        for kind in ("failure", "skipped"):
            if message := getattr(each, kind):
                ElementTree.SubElement(case, kind, message=printable(message, kept="\n"))
        if each.output:
            ElementTree.SubElement(case, "system-out").text = printable(each.output)
    ElementTree.indent(suite)
    text: str = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
    return text.encode()
