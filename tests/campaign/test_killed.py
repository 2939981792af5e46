import signal
import subprocess
import sys
import time

from bentpipe.campaign.executor import execute
from bentpipe.campaign.plan import plan
from bentpipe.ledger import Ledger
from tests.campaign.conftest import a_scenario
from tests.campaign.fake_engine import FakeEngine, QuietProgress

CAMPAIGN = """
import sys, time
from pathlib import Path
from bentpipe.campaign.executor import execute
from bentpipe.campaign.plan import plan
from bentpipe.ledger import Ledger
from tests.campaign.conftest import a_scenario
from tests.campaign.fake_engine import FakeEngine, QuietProgress, succeeded

def slowly(run_id, spec, attempt):
    time.sleep(0.05)
    return succeeded(run_id, spec, attempt)

scenario = a_scenario(repetitions=50)
with Ledger.claim(Path(sys.argv[1]), scenario.document()) as ledger:
    execute(plan(scenario), engine=FakeEngine(slowly), ledger=ledger, jobs=2, progress=QuietProgress())
"""


def test_a_campaign_killed_with_sigkill_goes_on_without_losing_or_doubling_a_run(tmp_path, request):
    folder = tmp_path / "results"
    process = subprocess.Popen([sys.executable, "-c", CAMPAIGN, str(folder)], cwd=request.config.rootpath)
    until = time.monotonic() + 30
    while time.monotonic() < until and len(list((folder / "series" / "link").glob("*.parquet"))) < 3:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL

    scenario = a_scenario(repetitions=50)
    (folder / "series" / "link" / "0123456789abcdef-1.parquet").write_bytes(b"torn")
    with Ledger.claim(folder, scenario.document()) as ledger:
        kept = len(ledger.entries())
        assert 5 <= kept < 150
        outcome = execute(
            plan(scenario), engine=FakeEngine(), ledger=ledger, jobs=2, progress=QuietProgress()
        )
        assert (outcome.succeeded, outcome.not_run) == (150, 0)
        entries = ledger.entries()
        assert all(len(ledger.series(entry.run_id, "link")["time_s"]) == 2 for entry in entries)
    assert len(entries) == 150
    assert {entry.run_id for entry in entries} == {run.run_id for run in plan(scenario)}
    named = {path.stem for path in (folder / "series" / "link").iterdir()}
    assert named < {f"{entry.run_id}-{entry.attempt}" for entry in entries}
