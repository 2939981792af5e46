"""Expected sizes: table 3 of alshagri2023."""

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.pages import PAGES, page
from bentpipe.scenario.where import Where

TOTALS = {"100k": 100_000, "500k": 500_000, "1m": 1_000_000, "2m": 2_000_000}
HERE = Where(file="test", field="page")


def test_there_are_the_twelve_pages_of_the_study():
    names = [f"{kind}-{size}" for kind in ("single", "uniform", "triangular") for size in TOTALS]
    assert list(PAGES) == names


@pytest.mark.parametrize("name", PAGES)
def test_the_objects_add_up_to_the_total_in_the_pages_name(name):
    kind, size = name.split("-")
    sizes = [item["bytes"] for item in PAGES[name]["objects"]]
    # The study's own sizes of its largest triangular page add up to 1990 kB.
    assert sum(sizes) == (1_990_000 if name == "triangular-2m" else TOTALS[size])
    assert len(sizes) == (1 if kind == "single" else 8)


def test_uniform_objects_are_of_one_size():
    assert {item["bytes"] for item in PAGES["uniform-100k"]["objects"]} == {12_500}


def test_triangular_objects_rise_and_fall_in_page_order():
    objects = PAGES["triangular-1m"]["objects"]
    expected = [5_000, 50_000, 135_000, 230_000, 270_000, 200_000, 100_000, 10_000]
    assert [item["bytes"] for item in objects] == expected
    assert [item["path"] for item in objects] == [f"/object-{n}.jpg" for n in range(1, 9)]


@pytest.mark.parametrize(
    "name", ["objects-500k-5k", "objects-2500k-100k", "snep-642", "har:page.har", "dir:www"]
)
def test_pages_to_come_are_told_from_unknown_ones(name):
    with pytest.raises(InputError, match="not available yet"):
        page(name, HERE)
    with pytest.raises(InputError, match=r"did you mean 'uniform-100k'"):
        page("unifrom-100k", HERE)
