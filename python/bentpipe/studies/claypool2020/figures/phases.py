"""The phases that figures have a panel of each for."""

from bentpipe.stats import Phase
from bentpipe.studies.claypool2020.downloads import Download, Downloads

TITLES = {
    Phase.OVERALL: "Overall",
    Phase.STEADY: "Steady state: the last half of the bytes",
    Phase.START_UP: "Start-up: the first 50 MB",
}


def with_phase(downloads: Downloads, phase: Phase) -> dict[str, list[Download]]:
    """The downloads that had the phase, of the congestion controls that have any."""
    had = {control: [d for d in found if phase in d.phases] for control, found in downloads.items()}
    return {control: found for control, found in had.items() if found}
