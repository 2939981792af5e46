"""The page of the satellite link in a report."""

import json

import pytest

from bentpipe import report
from tests.support.models import changed
from tests.support.satellite import (
    DELAY_PARTS_S,
    DVBS2,
    MIX,
    RCS2,
    classified,
    delayed,
    demanded,
    direction,
    faded,
    link_spec,
    queued,
)
from tests.support.synthetic import bulk, ping, series_of, write_folder

TABLES = {
    "acm": "modcod",
    "dama": "slots",
    "classes": "classes",
    "delays": "delays",
}
"""Series of a record, and how their figures' names end."""


def over(entry, link):
    """The entry with another link in its specification."""
    spec = changed(entry.record.spec, link=link)
    return entry.with_record(changed(entry.record, spec=spec))


def classed_link():
    """A link whose classes are not in the order of the alphabet."""
    forward = {**DVBS2, "classes": [classified("voice")]}
    back = {**RCS2, "classes": [{"class": classified(name), "mix": MIX} for name in ("voice", "assured")]}
    return link_spec(forward=forward, back=back)


def tables_of(_=None):
    return {**faded(), "dama": demanded(), "classes": queued(), "delays": delayed()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    runs = [over(bulk(cc=cc, repetition=n), classed_link()) for cc in ("cubic", "bbr") for n in range(3)]
    folder = write_folder(tmp_path_factory.mktemp("satellite"), runs, series=tables_of)
    report.build(folder)
    return folder


def page(folder):
    return (folder / "report.html").read_text(encoding="utf-8")


def data(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_run_with_series_of_a_satellite_link_has_a_section_with_all_its_figures(folder):
    assert '<section id="satellite">' in page(folder)
    assert 'href="#satellite"' in page(folder)
    for cell, found in enumerate(data(folder)["satellite"], start=1):
        assert found["figures"] == [f"satellite-{cell}-{end}" for end in TABLES.values()]
        for name in found["figures"]:
            assert page(folder).count(f'id="figure-{name}"') == 1
            assert (folder / f"figures/{name}.pdf").is_file()
    listed = [figure["name"] for figure in data(folder)["figures"]]
    assert {"satellite-1-modcod", "satellite-2-delays"} <= set(listed)


def test_the_numbers_are_those_of_the_median_runs_series(folder):
    found = data(folder)["satellite"][0]
    acm, dama = tables_of()["acm"], demanded()
    assert (found["frames"], found["frames_lost"]) == (acm["frames"].sum(), acm["frames_lost"].sum())
    granted = sum(dama[f"granted_{kind}_slots"].sum() for kind in ("cra", "rbdc", "volume", "free"))
    assert found["slots_granted_share"] == pytest.approx(granted / dama["capacity_slots"].sum())
    assert found["slots_used_share"] == pytest.approx(dama["used_slots"].sum() / granted)
    assert found["delays_mean"] == pytest.approx(DELAY_PARTS_S, rel=0.01)
    assert found["round_trip_mean_s"] == pytest.approx(sum(DELAY_PARTS_S.values()), rel=0.01)
    assert found["run_id"] in page(folder)


def test_classes_stand_in_the_order_of_their_urgency(folder):
    svg = (folder / "figures/satellite-1-classes.svg").read_text(encoding="utf-8")
    places = [svg.index(f"Return: {name}") for name in ("voice", "assured", "other")]
    assert places == sorted(places)


def test_a_page_without_such_series_has_no_such_section(tmp_path):
    folder = write_folder(tmp_path, [bulk(repetition=n) for n in range(3)])
    report.build(folder)
    assert 'id="satellite"' not in page(folder)
    assert data(folder)["satellite"] == []


@pytest.mark.parametrize("name", TABLES)
def test_each_series_is_enough_for_a_section(tmp_path, name):
    tables = {"link": tables_of()["link"], name: tables_of()[name]}
    run = over(bulk(), classed_link())
    folder = write_folder(tmp_path, [run], series=lambda _: tables)
    report.build(folder)
    (found,) = data(folder)["satellite"]
    assert found["figures"] == [f"satellite-1-{TABLES[name]}"]
    assert (found["frames"] is None, found["slots_used_share"] is None) == (name != "acm", name != "dama")


def test_of_many_cells_the_first_of_each_link_is_drawn_and_all_are_in_the_table(tmp_path):
    links = [link_spec(), {**link_spec(), "name": "other"}]
    runs = [
        over(bulk(cc=cc, link=link["name"]), link)
        for cc in ("cubic", "bbr", "reno", "hybla")
        for link in links
    ]
    folder = write_folder(tmp_path, runs, series=lambda _: {"delays": delayed()})
    report.build(folder)
    found = data(folder)["satellite"]
    assert len(found) == 8
    assert [bool(cell["figures"]) for cell in found].count(True) == 2


def test_pings_over_a_return_link_on_demand_are_drawn_from_idle_to_first_byte(tmp_path):
    runs = [over(ping(repetition=n), link_spec()) for n in range(3)]
    folder = write_folder(tmp_path, runs, series=lambda entry: {**series_of(entry), "dama": demanded()})
    report.build(folder)
    names = [figure["name"] for figure in data(folder)["figures"]]
    assert "idle-to-first-byte" in names
    (figure,) = [figure for figure in data(folder)["figures"] if figure["name"] == "idle-to-first-byte"]
    # Three runs of 20 pings, of each of which three are lost.
    assert figure["caption"].endswith("51 per line.")


def test_pings_over_a_constant_return_link_are_not(tmp_path):
    constant = {**link_spec(), "return": direction({"kind": "constant", "rate_bps": 1_000_000})}
    folder = write_folder(tmp_path, [over(ping(), constant)])
    report.build(folder)
    assert "idle-to-first-byte" not in [figure["name"] for figure in data(folder)["figures"]]
