"""Bulk flows as flat rows, for tables of every kind."""

from collections.abc import Mapping
from typing import TypeAlias

from bentpipe.model.record import FlowRecord, RttUnderLoad

FlowRow: TypeAlias = Mapping[str, object]
"""A flow, by column."""

_NESTED = "rtt_under_load"
_RTTS = tuple(f"rtt_{name}" for name in RttUnderLoad.model_fields)

COLUMNS = (*(name for name in FlowRecord.model_fields if name != _NESTED), *_RTTS)
"""Of a flow: what the record has, and the round trip under load as `rtt_min_s`, `rtt_p50_s`, `rtt_p99_s`."""


def flow_row(flow: FlowRecord) -> FlowRow:
    """Return a flow as a row of COLUMNS; what it does not have is None."""
    own = flow.model_dump(mode="json", exclude={_NESTED})
    under_load = flow.rtt_under_load
    rtts = {} if under_load is None else under_load.model_dump(mode="json")
    return {**own, **{f"rtt_{name}": rtts.get(name) for name in RttUnderLoad.model_fields}}
