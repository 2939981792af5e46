"""Runs of lost packets, counted by hand."""

import math

import pytest

from bentpipe.stats import loss_runs

LOST = math.nan


def test_packets_lost_in_a_row_are_one_event():
    found = loss_runs([[0.6, LOST, 0.6, LOST, LOST, LOST, 0.6, LOST]])
    assert (found.sent, found.lost, found.events, found.single, found.longest) == (8, 5, 3, 2, 3)
    assert found.fraction == pytest.approx(5 / 8)
    assert found.single_share == pytest.approx(2 / 3)


def test_a_row_ends_with_its_run():
    found = loss_runs([[0.6, LOST], [LOST, LOST, 0.6]])
    assert (found.events, found.single, found.longest) == (2, 1, 2)


def test_a_record_writes_a_lost_packet_as_nothing():
    assert loss_runs([[0.6, None, 0.6]]).lost == 1


@pytest.mark.parametrize("sequences", [[], [[]], [[0.6, 0.6]]])
def test_without_losses_there_is_no_share_of_single_ones(sequences):
    found = loss_runs(sequences)
    assert (found.lost, found.events, found.longest, found.fraction) == (0, 0, 0, 0.0)
    assert found.single_share is None


def test_the_published_shares_follow_from_the_published_counts():
    # claypool2020: 44 events of several packets are 23 % of all, so that 147 were of one: 77 %.
    single = round(44 * 77 / 23)
    rounds = [[0.6, LOST] * single, *([[LOST, LOST, 0.6]] * 44)]
    assert loss_runs(rounds).single_share == pytest.approx(0.77, abs=0.005)
