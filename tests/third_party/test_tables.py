"""The standing checks that need nothing of others: what standards print (docs/third-party.md)."""

from importlib.util import find_spec

import pytest

from tools.third_party import dvbs2
from tools.third_party.check import Outcome
from tools.third_party.kept import kept


def failed(result):
    return [(case.group, case.name, case.note) for case in result.cases if case.outcome is Outcome.FAILED]


def test_all_rates_of_dvb_s2_are_those_of_its_standard():
    result = dvbs2.run()
    assert failed(result) == []
    # 28 MODCODs on normal frames and 24 on short ones, with pilots and without.
    net = [case for case in result.cases if case.group.startswith("Net rate of the data field")]
    assert len(net) == 2 * (28 + 24)


@pytest.mark.skipif(find_spec("itur") is None, reason="the package itur is not installed")
def test_all_that_rain_takes_of_itu_r_is_as_in_its_validation_examples():
    from tools.third_party import itu_r

    assert failed(itu_r.run()) == []


def test_what_is_kept_of_these_checks_is_what_they_come_to():
    assert kept("dvbs2") == dvbs2.run()
