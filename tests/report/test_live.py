"""The interactive figures of a page: offline, the same bytes every time, and no script but ours."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256

import pytest

from bentpipe import report
from tests.support.synthetic import failed, page_load, ping, write_folder


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    entries = [page_load(http=http, repetition=n) for http in ("h2", "h3") for n in range(3)]
    return built(tmp_path_factory.mktemp("live"), entries)


def built(folder, entries):
    report.build(write_folder(folder, entries))
    return (folder / "report.html").read_text(encoding="utf-8")


def data_of(html):
    found = re.findall(r'<script type="application/json" id="live-([^"]+)">(.*?)</script>', html)
    return {name: json.loads(text) for name, text in found}


def test_means_runs_over_time_and_the_waterfalls_of_median_runs_are_interactive(html):
    names = list(data_of(html))
    assert names[0] == "plt-s-by-cell"
    assert {"over-time-1", "over-time-2"} < set(names)
    assert sum(name.startswith("fall-") for name in names) == 2
    for name in names:
        assert f'data-live="live-{name}"><svg' in html.replace("\n", "")


def test_the_policy_names_the_digest_of_each_script_and_no_other_may_run(html):
    scripts = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert len(scripts) == 2
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert policy.endswith(f"; script-src {allowed}")
    assert "unsafe-eval" not in policy


def test_figures_need_no_code_that_is_compiled_from_text(html):
    # The policy forbids what Bokeh calls by names like these.
    kinds = set(re.findall(r'"name":"(Custom\w+|Filter|FuncTick\w*)"', json.dumps(data_of(html))))
    assert kinds == set()


def test_the_same_results_give_the_same_page_though_bokeh_counts_on(tmp_path):
    entries = [page_load(http=http, repetition=n) for http in ("h2", "h3") for n in range(3)]
    assert built(tmp_path / "a", entries) == built(tmp_path / "b", entries)


def test_ids_of_two_figures_are_never_the_same(html):
    ids = [set(re.findall(r'"id": "([^"]+)"', json.dumps(data))) for data in data_of(html).values()]
    assert sum(map(len, ids)) == len(set.union(*ids))


def test_a_page_without_an_interactive_figure_has_no_script(tmp_path):
    html = built(tmp_path, [failed(page_load(repetition=n)) for n in range(3)])
    assert "<script" not in html
    assert "script-src" not in html


def test_the_tail_of_round_trips_is_interactive(tmp_path):
    assert "round-trip-tail" in data_of(built(tmp_path, [ping(repetition=n) for n in range(3)]))


def test_no_name_of_a_user_ends_a_script(tmp_path):
    name = "</script><b>x"
    entries = [page_load(repetition=n) for n in range(3)]
    entries += [
        replace(entry, factors={**entry.factors, "page": name})
        for entry in (page_load(repetition=n, page="uniform-500k") for n in range(3))
    ]
    html = built(tmp_path, entries)
    assert name not in html
    assert name in json.dumps(data_of(html)["plt-s-by-cell"])
