"""A queue of a resolved link for people, in words."""

from bentpipe import _core
from bentpipe.model.queue import (
    BytesQueueSpec,
    CodelQueueSpec,
    Dualpi2QueueSpec,
    PacketsQueueSpec,
    QueueSpec,
    RandomEarlyDropQueueSpec,
    TimeQueueSpec,
)
from bentpipe.model.switch import Switch


def queue_words(spec: QueueSpec) -> str:
    """A queue in words."""
    match spec:
        case PacketsQueueSpec(limit_packets=limit_packets):
            return f"{limit_packets} packets"
        case TimeQueueSpec(limit_ns=limit_ns):
            return _core.format_duration(limit_ns)
        case RandomEarlyDropQueueSpec():
            limit, start = _core.format_size(spec.limit_bytes), _core.format_size(spec.start_bytes)
            return f"{limit}; above {start} random drops, rising to {exact_percent(spec.p)} at the limit"
        case CodelQueueSpec():
            target, interval = _core.format_duration(spec.target_ns), _core.format_duration(spec.interval_ns)
            limit = _core.format_size(spec.limit_bytes)
            marks = ", which marks where it can" if spec.ecn is Switch.ON else ""
            return f"{limit}; CoDel with a target of {target} and an interval of {interval}{marks}"
        case Dualpi2QueueSpec():
            limit, target = _core.format_size(spec.limit_bytes), _core.format_duration(spec.target_ns)
            start = _core.format_duration(spec.ramp_start_ns)
            return f"{limit}; DualPI2 with a target of {target}, and L4S marks above {start}"
        case BytesQueueSpec(limit_bytes=limit_bytes):
            return _core.format_size(limit_bytes)


def exact_percent(share: float) -> str:
    """A share in percent with all its digits."""
    return f"{share * 100:.9g} %"
