"""Pictures by their colour histograms: expected values by hand from the definition in the module."""

import io

import pytest
from PIL import Image

from bentpipe.engine.browser.pictures import Picture, completeness, histogram, kept


def png(*, black):
    """Return a white picture of 10 x 10 pixels whose first rows are black, so many of a hundred pixels."""
    image = Image.new("RGB", (10, 10), "white")
    image.paste("black", (0, 0, 10, black // 10))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def shares(*blacks):
    return completeness([histogram(png(black=black)) for black in blacks])


def test_a_picture_is_complete_by_the_share_of_the_last_ones_pixels_that_it_has():
    assert shares(0, 20, 80) == pytest.approx([0, 0.25, 1])


def test_the_last_picture_is_complete_and_a_window_that_stays_empty_is_too():
    assert shares(50)[-1] == 1
    assert shares(0, 0) == [1, 1]
    assert completeness([]) == []


def test_what_appears_and_goes_again_does_not_count_below_nothing():
    """A picture of black alone is further from one of a tenth of black than an empty one is."""
    assert shares(100, 10)[0] == 0


def test_pictures_are_kept_once_each_with_their_instants(tmp_path):
    taken = [Picture(at_ns=n, image=png(black=black)) for n, black in enumerate([0, 0, 50, 50, 100])]
    frames = kept(taken, tmp_path, kind="png")
    assert [(one.at_ns, one.file) for one in frames] == [
        (0, "frame-000.png"),
        (2, "frame-001.png"),
        (4, "frame-002.png"),
    ]
    assert [one.completeness for one in frames] == pytest.approx([0, 0.5, 1])
    assert sorted(path.name for path in tmp_path.iterdir()) == [one.file for one in frames]
