"""What a reason says where it is shown."""

from bentpipe import _core
from bentpipe.model.reason import Reason


def sentence(reason: Reason) -> str:
    """Return why a run failed or is invalid, in words."""
    return _core.reason_sentence(reason.to_json())
