"""Chrome's UX Report: its names, bins and percentiles of times that are counted by hand."""

from types import MappingProxyType

from bentpipe.export.crux import crux_record
from tests.support.synthetic import page_load


class Painted:
    """A run of a browser."""

    status = "succeeded"
    factors = MappingProxyType({"page": "news-front", "client": "chromium"})

    def __init__(self, fcp_s, ttfb_s=0.5):
        self.metrics = {"paint_fcp_s": fcp_s, "ttfb_s": ttfb_s}


def test_a_cell_has_histogram_and_75th_percentile_in_milliseconds():
    runs = [Painted(time_s) for time_s in (1.0, 1.7999, 1.8, 3.0)]
    document = crux_record(Painted.factors, runs).document()
    assert document["key"] == {"formFactor": "DESKTOP", "url": "news-front"}
    fcp = document["metrics"]["first_contentful_paint"]
    # 1800 ms is where "needs improvement" starts, 3000 ms where "poor" does.
    assert fcp["histogram"] == [
        {"start": 0, "end": 1800, "density": 0.5},
        {"start": 1800, "end": 3000, "density": 0.25},
        {"start": 3000, "density": 0.25},
    ]
    # A quarter of the way from the third value to the fourth.
    assert fcp["percentiles"] == {"p75": 2100}
    assert document["metrics"]["experimental_time_to_first_byte"]["percentiles"] == {"p75": 500}
    assert "largest_contentful_paint" not in document["metrics"]


def test_the_loaders_runs_have_no_record():
    assert crux_record({}, [page_load(http="h2", repetition=n) for n in range(2)]) is None
