"""One cell of each kind of workload by both engines, from the trial to the comparison."""

from contextlib import closing

import pytest

from bentpipe.engine.emulate import Emulator
from bentpipe.engine.simulate import Simulator
from tools.agreement_random import measuring
from tools.agreement_random.cells import RandomCell
from tools.agreement_random.comparing import LISTED, compared
from tools.agreement_random.store import Store
from tools.agreement_random.trial import tried

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms"
IN_COMPANY = "1-2"
CELLS = (
    RandomCell(name="1-0", run={"link": LINK, "http": "h2", "page": "single-100k"}),
    RandomCell(name="1-1", run={"link": LINK, "cc": "cubic", "bulk": {"size": "500 kB"}}),
    RandomCell(
        name=IN_COMPANY, run={"link": LINK, "bulk": {"size": "300 kB", "flows": ["cubic", "quic:bbr"]}}
    ),
    RandomCell(name="1-3", run={"link": LINK, "ping": {"count": 5, "interval": "50 ms"}}),
)


@pytest.mark.root
@pytest.mark.alone
@pytest.mark.usefixtures("_able_to_emulate")
def test_cells_are_measured_by_both_engines_and_agree(tmp_path) -> None:
    store = Store(tmp_path / "random.csv")
    with closing(Simulator()) as simulator:
        store.put(*(tried(cell, simulator).measured() for cell in CELLS))
    with closing(Emulator()) as emulator:
        measuring.emulate(store, [cell.name for cell in CELLS], engine=emulator, results=tmp_path)
    kept = Store(tmp_path / "random.csv").all()
    late = [each.cell.name for each in kept if each.missing]
    if late:
        pytest.skip(f"this machine was too busy to measure {', '.join(late)}")
    found = [quantity for each in kept for quantity in compared(each)]
    # Of the flows in company all and, of each, completion and share.
    assert len(found) == 3 + 1 + 2 * 2
    # Less than a millisecond decides which of the small flows in company has the queue first: the end of the
    # later one has outcomes a tenth apart.
    alone = [each for each in found if each.measured.cell.name != IN_COMPANY]
    assert [each.measured.cell.name for each in alone if abs(each.error) > LISTED] == []
