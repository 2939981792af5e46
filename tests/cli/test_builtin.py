import re
import subprocess
import sys
import time

import pytest
from PIL import Image


def test_links_lists_every_preset(bentpipe):
    listed = bentpipe.json("links", "--json")
    assert [link["name"] for link in listed][:2] == ["lan", "geo-alshagri"]
    assert "geo-hylas2" in bentpipe("links").stdout


def test_a_link_is_shown_with_its_source(bentpipe):
    link = bentpipe.json("links", "geo-alshagri-flat", "--json")
    assert link["spec"]["forward"]["delay_ns"] == 265_000_000
    assert "10.3390/network3030019" in link["source"]
    assert "Assumed: No residual error" in bentpipe("links", "geo-alshagri-flat").stdout


def test_links_shows_a_link_with_what_is_changed_of_it(bentpipe):
    changed = ("links", "geo-alshagri", "--set", "link.return.dama=cra")
    own, other = (bentpipe.json(*words, "--json") for words in (changed[:2], changed))
    assert other["spec"]["return"] != own["spec"]["return"]
    assert other["spec"]["forward"] == own["spec"]["forward"]
    assert bentpipe(*changed).stdout.startswith("geo-alshagri with link.return.dama=cra\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lan", "--set", "cc=bbr"), "--set cc: expected a key of the link such as link.forward.delay"),
        (("lan", "--set", "link.forward.dely=1ms"), "--set link.forward.dely: expected one of"),
        (("--set", "link.forward.delay=1ms"), "NAME: expected the link to change, before --set"),
    ],
)
def test_links_changes_nothing_that_a_link_has_not_got(bentpipe, arguments, message):
    assert message in bentpipe("links", *arguments, expect=2).stderr


def test_a_link_is_shown_in_words_whatever_it_has(bentpipe, tmp_path):
    shown = bentpipe("links", "geo-viasat2-pipe").stdout
    assert "queue   36 MB; above 18 MB random drops, rising to 10 % at the limit" in shown
    assert "an outage in every 606 s; of 33 last: 25 x 200 ms, 7 x 400 ms, 1 x 2.2 s" in shown
    assert "jitter  a value for every 200 ms, by its quantiles:" in shown
    assert [line.split() for line in shown.splitlines() if " %  " in line][:5] == [
        ["0", "%", "-33", "ms"],
        ["5", "%", "-20", "ms"],
        ["25", "%", "-8", "ms"],
        ["50", "%", "0"],
        ["75", "%", "+8", "ms"],
    ]
    (tmp_path / "link.toml").write_text(
        'rtt = "600 ms"\n'
        'forward = { rate = "1 Mbit/s", jitter = "3 ms", loss = { ber = 1e-7 }, '
        'queue = { limit = "1 MB", target = "30 ms", interval = "600 ms" } }\n'
        'return = { rate = "1 Mbit/s", queue = "200 ms", loss = { p = 0.1, r = 0.2, h = 0, k = 1 } }\n'
    )
    shown = bentpipe("links", tmp_path / "link.toml").stdout
    assert "queue   1 MB; CoDel with a target of 30 ms and an interval of 600 ms" in shown
    assert "loss    bit error ratio 1e-07" in shown
    assert "jitter  normal, standard deviation 3 ms" in shown
    assert "queue   200 ms" in shown
    assert "loss    Gilbert-Elliott, p = 0.1, r = 0.2, h = 0, k = 1" in shown


def test_a_link_is_drawn_into_a_file_named_after_it_or_into_ones_own(bentpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bentpipe("links", "geo-viasat2-flat", "--plot").stdout == "geo-viasat2-flat.svg\n"
    assert "Forward, 144 Mbit/s" in (tmp_path / "geo-viasat2-flat.svg").read_text()
    for kind, head in (("pdf", b"%PDF-"), ("png", b"\x89PNG")):
        bentpipe("links", "lan", "--plot", tmp_path / f"mine.{kind}")
        assert (tmp_path / f"mine.{kind}").read_bytes().startswith(head)


def test_a_drawing_takes_the_place_of_a_link_and_is_not_written_through_it(bentpipe, tmp_path):
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "lan.svg").symlink_to("kept")
    bentpipe("links", "lan", "--plot", tmp_path / "lan.svg")
    assert (tmp_path / "kept").read_text() == "kept"
    assert not (tmp_path / "lan.svg").is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "lan.svg"}


def test_a_drawn_link_can_be_printed_as_json_too(bentpipe, tmp_path):
    assert bentpipe.json("links", "lan", "--json", "--plot", tmp_path / "lan.svg")["name"] == "lan"
    assert (tmp_path / "lan.svg").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("links", "lan", "--plot", "lan.gif"),
            "--plot: expected a file name that ends in .svg or .pdf or .png",
        ),
        (("links", "lan", "--plot", "no/such/folder/lan.svg"), "--plot: expected a file to write to"),
        (("links", "--plot", "lan"), "NAME: expected the link to draw, before --plot, found none"),
    ],
)
def test_a_drawing_that_cannot_be_made_is_bad_input(bentpipe, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in bentpipe(*arguments, expect=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_pages_are_listed_with_their_sources_and_shown_by_name(bentpipe):
    # 12 of alshagri2023, 9 of secchi2018, one of caviglione2014, two of our own.
    listed = bentpipe.json("pages", "--json")["pages"]
    assert len(listed) == 24
    assert {page["name"]: "10.1002/sat.1201" in page["source"] for page in listed} == {
        page["name"]: page["name"].startswith("objects-") for page in listed
    }
    rows = [line.split() for line in bentpipe("pages").stdout.splitlines()]
    assert ["objects-1500k-5k", "300", "1", "1.5", "MB", "secchi2018"] in rows
    assert ["news-front", "99", "12", "2.559578", "MB", "own"] in rows
    shown = bentpipe("pages", "uniform-100k").stdout
    assert "/object-8.jpg  12.5 kB" in shown
    assert "10.3390/network3030019" in shown
    assert "snep-642: an HTML document of 24.8 kB that embeds" in bentpipe("pages", "snep-642").stdout


def test_a_page_of_several_hosts_is_shown_with_them_and_what_names_each_object(bentpipe):
    shown = bentpipe("pages", "news-front").stdout
    heading = (
        "news-front: an HTML document of 31.744 kB on www.news.example and 99 objects of 2.559578 MB from 12"
    )
    assert shown.startswith(heading)
    assert re.search(r"fonts.example +/serif-1.woff2 +20.48 kB +font +after /css/part-1.css", shown)
    assert re.search(r"ads.example +/bids-3.js +3 kB +script +50 ms after /auction-1.js", shown)
    assert "HTTP Archive" in shown


def test_a_page_of_ones_own_is_shown_by_the_name_that_a_scenario_gives_it(bentpipe, tmp_path):
    (tmp_path / "index.html").write_text('<img src="a.png">')
    (tmp_path / "a.png").write_bytes(b"12345")
    name = f"dir:{tmp_path}"
    shown = bentpipe("pages", name).stdout
    assert shown.splitlines() == [
        f"{name}: an HTML document of 17 B that embeds, in this order",
        "  /a.png  5 B",
        f"Source: {name}",
    ]
    [page] = bentpipe.json("pages", name, "--json")["pages"]
    assert page["source"] == page["name"] == name
    assert bentpipe.json("show", name)["objects"] == page["objects"]


def test_a_page_of_ones_own_that_is_not_there_is_bad_input(bentpipe):
    told = "no.har: the whole file: expected a readable HAR file, found No such file or directory"
    assert told in bentpipe("pages", "har:no.har", expect=2).stderr
    assert "NAME: expected a folder, found no: No such file" in bentpipe("pages", "dir:no", expect=2).stderr


def test_pages_are_exported_as_files_of_the_sizes_that_they_list(bentpipe, tmp_path):
    pages = [page for page in bentpipe.json("pages", "--json")["pages"] if "host" not in page]
    assert len(pages) == 22
    for page in pages:
        bentpipe("pages", page["name"], "--export", tmp_path)
        folder = tmp_path / page["name"]
        sizes = {f"/{path.name}": path.stat().st_size for path in folder.glob("*.jpg")}
        assert sizes == {item["path"]: item["bytes"] for item in page["objects"]}
        [document] = [path for path in folder.iterdir() if path.suffix != ".jpg"]
        assert document.suffix == ".html"
        assert document.stat().st_size == page.get("document_bytes", document.stat().st_size)


def test_one_page_is_exported_by_its_name(bentpipe, tmp_path):
    bentpipe("pages", "single-1m", "--export", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["single-1m"]


def test_what_each_of_several_hosts_serves_is_exported_to_a_folder_of_its_own(bentpipe, tmp_path):
    [page] = bentpipe.json("pages", "news-front", "--json")["pages"]
    bentpipe("pages", "news-front", "--export", tmp_path)
    folder = tmp_path / "news-front"
    listed = {f"{item.get('host', page['host'])}{item['path']}" for item in page["objects"]}
    written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert written == listed | {f"{page['host']}/index.html"}


def test_every_image_of_a_page_is_one_down_to_the_counting_pixels_of_43_bytes(bentpipe, tmp_path):
    """A browser ends the request of what it cannot decode. Pillow decodes by code of others."""
    bentpipe("pages", "news-front", "--export", tmp_path)
    images = [path for path in tmp_path.rglob("*") if path.suffix in (".jpg", ".png", ".gif", ".webp")]
    assert min(path.stat().st_size for path in images) == 43
    for path in images:
        with Image.open(path) as image:
            image.load()


def test_a_place_where_pages_cannot_be_written_is_bad_input(bentpipe, tmp_path):
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "pages"
    message = bentpipe("pages", "--export", place, expect=2).stderr
    assert message == f"error: {place}: --export: expected a folder to write to, found Not a directory\n"


def test_pages_are_not_exported_to_where_a_link_leads(bentpipe, tmp_path):
    victim, target = tmp_path / "victim", tmp_path / "pages"
    for folder in (victim, target):
        folder.mkdir()
    (target / "single-1m").symlink_to(victim)
    message = bentpipe("pages", "single-1m", "--export", target, expect=2).stderr
    assert message == f"error: {target}: single-1m: expected a folder, found a symbolic link\n"
    assert list(victim.iterdir()) == []


def test_studies_lists_and_shows_the_experiment(bentpipe):
    assert "alshagri2023" in [study["name"] for study in bentpipe.json("studies", "--json")]
    shown = bentpipe.json("studies", "alshagri2023", "--json")
    assert len(shown["scenario"]["cells"]) == 144
    assert "144 cells x 3 repetitions" in bentpipe("studies", "alshagri2023").stdout


@pytest.mark.parametrize("command", ["links", "pages", "studies"])
def test_an_unknown_name_is_bad_input(bentpipe, command):
    assert "error: command line: " in bentpipe(command, "nothing-like-it", expect=2).stderr


def test_help_is_there_before_a_reader_notices():
    durations_s = []
    for _ in range(3):
        before = time.perf_counter()
        subprocess.run([sys.executable, "-m", "bentpipe.cli", "--help"], check=True, capture_output=True)
        durations_s.append(time.perf_counter() - before)
    # The bound is 0.3 s on an idle machine; the test leaves room for a busy one.
    assert min(durations_s) < 1.0


def test_help_imports_nothing_heavy():
    heavy = "{'scipy', 'matplotlib', 'pyarrow', 'numpy', 'pydantic', 'rich'}"
    code = f"import sys, bentpipe.cli; print({heavy} & set(sys.modules))"
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert output == "set()\n"


def test_the_commands_are_those_that_scripts_rely_on():
    from bentpipe.cli import main

    names = (
        "doctor links pages studies run reproduce advise check page bulk ping shell "
        "serve report show compare explain export packetdrill worker clean bench"
    )
    assert list(main.commands) == names.split()
