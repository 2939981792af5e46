"""Verdicts on published claims: a measurement, judged by a rule."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from bentpipe.stats import Interval
from bentpipe.studies.rules import Agreement, Rule


class Standing(Enum):
    """What a published statement is to a repetition."""

    CLAIM = "claim"
    """It can agree or differ, and counts."""
    CALIBRATED = "calibrated"
    """The link was made from it: that it comes out shows that the link does what it should, and no more."""
    IMPOSSIBLE = "impossible"
    """It cannot hold beside another number of the same publication, or beside propagation: arithmetic."""
    PROPERTY = "property"
    """The publication says it of all such links, or ours says it of itself: reported, not counted."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Our number behind a claim, in percent: a relative difference, a level, or a deviation.

    `basis` says what it was measured on; `gap` why it could not be measured, or only in part.
    """

    percent: float | None
    ci: Interval | None
    basis: str
    gap: str | None = None

    @property
    def text(self) -> str:
        """The number with its interval."""
        if self.percent is None:
            return "not measured"
        reach = f" ({self.ci.low:.1f} to {self.ci.high:.1f})" if self.ci else ""
        return f"{self.percent:.1f} %{reach}"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One comparison of a claim, judged.

    Attributes
    ----------
    label : str
        What is compared.
    agreement : Agreement
        Whether ours bears it out.
    measurement : Measurement
        Ours in percent.
    rule : Rule
        By which it was judged.
    sentence : str
        Why it was judged so.
    published : str
        What the publication says, in few words or with its unit.
    ours : str
        What ours came to, in the same words or unit.
    """

    label: str
    agreement: Agreement
    measurement: Measurement
    rule: Rule
    sentence: str
    published: str
    ours: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A claim, judged by all its findings: it agrees only when every one does.

    Attributes
    ----------
    claim_id : str
        Its name, which stays.
    claim : str
        What the publication says.
    agreement : Agreement
        What the findings come to.
    findings : tuple of Finding
        Each comparison.
    source : str
        Where the publication says it.
    standing : Standing
        Whether it counts.
    note : str
        The arithmetic of what is impossible, the parameter that a calibrated number became; else empty.
    """

    claim_id: str
    claim: str
    agreement: Agreement
    findings: tuple[Finding, ...]
    source: str = ""
    standing: Standing = Standing.CLAIM
    note: str = ""


def judge(
    label: str, measurement: Measurement, rule: Rule, *, published: str = "", ours: str = ""
) -> Finding:
    """Apply a rule to a measurement; one without number or interval is not testable.

    `published` and `ours` are what a table shows; without them the rule's words and the percentage.
    """
    if measurement.percent is None:
        agreement, sentence = Agreement.NOT_TESTABLE, measurement.gap or "not measured"
    elif measurement.ci is None:
        agreement = Agreement.NOT_TESTABLE
        sentence = (
            "no interval: that takes two succeeded runs or more in every cell and a reference clear of zero"
        )
    else:
        agreement, sentence = rule(measurement.percent, measurement.ci)
        sentence = "; ".join(filter(None, (sentence, measurement.gap)))
    return Finding(
        label=label,
        agreement=agreement,
        measurement=measurement,
        rule=rule,
        sentence=sentence,
        published=published or rule.claimed,
        ours=ours or measurement.text,
    )


def verdict(
    claim_id: str,
    claim: str,
    findings: Sequence[Finding],
    *,
    source: str = "",
    standing: Standing = Standing.CLAIM,
    note: str = "",
) -> Verdict:
    """Join findings: one that differs decides, then one that is not testable.

    No correction for several comparisons: a claim about all of them agrees only when each does on its own
    (intersection-union test, Berger 1982), which keeps the error rate of the whole at that of one.
    """
    found = {finding.agreement for finding in findings}
    if Agreement.DIFFERS in found:
        agreement = Agreement.DIFFERS
    elif Agreement.NOT_TESTABLE in found or not found:
        agreement = Agreement.NOT_TESTABLE
    else:
        agreement = Agreement.AGREES
    return Verdict(
        claim_id=claim_id,
        claim=claim,
        agreement=agreement,
        findings=tuple(findings),
        source=source,
        standing=standing,
        note=note,
    )
