"""Frames and figures of results, against the report and the statistics of the same runs."""

import gzip
import json
import re
from base64 import b64decode

import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal

import bentpipe
from bentpipe.cli import main
from bentpipe.ledger import Ledger
from bentpipe.report.best import gather
from bentpipe.stats import mean_interval, relative_difference
from bentpipe.stats.paired import paired_relative_difference


def values(results, http, metric="plt_s"):
    return results.runs.filter(http=http)[metric].to_list()


def test_runs_have_a_row_for_each_attempt_with_its_factors_and_metrics(loads):
    assert loads.runs.columns[:6] == ["run_id", "attempt", "repetition", "status", "reasons", "link"]
    assert sorted(loads.runs["http"].to_list()) == ["h1"] * 3 + ["h3"] * 3
    assert loads.runs["plt_s"].dtype == pl.Float64
    assert loads.runs["wire_bytes_down"].dtype == pl.Int64


def test_runs_are_those_of_the_reports_table(loads):
    loads.report()
    written = pl.read_csv(loads.folder / "runs.csv")
    columns = ["run_id", "plt_s", "wire_bytes_down"]
    assert_frame_equal(written.select(columns), loads.runs.select(columns), check_row_order=False)


def test_cells_have_their_mean_and_its_interval_by_the_statistics_of_reports(loads):
    (cell,) = loads.cells.filter(http="h3").to_dicts()
    sample = values(loads, "h3")
    ci = mean_interval(sample)
    assert cell["mean"] == pytest.approx(sum(sample) / 3)
    assert (cell["ci_low"], cell["ci_high"]) == pytest.approx((ci.low, ci.high))
    assert cell["median"] == sorted(sample)[1]
    assert {key: cell[key] for key in ("metric", "n", "failed", "invalid")} == {
        "metric": "plt_s", "n": 3, "failed": 0, "invalid": 0,
    }  # fmt: skip


def test_summaries_have_the_unit_of_the_metrics_name_where_reports_show_another():
    flow = bentpipe.run(link="lan", bulk={"size": "1 MB"}, repetitions=2, progress=False)
    (row,) = flow.summaries.filter(metric="goodput_bps").to_dicts()
    # A report shows Mbit/s.
    assert row["mean"] == pytest.approx(flow.runs["goodput_bps"].mean())


def test_differences_are_fiellers_against_the_cell_that_is_alike_in_all_else(loads):
    (row,) = loads.differences({"http": "h1"}).to_dicts()
    expected = relative_difference(values(loads, "h3"), values(loads, "h1"))
    assert row["http"] == "h3"
    assert row["difference_percent"] == pytest.approx(100 * expected.value)
    assert row["ci_low_percent"] == pytest.approx(100 * expected.ci.low)
    assert row["is_significant"] == expected.ci.excludes(0)


def test_over_a_path_that_is_drawn_runs_of_one_repetition_are_pairs():
    """Pairs leave out what the path of a repetition does to both cells alike."""
    loads = bentpipe.run(
        link="leo-starlink", page="single-100k", http=["h1", "h3"], cc="cubic", repetitions=6, progress=False
    )
    (row,) = loads.differences({"http": "h1"}).to_dicts()
    samples = [loads.runs.filter(http=http).sort("repetition")["plt_s"].to_list() for http in ("h3", "h1")]
    paired, unpaired = paired_relative_difference(*samples), relative_difference(*samples)
    assert row["is_paired"]
    assert (row["ci_low_percent"], row["ci_high_percent"]) == pytest.approx(
        (100 * paired.ci.low, 100 * paired.ci.high)
    )
    assert paired.ci.high - paired.ci.low < unpaired.ci.high - unpaired.ci.low


def test_intervals_of_several_differences_hold_together():
    three = bentpipe.run(
        link="flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms,loss=2%",
        page="single-100k",
        http=["h1", "h2", "h3"],
        repetitions=8,
        progress=False,
    )
    found = three.differences({"http": "h1"}).filter(http="h3").to_dicts()[0]
    # Bonferroni, of two comparisons.
    expected = relative_difference(values(three, "h3"), values(three, "h1"), confidence=1 - 0.05 / 2)
    assert found["ci_low_percent"] == pytest.approx(100 * expected.ci.low)


def test_each_cell_is_compared_under_its_own_conditions():
    pings = bentpipe.run(
        link=["lan", "geo-alshagri-flat"], ping={"count": 2, "size": ["20 B", "1 kB"]}, progress=False
    )
    found = pings.differences({"ping.size": "20 B"})
    assert sorted(found["link"].to_list()) == ["geo-alshagri-flat", "lan"]
    assert found["ping.size"].to_list() == ["1 kB"] * 2


def test_the_ranking_and_what_is_best_are_those_of_reports(loads):
    found = gather(loads._cells)
    ranking = loads.ranking().to_dicts()
    assert [row["http"] for row in ranking] == [each.cell.factors["http"] for each in found[0].rated]
    assert ranking[0]["behind_percent"] is None
    behind = found[0].rated[1].contender.behind
    assert ranking[1]["behind_percent"] == pytest.approx(100 * behind.value)
    assert ranking[1]["ci_high_percent"] == pytest.approx(100 * behind.ci.high)
    assert loads.best["http"].to_list() == [row["http"] for row in ranking if row["is_among_best"]]
    assert found[0].sentence in repr(loads)


def test_another_metric_is_ranked_by_its_own_values(loads):
    ranking = loads.ranking("wire_bytes_down")
    # Of bytes on the wire less is better.
    assert ranking["mean"].is_sorted()
    assert ranking["mean"][0] == min(sum(values(loads, http, "wire_bytes_down")) / 3 for http in ("h1", "h3"))


def test_each_condition_has_its_best():
    pings = bentpipe.run(
        link=["lan", "geo-alshagri-flat"],
        ping={"count": 2},
        dscp=["CS1", "EF"],
        repetitions=2,
        progress=False,
    )
    assert set(pings.best["link"]) == {"lan", "geo-alshagri-flat"}


def test_two_results_are_compared_as_by_the_command(loads):
    others = bentpipe.run(
        link="flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms,loss=2%",
        page="single-100k",
        http=["h1", "h3"],
        cc="bbr",
        repetitions=3,
        progress=False,
    )
    found = loads.compare(others).sort("http").to_dicts()
    told = CliRunner().invoke(main, ["compare", str(loads.folder), str(others.folder), "--json"])
    expected = [each for each in json.loads(told.stdout) if each["metric"] == "plt_s"]
    expected.sort(key=lambda each: each["cell"]["http"])
    assert [each["cell"]["http"] for each in expected] == ["h1", "h3"]
    for own, theirs in zip(found, expected, strict=True):
        assert {**own, "http": None} == pytest.approx(
            {
                "http": None,
                "metric": "plt_s",
                "n": theirs["n_b"],
                "n_reference": theirs["n_a"],
                "mean": theirs["mean_b"],
                "mean_reference": theirs["mean_a"],
                "is_significant": theirs["better"] is not None,
                "is_paired": theirs["is_paired"],
                **{key: theirs[key] for key in ("difference_percent", "ci_low_percent", "ci_high_percent")},
            }
        )


@pytest.mark.parametrize(
    ("repetitions", "others", "is_significant"),
    [
        # Pings over a quiet link take the same time in each run: no spread, and intervals of one point.
        (1, {}, [False, False]),
        (2, {}, [False, False]),
        (1, {"ping": {"count": 2, "size": ["20 B", "1 kB"], "interval": "1 s"}}, [False, False]),
        (2, {"link": "geo-alshagri-flat"}, [True, True]),
    ],
)
def test_single_runs_and_equal_values_are_compared_as_by_the_command(repetitions, others, is_significant):
    pings = {"link": "lan", "ping": {"count": 2, "size": ["20 B", "1 kB"]}, "progress": False}
    own = bentpipe.run(**pings, repetitions=repetitions)
    # One more run each, so that means of equal values differ by rounding.
    theirs = bentpipe.run(**{**pings, **others}, repetitions=repetitions + 1, seed=7)
    found = own.compare(theirs)
    assert found["is_significant"].to_list() == is_significant
    assert found.filter("is_significant").height == sum(is_significant)
    told = CliRunner().invoke(main, ["compare", str(own.folder), str(theirs.folder), "--json"])
    better = {
        each["cell"]["ping.size"]: each["better"]
        for each in json.loads(told.stdout)
        if each["metric"] == "rtt_mean_s"
    }
    assert better == {
        size: "a" if differs else None
        for size, differs in zip(found["ping.size"], found["is_significant"], strict=True)
    }


def test_a_frame_without_a_row_is_filtered_as_any_other(loads):
    failing = bentpipe.run(
        link="geo-alshagri-flat", page="single-100k", validity={"timeout": "1 s"}, progress=False, http="h1"
    )
    assert failing.best.height == 0
    assert loads.differences({"http": "h1"}, metric="overhead_percent").filter("is_significant").height >= 0


def test_results_without_a_cell_in_common_are_refused(loads):
    others = bentpipe.run(link="lan", page="single-100k", http=["h2", "h2c"], repetitions=1, progress=False)
    with pytest.raises(bentpipe.InputError, match="expected results of the same cells"):
        loads.compare(others)


def test_objects_flows_and_series_are_frames(loads):
    # A document and one object, in six runs.
    assert loads.objects.height == 12
    assert loads.flows.height == 0
    assert {"run_id", "goodput_bps"} <= set(loads.flows.columns)
    series = loads.series({"http": "h3"}, "link")
    assert series.columns[0] == "time_s"
    assert series["time_s"].is_sorted()
    flows = bentpipe.run(
        link="lan", bulk={"flows": ["cubic", "bbr"], "size": "100 kB"}, quick=True, progress=False
    )
    assert flows.flows["cc"].to_list() == ["cubic", "bbr"]


def test_a_path_that_changes_has_a_series_and_marks_in_the_plot_over_time(tmp_path):
    direction = """rate = "4 Mbit/s"
delay = "20 ms"
queue = "50 packets"
schedule.rows = [{ at = "0 s" }, { at = "1 s", state = "outage" }, { at = "1.3 s" }]"""
    file = tmp_path / "tunnel.toml"
    file.write_text(f"[forward]\n{direction}\n[return]\n{direction}\n", encoding="utf-8")
    found = bentpipe.run(link=str(file), bulk={"size": "1 MB"}, quick=True, progress=False)
    (run_id,) = found.runs["run_id"]
    path = found.series(run_id, "path")
    assert path.columns[0] == "time_s"
    assert path["forward_outage_s"].sum() == pytest.approx(0.3)
    assert path["elevation_deg"].null_count() == path.height
    assert "outage" in found.plot_over_time(run_id).svg


def test_a_cell_given_by_its_factors_stands_for_its_median_run(loads):
    sample = loads.runs.filter(http="h3").sort("plt_s")
    assert loads.record({"http": "h3"}).run_id == sample["run_id"][1]
    assert loads.record(sample["run_id"][0]).metrics.plt_s == sample["plt_s"][0]


def test_runs_become_a_frame_of_pandas(loads):
    frame = loads.to_pandas()
    assert frame.shape == loads.runs.shape
    assert frame["plt_s"].tolist() == loads.runs["plt_s"].to_list()


@pytest.mark.parametrize(
    ("ask", "field", "suggestion"),
    [
        (lambda loads: loads.differences({"htpp": "h1"}), "reference", "http"),
        (lambda loads: loads.differences({"http": "h33"}), "reference", "h3"),
        (lambda loads: loads.plot_cells("plt"), "metric", "plt_s"),
        (lambda loads: loads.plot_waterfall("no-such-run"), "run", None),
        (lambda loads: loads.plot_waterfall(), "run", None),
        (lambda loads: loads.series({"http": "h1"}, "lnk"), "name", None),
    ],
)
def test_what_results_do_not_have_is_refused(loads, ask, field, suggestion):
    with pytest.raises(bentpipe.InputError) as caught:
        ask(loads)
    assert (caught.value.file, caught.value.field) == (str(loads.folder), field)
    assert caught.value.suggestion == suggestion


def test_a_waterfall_of_what_loaded_no_page_is_refused():
    pings = bentpipe.run(link="lan", ping={"count": 2}, progress=False)
    with pytest.raises(bentpipe.InputError, match="a run that loaded a page"):
        pings.plot_waterfall()


@pytest.mark.parametrize(
    "draw",
    [
        lambda loads: loads.plot_cells(),
        lambda loads: loads.plot_cells("wire_bytes_down"),
        lambda loads: loads.plot_boxes(),
        lambda loads: loads.plot_cdf("ttfb_s"),
        lambda loads: loads.plot_over_time({"http": "h3"}),
    ],
)
def test_a_figure_is_shown_as_svg_and_saved_for_print(loads, draw, here):
    plot = draw(loads)
    assert plot._repr_svg_().rstrip().endswith("</svg>")
    assert plot.title in repr(plot)
    assert plot.save(here / "figures/plot.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(bentpipe.InputError, match=r"\.svg or \.pdf or \.png"):
        plot.save("plot.docx")


def test_a_metric_that_reports_do_not_show_is_drawn_of_all_runs(loads):
    assert "n = 3 runs" in loads.plot_cells("wire_bytes_down").caption


def test_a_waterfall_has_every_object_and_is_saved_as_svg(loads):
    plot = loads.plot_waterfall({"http": "h1"})
    assert "object-1.jpg" in plot.svg
    assert plot.save("fall.svg").read_text() == plot.svg
    with pytest.raises(bentpipe.InputError, match=r"ends in \.svg, found"):
        plot.save("fall.pdf")


@pytest.mark.parametrize(
    "draw",
    [
        lambda loads: loads.plot_cells(),
        lambda loads: loads.plot_cdf(),
        lambda loads: loads.plot_over_time({"http": "h3"}),
        lambda loads: loads.plot_waterfall({"http": "h3"}),
    ],
)
def test_an_interactive_figure_has_all_that_it_needs_and_the_drawn_one_in_its_place(loads, draw):
    plot = draw(loads)
    first, second = plot.live()._repr_html_(), plot.live(with_bokeh=False)._repr_html_()
    (drawn,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', first)
    assert b64decode(drawn).decode() == plot.svg
    (packed,) = re.findall(r'packed: "([^"]+)"', first)
    assert b"BokehJS" in gzip.decompress(b64decode(packed))
    assert second == first.replace(packed, "")
    # Nothing is loaded, and no text of a user's ends the script.
    assert re.findall(r"<(?:script|link)[^>]*(?:src|href)", first) == []
    assert first.count("</script") == 1
    assert repr(plot.live()) == repr(plot)


def test_an_interactive_figure_is_small_beside_bokeh_and_the_same_each_time(loads):
    found = [loads.plot_cells().live(with_bokeh=False)._repr_html_() for _ in range(2)]
    assert found[0] == found[1]
    assert len(found[0]) < 100_000
    # A notebook of a megabyte has room for it once.
    assert len(loads.plot_cells().live()._repr_html_()) < 600_000


def test_what_is_drawn_alone_says_so(loads):
    with pytest.raises(bentpipe.AbilityError, match="there is no interactive figure"):
        loads.plot_boxes().live()


def test_results_show_their_cells_as_text_and_as_html(loads):
    shown = repr(loads).splitlines()
    assert shown[0] == "Two protocols"
    assert shown[1].split() == ["http", "Page", "load", "time", "in", "s", "95", "%", "interval", "n"]
    mean = sum(values(loads, "h1")) / 3
    assert shown[2].split()[:2] == ["h1", f"{mean:.3f}"]
    assert shown[-1] == f"6 runs: 6 succeeded, 0 failed, 0 invalid. Folder: {loads.folder}"
    html = loads._repr_html_()
    assert f'<td style="text-align:right">{mean:.3f}</td>' in html
    assert html.count("<tr>") == 3


def test_failed_runs_are_counted_beside_what_was_measured():
    # Nothing of 100 kB comes through 8 kbit/s in a second.
    slow = bentpipe.run(
        link=["lan", "flat:down=8kbit/s,up=8kbit/s,rtt=10ms"], page="single-100k", http="h1",
        validity={"timeout": "1 s"}, repetitions=2, progress=False,
    )  # fmt: skip
    assert repr(slow).splitlines()[0].split()[-2:] == ["n", "failed"]
    assert "2 x failed: timed out" in repr(slow)
    assert "4 runs: 2 succeeded, 2 failed, 0 invalid" in repr(slow)
    assert slow.cells.sort("failed")["failed"].to_list() == [0, 2]
    assert slow.cells.sort("failed")["n"].to_list() == [2, 0]


def test_names_of_others_cannot_act_in_a_page():
    results = bentpipe.run(title="<script>x</script>", link="lan", ping={"count": 2}, progress=False)
    assert "<script>" not in results._repr_html_()


def test_only_a_study_has_claims(loads):
    assert loads.claims.height == 0


def test_a_report_is_written_into_the_folder(loads):
    page = loads.report()
    assert page == loads.folder / "report.html"
    assert json.loads((loads.folder / "report.json").read_text())


def test_a_folder_without_results_is_refused(here):
    with pytest.raises(bentpipe.InputError, match="expected a folder of results"):
        bentpipe.open(here)


def test_a_folder_of_ablations_is_refused(here):
    with Ledger.claim(here / "ablations", {"name": "example", "variants": []}):
        pass
    with pytest.raises(bentpipe.InputError, match="expected the results of one scenario"):
        bentpipe.open("ablations")
