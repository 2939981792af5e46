"""OpenMetrics text: families and labels as the standard's ABNF has them (OpenMetrics 1.0)."""

import re
from dataclasses import replace

from bentpipe.export.openmetrics import family_name, openmetrics
from bentpipe.stats.metrics import METRICS
from tests.support.synthetic import page_load

SAMPLE = re.compile(
    r'([a-zA-Z_:][a-zA-Z0-9_:]*)\{[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
    r'(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")*\} -?[0-9.]+(?:e[+-]?[0-9]+)?'
)


def test_each_metric_has_a_family_of_its_own_whose_name_ends_in_its_unit():
    found = {metric: family_name(metric) for metric in METRICS}
    assert len({name for name, _ in found.values()}) == len(METRICS)
    assert all(name.endswith(f"_{unit}") for name, unit in found.values() if unit)
    assert found["plt_s"] == ("bentpipe_plt_seconds", "seconds")
    assert found["goodput_bps"] == ("bentpipe_goodput_bits_per_second", "bits_per_second")
    assert found["wire_bytes_down"] == ("bentpipe_wire_down_bytes", "bytes")
    assert found["overhead_percent"] == ("bentpipe_overhead_ratio", "ratio")
    assert found["ping_loss_fraction"] == ("bentpipe_ping_loss_ratio", "ratio")
    assert found["retransmitted_packets"] == ("bentpipe_retransmitted_packets", None)


def test_the_text_is_families_of_samples_and_ends_with_eof():
    runs = [page_load(http=http, repetition=n) for http in ("h2", "h3") for n in range(2)]
    *lines, last = openmetrics(runs).removesuffix("\n").split("\n")
    assert last == "# EOF"
    family = None
    for line in lines:
        if line.startswith("# TYPE "):
            family = line.split()[2]
        elif not line.startswith("# UNIT "):
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] in (family, f"{family}_info")
    samples = [line for line in lines if line.startswith("bentpipe_plt_seconds{")]
    assert [float(line.rpartition(" ")[2]) for line in samples] == [run.metrics["plt_s"] for run in runs]
    assert len([line for line in lines if line.startswith("bentpipe_run_info{")]) == len(runs)


def test_values_of_labels_are_escaped_and_names_have_no_dots():
    run = page_load(http="h2", repetition=0)
    odd = replace(run, factors={"tcp.initial_window": '"3"\\\n'})
    assert 'tcp_initial_window="\\"3\\"\\\\\\n"' in openmetrics([odd])
