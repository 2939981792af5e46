"""Expected sizes: table 3 of alshagri2023; pages of secchi2018 and caviglione2014 by their totals."""

from pathlib import Path

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.page.pages import PAGES, PAGES_OF, SOURCES, page, source_of
from bentpipe.scenario.written.location import Location

TOTALS = {"100k": 100_000, "500k": 500_000, "1m": 1_000_000, "2m": 2_000_000}
HERE = Location(file="test", field="page")


def sizes_of(name):
    return [item["bytes"] for item in PAGES[name]["objects"]]


def test_there_are_the_twelve_pages_of_alshagri2023():
    names = [f"{kind}-{size}" for kind in ("single", "uniform", "triangular") for size in TOTALS]
    assert list(PAGES_OF["alshagri2023"]) == names


@pytest.mark.parametrize("name", PAGES_OF["alshagri2023"])
def test_the_objects_add_up_to_the_total_in_the_pages_name(name):
    kind, size = name.split("-")
    sizes = sizes_of(name)
    # The study's own sizes of its largest triangular page add up to 1990 kB.
    assert sum(sizes) == (1_990_000 if name == "triangular-2m" else TOTALS[size])
    assert len(sizes) == (1 if kind == "single" else 8)


def test_uniform_objects_are_of_one_size():
    assert set(sizes_of("uniform-100k")) == {12_500}


def test_triangular_objects_rise_and_fall_in_page_order():
    expected = [5_000, 50_000, 135_000, 230_000, 270_000, 200_000, 100_000, 10_000]
    assert sizes_of("triangular-1m") == expected
    paths = [item["path"] for item in PAGES["triangular-1m"]["objects"]]
    assert paths == [f"/object-{n}.jpg" for n in range(1, 9)]


@pytest.mark.parametrize(
    ("total_kb", "numbers"), [(500, [100, 25, 5]), (1500, [300, 75, 15]), (2500, [500, 125, 25])]
)
def test_the_pages_of_secchi2018_are_three_totals_of_three_sizes_of_objects(total_kb, numbers):
    names = [f"objects-{total_kb}k-{size}k" for size in (5, 20, 100)]
    assert [len(sizes_of(name)) for name in names] == numbers
    assert {sum(sizes_of(name)) for name in names} == {total_kb * 1000}
    assert [set(sizes_of(name)) for name in names] == [{5_000}, {20_000}, {100_000}]


def test_the_page_of_caviglione2014_has_642_objects_and_fits_what_http_and_spdy_took_for_it():
    spec = PAGES["snep-642"]
    assert len(spec["objects"]) + 1 == 642
    assert spec["document_bytes"] == 24_800
    bodies = spec["document_bytes"] + sum(sizes_of("snep-642"))
    # A response header of Apache 2.2 with ETag, Last-Modified and Keep-Alive, byte by byte.
    header = (
        "HTTP/1.1 200 OK\r\n"
        "Date: Thu, 26 Jun 2014 12:00:00 GMT\r\n"
        "Server: Apache/2.2.22 (Ubuntu)\r\n"
        "Last-Modified: Thu, 26 Jun 2014 10:00:00 GMT\r\n"
        'ETag: "2c0b1d-1cc-4fcbf3c8c2a40"\r\n'
        "Accept-Ranges: bytes\r\n"
        "Content-Length: 460\r\n"
        "Keep-Alive: timeout=5, max=99\r\n"
        "Connection: Keep-Alive\r\n"
        "Content-Type: image/png\r\n\r\n"
    )
    # "about 508 kB"
    assert bodies + 642 * len(header) == pytest.approx(508_000, rel=0.01)
    # 416 kB; a record of TLS and two frames of SPDY with a compressed header are less than 200 B.
    assert 0 < 416_000 - bodies < 642 * 200


def test_every_page_has_a_source():
    assert {source_of(name) for name in PAGES} == set(SOURCES)
    names = ("single-1m", "objects-500k-20k", "snep-642", "news-front")
    assert [source_of(name) for name in names] == list(PAGES_OF)


def test_a_page_from_a_file_is_its_own_source():
    assert source_of("har:page.har") == "har:page.har"


def test_an_unknown_page_is_refused_with_the_forms_that_there_are():
    with pytest.raises(
        InputError, match=r"har:FILE or dir:FOLDER, found .* \(did you mean 'uniform-100k'\?\)"
    ):
        page("unifrom-100k", HERE, folder=Path())
