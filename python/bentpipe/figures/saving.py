"""Many figures as files, in a process for each core: drawing them takes most of the time of a report.

The processes are programs of their own, which take figures by their standard input. Those of the standard
library's pools would either import the script that calls us once more or copy a process that has threads.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue

from bentpipe.figures.drawing import Drawing, save

FEWEST = 6
"""Figures for each process, at least: its start takes as long as one or two of them."""

_PROGRAM = "from bentpipe.figures.saving import save_what_comes; save_what_comes()"

Svgs = dict[str, str]


@contextmanager
def saving(drawings: Sequence[Drawing], folder: Path) -> Iterator[Callable[[], Svgs]]:
    """Save figures as `drawing.save` does while the block does something else.

    Parameters
    ----------
    drawings
        The figures, each with a name of its own.
    folder
        Where their files are written.

    Yields
    ------
    Callable
        It waits until all are written and returns their SVGs by name, in the order of the figures. It
        raises OSError where the disk does not take one, and ChildProcessError when a process ended before.
    """
    processes = min(len(os.sched_getaffinity(0)), len(drawings) // FEWEST)
    if processes < 2:
        yield lambda: {each.name: save(each, folder) for each in drawings}
        return
    waiting: SimpleQueue[Drawing] = SimpleQueue()
    for each in drawings:
        waiting.put(each)
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(max_workers=processes, thread_name_prefix="figures"))
        workers = [_started() for _ in range(processes)]
        for worker in workers:
            # Before the pool waits for its threads, also when the block ends by an error.
            stack.callback(worker.kill)
        parts = [pool.submit(_save_waiting, worker, waiting, folder) for worker in workers]
        yield lambda: _together(parts, drawings)


def save_what_comes() -> None:
    """Save figures from standard input and answer each with its SVG, or with the error of the disk."""
    # Ctrl-C is for the process that waits for the answers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints is no answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            drawing, folder = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: str | OSError = save(drawing, folder)
        except OSError as error:
            answer = error
        pickle.dump(answer, answers)
        answers.flush()


def _started() -> subprocess.Popen[bytes]:
    # Not from the working directory, which has files of the user's.
    command = [sys.executable, "-P", "-c", _PROGRAM]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _save_waiting(worker: subprocess.Popen[bytes], waiting: SimpleQueue[Drawing], folder: Path) -> Svgs:
    svgs: Svgs = {}
    with worker:
        while True:
            try:
                drawing = waiting.get_nowait()
            except Empty:
                return svgs
            svgs[drawing.name] = _saved(worker, drawing, folder)


def _saved(worker: subprocess.Popen[bytes], drawing: Drawing, folder: Path) -> str:
    assert worker.stdin is not None and worker.stdout is not None
    try:
        # The interactive figure stays here: it is a function with the runs.
        pickle.dump((replace(drawing, live=None), folder), worker.stdin)
        worker.stdin.flush()
        answer = pickle.load(worker.stdout)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        status = worker.wait()
        raise ChildProcessError(f"the process that drew {drawing.name} ended with status {status}") from None
    if isinstance(answer, OSError):
        raise answer
    return str(answer)


def _together(parts: Sequence[Future[Svgs]], drawings: Sequence[Drawing]) -> Svgs:
    svgs = {name: svg for part in parts for name, svg in part.result().items()}
    return {each.name: svgs[each.name] for each in drawings}
