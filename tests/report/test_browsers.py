"""Reports of page loads in browsers: filmstrips, paints, several clients."""

import csv
import io
import json
import os
import re
from base64 import b64decode

import pytest
from PIL import Image

from bentpipe import report
from bentpipe.report import filmstrips, pictures
from tests.report.test_build import Page
from tests.support.browsers import browser_folder, browser_load, picture
from tests.support.synthetic import page_load

HTTP = ("h1", "h2", "h3")
LARGEST_PAGE_BYTES = 4_000_000


def built(folder, entries, **scenario):
    browser_folder(folder, entries, **scenario)
    report.build(folder)
    return folder


def data_of(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def page_of(folder):
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def pictures_of(html):
    return re.findall(r'href="data:image/jpeg;base64,([^"]+)"', html)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    entries = [browser_load(http=http, repetition=r) for http in HTTP for r in range(3)]
    return built(tmp_path_factory.mktemp("chromium"), entries)


@pytest.fixture(scope="module")
def clients(tmp_path_factory):
    """The loader, Chromium 10 % slower, Firefox 20 % faster, on two pages, as the study's campaign."""
    entries = [
        load(http=http, page=page, repetition=r)
        for load in (
            lambda **cell: browser_load(client="chromium", scale=1.1, **cell),
            lambda **cell: browser_load(client="firefox", scale=0.8, **cell),
            page_load,
        )
        for http in HTTP
        for page in ("uniform-100k", "uniform-500k")
        for r in range(3)
    ]
    return built(tmp_path_factory.mktemp("clients"), entries, name="alshagri2023")


def test_a_page_has_a_filmstrip_with_a_row_for_each_protocol(chromium):
    (strip,) = data_of(chromium)["filmstrips"]["shown"]
    assert [load["http"] for load in strip["loads"]] == list(HTTP)
    text = page_of(chromium).text
    assert "As the page appears" in text
    assert f"A picture every {strip['step_s']:g} s" in text
    assert (chromium / strip["svg"]).is_file()


def test_the_row_of_a_protocol_is_its_median_run(chromium):
    found = data_of(chromium)
    (strip,) = found["filmstrips"]["shown"]
    medians = {cell["factors"]["http"]: cell["median_run_id"] for cell in found["cells"]}
    assert {load["http"]: load["run_id"] for load in strip["loads"]} == medians


def test_the_page_stays_one_file_that_loads_nothing(chromium):
    html = (chromium / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    references = [value for name, value in page.attributes if name in ("src", "href", "xlink:href", "data")]
    assert all(reference.startswith(("#", "figures/", "data:image/jpeg;base64,")) for reference in references)
    assert len(html) < LARGEST_PAGE_BYTES
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_pictures_are_small_and_show_what_the_window_showed(chromium):
    html = (chromium / "report.html").read_text(encoding="utf-8")
    sizes = set()
    for text in pictures_of(html):
        image = Image.open(io.BytesIO(b64decode(text)))
        sizes.add(image.size)
        # The heading of the drawn page: #1F3A5F, but for JPEG's loss.
        assert image.getpixel((230, 4)) == pytest.approx((31, 58, 95), abs=12)
    # 640 x 360 in the width of a thumbnail.
    assert sizes == {(pictures.WIDTH_PX, 135)}


def test_paints_are_summarised_exported_and_drawn_like_other_metrics(chromium):
    found = data_of(chromium)
    paints = {"paint_fcp_s", "paint_lcp_s", "speed_index_s", "loaded_s"}
    assert all(paints <= cell["metrics"].keys() and cell["metrics"]["loaded_s"]["n"] == 3
               for cell in found["cells"])  # fmt: skip
    with (chromium / "runs.csv").open(newline="", encoding="utf-8") as file:
        assert all(float(row["speed_index_s"]) > 0 for row in csv.DictReader(file))
    assert "filmstrip-1-progress" in [figure["name"] for figure in found["figures"]]
    assert "FCP (painted) in s" in page_of(chromium).text


def test_runs_of_the_loader_have_no_paints_and_no_filmstrip(tmp_path):
    folder = built(tmp_path, [page_load(http=http) for http in HTTP])
    found = data_of(folder)
    assert found["filmstrips"] == {"left_out": 0, "shown": []}
    assert found["clients"] is None
    assert not any("paint_fcp_s" in cell["metrics"] for cell in found["cells"])
    assert "paint_fcp_s" not in (folder / "runs.csv").read_text()
    assert "As the page appears" not in page_of(folder).text


def test_a_run_whose_pictures_are_gone_leaves_the_others_in_place(tmp_path):
    entries = [browser_load(http=http) for http in HTTP]
    browser_folder(tmp_path, entries)
    for path in (tmp_path / "artifacts" / f"{entries[0].run_id}-1").rglob("*.jpg"):
        path.write_bytes(b"not a picture")
    report.build(tmp_path)
    (strip,) = data_of(tmp_path)["filmstrips"]["shown"]
    assert len(strip["loads"]) == 3
    assert pictures_of((tmp_path / "report.html").read_text())


def test_a_page_of_which_no_picture_is_left_has_no_filmstrip_and_counts_as_none(tmp_path):
    entries = [browser_load(http="h2", page=page) for page in ("uniform-100k", "uniform-500k")]
    browser_folder(tmp_path, entries)
    for path in (tmp_path / "artifacts" / f"{entries[0].run_id}-1").rglob("*.jpg"):
        path.unlink()
    report.build(tmp_path)
    found = data_of(tmp_path)["filmstrips"]
    assert [strip["label"] for strip in found["shown"]] == ["uniform-500k"]
    assert found["left_out"] == 0


def test_a_name_that_leads_out_of_the_runs_folder_is_no_picture(tmp_path):
    (tmp_path / "run").mkdir()
    picture(1.0).save(tmp_path / "secret.jpg")
    picture(1.0).save(tmp_path / "run" / "frame.jpg")
    assert pictures.small(tmp_path / "run", "frame.jpg") is not None
    assert pictures.small(tmp_path / "run", "../secret.jpg") is None
    assert pictures.small(tmp_path / "run", str(tmp_path / "secret.jpg")) is None
    assert pictures.small(tmp_path / "run", "missing.jpg") is None


def test_what_is_no_picture_of_a_browser_is_none_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "folder.jpg").mkdir()
    (tmp_path / "loop.jpg").symlink_to("loop.jpg")
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    # Pillow reads more kinds than browsers are asked for, some by other programs.
    picture(1.0).save(tmp_path / "other.gif")
    for name in ("pipe.jpg", "folder.jpg", "loop.jpg", "cut.png", "other.gif", "nul\0.jpg"):
        assert pictures.small(tmp_path, name) is None, name


def test_what_is_much_taller_than_a_window_is_cut_at_its_foot(tmp_path):
    Image.new("RGB", (480, 4800), "white").save(tmp_path / "tall.png")
    found = pictures.small(tmp_path, "tall.png")
    assert (found.width, found.height) == (pictures.WIDTH_PX, pictures.MOST_HEIGHT_PX)


def test_pictures_beyond_the_limit_are_left_out_and_the_report_says_so(tmp_path, monkeypatch):
    entries = [browser_load(http="h2", page=page) for page in ("uniform-100k", "uniform-500k")]
    browser_folder(tmp_path, entries)
    report.build(tmp_path)
    both = sum(map(len, pictures_of((tmp_path / "report.html").read_text())))
    monkeypatch.setattr(filmstrips, "MOST_PICTURE_BYTES", both - 1)
    report.build(tmp_path)
    found = data_of(tmp_path)["filmstrips"]
    assert (len(found["shown"]), found["left_out"]) == (1, 1)
    assert "1 more pages or conditions have pictures too" in page_of(tmp_path).text


def test_of_many_pages_those_at_even_ranks_are_shown(tmp_path):
    sizes = ("100k", "500k", "1m", "2m")
    pages = [f"{structure}-{size}" for structure in ("uniform", "triangular") for size in sizes]
    found = data_of(built(tmp_path, [browser_load(http="h2", page=page) for page in pages]))["filmstrips"]
    # Ranks 0, 1.4, 2.8, 4.2, 5.6, 7 of 8 pages.
    assert [strip["label"] for strip in found["shown"]] == [pages[rank] for rank in (0, 1, 3, 4, 6, 7)]
    assert found["left_out"] == 2


def test_several_clients_stand_side_by_side_against_the_loader(clients):
    found = data_of(clients)["clients"]
    assert (found["reference"], sorted(found["names"])) == ("loader", ["chromium", "firefox", "loader"])
    overall = {(each["client"], each["http"]): each for each in found["overall"]}
    assert len(overall) == 6
    # The loads are the loader's, stretched by 1.1 and 0.8.
    for http in HTTP:
        assert overall["chromium", http]["against_reference_percent"] == pytest.approx(10, abs=0.5)
        assert overall["firefox", http]["against_reference_percent"] == pytest.approx(-20, abs=0.5)
        assert overall["firefox", http]["cells"] == 2
    assert len(found["cells"]) == 6
    assert found["cells"][0]["clients"][0]["client"] == "loader"


def test_several_clients_have_a_figure_and_a_section(clients):
    assert "plt-by-client-1" in [figure["name"] for figure in data_of(clients)["figures"]]
    text = page_of(clients).text
    assert "The same page loads by loader, " in text
    assert "Published claims by client" in text


def test_a_study_is_judged_on_one_client_and_says_what_the_others_make_of_its_claims(clients):
    found = data_of(clients)
    assert found["judged_client"] == "loader"
    claim = next(c for c in found["study"]["claims"] if c["id"] == "uniform-satellite-h3-h1")
    # Three runs of the loader; nine would be those of all clients.
    assert "3 runs per cell" in claim["findings"][0]["basis"]
    by_client = next(f for f in found["clients"]["findings"] if f["claim"] == claim["claim"])["clients"]
    assert by_client["loader"]["ours_percent"] == claim["findings"][0]["ours_percent"]
    assert set(by_client) == {"loader", "chromium", "firefox"}


def test_a_study_with_a_browser_alone_is_judged_on_that(tmp_path):
    entries = [browser_load(client="firefox", http=http, repetition=r) for http in HTTP for r in range(3)]
    found = data_of(built(tmp_path, entries, name="synthetic"))
    assert (found["judged_client"], found["clients"]) == ("firefox", None)
