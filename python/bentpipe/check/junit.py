"""A check as JUnit's XML, which CI services read: a test case for each limit of a budget in a cell."""

from bentpipe import junit
from bentpipe.check.order import Checked
from bentpipe.check.verdict import Finding, Verdict
from bentpipe.check.words import found_words, label, limit_words


def document(checked: Checked) -> bytes:
    """Return the document."""
    return junit.document(checked.file.name, [_case(finding) for finding in checked.findings])


def _case(finding: Finding) -> junit.Case:
    budget, found = finding.budget, found_words(finding)
    bound = f"{budget.metric.name} {budget.statistic.name} {limit_words(budget, finding.limit)}"
    return junit.Case(
        classname=budget.name,
        name=f"{label(budget, finding.cell)}: {bound}",
        failure=found if finding.verdict is Verdict.BROKEN else "",
        skipped=found if finding.verdict is Verdict.UNJUDGED else "",
        output=found if finding.verdict is Verdict.KEPT else "",
    )
