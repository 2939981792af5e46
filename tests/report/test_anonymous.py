"""Reports to be published: nothing in any file tells whose machine and folders they come from."""

import csv
import json
import re
import time
import zlib
from dataclasses import replace

import pytest

from bentpipe import report
from bentpipe.errors import InputError
from bentpipe.model.reason import ObjectMissingReason
from bentpipe.report import anonymous
from tests.support.browsers import browser_folder, browser_load
from tests.support.models import because, changed
from tests.support.synthetic import failed, page_load, write_folder

HOST = "secret-host.example.org"
USER = "somebody"
SITES = (f"/home/{USER}/first site", f"/home/{USER}/second site")
COMMAND = f"bentpipe run /home/{USER}/study.toml --out /srv/measured/results"
SECRETS = (
    "secret-host",
    "example.org",
    USER,
    "/home",
    "first site",
    "second site",
    "study.toml",
    "/srv",
    "measured/results",
    "/opt",
)


def measured(entry, *, site=None):
    """An entry as this machine would have recorded it, its page from a folder where `site` names one."""
    record = entry.record
    provenance = {
        **record.provenance,
        "host": HOST,
        "command": COMMAND,
        "nginx": "1.22 of /opt/nginx/sbin/nginx on secret-host",
    }
    workload, factors = record.spec.workload, entry.factors
    if site is not None:
        file = {"folder": site, "name": "object-1.jpg", "sha256": "0" * 64}
        page = {"name": f"dir:{site}", "objects": [{"path": "/object-1.jpg", "bytes": 1000, "file": file}]}
        workload, factors = changed(workload, page=page), {**factors, "page": page["name"]}
    spec = changed(record.spec, workload=workload)
    return replace(entry, factors=factors).with_record(changed(record, provenance=provenance, spec=spec))


MISSING = ObjectMissingReason(object="/object-1.jpg")


def entries():
    runs = [
        measured(page_load(page=page, repetition=repetition), site=site)
        for page, site in zip(("uniform-100k", "uniform-500k"), SITES, strict=True)
        for repetition in range(2)
    ]
    reasons = [
        f"part client on {HOST} did not start: {SITES[0]}/index.html: no such file",
        f"error in /opt/bentpipe/.venv/bin/python: see file:///home/{USER}/log",
    ]
    return [*runs, failed(runs[-1], attempt=2, reasons=[*map(because, reasons), MISSING])]


def words_of(folder):
    """All that is written below a folder, names of files too, and what PDF files compress."""
    for path in folder.rglob("*"):
        yield str(path.relative_to(folder))
        if path.is_file():
            data = path.read_bytes()
            yield data.decode(errors="replace")
            for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
                try:
                    yield zlib.decompress(stream).decode("latin-1")
                except zlib.error:
                    continue


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    title = f"Two sites of {USER}, measured on secret-host"
    return write_folder(tmp_path_factory.mktemp("results"), entries(), title=title, repetitions=2)


@pytest.fixture(scope="module")
def published(results, tmp_path_factory):
    out = tmp_path_factory.mktemp("published") / "not" / "yet"
    assert report.build(results, out=out, is_anonymous=True) == out / "report.html"
    return out


def test_the_report_as_it_is_has_all_of_them(results, tmp_path):
    report.build(results, out=tmp_path)
    everything = "\n".join(words_of(tmp_path))
    assert [secret for secret in SECRETS if secret not in everything] == []


@pytest.mark.parametrize("secret", SECRETS)
def test_no_file_of_an_anonymous_report_has(published, secret):
    assert [text for text in words_of(published) if secret.lower() in text.lower()] == []


def test_every_kind_of_file_is_written_elsewhere_and_nothing_into_the_results(results, published):
    kinds = {path.suffix for path in published.rglob("*") if path.is_file()}
    assert kinds == {".html", ".json", ".csv", ".svg", ".pdf"}
    assert not list(results.glob("report.*")) + list(results.glob("*.csv")) + list(results.glob("figures"))


def test_two_folders_stay_two_pages(published):
    cells = json.loads((published / "report.json").read_text())["cells"]
    assert {cell["factors"]["page"] for cell in cells} == {"dir:PATH-1", "dir:PATH-2"}
    assert [cell["metrics"]["plt_s"]["n"] for cell in cells] == [2, 2]


def test_what_is_on_the_page_and_what_the_machine_is_like_stays(published):
    data = json.loads((published / "report.json").read_text())
    reasons = data["validity"]["rejected"][0]["reasons"]
    assert reasons == [
        {"code": "engine-failed", "error": error}
        for error in (
            "part client on HOST-1 did not start: PATH-1/index.html: no such file",
            "error in PATH-4: see PATH-5",
        )
    ] + [MISSING.model_dump()]
    assert set(data["provenance"]["facts"]) == {"bentpipe", "kernel", "python", "started", "nginx"}
    with (published / "objects.csv").open(newline="") as file:
        assert {row["url"] for row in csv.DictReader(file)} >= {"https://origin.test/object-1.jpg"}


def test_a_host_that_is_called_as_a_link_leaves_the_link_its_name(tmp_path):
    entry = page_load(link="lan")
    record = changed(entry.record, provenance={**entry.record.provenance, "host": "lan"})
    folder = write_folder(tmp_path, [entry.with_record(record)])
    report.build(folder, is_anonymous=True)
    data = json.loads((folder / "report.json").read_text())
    assert data["cells"][0]["factors"]["link"] == "lan"


def test_a_folder_of_the_page_that_is_called_home_names_no_user(tmp_path):
    entry = page_load()
    first, *rest = entry.record.objects
    objects = [changed(first, url="https://origin.test/home/synthetic/"), *rest]
    folder = write_folder(tmp_path, [entry.with_record(changed(entry.record, objects=objects))])
    report.build(folder, is_anonymous=True)
    assert json.loads((folder / "report.json").read_text())["scenario"]["title"] == "Synthetic runs"


def test_filmstrips_find_their_pictures(tmp_path):
    loads = [measured(browser_load(http=http)) for http in ("h2", "h3")]
    out = tmp_path / "out"
    report.build(browser_folder(tmp_path / "results", loads), out=out, is_anonymous=True)
    assert "data:image/jpeg" in (out / "figures/filmstrip-1.svg").read_text()


def test_a_place_that_is_a_file_is_an_input_error(results, tmp_path):
    place = tmp_path / "file"
    place.touch()
    with pytest.raises(InputError, match="--out"):
        report.build(results, out=place)


@pytest.mark.parametrize("piece", ["a.", "a-", "a+", "0.", "~.", "file:"])
def test_a_text_is_searched_for_paths_in_time_as_its_length(piece):
    # 200 kB take milliseconds so, and more than a minute where every place is tried again.
    text = piece * (200_000 // len(piece))
    before_s = time.process_time()
    assert anonymous._PATH.search(text) is None
    assert time.process_time() - before_s < 1


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see https://origin.test/a", []),
        ("--url=-https://origin.test/a", []),
        ("...https://origin.test/a", []),
        ("-file:///srv/a", ["/srv/a"]),
        ("file:///srv/a and git+ssh://host/b", ["/srv/a"]),
    ],
)
def test_an_address_on_the_web_is_no_path_wherever_it_stands(text, paths):
    assert [match["path"] for match in anonymous._PATH.finditer(text) if match["path"]] == paths
