"""The table of verdicts in a study's page."""

from collections.abc import Iterator, Sequence

from bentpipe.studies.verdict import Standing
from tools.block import row
from tools.study_pages.kept import KeptClaim, KeptFinding, KeptStudy, forest_of

MARK = "verdicts"


def lines(study: KeptStudy) -> Iterator[str]:
    """Yield the lines between the marks."""
    score = study.score
    share = 100 * (score.agree + score.decided) / max(score.possible, 1)
    yield (
        f"Of {score.possible} claims that can hold **{score.agree} agree** under the rig, "
        f"**{score.decided}** differ and a named ablation makes them agree, **{score.open}** are open: "
        f"{share:.0f} % are decided. {score.calibrated} numbers are inputs of the link, {score.impossible} "
        f"cannot hold. Measured by `bentpipe reproduce {study.name} --engine {study.engine} --ablations`; "
        "intervals are 95 %."
    )
    yield ""
    yield f"![Each comparison: published and ours, with intervals]({forest_of(study)})"
    yield ""
    yield "| Claim | Source | Published | Ours | Verdict | Present software | Decided by |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for claim in study.claims:
        if claim.standing == Standing.CLAIM.value:
            cells = (claim.agreement, claim.today or "", _decided(claim))
            yield row(claim.claim, claim.source, *_numbers(claim), *cells)
    others = [claim for claim in study.claims if claim.standing != Standing.CLAIM.value]
    if others:
        yield ""
        yield "| Not counted | Source | Published | Ours | What it is | Why |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for claim in others:
            yield row(claim.claim, claim.source, *_numbers(claim), claim.standing, claim.note)


def _numbers(claim: KeptClaim) -> tuple[str, str]:
    """Return the published number and ours of the comparison that decides, and how many there are."""
    if not claim.findings:
        return "", ""
    telling = next((each for each in claim.findings if each.agreement == claim.agreement), claim.findings[0])
    if len(claim.findings) == 1:
        return telling.published, telling.ours
    agree = sum(each.agreement == "agrees" for each in claim.findings)
    count = f"{agree} of {len(claim.findings)} agree"
    return f"{_labelled(telling)}", f"{telling.ours}; {count}"


def _labelled(finding: KeptFinding) -> str:
    return f"{finding.label}: {finding.published}"


def _decided(claim: KeptClaim) -> str:
    match claim.decided:
        case "agrees" if claim.rests_on:
            return f"the rig; not with {_listed(claim.rests_on)}"
        case "agrees":
            return "whatever is varied"
        case "decided":
            return _listed(claim.agrees_with)
        case _:
            return "**open**"


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
