"""Work in virtual time on every core."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

from bentpipe.campaign.engine import Engine
from bentpipe.engine.simulate import Simulator

Item = TypeVar("Item")
Result = TypeVar("Result")


def of_each(items: Iterable[Item], do: Callable[[Item, Engine], Result]) -> Iterator[Result]:
    """Yield what is done of each with the simulator, in their order."""
    with closing(Simulator()) as engine, ThreadPoolExecutor(cores()) as pool:
        yield from pool.map(lambda item: do(item, engine), items)


def cores() -> int:
    """Return how many cores there are for this process."""
    return len(os.sched_getaffinity(0))
