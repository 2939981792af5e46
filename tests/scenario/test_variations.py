"""Rigs and ablations as files, and what they do to the cells of a scenario."""

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario import load
from bentpipe.scenario.ablations import beside, read_ablations
from bentpipe.scenario.rig import Part, SourceKind, read_rig

SCENARIO = """
[run]
link = "lan"
page = "single-100k"
[matrix]
http = ["h1", "h2"]
"tcp.initial_window" = [3, 10]
"""
FACT = """
[[fact]]
name = "old-kernel"
part = "kernel"
fact = "Linux 2.6 starts with three segments."
kind = "kernel"
source = "tcp_input.c of Linux 2.6.32, tcp_init_cwnd"
"""
ABLATION = """
[[ablation]]
name = "nagle"
reason = "Nobody knows whether it was on."
source = "RFC 9293 section 3.7.4"
settings = { "tcp.nagle" = true }
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="rig.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def scenario(written):
    return written(SCENARIO, "scenario.toml")


def window(cell):
    return cell.spec["tcp"]["initial_window"]


def windows(scenario, **options):
    cells = load(scenario, **options).cells
    return {(cell.factors["http"], cell.factors["tcp.initial_window"]): window(cell) for cell in cells}


def test_a_fact_says_what_it_is_about_and_where_it_is_known_from(written):
    (fact,) = read_rig(written(FACT)).facts
    assert (fact.part, fact.kind) == (Part.KERNEL, SourceKind.KERNEL)
    assert fact.variation is None


def test_settings_hold_over_the_matrix_and_cells_keep_their_factors(written, scenario):
    rig = read_rig(written(FACT + 'settings = { "tcp.initial_window" = 4 }\nwhere = { http = "h1" }'))
    assert windows(scenario, variations=rig.variations) == {
        ("h1", "3"): 4,
        ("h1", "10"): 4,
        ("h2", "3"): 3,
        ("h2", "10"): 10,
    }


def test_an_override_holds_over_a_fact(written, scenario):
    rig = read_rig(written(FACT + 'settings = { "tcp.initial_window" = 4 }'))
    cells = load(scenario, variations=rig.variations, overrides=["tcp.initial_window=7"]).cells
    assert set(map(window, cells)) == {7}


def test_what_is_not_to_be_had_on_an_engine_is_left_out_of_the_rig(written):
    rig = read_rig(written(FACT + 'engines = ["simulate"]'))
    assert [len(rig.on(engine).facts) for engine in ("simulate", "emulate")] == [1, 0]


@pytest.mark.parametrize(
    ("text", "field", "found"),
    [
        (FACT.replace('name = "old-kernel"', ""), "fact.1.name", "nothing"),
        (FACT.replace('"kernel"\nfact', '"kitchen"\nfact'), "fact.1.part", '"kitchen"'),
        (
            FACT.replace('source = "tcp_input.c of Linux 2.6.32, tcp_init_cwnd"', ""),
            "fact.1.source",
            "nothing",
        ),
        (FACT + 'settings = { "tpc.nagle" = true }', "fact.1.settings.tpc.nagle", 'the unknown key "tpc"'),
        (FACT + FACT, "fact.2.name", '"old-kernel" twice'),
        (FACT + 'colour = "red"', "fact.1.colour", 'the unknown key "colour"'),
        (FACT + 'engines = ["ns-3"]', "fact.1.engines", '"ns-3"'),
    ],
)
def test_a_faulty_rig_is_refused_under_the_key_at_fault(written, text, field, found):
    with pytest.raises(InputError) as refused:
        read_rig(written(text))
    assert (refused.value.field, refused.value.found) == (field, found)


def test_a_value_of_a_fact_that_no_run_can_have_is_refused_where_it_is_written(written, scenario):
    rig = read_rig(written(FACT + 'settings = { "tcp.initial_window" = "many" }'))
    with pytest.raises(InputError) as refused:
        load(scenario, variations=rig.variations)
    assert refused.value.file.endswith("rig.toml")
    assert refused.value.field == "fact.1.settings.tcp.initial_window"


def test_ablations_have_reason_source_and_settings(written):
    (ablation,) = read_ablations(written(ABLATION)).ablations
    assert ablation.variation.settings == {"tcp.nagle": True}


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (ABLATION.replace('settings = { "tcp.nagle" = true }', ""), "ablation.1.settings"),
        (ABLATION.replace('reason = "Nobody knows whether it was on."', ""), "ablation.1.reason"),
        (ABLATION + '[interactions]\nfactors = ["nagel", "nagle"]', "interactions.factors"),
        (ABLATION + '[interactions]\nfactors = ["nagle"]', "interactions.factors"),
        ("repetitions = 1\n" + ABLATION, "repetitions"),
    ],
)
def test_faulty_ablations_are_refused_under_the_key_at_fault(written, text, field):
    with pytest.raises(InputError) as refused:
        read_ablations(written(text))
    assert refused.value.field == field


def test_a_scenario_without_ablations_beside_it_has_none_to_measure(scenario):
    with pytest.raises(InputError) as refused:
        beside(scenario)
    assert refused.value.field == "--ablations"
