"""A release has one version: of its tag, the package, the crates, the citation and the changes."""

from pathlib import Path

import pytest
import yaml

from tests.tidy.project import ROOT
from tests.tidy.test_scripts import Machine


def release(
    folder: Path,
    *tag: str,
    package: str = "1.2.0",
    crates: str = "1.2.0",
    cited: str = "1.2.0",
    newest: str = "[1.2.0] - 2026-01-31",
) -> tuple[int, str, str]:
    machine = Machine(folder, "release-version.sh")
    # Other tables have versions too, before and behind.
    project = f'[project]\nname = "b"\nversion = "{package}"\n'
    (folder / "pyproject.toml").write_text(f'[tool.other]\nversion = "9"\n{project}[tool.x]\nversion = "8"\n')
    (folder / "Cargo.toml").write_text(
        f'[workspace]\nmembers = []\n\n[workspace.package]\nversion = "{crates}"\nedition = "2024"\n'
    )
    (folder / "CITATION.cff").write_text(f"cff-version: 9\nversion: {cited}\n")
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {newest}\n\n## [1.1.0] - 2025-01-31\n")
    done = machine.run(*tag)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("tag", [(), ("v1.2.0",)])
def test_a_tag_of_the_version_is_released(tmp_path: Path, tag: tuple[str, ...]) -> None:
    assert release(tmp_path, *tag) == (0, "1.2.0\n", "")


@pytest.mark.parametrize("tag", ["v1.2", "1.2.0", "v1.2.0-rc1", "v1.3.0"])
def test_another_tag_is_not(tmp_path: Path, tag: str) -> None:
    assert release(tmp_path, tag) == (1, "", f"release: expected the tag v1.2.0, found {tag}\n")


def test_nor_are_package_and_crates_of_two_versions(tmp_path: Path) -> None:
    said = "release: pyproject.toml has version 1.2.0, Cargo.toml 1.1.0\n"
    assert release(tmp_path, "v1.2.0", crates="1.1.0") == (1, "", said)


def test_nor_is_a_citation_of_another_version(tmp_path: Path) -> None:
    said = "release: pyproject.toml has version 1.2.0, CITATION.cff 1.1.0\n"
    assert release(tmp_path, cited="1.1.0") == (1, "", said)


@pytest.mark.parametrize(
    "newest", ["[Unreleased]", "[1.2.0]", "[1.1.0] - 2026-01-31", "[1x2.0] - 2026-01-31"]
)
def test_changes_belong_to_a_version_with_a_date(tmp_path: Path, newest: str) -> None:
    said = f"release: CHANGELOG.md: expected '## [1.2.0] - ' and a date first, found '## {newest}'\n"
    assert release(tmp_path, "v1.2.0", newest=newest) == (1, "", said)


def test_the_project_has_one_version(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "release-version.sh")
    for name in ("pyproject.toml", "Cargo.toml", "CITATION.cff"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    assert machine.run().returncode == 0


def test_all_that_is_published_waits_for_the_version_and_only_the_last_job_may_publish() -> None:
    """Trusted publishing needs an identity (`id-token`), and no secret: a log has none to show."""
    text = (ROOT / ".github/workflows/release.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]

    def all_needs(name: str) -> set[str]:
        needs = jobs[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*(all_needs(one) for one in direct))

    assert "version" in all_needs("publish")
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert "secrets." not in text
