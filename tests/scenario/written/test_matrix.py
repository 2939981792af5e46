from pathlib import Path

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario import Clock, Extent, load, parse_override, resolve_document

RUN = {"link": "geo-alshagri-flat", "http": "h2", "page": "single-100k"}


def cells(matrix, *, run=None, settings=(), **scenario):
    document = {**scenario, "run": RUN | (run or {}), "matrix": matrix}
    return resolved_cells(document, *settings)


def resolved_cells(document, *settings):
    return resolve_document(
        document,
        file="scenario.toml",
        folder=Path(),
        default_name="example",
        overrides=[parse_override(text) for text in settings],
    ).cells


def factors(found, *names):
    return [tuple(cell.factors[name] for name in names) for cell in found]


def varied_cells(document, varied, *settings):
    return resolve_document(
        {"run": RUN, **document},
        file="scenario.toml",
        folder=Path(),
        default_name="example",
        overrides=[parse_override(text) for text in settings],
        varied=varied,
    ).cells


def test_what_is_varied_from_outside_crosses_every_block_in_place_of_what_the_file_says():
    document = {"matrix": [{"http": ["h1", "h2"]}, {"http": ["h3"], "cc": ["bbr"]}]}
    found = varied_cells(document, {"cc": ("reno", "cubic")})
    assert factors(found, "http", "cc") == [
        ("h1", "reno"), ("h1", "cubic"), ("h2", "reno"), ("h2", "cubic"), ("h3", "reno"), ("h3", "cubic"),
    ]  # fmt: skip


def test_a_scenario_without_a_matrix_can_be_varied_from_outside():
    assert factors(varied_cells({}, {"cc": ("reno", "cubic")}), "cc") == [("reno",), ("cubic",)]


def test_what_is_varied_from_outside_cannot_be_set_too():
    with pytest.raises(InputError, match='command line: --set cc: expected nothing beside --cc, found "bbr"'):
        varied_cells({}, {"cc": ("reno", "cubic")}, "cc=bbr")


def test_every_combination_is_a_cell():
    found = cells({"http": ["h1", "h3"], "cc": ["bbr", "cubic"]})
    assert factors(found, "http", "cc") == [
        ("h1", "bbr"),
        ("h1", "cubic"),
        ("h3", "bbr"),
        ("h3", "cubic"),
    ]
    assert [cell.spec["cc"] for cell in found] == ["bbr", "cubic"] * 2


def test_several_tables_are_united_and_shared_cells_kept_once():
    found = cells([{"http": ["h1", "h2"]}, {"http": ["h2", "h3"]}])
    assert factors(found, "http") == [("h1",), ("h2",), ("h3",)]


def test_a_link_written_in_two_ways_is_one_cell():
    tables = ["lan", {"base": "lan", "name": "lan"}]
    assert len(cells({"link": tables})) == 1


def test_a_cell_of_two_tables_has_the_factors_of_both():
    [cell] = cells([{"tcp.initial_window": [10]}, {"quic.initial_rtt": ["333 ms"]}])
    assert cell.factors["tcp.initial_window"] == "10"
    assert cell.factors["quic.initial_rtt"] == "333 ms"


@pytest.mark.parametrize(
    "matrix",
    [{"tcp.initial_window": [3, 10]}, {"tcp": {"initial_window": [3, 10]}}],
    ids=["quoted", "nested"],
)
def test_keys_may_be_dotted_in_quotes_or_not(matrix):
    found = cells(matrix)
    assert [cell.spec["tcp"]["initial_window"] for cell in found] == [3, 10]
    assert factors(found, "tcp.initial_window") == [("3",), ("10",)]


def test_a_setting_below_the_link_changes_the_preset():
    found = cells({"link.forward.loss.ber": [0, 1e-7, 1e-4]})
    losses = [cell.spec["link"]["forward"]["loss"] for cell in found]
    assert losses == [
        {"kind": "none"},
        {"kind": "bit-error", "ber": 1e-7},
        {"kind": "bit-error", "ber": 1e-4},
    ]
    assert factors(found, "link", "link.forward.loss.ber")[1] == ("geo-alshagri-flat", "1e-07")


def test_a_setting_below_the_link_meets_every_link_of_the_matrix():
    found = cells({"link.return.rate": ["1 Mbit/s"], "link": ["geo-snep-flat", "geo-hylas2-flat"]})
    assert [cell.spec["link"]["return"]["capacity"]["rate_bps"] for cell in found] == [1_000_000] * 2
    assert [cell.spec["link"]["forward"]["capacity"]["rate_bps"] for cell in found] == [4_000_000, 8_000_000]


def test_a_link_written_as_a_table_is_called_by_its_name_or_by_what_it_says():
    tables = [{"base": "lan", "rtt": "5 ms"}, {"base": "lan", "rtt": "9 ms", "name": "far"}]
    assert factors(cells({"link": tables}), "link") == [("base=lan, rtt=5 ms",), ("far",)]


def test_factors_that_all_cells_share_are_constants():
    document = {"run": RUN, "matrix": {"cc": ["bbr", "cubic"]}}
    scenario = resolve_document(document, file="f", folder=Path(), default_name="example")
    assert scenario.constants() == {
        "link": "geo-alshagri-flat",
        "http": "h2",
        "page": "single-100k",
        "connections": "6",
        "client": "loader",
        "server": "bentpipe",
        "pep": "none",
    }


def test_bulk_cells_are_told_apart_by_their_transport():
    run = {"link": "lan", "bulk": {"size": "10 MB"}}
    document = {"run": run, "matrix": {"bulk.transport": ["tcp", "quic"]}}
    scenario = resolve_document(document, file="f", folder=Path(), default_name="example")
    assert factors(scenario.cells, "bulk.transport", "bulk.direction", "bulk.size") == [
        ("tcp", "down", "10 MB"),
        ("quic", "down", "10 MB"),
    ]


def test_an_override_sets_a_key_of_run():
    [cell] = cells({"http": ["h2"]}, settings=["tcp.initial_window=3", "quic.initial_rtt=600 ms"])
    assert cell.spec["tcp"]["initial_window"] == 3
    assert cell.spec["quic"]["initial_rtt_ns"] == 600_000_000


def test_an_override_takes_the_place_of_a_list_in_the_matrix():
    found = cells({"http": ["h1", "h2"], "cc": ["bbr", "cubic"]}, settings=["cc=bbr"])
    assert factors(found, "http", "cc") == [("h1", "bbr"), ("h2", "bbr")]


def test_an_override_of_the_link_drops_what_the_matrix_changes_below_it():
    found = cells({"link.forward.loss.ber": [1e-7, 1e-6]}, settings=["link=lan"])
    assert [cell.spec["link"]["name"] for cell in found] == ["lan"]


def test_overrides_reach_the_scenarios_own_keys():
    document = {"run": RUN}
    scenario = resolve_document(
        document,
        file="f",
        folder=Path(),
        default_name="example",
        overrides=[parse_override("repetitions=7"), parse_override("seed=42")],
    )
    assert (scenario.repetitions, scenario.seed) == (7, 42)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("cc=bbr", "bbr"),
        ('cc="bbr"', "bbr"),
        ("tcp.initial_window=3", 3),
        ("tcp.slow_start_after_idle=false", False),
        ("link.forward.loss.ber=1e-7", 1e-7),
        ("link.forward.rate=10 Mbit/s", "10 Mbit/s"),
        ("link=flat:down=1Mbit/s,up=1Mbit/s,rtt=1ms", "flat:down=1Mbit/s,up=1Mbit/s,rtt=1ms"),
        ("run.cc=bbr", "bbr"),
    ],
)
def test_the_value_of_an_override_is_toml_or_else_text(text, value):
    found = parse_override(text)
    assert (found.value, type(found.value)) == (value, type(value))


FILE = """
repetitions = 5
[run]
link = "lan"
page = "single-100k"
[matrix]
http = ["h1", "h2", "h3"]
[quick]
repetitions = 2
[quick.matrix]
http = ["h3"]
"""


def test_the_quick_version_is_what_its_table_says(tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(FILE)
    quick = load(path, extent=Extent.QUICK)
    assert (quick.repetitions, factors(quick.cells, "http")) == (2, [("h3",)])
    assert load(path).repetitions == 5
    assert load(path, extent=Extent.QUICK, overrides=["repetitions=1"]).repetitions == 1


def test_the_quick_version_is_one_repetition_where_nothing_is_said(tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(FILE.partition("[quick]")[0])
    quick = load(path, extent=Extent.QUICK)
    assert (quick.name, quick.repetitions, len(quick.cells)) == ("example", 1, 3)


@pytest.mark.parametrize(
    ("extent", "overrides", "repetitions"),
    [(Extent.FULL, [], 30), (Extent.QUICK, [], 2), (Extent.FULL, ["repetitions=7"], 7)],
)
def test_in_virtual_time_a_scenario_has_the_repetitions_of_its_simulate_table(
    tmp_path, extent, overrides, repetitions
):
    path = tmp_path / "example.toml"
    path.write_text(FILE + "\n[simulate]\nrepetitions = 30\n")
    assert load(path).repetitions != 30
    scenario = load(path, overrides=overrides, extent=extent, clock=Clock.VIRTUAL)
    assert scenario.repetitions == repetitions


def test_a_fault_of_the_simulate_table_is_bad_input_in_its_place(tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(FILE + "\n[simulate]\nrepetitions = 0\n")
    with pytest.raises(InputError) as caught:
        load(path, clock=Clock.VIRTUAL)
    assert caught.value.field == "simulate.repetitions"


@pytest.mark.parametrize("quick", ["[quick]\nrepetitions = 0", "[quick.matrix]\nhttp = []"])
def test_faults_of_the_quick_version_are_bad_input(tmp_path, quick):
    path = tmp_path / "example.toml"
    path.write_text(FILE.partition("[quick]")[0] + quick)
    with pytest.raises(InputError):
        load(path, extent=Extent.QUICK)


MIXED = [{"bulk.direction": ["down"], "bulk.size": ["1 GB"]}, {"ping.size": ["20 B"], "ping.count": [20]}]


def mixed(*settings):
    found = resolved_cells({"run": {"link": "lan"}, "matrix": MIXED}, *settings)
    return {cell.spec["workload"]["kind"]: cell.spec["workload"] for cell in found}


def test_an_override_of_a_workload_is_about_the_cells_that_have_it():
    found = mixed("bulk.size=1 MB", "ping.count=5")
    assert found["bulk"]["bytes"] == 1_000_000
    assert found["ping"]["count"] == 5


def test_an_override_of_a_workload_that_no_cell_has_is_refused():
    with pytest.raises(InputError, match="one workload"):
        mixed("page=single-100k")


def test_schemes_of_capacity_are_values_of_the_matrix():
    found = cells({"link": ["geo-snep"], "link.return.dama": ["cra", "mixed"]})
    assert factors(found, "link", "link.return.dama") == [("geo-snep", "cra"), ("geo-snep", "mixed")]
    mixes = [cell.spec["link"]["return"]["capacity"]["mix"] for cell in found]
    assert [mix["cra"]["slots"] for mix in mixes] == [228, 18]


def test_a_scheme_of_capacity_may_be_set_for_once():
    (cell,) = cells({"http": ["h2"]}, run={"link": "geo-snep"}, settings=["link.return.dama=vbdc"])
    assert cell.spec["link"]["return"]["capacity"]["mix"]["volume"]["max_slots"] == 228


def test_a_setting_below_a_fade_in_one_word_takes_its_place():
    run = {"link": {"base": "geo-snep", "forward": {"attenuation": {"down": "1 dB"}}}}
    key = "link.forward.attenuation.down"
    (cell,) = cells({f"{key}.depth": ["2 dB"], f"{key}.lasting": ["1 s"]}, run=run)
    legs = cell.spec["link"]["forward"]["capacity"]["es_n0"]
    assert [point["db"] for point in legs["down"]["attenuation"]["points"]] == [2.0, 2.0, 0.0]
