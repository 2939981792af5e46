"""The filmstrip, what is shown over time, and marks by client."""

import xml.etree.ElementTree as ElementTree

import pytest

from bentpipe.figures import by_client, filmstrip, style, visual_progress
from bentpipe.figures.drawing import svg_text
from bentpipe.figures.filmstrip import Cell, Picture, Row
from bentpipe.stats import Frame, summarise

SVG = "{http://www.w3.org/2000/svg}"
ONE, OTHER = (Picture(uri=f"data:image/jpeg;base64,{text}", width=16, height=9) for text in ("AA==", "BB=="))


def row(protocol, pictures, **marks):
    cells = [Cell(picture=picture, completeness=0.5 if picture else 0.0) for picture in pictures]
    return Row(protocol=protocol, words="run 0123", marks=marks, cells=cells)


def strip(*rows, instants_s=(1.0, 2.0, 3.0, 4.0)):
    svg = filmstrip.draw(name="strip", title="Strip", instants_s=instants_s, rows=rows)
    return ElementTree.fromstring(svg)


def words(root):
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("end_s", "step_s", "count"),
    # The least of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten of which ten reach the end.
    [(7.2, 0.8, 9), (10.0, 1.0, 10), (10.1, 1.5, 7), (0.034, 0.004, 9), (26.0, 3.0, 9), (0.0, 0.1, 1)],
)
def test_steps_are_round_and_at_most_ten_reach_the_end(end_s, step_s, count):
    instants = filmstrip.instants_s(end_s)
    assert instants[0] == pytest.approx(step_s)
    assert len(instants) == count
    assert instants[-1] >= end_s


def test_a_picture_is_in_the_file_once_however_often_it_is_shown():
    root = strip(row("h1", [None, ONE, ONE, OTHER]), row("h3", [ONE, OTHER, OTHER, OTHER]))
    images = {image.get("id"): image.get("href") for image in root.iter(f"{SVG}image")}
    assert sorted(images.values()) == [ONE.uri, OTHER.uri]
    shown = [images[use.get("href").removeprefix("#")] for use in root.iter(f"{SVG}use")]
    assert shown == [ONE.uri, ONE.uri, OTHER.uri, ONE.uri, OTHER.uri, OTHER.uri, OTHER.uri]


def test_an_edge_is_coloured_where_the_picture_differs_from_the_one_before():
    root = strip(row("h2", [None, ONE, ONE, OTHER]))
    edges = [rect.get("stroke") == style.look("h2").colour for rect in root.iter(f"{SVG}rect")]
    assert edges == [False, True, False, True]


def test_a_picture_ends_at_its_instant_on_the_line_of_time_and_a_mark_stands_at_its_own():
    root = strip(row("h2", [None, ONE, ONE, OTHER], FCP=1.5))
    rects = [float(rect.get("x")) + float(rect.get("width")) for rect in root.iter(f"{SVG}rect")]
    assert rects == [280.0, 560.0, 840.0, 1120.0]
    (dot,) = root.iter(f"{SVG}circle")
    # 1.5 s of 4 s on a line of 1120.
    assert float(dot.get("cx")) == 420.0


def test_a_row_names_its_protocol_its_marks_and_the_share_that_is_shown():
    found = " ".join(words(strip(row("h3", [None, ONE, ONE, OTHER], FCP=1.25, load=3.4))))
    assert "HTTP/3run 0123" in found
    assert "first paint 1.25 s" in found
    assert "load event 3.40 s" in found
    assert "largest paint" not in found
    assert "50 %" in found


def test_pictures_keep_their_proportions_and_rows_do_not_overlap():
    tall = Picture(uri="data:image/jpeg;base64,CC==", width=10, height=10)
    root = strip(row("h1", [tall, ONE]), row("h2", [ONE, ONE]), instants_s=(1.0, 2.0))
    rects = [(float(r.get("y")), float(r.get("height"))) for r in root.iter(f"{SVG}rect")]
    assert rects[0][1] == pytest.approx(1120 / 2 - 6)
    assert rects[2][0] > rects[0][0] + rects[0][1]
    (image, *_) = root.iter(f"{SVG}image")
    assert image.get("preserveAspectRatio") == "xMidYMin meet"


def test_words_of_users_stay_words():
    strange = Row(
        protocol='"<h9>', words="<script> & x", marks={}, cells=[Cell(picture=None, completeness=0)]
    )
    assert "<script> & x" in words(strip(strange, instants_s=(1.0,)))[0]


def line(protocol, *points, **marks):
    frames = [Frame(time_s=at_s, completeness=share, file="") for at_s, share in points]
    return visual_progress.Line(protocol=protocol, frames=frames, marks=marks, speed_index_s=2.0)


def test_what_is_shown_rises_in_steps_from_nothing_and_stays():
    lines = [line("h2", (1.0, 0.5), (3.0, 1.0), FCP=1.1)]
    drawing = visual_progress.draw(name="p", title="Progress", lines=lines, end_s=5.0)
    (axis,) = drawing.figure.axes
    steps, mark = axis.lines
    assert list(zip(*steps.get_data(), strict=True)) == [(0, 0), (1, 50), (3, 100), (5, 100)]
    assert steps.get_drawstyle() == "steps-post"
    # The mark stands on its line.
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (1.1, 50)


def test_the_caption_gives_the_speed_index_of_each_protocol():
    lines = [line("h2", (1.0, 1.0)), line("h3", (0.5, 1.0))]
    drawing = visual_progress.draw(name="p", title="Progress", lines=lines, end_s=2.0)
    assert drawing.caption.endswith("its Speed Index: HTTP/2 2.00 s, HTTP/3 2.00 s.")
    found = words(ElementTree.fromstring(svg_text(drawing)))
    assert {"HTTP/2", "HTTP/3", "Shown of the page in %"} <= set(found)
    assert "load event" not in found


def test_a_page_has_a_row_for_each_protocol_and_a_mark_for_each_client():
    marks = [
        by_client.Mark(page=page, protocol=protocol, client=client, summary=summarise([1.0, 1.2], seed=1))
        for page in ("uniform-1m", "<b>")
        for protocol in ("h1", "h2")
        for client in ("loader", "chromium", "firefox")
    ]
    drawing = by_client.draw(name="c", title="PLT by client", axis_label="PLT in s", marks=marks)
    (axis,) = drawing.figure.axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ["HTTP/1.1", "HTTP/2"] * 2
    assert len(axis.containers) == 12
    heights = [float(container.lines[0].get_ydata()[0]) for container in axis.containers]
    assert heights == sorted(heights)
    assert {container.lines[0].get_marker() for container in axis.containers} == {"o", "D", "s"}
    found = words(ElementTree.fromstring(svg_text(drawing)))
    assert {"uniform-1m", "<b>", "loader", "Chromium", "Firefox"} <= set(found)
