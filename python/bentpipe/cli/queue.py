"""A queue of a resolved link for people, in words."""

from collections.abc import Mapping
from typing import Any

from bentpipe import _core


def queue_words(spec: Mapping[str, Any]) -> str:
    """A queue in words."""
    match spec["kind"]:
        case "packets":
            return f"{spec['limit_packets']} packets"
        case "time":
            return _core.format_duration(spec["limit_ns"])
        case "random-early-drop":
            limit, start = (_core.format_size(spec[key]) for key in ("limit_bytes", "start_bytes"))
            return f"{limit}; above {start} random drops, rising to {exact_percent(spec['p'])} at the limit"
        case "codel":
            target, interval = (_core.format_duration(spec[key]) for key in ("target_ns", "interval_ns"))
            limit = _core.format_size(spec["limit_bytes"])
            return f"{limit}; CoDel with a target of {target} and an interval of {interval}"
        case _:
            return _core.format_size(spec["limit_bytes"])


def exact_percent(share: float) -> str:
    """A share in percent with all its digits."""
    return f"{share * 100:.9g} %"
