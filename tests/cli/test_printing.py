"""What others wrote reaches the terminal as text: no command prints what a terminal obeys.

What that is says tests/scenario/test_printable.py.
"""

import csv
import json
import re
from pathlib import Path

import pytest

from bentpipe import cli
from bentpipe.cli.output import echo, echo_text, print_columns, print_json
from bentpipe.errors import AbilityError, StorageError
from bentpipe.ledger import Ledger
from tests.campaign.fake_engine import record
from tests.support.models import because, changed

EVIL = "\x1b]0;owned\x07\x9b31m\u202e"
ESCAPED = r"\x1b]0;owned\x07\x9b31m\u202e"


def assert_text(*outputs):
    for output in outputs:
        assert all(line.isprintable() for line in output.split("\n"))


def test_lines_and_columns_are_escaped_and_aligned_by_what_is_seen(capsys):
    echo("one", f"two {EVIL}")
    echo(EVIL, err=True)
    print_columns([("A", "B"), (EVIL, "c"), ("a\nb", "d")])
    out, err = capsys.readouterr()
    assert_text(out, err)
    assert err == f"{ESCAPED}\n"
    width = len(ESCAPED)
    rows = [("A", "B"), (ESCAPED, "c"), (r"a\nb", "d")]
    aligned = [f"  {first:<{width}}  {second}" for first, second in rows]
    assert out.splitlines() == ["one", f"two {ESCAPED}", *aligned]


def test_a_text_keeps_its_lines_and_nothing_else_of_what_a_terminal_obeys(capsys):
    echo_text(f"one\n\ttwo {EVIL}\n")
    echo_text(f"a\rb\n{EVIL}", err=True)
    assert capsys.readouterr() == (f"one\n\ttwo {ESCAPED}\n\n", f"a\\rb\n{ESCAPED}\n")


def test_nothing_of_the_command_line_prints_past_what_escapes():
    """The bar of a campaign is drawn by rich, and has numbers alone."""
    sources = {path.name: path.read_text() for path in Path(cli.__file__).parent.glob("*.py")}
    printing = re.compile(r"\bclick\.s?echo|(?<![\w.])print\(|sys\.std(?:out|err)\.write")
    assert {name for name, text in sources.items() if printing.search(text)} == {"output.py"}


def test_a_json_document_has_jsons_own_escapes_and_says_the_same(capsys):
    # U+E0001 is one of the marks beyond U+FFFF: JSON has two escapes for it (RFC 8259 section 7).
    document = {"name": EVIL, "Büro": ["衛星", "\U000e0001", "\\x1b"], "half": "\udcff"}
    print_json(document)
    out = capsys.readouterr().out
    assert_text(out)
    assert json.loads(out) == document
    assert r"\udb40\udc01" in out
    assert "衛星" in out


def test_a_link_file_cannot_act_on_the_terminal(bentpipe, tmp_path):
    path = tmp_path / "evil.toml"
    path.write_text('base = "lan"\ntitle = "\\u001b[2J\\u001b[31mowned"\n')
    message = bentpipe("links", path, expect=2).stderr
    assert_text(message)
    assert message.startswith(f"error: {path}: title: expected a line of printable text, found ")


def test_an_error_about_a_key_of_others_cannot_act_on_the_terminal(bentpipe, tmp_path):
    path = tmp_path / "evil.toml"
    path.write_text('base = "lan"\n"\\u009b31m" = 1\n')
    message = bentpipe("links", path, expect=2).stderr
    assert_text(message)
    assert r"\x9b31m" in message


def test_the_files_of_a_folder_cannot_act_on_the_terminal(bentpipe, tmp_path):
    (tmp_path / f"a{EVIL}.html").write_text('<img src="gone.png">')
    (tmp_path / "index.html").write_text(f'<iframe src="a{EVIL}.html"></iframe>', encoding="utf-8")
    message = bentpipe("pages", f"dir:{tmp_path}", expect=2).stderr
    assert_text(message)
    assert f"a{ESCAPED}.html: expected nothing but files that are in the folder" in message


def test_a_source_of_several_lines_is_printed_as_such(bentpipe, tmp_path):
    path = tmp_path / "link.toml"
    path.write_text('base = "lan"\nsource = """one\n\ttwo"""\nassumptions = ["three\\nfour"]\n')
    shown = bentpipe("links", path).stdout
    assert "\nSource: one\n\ttwo\nAssumed: three\nfour\n\nLargest packet: 1500 B\n" in shown


def evil(run_id, spec, _):
    """A record as somebody may have made it by hand."""
    found = record(run_id, spec, status="failed", reasons=[because(f"first {EVIL}\nsecond")])
    return changed(found, objects=[changed(found.objects[0], url=f"={EVIL}")])


@pytest.mark.usefixtures("report")
def test_a_record_of_others_cannot_act_on_the_terminal_nor_on_a_spreadsheet(
    bentpipe, engine, scenario_file, tmp_path
):
    engine.behave = evil
    results = tmp_path / "results"
    told = bentpipe("run", scenario_file, "--out", results, expect=1).stderr
    assert_text(told)
    assert f"  4 x failed: first {ESCAPED}\nsecond; " in told
    with Ledger(results) as ledger:
        run_id = ledger.entries()[0].run_id
    shown = bentpipe("show", results / run_id).stdout
    assert_text(shown)
    assert json.loads(shown)["reasons"] == [because(f"first {EVIL}\nsecond").model_dump()]
    bentpipe("export", results, "--format", "csv")
    assert_text(*((results / "export" / f"{name}.csv").read_text() for name in ("runs", "objects")))
    with (results / "export" / "objects.csv").open(newline="") as file:
        assert {row["url"] for row in csv.DictReader(file)} == {f"'={ESCAPED}"}


def test_the_reasons_of_a_measurement_cannot_act_on_the_terminal(bentpipe, engine):
    engine.behave = evil
    arguments = ("page", "--link", "lan", "--http", "h2", "--page", "single-100k")
    shown = bentpipe(*arguments, expect=1).stdout
    assert_text(shown)
    assert f"  first {ESCAPED}\nsecond; " in shown


@pytest.mark.usefixtures("engine", "report")
def test_the_factors_of_a_ledger_cannot_act_on_the_terminal(bentpipe, scenario_file, tmp_path):
    """A file may have any name, and a link is called by it."""
    link = tmp_path / f"{EVIL}.toml"
    link.write_text('base = "lan"\n')
    links = json.dumps(["lan", str(link)])
    scenario_file.write_text(f"{scenario_file.read_text()}link = {links}\n")
    for name in ("a", "b"):
        bentpipe("run", scenario_file, "--out", tmp_path / name)
    shown = bentpipe("compare", tmp_path / "a", tmp_path / "b").stdout
    assert_text(shown)
    assert ESCAPED in shown


ERRORS = {
    "of ability": AbilityError(EVIL, f"{EVIL}\nsecond"),
    "of storage": StorageError(EVIL, f"{EVIL}\nsecond"),
    # 28 is ENOSPC (errno-base.h).
    "of the system": OSError(28, f"{EVIL}\nsecond", EVIL),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_of_any_kind_cannot_act_on_the_terminal(bentpipe, engine, kind):
    """Names of files are in it, and what programs of others said."""

    def failing(*_):
        raise ERRORS[kind]

    engine.behave = failing
    message = bentpipe("page", "--link", "lan", "--http", "h2", "--page", "single-100k", expect=2).stderr
    assert_text(message)
    assert message.startswith(f"error: {ESCAPED}")
    assert f"{ESCAPED}\nsecond" in message


@pytest.mark.usefixtures("engine", "report")
def test_the_name_of_a_folder_cannot_act_on_the_terminal(bentpipe, scenario_file, tmp_path):
    results = tmp_path / f"{EVIL}s"
    written = bentpipe("run", scenario_file, "--out", results)
    told = [written.stderr, bentpipe("report", results).stdout]
    told.append(bentpipe("export", results, "--format", "csv").stdout)
    told.append(bentpipe("compare", results, results).stdout)
    told.append(bentpipe("show", results / "none", expect=2).stderr)
    assert_text(*told)
    assert all(f"{ESCAPED}s" in each for each in told)


@pytest.mark.usefixtures("engine", "report")
def test_what_export_leaves_out_cannot_act_on_the_terminal(bentpipe, scenario_file, tmp_path):
    results = tmp_path / "results"
    bentpipe("run", scenario_file, "--out", results)
    (results / "series" / "link" / f"{EVIL}.parquet").symlink_to("nowhere")
    message = bentpipe("export", results, "--format", "parquet").stderr
    assert_text(message)
    assert f"{ESCAPED}.parquet: left out, as it is a symbolic link" in message


def test_a_link_is_called_by_its_file_without_acting_on_the_terminal(bentpipe, tmp_path):
    path = tmp_path / f"{EVIL}.toml"
    path.write_text('base = "lan"\n')
    for arguments in (("links", path), ("links", path, "--set", "link.rtt=30 ms"), ("show", path)):
        assert_text(bentpipe(*arguments).stdout)
    message = bentpipe("links", tmp_path / f"{EVIL}-none.toml", expect=2).stderr
    assert_text(message)
    assert f"{ESCAPED}-none.toml" in message


PATHS = {
    "dots": ("http://folder.invalid/../x.png", "a URL whose path has no dots and one slash at its start"),
    "a dot": ("http://folder.invalid/./x.png", "a URL whose path has no dots and one slash at its start"),
    "two slashes": ("/.//x.png", "a URL whose path has no dots and one slash at its start"),
    "a long query": ("x.png?" + "q" * 65_300, "a URL of at most 65273 bytes"),
}


@pytest.mark.parametrize("case", PATHS)
def test_a_path_that_no_browser_asks_for_is_bad_input_and_nothing_is_exported(bentpipe, tmp_path, case):
    """`places` of crates/web/src/page/tree.rs asks for paths as they are after RFC 3986 section 5.2.4."""
    url, expected = PATHS[case]
    folder, target = tmp_path / "www", tmp_path / "exported"
    folder.mkdir()
    (folder / "x.png").write_bytes(b"content")
    (folder / "index.html").write_text(f'<img src="{url}">')
    message = bentpipe("pages", f"dir:{folder}", "--export", target, expect=2).stderr
    assert f"index.html: expected {expected}, found " in message
    assert url[:60] in message
    assert not target.exists()
