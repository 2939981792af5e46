"""Pictures by their colour histograms: expected values by hand from the definition in visualmetrics.

A pixel that is not white counts once for each of its three colours. Those of a picture that stand for some
of the last picture are divided by all of the last picture.
"""

import io

import pytest
from PIL import Image

from bentpipe.engine.process.part import PartError
from bentpipe.engine.programs.browser.pictures import Picture, completeness, histogram, kept

EMPTY = {}
BLACK, RED, YELLOW = (0, 0, 0), (255, 0, 0), (255, 255, 0)


def grey(level):
    return (level, level, level)


def png(pixels):
    """Return a picture of a hundred pixels: so many, in tens, of each colour, and the others white."""
    image = Image.new("RGB", (10, 10), "white")
    row = 0
    for colour, count in pixels.items():
        image.paste(colour, (0, row, 10, row + count // 10))
        row += count // 10
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def shares(*pictures):
    return completeness([histogram(png(pixels)) for pixels in pictures])


def test_a_picture_is_complete_by_the_share_of_the_last_ones_pixels_that_it_has():
    assert shares(EMPTY, {BLACK: 20}, {BLACK: 80}) == [0, 0.25, 1]


def test_the_first_picture_may_show_something_as_the_window_was_empty_before():
    assert shares({BLACK: 20}, {BLACK: 80}) == [0.25, 1]


def test_the_last_picture_is_complete_and_a_window_that_stays_empty_is_too():
    assert shares({BLACK: 50})[-1] == 1
    assert shares(EMPTY, EMPTY) == [1, 1]
    assert completeness([]) == []


def test_more_of_a_colour_than_there_is_in_the_end_counts_as_much_as_there_is():
    assert shares({BLACK: 100}, {BLACK: 10}) == [1, 1]


def test_a_colour_that_goes_again_is_neither_counted_nor_held_against_a_picture():
    assert shares({grey(128): 60}, {grey(128): 60, BLACK: 20}, {BLACK: 40}) == [0, 0.5, 1]


def test_red_green_and_blue_count_each_by_itself():
    """Yellow has the red and the blue of red, black its green and its blue."""
    assert shares({YELLOW: 30}, {BLACK: 30}, {RED: 30}) == pytest.approx([2 / 3, 2 / 3, 1])


@pytest.mark.parametrize(("level", "share"), [(94, 0), (95, 1), (104, 1), (105, 0)])
def test_a_level_stands_for_one_that_compression_may_have_made_of_it(level, share):
    assert shares({grey(level): 50}, {grey(100): 50}) == [share, 1]


def test_a_pixel_stands_for_one_pixel_only():
    """102 is near enough to both levels."""
    assert shares({grey(102): 50}, {grey(100): 50, grey(103): 50}) == [0.5, 1]


def test_the_darkest_pixel_that_may_stand_for_a_level_does():
    """101 is nearer to 100 than 96 is, but 96 can stand for nothing else and 101 for 103."""
    assert shares({grey(96): 50, grey(101): 50}, {grey(100): 50, grey(103): 50}) == [1, 1]


def test_what_is_all_but_white_is_white():
    assert shares(EMPTY, {grey(250): 50}) == [1, 1]
    assert shares(EMPTY, {(249, 255, 255): 50}) == [0, 1]


def test_pictures_are_kept_once_each_with_their_instants(tmp_path):
    taken = [Picture(at_ns=n, image=png({BLACK: black})) for n, black in enumerate([0, 0, 50, 50, 100])]
    frames = kept(taken, tmp_path, kind="png")
    assert [(one.at_ns, one.file) for one in frames] == [
        (0, "frame-000.png"),
        (2, "frame-001.png"),
        (4, "frame-002.png"),
    ]
    assert [one.completeness for one in frames] == [0, 0.5, 1]
    assert sorted(path.name for path in tmp_path.iterdir()) == [one.file for one in frames]


def test_a_picture_that_is_a_program_is_not_carried_out():
    """Pillow gives PostScript to Ghostscript, which a page that has taken over its browser must not reach."""
    program = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
    with pytest.raises(PartError, match="the browser's picture of the page cannot be read"):
        histogram(program)
