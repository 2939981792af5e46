"""A sample of the grid in real time and in virtual time; `make agreement` measures the whole."""

import pytest

from bentpipe.scenario import Extent
from tests.agreement import page
from tests.agreement.comparing import verdict
from tests.agreement.grid import KINDS, Kind
from tests.agreement.measuring import emulate, measured, planned_cells, simulate


@pytest.mark.root
@pytest.mark.usefixtures("_able_to_emulate")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_both_engines_agree_within_the_bars_on_a_sample_of(kind: Kind, tmp_path) -> None:
    emulate(kind, results=tmp_path, extent=Extent.QUICK)
    simulate(kind, results=tmp_path, extent=Extent.QUICK)
    runs = measured(kind, results=tmp_path)
    assert [entry.record["reasons"] for entry in runs.emulated.judged if entry.status != "succeeded"] == []
    found = verdict(kind, runs)
    assert found is not None
    assert len(found.cells) == planned_cells(kind, extent=Extent.QUICK)
    assert found.holds, page.all_cells([found])
