"""One look per protocol, everywhere."""

import pytest

from bentpipe.figures import style

# Okabe, Ito 2008: the eight colours of the palette.
OKABE_ITO = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"}
PROTOCOLS = ("h1", "h1s", "h2", "h3")
EVERY_HTTP = (*PROTOCOLS, "http10", "http10s", "h2c", "spdy")


def test_every_protocol_has_a_colour_of_okabe_and_ito_and_none_shares_it():
    colours = [style.look(protocol).colour for protocol in PROTOCOLS]
    assert set(colours) <= OKABE_ITO
    assert len(set(colours)) == len(PROTOCOLS)


def test_every_protocol_has_a_marker_of_its_own_so_that_colour_is_not_needed():
    looks = [style.look(protocol) for protocol in EVERY_HTTP]
    assert len({look.marker for look in looks}) == len({look.colour for look in looks}) == len(EVERY_HTTP)


def test_congestion_controls_differ_in_stroke_not_in_colour():
    assert style.stroke("bbr") is style.Stroke.SOLID
    assert style.stroke("cubic") is style.Stroke.DASHED
    assert style.face(style.Stroke.DASHED, "#0072B2") == "white"
    assert style.face(style.Stroke.SOLID, "#0072B2") == "#0072B2"


@pytest.mark.parametrize("name", ["h4", "", "<b>"])
def test_an_unknown_protocol_is_called_by_its_name(name):
    assert style.look(name).label == name


def test_every_congestion_control_has_a_colour_of_okabe_and_ito_and_none_shares_it():
    looks = [
        style.control_look(control)
        for control in ("reno", "cubic", "bbr", "bbr3", "hybla", "vivace", "prague")
    ]
    assert {look.colour for look in looks} <= OKABE_ITO
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == len(looks)


def test_an_unknown_congestion_control_is_called_by_its_name():
    assert style.control_look("westwood").label == style.control_label("westwood") == "westwood"
