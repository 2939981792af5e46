"""Pages come into the site with links that hold there."""

from pathlib import PurePosixPath

import pytest
import yaml

from tests.tidy.project import ROOT
from tools.book import reference, staging
from tools.book.words import words


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    staging.stage(folder)
    return folder


def test_documents_at_the_root_stand_below_project_and_are_linked_there(site):
    assert "](project/ARCHITECTURE.md)" in (site / "README.md").read_text()
    assert "](../decisions.md)" in (site / "project/ARCHITECTURE.md").read_text()


def test_a_file_outside_of_the_documents_is_taken_along(site):
    assert "](../project/action.yml)" in (site / "guide/check.md").read_text()
    assert (site / "project/action.yml").read_text() == (ROOT / "action.yml").read_text()


def test_a_notebook_becomes_a_page_with_its_outputs(site):
    page = (site / "notebooks/which-protocol-over-geo.md").read_text()
    assert "```python\n" in page and "data:image/" in page
    assert staging.site_path(PurePosixPath("docs/notebooks/a.ipynb")) == PurePosixPath("notebooks/a.md")


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page(site):
    settings = (ROOT / "mkdocs.yml").read_text().replace("!!python/object/apply:pymdownx.slugs.slugify", "")
    entries = set(_paths(yaml.safe_load(settings)["nav"]))
    staged = {str(path.relative_to(site)) for path in site.rglob("*.md")}
    assert entries == staged | {str(path) for path in reference.files() if path.suffix == ".md"}


def _paths(entry):
    if isinstance(entry, str):
        yield entry
    else:
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from _paths(below)


def test_words_of_code_and_of_short_cells_do_not_count():
    text = (
        "# One heading\n\nTwo `more`\nwords.\n\n```\nnone\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 ± 0.1 |\n"
    )
    assert words(text) == 5


def test_a_sentence_in_a_table_counts():
    sentence = " ".join(["word"] * 13)
    assert words(f"| a |\n| --- |\n| {sentence} |\n") == 13


def test_tables_that_a_tool_writes_do_not_count():
    sentence = " ".join(["word"] * 13)
    table = f"| a |\n| --- |\n| {sentence} |\n"
    assert words(f"<!-- scores -->\ntwo words\n\n{table}\n<!-- /scores -->\n\none {sentence}\n") == 16


def test_what_is_taken_from_others_has_its_licence_beside_it(site):
    assert "Permission is hereby granted" in (site / "assets/iframe-worker/LICENSE").read_text()


def test_literature_does_not_count():
    assert words("three words here\n\n## References\n\n- RFC 9000\n") == 3
