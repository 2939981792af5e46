"""A sample of the grid in real time and in virtual time; `make agreement` measures the whole."""

import pytest

from bentpipe.campaign.executor import was_late
from bentpipe.scenario import Extent
from tests.support.models import said
from tools.agreement import page
from tools.agreement.comparing import verdict
from tools.agreement.grid import KINDS, Kind
from tools.agreement.measuring import emulate, measured, planned_cells, simulate

REPEAT_FOR_S = 30.0
"""Of each kind. A machine that is late for longer is too busy to judge the simulator by."""


@pytest.mark.root
@pytest.mark.alone
@pytest.mark.usefixtures("_able_to_emulate")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_both_engines_agree_within_the_bars_on_a_sample_of(kind: Kind, tmp_path) -> None:
    emulate(kind, results=tmp_path, extent=Extent.QUICK, repeat_for_s=REPEAT_FOR_S)
    simulate(kind, results=tmp_path, extent=Extent.QUICK)
    runs = measured(kind, results=tmp_path)
    bad = [entry.record for entry in runs.emulated.judged if entry.status != "succeeded"]
    if bad and all(map(was_late, bad)):
        reasons = "; ".join(reason for record in bad for reason in said(record.reasons))
        pytest.skip(f"this machine was too busy to judge the simulator by: {reasons}")
    assert [record.reasons for record in bad] == []
    found = verdict(kind, runs)
    assert found is not None
    assert len(found.cells) == planned_cells(kind, extent=Extent.QUICK)
    assert found.holds, page.all_cells([found])
