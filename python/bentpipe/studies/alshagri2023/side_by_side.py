"""The claims on the satellite link beside the same claims on a constant-rate pipe."""

from bentpipe.studies.alshagri2023.cells import LAN, PIPE, SATELLITE
from bentpipe.studies.alshagri2023.claims import claims
from bentpipe.studies.rules import Agreement
from bentpipe.studies.study import Column, Runs, StudyTable
from bentpipe.studies.verdict import Finding, Standing

_COLUMNS = (
    Column(key="claim", heading="Claim"),
    Column(key="comparison", heading="Comparison"),
    Column(key="satellite_percent", heading="DVB-S2, DVB-RCS2 in %", decimals=1),
    Column(key="satellite_verdict", heading="Verdict"),
    Column(key="pipe_percent", heading="Constant-rate pipe in %", decimals=1),
    Column(key="pipe_verdict", heading="Verdict"),
)


def table(runs: Runs) -> StudyTable:
    """What each claim about the satellite link comes to on either model of it."""
    rows: list[dict[str, str | float | None]] = []
    otherwise, judged = [], 0
    for ours, flat in zip(claims(runs, satellite=SATELLITE), claims(runs, satellite=PIPE), strict=True):
        if ours.standing is not Standing.CLAIM or LAN in ours.claim_id.split("-"):
            continue
        rows += [
            _row(ours.claim, one, other) for one, other in zip(ours.findings, flat.findings, strict=True)
        ]
        if Agreement.NOT_TESTABLE not in (ours.agreement, flat.agreement):
            judged += 1
            if ours.agreement is not flat.agreement:
                otherwise.append(ours.claim_id)
    return StudyTable(
        name="side-by-side",
        title="The claims on the satellite link and on a constant-rate pipe",
        columns=_COLUMNS,
        rows=tuple(rows),
        conclusion=_conclusion(judged, otherwise),
        note="Both links have 10 Mbit/s. The pipe has the study's mean round trip of 530 ms as propagation; "
        "the satellite link has 500 ms, with frames, slots and requests on top.",
    )


def _row(claim: str, satellite: Finding, pipe: Finding) -> dict[str, str | float | None]:
    return {
        "claim": claim,
        "comparison": satellite.label,
        "satellite_percent": satellite.measurement.percent,
        "satellite_verdict": satellite.agreement.value,
        "pipe_percent": pipe.measurement.percent,
        "pipe_verdict": pipe.agreement.value,
    }


def _conclusion(judged: int, otherwise: list[str]) -> str:
    if judged == 0:
        return "Not testable: no claim was measured on both links."
    if not otherwise:
        return f"All {judged} claims that were measured on both links come out alike on both."
    return (
        f"{judged - len(otherwise)} of {judged} claims that were measured on both links come out alike; "
        f"the model of the link decides on {', '.join(otherwise)}."
    )
