"""A queue as written: names and types of its keys, nothing filled in."""

from pydantic import Field

from bentpipe.scenario.written.table import DURATION, PROBABILITY, QUEUE, SIZE, Table


class QueueTable(Table):
    """A queue: {limit} drop-tail; {limit, start, p} random early drop; {limit, target, interval} CoDel."""

    limit: str | None = Field(default=None, description=QUEUE)
    start: str | None = Field(default=None, description=SIZE)
    p: float | str | None = Field(default=None, description=PROBABILITY)
    target: str | None = Field(default=None, description=DURATION)
    interval: str | None = Field(default=None, description=DURATION)
