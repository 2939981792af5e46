"""`bentpipe check`: verdicts, files and comparisons, of real runs of small pages in virtual time."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from bentpipe.check.budget import read_budgets
from bentpipe.check.page_version import PageVersion, conditions
from bentpipe.check.runs import seeds
from bentpipe.ledger import Ledger
from bentpipe.model.spec import RunSpec
from tests.support.har import HTML, entry, write

FLAT = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"
LOSSY = "lossy.toml"
BUDGETS = f"""
page = "dir:dist"
link = ["{FLAT}", "{LOSSY}"]
http = ["h2", "h3"]
repetitions = 4

[[budget]]
name = "loads in 6 s"
metric = "plt_s"
statistic = "p95"
below = "6 s"

[[budget]]
name = "not slower"
metric = "plt_s"
statistic = "mean"
regression = "3 %"
"""
LOSSY_LINK = """
rtt = "100 ms"
[forward]
rate = "10 Mbit/s"
loss = "1 %"
[return]
rate = "2 Mbit/s"
"""


def write_site(folder, *, css_bytes=10_000, names="", hashed="3f2a1c9e"):
    """A document that names a style sheet, a script and an image; the style sheet names what `names` says."""
    folder.mkdir()
    (folder / "index.html").write_text(
        f'<link rel=stylesheet href=main.css><script src="app.{hashed}.js"></script><img src=hero.jpg>'
    )
    (folder / "main.css").write_text(names + "/*" + "x" * css_bytes + "*/")
    (folder / f"app.{hashed}.js").write_text("//" + "y" * 30_000)
    (folder / "hero.jpg").write_bytes(b"h" * 50_000)
    (folder / "font.woff2").write_bytes(b"f" * 60_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check")
    write_site(folder / "dist")
    write_site(
        folder / "slow",
        css_bytes=80_000,
        names="@font-face{font-family:x;src:url(font.woff2)}",
        hashed="91bd07aa",
    )
    (folder / "budget.toml").write_text(BUDGETS)
    (folder / LOSSY).write_text(LOSSY_LINK)
    slow = BUDGETS.replace("dir:dist", "dir:slow")
    (folder / "slow.toml").write_text(slow)
    (folder / "absolute.toml").write_text(BUDGETS[: BUDGETS.rindex("[[budget]]")])
    return folder


def of_slow(folder, out):
    """What checks the slow version against the other."""
    return ("check", folder / "slow.toml", "--baseline", f"dir:{folder / 'dist'}", "--out", out, "--json")


@pytest.fixture(scope="module")
def slower(folder):
    """A check of the slow version against the other, as JSON, and the folder of its files."""
    from tests.cli.conftest import Shell

    out = folder / "out"
    return Shell().json(*of_slow(folder, out), expect=1), out


def test_kept_budgets_are_told_in_a_table(bentpipe, folder):
    said = bentpipe("check", folder / "absolute.toml")
    heading, *rows = said.stdout.splitlines()
    assert heading.split() == ["BUDGET", "CELL", "METRIC", "LIMIT", "FOUND"]
    assert len([row for row in rows if row.startswith("kept")]) == 4
    assert rows[-1] == "4 limits: 4 kept."


def test_an_unchanged_site_has_the_same_verdict_byte_for_byte_however_many_runs_at_once(bentpipe, folder):
    def check(name, jobs):
        files = [folder / f"{name}.{kind}" for kind in ("xml", "md", "json")]
        said = bentpipe(
            "check", folder / "budget.toml", "--baseline", f"dir:{folder / 'dist'}", "--jobs", jobs,
            "--junit", files[0], "--markdown", files[1], "--save", files[2],
        )  # fmt: skip
        return said.stdout, *(file.read_bytes() for file in files)

    first, *others = (check(f"again-{number}", 1 + number % 3) for number in range(5))
    assert all(other == first for other in others)
    assert "8 limits: 8 kept." in first[0]
    # The same packets meet the same losses: the change is nothing, not a little.
    assert first[0].count("unchanged: ") == 4
    assert "What changed" not in first[0]


def test_a_limit_that_is_not_kept_ends_with_1(bentpipe, folder, tmp_path):
    text = (
        (folder / "absolute.toml").read_text().replace('"6 s"', '"1.7 s"').replace("dir:", f"dir:{folder}/")
    )
    (tmp_path / "budget.toml").write_text(text.replace(LOSSY, str(folder / LOSSY)))
    junit, markdown = tmp_path / "junit.xml", tmp_path / "summary.md"
    said = bentpipe("check", tmp_path / "budget.toml", "--junit", junit, "--markdown", markdown, expect=1)
    # Over 600 ms TCP's or QUIC's handshake, the document and what it names take three round trips at least.
    assert "4 limits: 2 kept, 2 broken." in said.stdout
    suite = ElementTree.parse(junit).getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "4", "failures": "2", "skipped": "0",
    }  # fmt: skip
    assert len(suite.findall("testcase/failure[@message]")) == 2
    table = [line for line in markdown.read_text().splitlines() if line.startswith("| ")]
    assert ["broken" in line for line in table] == [False, False, True, True, False, False]


def test_a_regression_is_not_judged_without_a_baseline(bentpipe, folder, tmp_path):
    junit = tmp_path / "junit.xml"
    said = bentpipe("check", folder / "budget.toml", "--junit", junit)
    assert "8 limits: 4 kept, 4 not judged." in said.stdout
    assert len(ElementTree.parse(junit).getroot().findall("testcase/skipped")) == 4


def test_a_slower_version_is_told_with_what_made_it_slower(slower):
    document, _ = slower
    found = [each for each in document["findings"] if each["bound"] == "regression"]
    assert {each["verdict"] for each in found} == {"broken"}
    assert all(each["ci"][0] <= each["worse"] <= each["ci"][1] for each in found)
    assert len(document["changes"]) == 4
    for change in document["changes"]:
        assert [each["url"].rpartition("/")[2] for each in change["added"]] == ["font.woff2"]
        assert change["removed"] == []
        # The script has another hash in its name and is the same one.
        assert [each["now"]["url"].rpartition("/")[2] for each in change["resized"]] == ["main.css"]
        assert change["last"].endswith("font.woff2")
        total_s = sum(step["asked_s"] + step["waited_s"] + step["received_s"] for step in change["steps"])
        assert total_s + change["elsewhere_s"] == pytest.approx(change["now_s"] - change["before_s"])


def test_over_a_link_without_chance_the_change_is_that_of_every_pair(slower):
    document, _ = slower
    (found,) = (
        each
        for each in document["findings"]
        if each["bound"] == "regression"
        and each["factors"]["link"] == FLAT
        and each["factors"]["http"] == "h2"
    )
    assert len(set(found["values"])) == 1
    assert found["ci"] == [found["worse"]] * 2


def test_the_folder_has_the_runs_the_verdicts_and_waterfalls(slower):
    document, out = slower
    assert json.loads((out / "check.json").read_text()) == document
    assert "### What changed" in (out / "check.md").read_text()
    assert ElementTree.parse(out / "junit.xml").getroot().tag == "testsuite"
    svg = (out / "figures/waterfall-1.svg").read_text()
    assert "+ /font.woff2" in svg
    with Ledger(out) as ledger:
        assert {entry.record.engine.value for entry in ledger.entries()} == {"simulate"}


def test_the_same_folder_makes_no_run_twice(bentpipe, folder, slower):
    document, out = slower
    said = bentpipe(*of_slow(folder, out), expect=1)
    assert json.loads(said.stdout) == document
    assert said.stderr == ""


def test_saved_runs_and_a_folder_of_them_are_the_baseline_that_the_site_itself_is(
    bentpipe, folder, slower, tmp_path
):
    document, _ = slower
    saved, out = tmp_path / "main.json", tmp_path / "main"
    bentpipe("check", folder / "budget.toml", "--save", saved, "--out", out)
    for baseline in (saved, out):
        again = bentpipe.json("check", folder / "slow.toml", "--baseline", baseline, "--json", expect=1)
        for one, other in zip(again["findings"], document["findings"], strict=True):
            assert one["verdict"] == other["verdict"]
            # Of saved runs there are no more than were saved.
            pairs = len(one["values"])
            assert one["values"] == other["values"][:pairs]
        (one, *_), (other, *_) = again["changes"], document["changes"]
        assert one["sentences"] == other["sentences"]


def test_results_of_a_scenario_are_compared_by_their_own_seeds(bentpipe, folder, tmp_path):
    scenario = tmp_path / "main.toml"
    scenario.write_text(
        f'repetitions = 3\n[run]\npage = "dir:{folder / "dist"}"\nlink = "{folder / LOSSY}"\nhttp = "h2"\n'
    )
    bentpipe("run", scenario, "--engine", "simulate", "--out", tmp_path / "main")
    found = bentpipe.json("check", folder / "budget.toml", "--baseline", tmp_path / "main", "--json")[
        "findings"
    ]
    judged = [each for each in found if each["bound"] == "regression" and each["verdict"] == "kept"]
    # The same site by the same seeds: three pairs without a difference, of the one cell that it has.
    (same,) = judged
    assert (len(same["values"]), same["worse"], same["factors"]["http"]) == (3, 0.0, "h2")
    others = [each for each in found if each["verdict"] == "not judged"]
    assert {each["why"] for each in others} == {f"{tmp_path / 'main'} has no such runs"}


def test_a_recorded_page_is_a_baseline_wherever_the_command_is_called(bentpipe, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    for name, bytes_ in (("before", 20_000), ("now", 60_000)):
        page = entry("https://example.org/", media=HTML, size=5_000)
        write(tmp_path / f"site/{name}.har", [page, entry("https://example.org/a.png", size=bytes_)])
    (tmp_path / "site/budget.toml").write_text(
        f'[[budget]]\npage = "har:now.har"\nlink = "{FLAT}"\nhttp = "h2"\nrepetitions = 2\n'
        'metric = "payload_bytes"\nstatistic = "mean"\nregression = "10 %"\n'
    )
    monkeypatch.chdir(tmp_path)
    document = bentpipe.json(
        "check", "site/budget.toml", "--baseline", "har:site/before.har", "--json", expect=1
    )
    (found,) = document["findings"]
    assert (found["before"], found["found"]) == (25_000, 65_000)
    # 65 kB after 25 kB are 160 % more, in every pair.
    assert (found["worse"], found["ci"]) == (pytest.approx(1.6), [pytest.approx(1.6)] * 2)
    ((pair,),) = (change["resized"] for change in document["changes"])
    assert pair["now"]["url"] == "https://example.org/a.png"


def test_names_of_others_are_text_in_markdown_and_xml(bentpipe, tmp_path):
    name = "a | <b>c</b> [d](e) `f` & g"
    (tmp_path / "budget.toml").write_text(
        f'[[budget]]\nname = "{name}"\npage = "single-100k"\nlink = "{FLAT}"\nhttp = "h2"\nrepetitions = 1\n'
        'metric = "plt_s"\nbelow = "6 s"\n'
    )
    junit, markdown = tmp_path / "junit.xml", tmp_path / "summary.md"
    bentpipe("check", tmp_path / "budget.toml", "--junit", junit, "--markdown", markdown)
    assert ElementTree.parse(junit).find("testcase").get("classname") == name
    (row,) = (line for line in markdown.read_text().splitlines() if "kept |" in line)
    # CommonMark: a backslash takes its meaning from a character of ASCII punctuation.
    assert r" a \| \<b\>c\</b\> \[d\](e) \`f\` \& g |" in row


def test_a_page_that_is_new_is_not_compared_with_another_one(bentpipe, tmp_path):
    text = (
        f'link = "{FLAT}"\nhttp = "h2"\nrepetitions = 1\n[[budget]]\nmetric = "plt_s"\nregression = "3 %"\n'
    )
    for name, pages in (("before", ["single-100k"]), ("now", ["single-100k", "uniform-100k"])):
        (tmp_path / f"{name}.toml").write_text(f"page = {json.dumps(pages)}\n{text}")
    bentpipe("check", tmp_path / "before.toml", "--save", tmp_path / "main.json")
    found = bentpipe.json("check", tmp_path / "now.toml", "--baseline", tmp_path / "main.json", "--json")
    assert {each["factors"]["page"]: each["verdict"] for each in found["findings"]} == {
        "single-100k": "kept", "uniform-100k": "not judged",
    }  # fmt: skip


def test_seeds_depend_on_the_conditions_and_not_on_the_site(folder):
    now, before = (read_budgets(folder / name).budgets[0].cells for name in ("slow.toml", "budget.toml"))
    assert [PageVersion.of(cells[0].spec).page for cells in (now, before)] == ["dir:slow", "dir:dist"]
    ours, theirs = ([seeds(cell.spec, seed=1, runs=3) for cell in cells] for cells in (now, before))
    assert ours == theirs
    assert len(set(ours)) == 4
    # Records say the same of their specifications, whatever was filled in on the way.
    spec = RunSpec.model_validate({**now[0].spec, "seed": 5})
    assert conditions(spec.model_dump(mode="json", exclude_unset=True)) == conditions(now[0].spec)


@pytest.mark.parametrize(
    ("baseline", "found"),
    [
        ("nowhere", '"nowhere"'),
        ("dir:nowhere", "nowhere: No such file or directory"),
        ("single-100m", '"single-100m"'),
    ],
)
def test_a_baseline_that_is_none_is_refused(bentpipe, folder, monkeypatch, baseline, found):
    monkeypatch.chdir(folder)
    said = bentpipe("check", "budget.toml", "--baseline", baseline, expect=2)
    assert found in said.stderr


def test_a_baseline_of_another_version_is_refused(bentpipe, folder, tmp_path):
    saved = tmp_path / "main.json"
    bentpipe("check", folder / "budget.toml", "--save", saved)
    saved.write_text(re.sub(r'"bentpipe":"[^"]*"', '"bentpipe":"0.0.9"', saved.read_text()))
    said = bentpipe("check", folder / "budget.toml", "--baseline", saved, expect=2)
    assert "command line: --baseline: expected runs of this version" in said.stderr
    assert 'found those of "0.0.9"' in said.stderr


@pytest.mark.parametrize("text", ["", "{}", '{"format": "bentpipe-check", "version": 2}', "\x00" * 100])
def test_a_file_that_no_check_wrote_is_refused(bentpipe, folder, tmp_path, text):
    saved = tmp_path / "main.json"
    saved.write_text(text)
    said = bentpipe("check", folder / "budget.toml", "--baseline", saved, expect=2)
    assert said.stderr.startswith(f"error: {saved}: ")


def test_a_baseline_for_budgets_that_compare_nothing_is_refused(bentpipe, folder):
    said = bentpipe("check", folder / "absolute.toml", "--baseline", "single-100k", expect=2)
    assert "expected a budget with `regression`" in said.stderr


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (
            'metric = "goodput_bps"\nabove = "1 Mbit/s"\n',
            2,
            "budget.1.metric: expected a metric that these runs have: plt_s",
        ),
        (
            'run.validity.timeout = "2 s"\nmetric = "plt_s"\nbelow = "6 s"\nrepetitions = 2\n',
            1,
            "2 of 2 runs have no numbers: ",
        ),
        (
            'run.client = "chromium"\nmetric = "plt_s"\nbelow = "6 s"\n',
            2,
            'budget.1.run.client: expected "loader" on the simulate engine',
        ),
    ],
    ids=["a metric of others", "a page that does not load", "a browser"],
)
def test_what_cannot_be_judged_says_why(bentpipe, tmp_path, text, status, said):
    path = tmp_path / "budget.toml"
    path.write_text(f'[[budget]]\npage = "single-100k"\nlink = "{FLAT}"\nhttp = "h2"\n{text}')
    done = bentpipe("check", path, expect=status)
    assert said in done.stdout + done.stderr


def test_a_page_of_twice_the_size_breaks_its_budget_by_the_object_that_has_grown(bentpipe, tmp_path):
    for name, factor in (("before", 1), ("now", 2)):
        write_site(tmp_path / name)
        (tmp_path / name / "hero.jpg").write_bytes(b"h" * 200_000 * factor)
    path = tmp_path / "budget.toml"
    path.write_text(
        f'page = "dir:now"\nlink = "{FLAT}"\nhttp = "h2"\nrepetitions = 2\n'
        '[[budget]]\nmetric = "plt_s"\nregression = "3 %"\n'
    )
    document = bentpipe.json("check", path, "--baseline", f"dir:{tmp_path / 'before'}", "--json", expect=1)
    (found,), (change,) = document["findings"], document["changes"]
    # 200 kB more at 10 Mbit/s take 0.16 s at least; a load of some 300 kB over 600 ms takes a few seconds.
    assert (found["verdict"], found["is_certain"]) == ("broken", True)
    assert found["found"] - found["before"] > 0.16
    (pair,) = change["resized"]
    assert pair["now"]["url"].endswith("/hero.jpg")
    assert (pair["before"]["bytes"], pair["now"]["bytes"]) == (200_000, 400_000)
    assert change["added"] == change["removed"] == []
    assert any("/hero.jpg 200.0 kB to 400.0 kB" in sentence for sentence in change["sentences"])


@pytest.fixture
def small(tmp_path):
    """A budget of one small site, which compares."""
    write_site(tmp_path / "dist")
    path = tmp_path / "budget.toml"
    path.write_text(
        f'page = "dir:dist"\nlink = "{FLAT}"\nhttp = "h2"\nrepetitions = 2\n'
        '[[budget]]\nmetric = "plt_s"\nregression = "3 %"\n'
    )
    return path


@pytest.mark.parametrize(
    ("repetitions", "made", "needed", "said"),
    [
        (1, 2, 86, "(2 runs each, not certain: p95 needs 86, so repetitions = 11 or more)"),
        (2, 2, 86, "(2 runs each, not certain: p95 needs 86, so repetitions = 11 or more)"),
        (11, 88, None, "(88 runs each)"),
    ],
)
def test_no_run_is_made_for_a_quantile_that_all_of_them_would_not_tell(
    bentpipe, folder, small, tmp_path, repetitions, made, needed, said
):
    text = small.read_text().replace("repetitions = 2", f"repetitions = {repetitions}").replace(FLAT, LOSSY)
    small.write_text(text.replace('"plt_s"', '"plt_s"\nstatistic = "p95"').replace("3 %", "0 %"))
    (tmp_path / LOSSY).write_text(LOSSY_LINK)
    (tmp_path / "dist/main.css").write_text("x" * 60_000)
    order = ["check", small, "--baseline", f"dir:{folder / 'dist'}", "--out", tmp_path / "out"]
    (finding,) = bentpipe.json(*order, "--json", expect=1)["findings"]
    # David, Nagaraja 2003, section 7.1, with 95 % shared among four looks: 0.95^86 < 0.0125 < 0.95^85.
    assert (len(finding["values"]), finding["needed_pairs"]) == (made, needed)
    assert said in bentpipe(*order, expect=1).stdout


def test_two_runs_without_chance_are_enough_for_any_quantile(bentpipe, folder, small):
    text = small.read_text().replace("repetitions = 2", "repetitions = 1")
    small.write_text(text.replace('"plt_s"', '"plt_s"\nstatistic = "p95"'))
    found = bentpipe.json("check", small, "--baseline", f"dir:{folder / 'dist'}", "--json")
    (finding,) = found["findings"]
    assert (len(finding["values"]), finding["is_certain"], finding["needed_pairs"]) == (2, True, None)


def test_two_versions_of_a_page_do_not_stand_in_one_folder(bentpipe, small, tmp_path):
    out = tmp_path / "out"
    bentpipe("check", small, "--out", out)
    (tmp_path / "dist/hero.jpg").write_bytes(b"h" * 70_000)
    said = bentpipe("check", small, "--out", out, expect=2)
    assert f'{out}: --out: expected runs of one version of "dir:dist"' in said.stderr
    assert "found those of two" in said.stderr
    # Nothing was measured into it: it is a baseline as before, of which the site now is a slower version.
    said = bentpipe("check", small, "--baseline", out, expect=1)
    assert "/hero.jpg 50.0 kB to 70.0 kB" in said.stdout


def test_two_versions_of_a_page_in_one_file_are_refused_only_where_runs_are_kept(bentpipe, tmp_path):
    text = f'repetitions = 1\n[run]\npage = "dir:dist"\nlink = "{FLAT}"\nhttp = "h2"\n'
    for name, css_bytes in (("one", 10_000), ("other", 60_000)):
        (tmp_path / name).mkdir()
        write_site(tmp_path / name / "dist", css_bytes=css_bytes)
        (tmp_path / name / "scenario.toml").write_text(text)
    path, out, file = tmp_path / "budget.toml", tmp_path / "out", tmp_path / "saved.json"
    path.write_text(
        "".join(
            f'[[budget]]\nscenario = "{name}/scenario.toml"\nmetric = "plt_s"\nbelow = "9 s"\n'
            for name in ("one", "other")
        )
    )
    first, second = bentpipe.json("check", path, "--json")["findings"]
    # 50 kB more at 10 Mbit/s take 0.04 s at least.
    assert second["found"] - first["found"] > 0.04
    for kept in (["--out", out], ["--save", file]):
        said = bentpipe("check", path, *kept, expect=2).stderr
        assert f'{path}: budget.2: expected runs of one version of "dir:dist"' in said
    assert not out.exists()
    assert not file.exists()


def test_waterfalls_of_an_earlier_check_go_and_nothing_else_does(bentpipe, small, tmp_path):
    write_site(tmp_path / "before", css_bytes=40_000)
    out, figures = tmp_path / "out", tmp_path / "out/figures"
    bentpipe("check", small, "--baseline", f"dir:{tmp_path / 'before'}", "--out", out)
    assert {path.name for path in figures.iterdir()} == {"waterfall-1.svg", "waterfall-1.pdf"}
    mine = {"waterfall-of-mine.svg", "waterfall-1-mine.svg", "waterfall-2024-review.svg", "waterfall-1.png"}
    for name in mine:
        (figures / name).write_text("mine")
    (figures / "waterfall-12.svg").write_text("of an earlier check")
    bentpipe("check", small, "--baseline", f"dir:{tmp_path / 'dist'}", "--out", out)
    assert {path.name for path in figures.iterdir()} == mine


def test_waterfalls_are_not_looked_for_behind_a_link(bentpipe, small, tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    bentpipe("check", small, "--out", out)
    elsewhere.mkdir()
    (elsewhere / "waterfall-1.svg").write_text("of somebody")
    (out / "figures").symlink_to(elsewhere)
    said = bentpipe("check", small, "--out", out, expect=2)
    assert f"{out}: figures: expected a folder, found a symbolic link" in said.stderr
    assert (elsewhere / "waterfall-1.svg").read_text() == "of somebody"
