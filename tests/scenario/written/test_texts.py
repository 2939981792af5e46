"""Names and texts of the author of a scenario or a link: what spreadsheets and terminals obey is none."""

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario import load
from bentpipe.scenario.links import described
from bentpipe.scenario.written.texts import LONGEST_NAME, NAME
from tools.specs import document_of

PIPE = 'rtt = "10 ms"\nforward.rate = "1 Mbit/s"\nreturn.rate = "1 Mbit/s"\n'
# What starts a formula is OWASP's list ("CSV Injection").
FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\\t=1", "\uff1d1", "\uff20SUM(1)"]
NO_NAMES = [*FORMULAS, "\\u001b[2J", "\\u202egnp", "x" * (LONGEST_NAME + 1)]


def link_file(tmp_path, text):
    path = tmp_path / "link.toml"
    path.write_text(PIPE + text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_link_is_not_called(tmp_path, name):
    path = link_file(tmp_path, f'name = "{name}"')
    with pytest.raises(InputError) as caught:
        document_of({"link": str(path), "ping": {}})
    assert (caught.value.file, caught.value.field, caught.value.expected) == (str(path), "name", NAME)
    assert caught.value.found.isprintable()


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_page_is_not_called(name):
    name = name.replace("\\t", "\t").replace("\\u001b", "\x1b").replace("\\u202e", "\u202e")
    with pytest.raises(InputError) as caught:
        document_of({"link": "lan", "http": "h2", "page": {"name": name, "objects": ["1 kB"]}})
    assert (caught.value.field, caught.value.expected) == ("run.page.name", NAME)
    assert caught.value.found.isprintable()


@pytest.mark.parametrize("name", ["Büro, 2. Stock", "x" * LONGEST_NAME, "a=b", "4-objects"])
def test_names_may_have_whatever_can_be_read(tmp_path, name):
    path = link_file(tmp_path, f'name = "{name}"')
    spec = document_of({"link": str(path), "http": "h2", "page": {"name": name, "objects": ["1 kB"]}})
    assert spec["link"]["name"] == spec["workload"]["page"]["name"] == name


@pytest.mark.parametrize(
    ("written", "field", "expected"),
    [
        ('title = "\\u001b[2J"', "title", "a line of printable text"),
        ('title = "one\\ntwo"', "title", "a line of printable text"),
        ('source = "\\u009b2J"', "source", "printable text: where the figures come from"),
        ('assumptions = ["none", "\\u202e"]', "assumptions.2", "a list of printable texts"),
    ],
)
def test_what_a_link_file_says_of_itself_is_printable(tmp_path, written, field, expected):
    path = link_file(tmp_path, written)
    with pytest.raises(InputError) as caught:
        described(str(path))
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert caught.value.expected == expected


def test_sources_and_assumptions_may_have_several_lines(tmp_path):
    path = link_file(tmp_path, 'source = """one\n\ttwo"""\nassumptions = ["three\\nfour"]')
    found = described(str(path))
    assert (found.source, found.assumptions) == ("one\n\ttwo", ("three\nfour",))


@pytest.mark.parametrize("kind", ["har", "dir"])
def test_a_page_is_from_a_file_whose_path_can_be_printed(tmp_path, kind):
    with pytest.raises(InputError, match=r"run.page: expected a path of printable characters") as caught:
        document_of({"link": "lan", "http": "h2", "page": f"{kind}:{tmp_path}/\x1b[2J"})
    assert caught.value.found.isprintable()


@pytest.mark.parametrize(
    ("written", "field", "expected"),
    [
        ('title = "\\u001b[2J"', "title", "a line of printable text"),
        ('title = "one\\ntwo"', "title", "a line of printable text"),
        ('description = "\\u202e"', "description", "printable text"),
    ],
)
def test_what_a_scenario_says_of_itself_is_printable(tmp_path, written, field, expected):
    path = tmp_path / "scenario.toml"
    path.write_text(f'{written}\n[run]\nlink = "lan"\nping = {{}}\n')
    with pytest.raises(InputError) as caught:
        load(path)
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert caught.value.expected == expected


def test_the_description_of_a_scenario_may_have_several_lines(tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text('title = "Bücher"\ndescription = """one\n\ttwo"""\n[run]\nlink = "lan"\nping = {}\n')
    scenario = load(path)
    assert (scenario.title, scenario.description) == ("Bücher", "one\n\ttwo")
