"""One concept, one name everywhere: a model's file has a page of the same name, with a fixed outline."""

import re
from pathlib import Path

import pytest

from tests.tidy.project import ROOT, files

PAGES = ROOT / "docs/models"
OUTLINE = ["Idea", "Equations", "Parameters", "Validation", "Limits"]
# Files of the model crates that are no model: the frame that models are put in, and parts of a model whose
# page is the model's.
FRAME = {
    "cc": {
        "acked_or_lost",
        "aimd_window",
        "algorithm",
        "bbr_common",
        "control",
        "filter",
        "lib",
        "phase",
        "round",
        "testing",
        "usage",
    },
    "link": {
        "channel",
        "config",
        "counters",
        "checks",
        "describe",
        "direction",
        "directional_path",
        "dscp",
        "ecn",
        "egress",
        "error",
        "event",
        "lib",
        "load",
        "packet",
        "path",
        "pipe",
        "random",
        "report",
        "signal",
        "table",
    },
}
# Folders of the link whose files are a model each, and those among them that are none.
SLICES = {
    "channel": {"mod", "stratified"},
    "queue": {"class_probe", "class_queues", "classifier", "fifo", "mod", "sojourn"},
    "signal": {"mod"},
}

# What other crates and parts of the frame do to the numbers has a page too.
ELSEWHERE = {
    "browsers": ROOT / "python/bentpipe/engine/programs/browser",
    "acm": ROOT / "crates/link/src/dvbs2/acm.rs",
    "capacity": ROOT / "crates/link/src/pipe",
    "classes": ROOT / "crates/link/src/queue/class_queues.rs",
    "dama": ROOT / "crates/link/src/rcs2/dama",
    "bulk": ROOT / "crates/web/src/bulk",
    "dns": ROOT / "crates/web/src/dns",
    "geometry": ROOT / "crates/orbit/src",
    "host": ROOT / "crates/run/src/host.rs",
    "http1": ROOT / "crates/http/src/http1",
    "emulation": ROOT / "crates/emu/src",
    "http2": ROOT / "crates/http/src/http2.rs",
    "http3": ROOT / "crates/web/src/origin/h3.rs",
    "page-load": ROOT / "crates/web/src/loader",
    "pep": ROOT / "crates/web/src/pep",
    "simulation": ROOT / "crates/sim/src",
    "quic": ROOT / "crates/http/src/quic",
    "rain": ROOT / "python/bentpipe/scenario/link/rain.py",
    "servers": ROOT / "python/bentpipe/engine/programs/server",
    "spdy": ROOT / "crates/http/src/spdy",
    "tcp": ROOT / "crates/emu/src/tcp.rs",
    "tcp-endpoint": ROOT / "crates/tcp/src",
    "tls": ROOT / "crates/http/src/tls",
    "traces": ROOT / "crates/recording/src",
}


def models() -> dict[str, Path]:
    """Return each model by name: a file or a folder of a model crate, or what ELSEWHERE names."""
    found = dict(ELSEWHERE)
    for crate, frame in FRAME.items():
        source = ROOT / "crates" / crate / "src"
        tops = {source / path.relative_to(source).parts[0] for path in files(".rs") if source in path.parents}
        found |= {top.stem: top for top in tops if top.stem not in frame}
    for folder, frame in SLICES.items():
        inside = (ROOT / "crates/link/src" / folder).glob("*.rs")
        found |= {path.stem: path for path in inside if path.stem not in frame}
    return found


def headings(page: Path) -> list[str]:
    """Return the second-level headings."""
    return re.findall(r"^## (.+?)\s*$", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("model", sorted(models()))
def test_a_model_has_a_page_with_the_outline(model: str) -> None:
    page = PAGES / f"{model}.md"
    assert page.is_file(), f"{models()[model].relative_to(ROOT)} is a model without {page.relative_to(ROOT)}"
    found = headings(page)
    assert found[: len(OUTLINE)] == OUTLINE
    assert set(found[len(OUTLINE) :]) <= {"References"}


def test_every_page_is_of_a_model() -> None:
    pages = {path.stem for path in files(".md") if path.parent == PAGES} - {"README", "index"}
    assert pages - set(models()) == set()


@pytest.mark.parametrize("crate", sorted(FRAME))
def test_the_list_of_files_that_are_no_model_names_existing_files(crate: str) -> None:
    source = ROOT / "crates" / crate / "src"
    stems = {path.stem for path in source.iterdir()}
    assert FRAME[crate] - stems == set()


@pytest.mark.parametrize("folder", sorted(SLICES))
def test_the_list_of_files_of_a_slice_that_are_no_model_names_existing_files(folder: str) -> None:
    stems = {path.stem for path in (ROOT / "crates/link/src" / folder).iterdir()}
    assert SLICES[folder] - stems == set()


def test_what_lies_elsewhere_exists() -> None:
    assert [name for name, source in ELSEWHERE.items() if not source.exists()] == []
