"""Attenuation of a leg as written, and the points that it resolves to."""

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.links import link
from bentpipe.scenario.written.samples import LARGEST_FILE_BYTES
from tests.support import link_file
from tests.support.refusals import refused

LINK = """
rtt = "500 ms"
[return]
rate = "1 Mbit/s"
[forward.dvbs2]
symbol_rate = "4 Msym/s"
[forward.acm]
[forward.attenuation]
"""
S = 1_000_000_000


def es_n0_of(tmp_path, text):
    return link_file.resolved(tmp_path, text)["forward"]["capacity"]["es_n0"]


def resolved(tmp_path, written, *, leg="down"):
    es_n0 = es_n0_of(tmp_path, f"{LINK}{leg} = {written}\n")
    found = es_n0[leg]["attenuation"]
    return [(point["at_ns"] / S, point["db"]) for point in found["points"]], found["period_ns"]


@pytest.mark.parametrize(
    ("written", "points", "period_ns"),
    [
        ('"3 dB"', [(0, 3)], None),
        ('{ depth = "3.5 dB" }', [(0, 3.5)], None),
        # A step is two points at one instant.
        ('{ depth = "3 dB", start = "5 s", lasting = "2 s" }', [(5, 0), (5, 3), (7, 3), (7, 0)], None),
        # What stands at the start holds before it too.
        ('{ depth = "3 dB", lasting = "2 s", every = "6 s" }', [(0, 3), (2, 3), (2, 0)], 6 * S),
        (
            '{ depth = "10 dB", start = "10 s", rise = "20 s", fall = "40 s" }',
            [(10, 0), (30, 10), (30, 10), (70, 0)],
            None,
        ),
        (
            '{ depth = "10 dB", rise = "1 s", lasting = "2 s", fall = "4 s", every = "7 s" }',
            [(0, 0), (1, 10), (3, 10), (7, 0)],
            7 * S,
        ),
    ],
    ids=["text", "constant", "once", "on and off", "triangle", "trapezoid"],
)
def test_a_fade_is_written_by_its_depth_and_its_times(tmp_path, written, points, period_ns):
    for leg in ("up", "down"):
        assert resolved(tmp_path, written, leg=leg) == (points, period_ns)


def test_the_sky_is_clear_where_nothing_is_written(tmp_path):
    es_n0 = es_n0_of(tmp_path, LINK)
    assert [es_n0[leg]["attenuation"] for leg in ("up", "down")] == [{"points": [], "period_ns": None}] * 2


def test_a_series_is_read_from_a_file(tmp_path):
    (tmp_path / "fade.csv").write_text("time_s, db\n0,0\n1.5,4.25\n1.5,2\n3,0\n")
    points = [(0, 0), (1.5, 4.25), (1.5, 2), (3, 0)]
    assert resolved(tmp_path, '{ file = "fade.csv" }') == (points, None)
    assert resolved(tmp_path, '{ file = "fade.csv", every = "1 min" }') == (points, 60 * S)


def test_a_file_is_found_from_the_file_that_names_it(tmp_path):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "fade.csv").write_text("time_s,db\n0,2\n")
    (folder / "base.toml").write_text(LINK + 'down = { file = "fade.csv" }')
    es_n0 = es_n0_of(tmp_path, 'base = "links/base.toml"\n[forward.acm]\nmargin = "2 dB"')
    assert es_n0["down"]["attenuation"]["points"] == [{"at_ns": 0, "db": 2.0}]


def test_a_file_is_found_when_the_folder_is_a_relative_one(tmp_path, monkeypatch):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "fade.csv").write_text("time_s,db\n0,2\n")
    (folder / "base.toml").write_text(LINK + 'down = { file = "fade.csv" }')
    (folder / "mine.toml").write_text('base = "base.toml"\nname = "mine"\n')
    monkeypatch.chdir(tmp_path)
    for name in ("base.toml", "mine.toml"):
        es_n0 = link(f"links/{name}")["forward"]["capacity"]["es_n0"]
        assert es_n0["down"]["attenuation"]["points"] == [{"at_ns": 0, "db": 2.0}]


def test_one_leg_may_be_changed_upon_a_link(tmp_path):
    (tmp_path / "base.toml").write_text(LINK + 'up = "1 dB"\ndown = { depth = "2 dB", lasting = "1 s" }')
    es_n0 = es_n0_of(tmp_path, 'base = "base.toml"\n[forward.attenuation]\ndown = "5 dB"')
    points = {leg: [point["db"] for point in es_n0[leg]["attenuation"]["points"]] for leg in es_n0}
    assert points == {"up": [1.0], "down": [5.0]}


RAIN = (
    '{ rain = { latitude = "57.15 deg", longitude = "-2.1 deg", frequency = "19.7 GHz", '
    'elevation = "21 deg", duration = "10 min" } }'
)


def test_rain_is_that_of_the_site(tmp_path):
    pytest.importorskip("itur")
    from bentpipe.scenario.link.rain import Site, rain_points

    expected = rain_points(
        site=Site(latitude_deg=57.15, longitude_deg=-2.1),
        frequency_hz=19.7e9,
        elevation_deg=21,
        tilt_deg=45,
        duration_s=600,
        seed=1,
        hours=720,
        start_s="worst",
    )
    points, period_ns = resolved(tmp_path, RAIN)
    assert points == [(at_ns / S, db) for at_ns, db in expected]
    assert period_ns is None
    assert points[-1][0] == 600
    assert max(db for _, db in points) > 0


# What is written; the field below the leg; a part of what is expected; a part of what is found.
REFUSED = {
    "nothing": ("{}", "", "depth, or depth with", "an empty table"),
    "times without a depth": ('{ lasting = "1 s" }', "", "depth, or depth with", "lasting"),
    "a depth with a period only": (
        '{ depth = "1 dB", every = "1 s" }',
        "",
        "some of start, rise",
        "depth, every",
    ),
    "a depth beside a file": ('{ depth = "1 dB", file = "x.csv" }', "", "or file", "depth, file"),
    "a gain": ('"-1 dB"', ".depth", "from 0 dB to 100 dB", '"-1 dB"'),
    "no decibels": ('"1 Mbit/s"', ".depth", "from 0 dB", '"1 Mbit/s"'),
    "a number": ("3", "", 'a ratio such as "10 dB"', "3"),
    "a period that is too short": (
        '{ depth = "1 dB", start = "1 s", lasting = "2 s", every = "2 s" }',
        ".every",
        "no less than up to the end",
        '"2 s"',
    ),
    "an unknown key": ('{ dept = "1 dB" }', ".dept", "one of", '"dept"'),
    "a file that is missing": ('{ file = "none.csv" }', ".file", "a readable CSV file", "No such file"),
    "rain at no place": (
        '{ rain = { duration = "1 min" } }',
        ".rain.latitude",
        "an angle such as",
        "nothing",
    ),
    "rain beyond the pole": (RAIN.replace("57.15", "91"), ".rain.latitude", "from -90 deg", '"91 deg"'),
    "rain without a unit": (RAIN.replace("57.15 deg", "57"), ".rain.latitude", "deg", '"57"'),
    "rain of a frequency unheard of": (
        RAIN.replace("19.7 GHz", "19.7 THz"),
        ".rain.frequency",
        "hertz above zero",
        '"19.7 THz"',
    ),
    "rain outside the recommendation": (
        RAIN.replace("19.7 GHz", "1.5 GHz"),
        ".rain.frequency",
        "from 4 GHz to 55 GHz",
        '"1.5 GHz"',
    ),
    "rain on the horizon": (RAIN.replace("21 deg", "4 deg"), ".rain.elevation", "from 5 deg", '"4 deg"'),
    "rain for longer than it is": (
        RAIN.replace("10 min", "2 h").replace("} }", ", hours = 2 } }"),
        ".rain.duration",
        "within the 2 hours",
        '"2 h"',
    ),
    "rain from a fraction of a second on": (
        RAIN.replace("} }", ', start = "10 ms" } }'),
        ".rain.start",
        "whole seconds",
        '"10 ms"',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_attenuation_is_refused_where_it_stands(tmp_path, name):
    written, field, expected, found = REFUSED[name]
    with refused(f"forward.attenuation.down{field}", expected=expected, found=found):
        resolved(tmp_path, written)


# What the file holds; the place in it; a part of what is expected; a part of what is found.
FILES = {
    "nothing": ("", "line 1", "the columns time_s,db", "an empty file"),
    "other columns": ("time,db\n0,1\n", "line 1", "the columns time_s,db", "time,db"),
    "no rows": ("time_s,db\n", "the whole file", "from 1 to", "0"),
    "words": ("time_s,db\n0,much\n", "line 2", "two numbers", '"0,much"'),
    "a column too many": ("time_s,db\n0,1,2\n", "line 2", "two numbers", '"0,1,2"'),
    "times that fall": ("time_s,db\n1,1\n0,1\n", "line 3", "no time before the last", "0"),
    "a negative time": ("time_s,db\n-1,1\n", "line 2", "a time from 0", "-1,1"),
    "nan": ("time_s,db\n0,nan\n", "line 2", "a finite number", "0,nan"),
    "a gain": ("time_s,db\n0,1\n1.5,-1\n", "the whole file", "from 0 dB to 100 dB", "-1 dB at 1.5 s"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_refused_that_holds(tmp_path, name):
    content, field, expected, found = FILES[name]
    path = tmp_path / "fade.csv"
    path.write_text(content)
    with refused(field, expected=expected, found=found, file=path):
        resolved(tmp_path, '{ file = "fade.csv" }')


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "fade.csv").write_bytes(b"time_s,db\n\xff\xfe")
    with pytest.raises(InputError, match="a readable CSV file"):
        resolved(tmp_path, '{ file = "fade.csv" }')


def test_a_file_of_one_endless_line_is_refused(tmp_path):
    with (tmp_path / "fade.csv").open("wb") as file:
        file.truncate(LARGEST_FILE_BYTES + 1)
    with pytest.raises(InputError, match=f"at most {LARGEST_FILE_BYTES} bytes, found a larger file"):
        resolved(tmp_path, '{ file = "fade.csv" }')
