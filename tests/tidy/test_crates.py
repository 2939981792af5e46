"""Rules for the crates: order, the IO boundary, no defaults in the seam."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.project import ROOT, files, relative, toml

MEMBERS: list[str] = toml("Cargo.toml")["workspace"]["members"]
IO_CRATES = {"emu", "py"}


def dependencies(member: str) -> Iterator[str]:
    """Yield the crates of the workspace that a member uses, in its tests and benches too."""
    manifest = toml(f"{member}/Cargo.toml")
    tables = [manifest, *manifest.get("target", {}).values()]
    for table in tables:
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from (name for name in table.get(kind, {}) if name.startswith("bentpipe-"))


@pytest.mark.parametrize("member", MEMBERS)
def test_a_crate_uses_only_crates_listed_above_it(member: str) -> None:
    above = {f"bentpipe-{path.removeprefix('crates/')}" for path in MEMBERS[: MEMBERS.index(member)]}
    assert set(dependencies(member)) - above == set()


def test_every_crate_is_a_member() -> None:
    crates = {str(path.parent.relative_to(ROOT)) for path in ROOT.glob("crates/*/Cargo.toml")}
    assert crates == set(MEMBERS)


@pytest.mark.parametrize("member", MEMBERS)
def test_a_crate_inherits_the_lints_of_the_workspace(member: str) -> None:
    assert toml(f"{member}/Cargo.toml")["lints"] == {"workspace": True}


@pytest.mark.parametrize("member", MEMBERS)
def test_a_crate_whose_documentation_is_not_tested_has_no_example_in_it(member: str) -> None:
    is_tested = toml(f"{member}/Cargo.toml").get("lib", {}).get("doctest", True)
    sources = (ROOT / member / "src").rglob("*.rs")
    assert is_tested or not [path for path in sources if _opens_example(path)]


def test_the_workspace_denies_clocks_sockets_threads_and_unordered_maps() -> None:
    lints = toml("Cargo.toml")["workspace"]["lints"]["clippy"]
    assert lints["disallowed_methods"] == lints["disallowed_types"] == "deny"
    clippy = toml("clippy.toml")
    paths = {entry["path"] for key in ("disallowed-methods", "disallowed-types") for entry in clippy[key]}
    assert paths >= {
        "std::time::Instant::now",
        "std::time::SystemTime::now",
        "std::thread::sleep",
        "std::thread::spawn",
        "std::net::TcpStream::connect",
        "std::net::UdpSocket::bind",
        "tokio::spawn",
        "std::collections::HashMap",
        "std::collections::HashSet",
    }


def test_only_the_io_crates_lift_the_io_boundary() -> None:
    # A test may need an epoch for a library that counts in instants; benches and examples measure.
    apart = {"tests", "testing", "benches", "examples"}
    shipped = [path for path in files(".rs") if path.name != "tests.rs" and not apart & set(path.parts)]
    lifted = re.compile(r"(?:allow|expect|warn)\s*\([^)]*clippy::(?:disallowed_|style|all\b)")
    inside = [path for path in shipped if lifted.search(path.read_text())]
    assert (
        relative([path for path in inside if path.relative_to(ROOT / "crates").parts[0] not in IO_CRATES])
        == []
    )


# The crates whose types a run's spec is composed of.
SPEC_CRATES = ("orbit", "link", "tcp", "run")
SPEC_FILES = sorted(
    {
        str(path.relative_to(ROOT / "crates"))
        for crate in SPEC_CRATES
        for path in (ROOT / "crates" / crate / "src").rglob("*.rs")
        if re.search(r"^pub (?:struct|enum) \w+Spec\b", path.read_text(), re.MULTILINE)
    }
    | {"link/src/dscp.rs", "run/src/programs.rs"}
)


def test_the_files_of_the_seam_that_hold_specs_are_known() -> None:
    of_run = {f"run/src/{name}.rs" for name in ("page_load", "pep", "spec", "tls")}
    of_link = {f"link/src/{name}.rs" for name in ("config", "channel/loss", "dvbs2/config", "rcs2/config")}
    assert of_run | of_link | {"orbit/src/spec.rs", "tcp/src/config.rs"} < set(SPEC_FILES)


@pytest.mark.parametrize("name", SPEC_FILES)
def test_the_seam_has_no_default_because_defaults_live_in_resolve_alone(name: str) -> None:
    text = (ROOT / "crates" / name).read_text()
    # What a spec does not name is not in use.
    unnamed = "Switch::is_off|ObjectKind::is_image|Priorities::is_off"
    rest = re.sub(rf'serde\(default, skip_serializing_if = "({unnamed})"\)', "", text)
    assert (
        re.findall(r"\bserde\([^\]]*\bdefault\b|#\[derive\([^\]]*\bDefault\b|impl Default for \w+", rest)
        == []
    )


@pytest.mark.parametrize(
    "member",
    [f"crates/{name}" for name in ("units", "orbit", "link", "recording", "cc", "tcp", "packetdrill")],
)
def test_the_protocols_know_nothing_of_the_record(member: str) -> None:
    """Whoever wants a link, a congestion control or a TCP endpoint needs none of the experiment's types."""
    assert "bentpipe-run" not in set(dependencies(member))


@pytest.mark.parametrize("member", MEMBERS)
def test_each_file_of_a_crate_s_tests_belongs_to_a_program(member: str) -> None:
    manifest = toml(f"{member}/Cargo.toml")
    if manifest["package"].get("autotests", True):
        return
    folder = ROOT / member / "tests"
    programs = {Path(test["path"]).stem for test in manifest["test"]}
    modules = set(re.findall(r"^mod (\w+);$", (folder / "main.rs").read_text(), re.MULTILINE))
    there = {path.stem for path in folder.glob("*.rs")} | {
        path.parent.name for path in folder.glob("*/mod.rs")
    }
    assert programs | modules == there


def _opens_example(source: Path) -> bool:
    """Whether the documentation has a fence that rustdoc compiles: without a language, or Rust."""
    fences = re.findall(r"^\s*//[/!] ```(\w*)", source.read_text(), re.MULTILINE)
    return any(language in ("", "rust") for language in fences[::2])
