"""Jain's index and shares over time; expected values are worked out by hand."""

import numpy as np
import pytest

from bentpipe.model.record import FlowRecord
from bentpipe.stats import competitors, jain_index, sharing
from tests.support.models import complete


def flow(port, *, start_s=0.0, last_byte_s=None):
    parts = {"client_port": port, "start_s": start_s, "last_byte_s": last_byte_s}
    return complete(FlowRecord, parts)


def progress(rows):
    """Rows of (port, end of a bin of 100 ms in s, bytes)."""
    ports, times, amounts = (np.asarray(column, dtype=float) for column in zip(*rows, strict=True))
    return {"client_port": ports, "time_s": times, "received_bytes": amounts}


def steady(port, rate_bps, *, from_s, to_s):
    """A flow that receives the same in every bin."""
    bins = np.arange(round((to_s - from_s) * 10)) + 1
    return [(port, from_s + n / 10, rate_bps / 80) for n in bins]


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ([5, 5, 5, 5], 1.0),
        ([7, 0, 0, 0], 1 / 4),
        # Jain, Chiu, Hawe 1984: k of n users with equal shares and the others with none give k/n.
        ([3, 3, 3, 0, 0], 3 / 5),
        # (1 + 3)^2 / (2 * (1 + 9))
        ([1, 3], 0.8),
        ([1e9, 3e9], 0.8),
    ],
)
def test_jains_index_is_one_for_equal_rates_and_one_in_n_for_a_single_winner(rates, expected):
    assert jain_index(rates) == pytest.approx(expected)


@pytest.mark.parametrize("rates", [[], [5], [0, 0]])
def test_of_one_rate_or_of_nothing_at_all_there_is_no_index(rates):
    assert np.isnan(jain_index(rates))


def test_flows_are_told_apart_by_the_clients_port_and_set_against_each_other():
    rows = [*steady(1, 1e6, from_s=0, to_s=3), *steady(2, 3e6, from_s=0, to_s=3)]
    found = sharing(competitors([flow(1), flow(2)], progress(rows), common_end_s=3.0))
    assert found.end_s.tolist() == [1, 2, 3]
    assert found.throughput_bps == pytest.approx(np.array([[1e6] * 3, [3e6] * 3]))
    assert found.share == pytest.approx(np.array([[0.25] * 3, [0.75] * 3]))
    assert found.jain_index == pytest.approx([0.8] * 3)


def test_a_flow_counts_in_the_index_from_its_start_on():
    rows = [*steady(1, 1e6, from_s=0, to_s=4), *steady(2, 1e6, from_s=2, to_s=4)]
    found = sharing(competitors([flow(1), flow(2, start_s=2.0)], progress(rows), common_end_s=4.0))
    assert np.isnan(found.jain_index[:2]).all()
    assert found.jain_index[2:] == pytest.approx([1, 1])
    assert found.share[1] == pytest.approx([0, 0, 0.5, 0.5])


def test_a_flow_that_is_starved_counts_in_the_index_to_the_common_end():
    rows = [*steady(1, 1e6, from_s=0, to_s=2), *steady(2, 1e6, from_s=0, to_s=1)]
    found = sharing(competitors([flow(1), flow(2, last_byte_s=1.0)], progress(rows), common_end_s=2.0))
    assert found.jain_index == pytest.approx([1, 0.5])


def test_a_flow_of_so_many_bytes_counts_until_it_is_complete():
    rows = [*steady(1, 1e6, from_s=0, to_s=2), *steady(2, 1e6, from_s=0, to_s=1)]
    flows = [flow(1, last_byte_s=2.0), flow(2, last_byte_s=1.0)]
    found = sharing(competitors(flows, progress(rows), common_end_s=None))
    assert found.jain_index[0] == pytest.approx(1)
    assert np.isnan(found.jain_index[1])


def test_a_flow_that_was_never_connected_has_received_nothing():
    lonely = flow(None)
    found = sharing(
        competitors([flow(1), lonely], progress(steady(1, 1e6, from_s=0, to_s=1)), common_end_s=1.0)
    )
    assert found.jain_index == pytest.approx([0.5])


def test_steps_may_be_longer_than_a_second():
    found = sharing(
        competitors([flow(1)], progress(steady(1, 1e6, from_s=0, to_s=10)), common_end_s=10.0), step_s=5.0
    )
    assert found.end_s.tolist() == [5, 10]
    assert found.throughput_bps == pytest.approx(np.array([[1e6, 1e6]]))


def test_a_second_in_which_nothing_came_has_no_shares():
    rows = [(1, 0.1, 1000.0), (2, 0.1, 1000.0), (1, 2.0, 1000.0)]
    found = sharing(competitors([flow(1), flow(2)], progress(rows), common_end_s=3.0))
    assert np.isnan(found.share[:, 2]).all()
