"""The server from its first socket to Ctrl-C."""

import asyncio
import os
import signal
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socket import socket

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from bentpipe.errors import AbilityError, InputError, StorageError
from bentpipe.refusal import said
from bentpipe.workbench.app import application
from bentpipe.workbench.guard import LEAST_TOKEN_CHARACTERS, Address, Guard, new_token
from bentpipe.workbench.pool import Pool
from bentpipe.workbench.watch import POLL_S, Watch

LARGEST_BODY_BYTES = 4096
"""Of a request: none needs a body."""
LARGEST_HEAD_BYTES = 16_384
"""The address with all that can be chosen is below 1 kB."""
IDLE_S = 120.0
LOCALHOST = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a server is wanted.

    Attributes
    ----------
    folder : Path or None
        Of the results that it watches.
    address : str
        An IP address of this machine.
    port : int
        Zero for any that is free.
    token : str
        What the page has to know.
    threads : int
        Runs at once.
    """

    folder: Path | None
    address: str
    port: int
    token: str
    threads: int


def token_of(file: Path | None) -> str:
    """Return a new token, or that of a file, for those who come back, as Prometheus does.

    Raises
    ------
    InputError
        When it is too short, or others than its owner may read it.
    StorageError
        When it cannot be read.
    """
    if file is None:
        return new_token()
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            token = opened.read(4096).strip()
    except OSError as error:
        raise StorageError(str(file), said(error)) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise _bad_token(
            file, "a file that nobody but its owner may read (chmod 600)", f"mode {mode & 0o777:o}"
        )
    if len(token) < LEAST_TOKEN_CHARACTERS or not (
        token.isascii() and token.isprintable() and " " not in token
    ):
        expected = f"at least {LEAST_TOKEN_CHARACTERS} letters and digits"
        raise _bad_token(file, expected, f"{len(token)} characters")
    return token


def serve(serving: Serving, *, ready: Callable[[Guard], None]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is called when requests are answered.

    Raises
    ------
    InputError
        For an address that is none, or a folder without results.
    AbilityError
        When the port is not to be had.
    StorageError
        When the folder cannot be read.
    Exception
        A defect of what looks at the folder: the view would stand still without a word.
    """
    address = _address(serving.address)
    watch = None if serving.folder is None else Watch(serving.folder)
    sockets = _listening(address, serving.port)
    guard = Guard(address=address, port=sockets[0].getsockname()[1], token=serving.token)
    with closing(Pool(serving.threads)) as pool:
        asyncio.run(_until_signal(sockets, guard=guard, pool=pool, watch=watch, ready=ready))


async def _until_signal(
    sockets: list[socket], *, guard: Guard, pool: Pool, watch: Watch | None, ready: Callable[[Guard], None]
) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    server = HTTPServer(
        application(guard=guard, pool=pool, watch=watch),
        max_body_size=LARGEST_BODY_BYTES,
        max_header_size=LARGEST_HEAD_BYTES,
        idle_connection_timeout=IDLE_S,
        body_timeout=IDLE_S,
    )
    server.add_sockets(sockets)
    tasks: list[asyncio.Task[object]] = [asyncio.create_task(ended.wait())]
    if watch is not None:
        tasks.append(asyncio.create_task(_look(watch)))
    try:
        ready(guard)
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        server.stop()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _look(watch: Watch) -> None:
    """Look at the folder in a thread of its own, so that the pool is free for comparisons."""
    while True:
        await asyncio.to_thread(watch.look)
        await asyncio.sleep(POLL_S)


def _address(text: str) -> Address:
    try:
        return ip_address(text)
    except ValueError:
        expected = "an IP address of this machine, such as 127.0.0.1"
        raise InputError(file="command line", field="--listen", expected=expected, found=repr(text)) from None


def _listening(address: Address, port: int) -> list[socket]:
    try:
        return bind_sockets(port, address=str(address))
    except (OSError, OverflowError) as error:
        words = said(error) if isinstance(error, OSError) else str(error)
        raise AbilityError(f"{address} port {port}: {words}", "give another --port, or none") from None


def _bad_token(file: Path, expected: str, found: str) -> InputError:
    return InputError(file=str(file), field="the whole file", expected=expected, found=found)
