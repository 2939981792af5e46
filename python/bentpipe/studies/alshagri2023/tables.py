"""The study's table 6 with ours beside it, and its claims on either model of the satellite link."""

from bentpipe.studies.alshagri2023 import overhead, side_by_side
from bentpipe.studies.study import Runs, StudyTable


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    return (side_by_side.table(runs), overhead.table(runs))
