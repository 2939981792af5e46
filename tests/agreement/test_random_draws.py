"""Drawing cells: the numbers are Python's own promise (random.seed with a text, random.random)."""

from collections import Counter
from itertools import islice

import pytest

from bentpipe import _core
from bentpipe.campaign.requirements import require_bbr, require_iperf3, require_programs, require_slow_start
from bentpipe.engine.testbed import congestion_control
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.vocabulary import HTTP
from tools.agreement_random.cells import candidates
from tools.agreement_random.draw import Draw, duration_text, rate_text, size_text
from tools.agreement_random.kinds import kinds
from tools.agreement_random.links import CHANGING, FLAT, SATELLITE
from tools.agreement_random.transport import OF_QUIC, OF_TCP

CELLS = 300
"""As many as `make agreement-random` measures."""
WHERE = Location(file="drawn")


class TheEmulator:
    """As far as requirements ask: whatever this machine is able to."""

    name = "emulate"


@pytest.fixture(scope="module")
def drawn():
    return [next(cell for cell in candidates(1, index) if cell is not None) for index in range(CELLS)]


@pytest.fixture(scope="module")
def specs(drawn):
    return [cell.runs(1)[0].spec for cell in drawn]


def first_cells(seed, index, number=3):
    return [cell and cell.run for cell in islice(candidates(seed, index), number)]


def test_a_cell_is_the_same_each_time_whatever_else_is_drawn():
    before = first_cells(1, 7)
    first_cells(1, 6)
    assert first_cells(1, 7) == before


def test_seeds_numbers_and_attempts_have_cells_of_their_own():
    cells = [*first_cells(1, 7), *first_cells(2, 7), *first_cells(1, 8)]
    assert all(cell not in cells[:place] for place, cell in enumerate(cells))


def test_a_draw_is_the_same_on_every_machine():
    # random.Random("1/2/3").random() of CPython 3.11.
    draw = Draw(seed=1, index=2, attempt=3)
    first, second, third = 0.791013750396, 0.700048979599, 0.903230735582
    assert [draw.between(0, 1) for _ in range(3)] == pytest.approx([first, second, third], abs=1e-12)


def test_a_weight_is_a_probability():
    draw = Draw(seed=1, index=0, attempt=0)
    found = Counter(draw.weighted({"often": 3, "seldom": 1, "never": 0}) for _ in range(4000))
    assert found["never"] == 0
    # Five standard deviations of a binomial variable with n = 4000 and p = 1/4.
    assert abs(found["seldom"] - 1000) < 5 * (4000 * 0.25 * 0.75) ** 0.5


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (rate_text(128_400), "128 kbit/s"),
        (rate_text(1_234_567), "1.23 Mbit/s"),
        (rate_text(200e6), "200 Mbit/s"),
        (duration_text(0.0042), "4.2 ms"),
        (duration_text(12.345), "12.3 s"),
        (size_text(20_000), "20 kB"),
        (size_text(80e6), "80 MB"),
    ],
)
def test_quantities_are_written_with_three_digits(written, expected):
    assert written == expected


def test_every_kind_of_link_workload_host_and_proxy_is_among_the_cells(specs):
    found: dict[str, Counter[str]] = {}
    for spec in specs:
        for what, values in kinds(spec).items():
            found.setdefault(what, Counter()).update({*values})
    assert found["link"].keys() == {
        "constant and constant",
        "constant and constant, changing",
        "constant and rcs2",
        "dvbs2 and constant",
        "dvbs2 and rcs2",
    }
    assert found["queue"].keys() == {"bytes", "packets", "time", "codel", "random-early-drop"}
    assert found["loss"].keys() == {"none", "bernoulli", "gilbert-elliott", "bit-error", "outages"}
    assert found["delay variation"].keys() == {"none", "normal", "empirical"}
    assert found["workload"].keys() == {"page-load", "bulk", "flows", "ping"}
    assert found["http"].keys() == {*HTTP.available}
    over_tcp, over_quic = ({f"{cc} over {over}" for cc in ccs} for over, ccs in _CONTROLS.items())
    assert found["congestion control"].keys() == over_tcp | over_quic
    assert found["proxy"].keys() == {"none", "split", "tunnel", "proxy"}
    assert found["server behind"].keys() == {"gateway", "terminal"}


_CONTROLS = {"tcp": OF_TCP, "quic": OF_QUIC}


def test_every_preset_is_the_base_of_some_cell(drawn):
    bases = {cell.run["link"].get("base") for cell in drawn}
    assert {*FLAT, *SATELLITE, *CHANGING} <= bases


def test_a_recorded_path_and_satellites_that_stand_still_are_among_the_links(drawn):
    keys = {key for cell in drawn for key in cell.run["link"]}
    assert {"trace", "geometry", "epochs"} <= keys


def test_both_directions_are_among_the_flows(specs):
    directions = {str(spec.workload.direction) for spec in specs if spec.workload.kind in ("bulk", "flows")}
    assert directions == {"down", "up"}


def test_every_cell_is_one_that_both_engines_can_measure(specs):
    require_slow_start(TheEmulator(), specs, where=WHERE)
    require_bbr(TheEmulator(), specs, where=WHERE)
    require_iperf3(TheEmulator(), specs, where=WHERE)
    require_programs(TheEmulator(), specs, client=WHERE, server=WHERE)
    of_tcp = {cc for spec in specs for cc in congestion_control.of_tcp(spec)}
    assert of_tcp <= {*_core.KERNEL_CONGESTION_CONTROLS}


def test_hardly_a_candidate_is_refused():
    # What the settings have in common is known where they are drawn: three in a hundred at most are not.
    refused = sum(next(candidates(1, index)) is None for index in range(CELLS))
    assert refused <= 0.03 * CELLS
