"""Who sets Bentpipe up runs code of others: versions that are named, with their hashes."""

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tidy.project import ROOT, toml

PROJECT = toml("pyproject.toml")
GROUPS = PROJECT["dependency-groups"]
WANTED = {
    "requirements.lock": [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["rain"],
        *PROJECT["build-system"]["requires"],
    ],
    "requirements-image.lock": PROJECT["project"]["dependencies"],
    "requirements-dev.lock": GROUPS["tests"],
    "requirements-tools.lock": GROUPS["tools"],
    "requirements-book.lock": GROUPS["book"],
    "requirements-wheel.lock": [*GROUPS["build"], *GROUPS["wheel"]],
}


def pins(lock: str) -> dict[str, str]:
    """Return the versions by name."""
    found = re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE)
    assert len(found) == len(dict(found))
    return dict(found)


def test_every_lock_is_known() -> None:
    assert {path.name for path in ROOT.glob("*.lock")} - {"Cargo.lock"} == WANTED.keys()


@pytest.mark.parametrize("lock", WANTED)
def test_a_lock_fits_to_what_the_project_asks_for(lock: str) -> None:
    found = pins(lock)
    for text in WANTED[lock]:
        wanted = Requirement(text)
        version = found.get(canonicalize_name(wanted.name))
        assert version is not None, f"{wanted.name} is not in {lock}: make lock"
        assert wanted.specifier.contains(version), f"{text}, but {version} in {lock}: make lock"


def test_the_build_tool_is_the_same_whoever_asks_for_it() -> None:
    assert GROUPS["build"] == PROJECT["build-system"]["requires"]


@pytest.mark.parametrize("lock", sorted(WANTED.keys() - {"requirements.lock", "requirements-tools.lock"}))
def test_what_the_project_needs_leaves_the_versions_of_users_as_they_are(lock: str) -> None:
    users, own = pins("requirements.lock"), pins(lock)
    common = users.keys() & own.keys()
    assert {name: own[name] for name in common} == {name: users[name] for name in common}


@pytest.mark.parametrize("lock", WANTED)
def test_every_package_of_a_lock_has_hashes_and_none_says_where_it_is_from(lock: str) -> None:
    text = (ROOT / lock).read_text()
    packages = [block for block in re.split(r"\n(?=\S)", text) if not block.startswith("#")]
    assert len(packages) == len(pins(lock))
    assert [block for block in packages if "--hash=sha256:" not in block] == []
    assert not re.search(r"://|^\s*-(?!-hash=)|\s@\s", text, re.MULTILINE)


def test_pip_installs_nothing_without_hashes() -> None:
    for path in ROOT.glob("scripts/*.sh"):
        text = path.read_text().replace("\\\n", "")
        for line in text.splitlines():
            if re.search(r"pip\"? install ", line) and not line.lstrip().startswith("#"):
                assert "--require-hashes --no-deps --only-binary :all:" in re.sub(r"\s+", " ", line), (
                    path.name
                )
