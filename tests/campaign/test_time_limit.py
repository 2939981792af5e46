"""Times that cannot be enough are told before anything is measured."""

from pathlib import Path

import pytest

from bentpipe.campaign.plan import plan
from bentpipe.campaign.time_limit import hopeless, least_time_ns
from bentpipe.scenario import resolve_document

LINK = "flat:down=8Mbit/s,up=1Mbit/s,rtt=600ms"


def scenario(run, **more):
    document = {"repetitions": 1, "run": {"link": LINK, **run}, **more}
    return resolve_document(document, file="scenario.toml", folder=Path(), default_name="example")


@pytest.mark.parametrize(
    ("run", "least_s"),
    [
        # 1 MB are 8 Mbit; and one round trip.
        ({"bulk": {"size": "1 MB"}}, 1.6),
        ({"bulk": {"size": "1 MB", "direction": "up"}}, 8.6),
        ({"bulk": {"size": "1 MB", "flows": ["cubic", "bbr"]}}, 2.6),
        ({"bulk": {"size": "1 MB"}, "server_behind": "terminal"}, 8.6),
        ({"bulk": {"duration": "7 s"}}, 7.0),
        ({"page": "uniform-1m", "http": "h2"}, 1.6),
        ({"ping": {"count": 11, "interval": "500 ms"}}, 5.0),
    ],
)
def test_the_least_time_is_the_payload_at_the_rate_of_its_direction_and_a_round_trip(run, least_s):
    (one,) = plan(scenario(run))
    assert least_time_ns(one.spec) == pytest.approx(least_s * 1e9)


def test_only_cells_that_cannot_end_in_their_time_are_told_by_what_tells_them_apart():
    found = scenario(
        {"validity": {"timeout": "5 s"}, "cc": "bbr"}, matrix={"bulk.size": ["1 MB", "10 MB", "20 MB"]}
    )
    told = hopeless(plan(found), constants=found.constants())
    assert [(cell.factors, cell.least_ns) for cell in told] == [
        ({"bulk.size": "10 MB"}, 10_600_000_000),
        ({"bulk.size": "20 MB"}, 20_600_000_000),
    ]
    assert {cell.timeout_ns for cell in told} == {5_000_000_000}


def test_the_usual_time_is_always_enough():
    assert hopeless(plan(scenario({"bulk": {"size": "10 GB"}}))) == ()
