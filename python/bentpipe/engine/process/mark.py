"""The link's mark: from when on it counts."""

from bentpipe.engine.process.part import START_TIMEOUT_S, Part
from bentpipe.model.frozen import Frozen


class Marked(Frozen):
    """The link's answer: `begin_ns` is an instant of CLOCK_MONOTONIC, soon if nothing has used the link."""

    begin_ns: int


def marked(link: Part) -> int:
    """Have the link count afresh; return the instant from which it does.

    Raises
    ------
    PartError
        When the link does not answer.
    """
    link.order("mark")
    return Marked.model_validate_json(link.answer(timeout_s=START_TIMEOUT_S)).begin_ns
