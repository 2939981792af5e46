"""A check as Markdown, as GitHub shows it in the summary of a job."""

import re

from bentpipe.check.order import Checked
from bentpipe.check.verdict import Verdict
from bentpipe.check.words import HEADING, name_of, row, sentences, summary
from bentpipe.printable import printable

MARKS = {Verdict.KEPT: "\N{WHITE HEAVY CHECK MARK}", Verdict.BROKEN: "\N{CROSS MARK}", Verdict.UNJUDGED: "-"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def markdown(checked: Checked) -> str:
    """Return the verdicts, the broken ones first, and what became of the page loads that were compared."""
    against = f" against {_escaped(checked.baseline)}" if checked.baseline else ""
    lines = [f"## Budgets of {_escaped(checked.file.name)}{against}", "", _escaped(summary(checked)), ""]
    lines += [f"| {' | '.join(word.capitalize() for word in HEADING)} |", "|" + " --- |" * len(HEADING)]
    for finding in sorted(checked.findings, key=lambda each: each.verdict is not Verdict.BROKEN):
        verdict, *cells = row(finding)
        mark = f"{MARKS[finding.verdict]} {verdict}"
        lines.append(f"| {' | '.join([mark, *map(_escaped, cells)])} |")
    for changed in checked.changes:
        lines += ["", f"### What changed: {_escaped(name_of(changed.cell))}", ""]
        lines += [f"- {_escaped(sentence)}" for sentence in sentences(changed.change)]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Return a text, which others may have written, as Markdown that shows it."""
    return _SPECIAL.sub(r"\\\1", printable(text))
