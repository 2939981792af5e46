"""Commands to a browser and events from it: JSON over a WebSocket on the loopback of its namespace.

The Chrome DevTools Protocol and WebDriver BiDi frame them alike: a command has `id`, `method` and `params`,
its answer the same `id` with a `result` or an `error`, an event a `method` and `params` and no `id`.
"""

import itertools
import json
import socket
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from bentpipe.engine.testbed import netns

ANSWER_TIMEOUT_S = 20.0
"""For a browser to answer a command, even beside a full machine."""

MOST_EVENTS = 200_000
"""Of a run. A page of 100 requests makes some thousand; one that asks for things without end, any number."""

_LARGEST_MESSAGE_BYTES = 64 << 20
"""A picture of the window has at most some megabytes."""
_MOST_UNREAD = 16
"""Messages; then the browser has to wait until they are read."""
_MOST_EVENT_BYTES = 512_000_000
"""Of all events of a run together."""

_CLOSE_TIMEOUT_S = 1.0


Json = Mapping[str, Any]
"""An object of JSON as a browser makes it, whose form is its maker's."""


class RemoteError(Exception):
    """A browser refused a command, fell silent, or has gone."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """What a browser says by itself.

    Attributes
    ----------
    session : str or None
        The target that it is about (CDP alone).
    received_ns : int
        When it came here, by CLOCK_MONOTONIC.
    """

    method: str
    params: Json
    session: str | None
    received_ns: int


class Remote:
    """A browser's remote control. Of one thread; events wait until they are asked for."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self._events: deque[Event] = deque()
        self._events_so_far = self._bytes_so_far = 0
        self._unanswered: set[int] = set()

    def command(
        self,
        method: str,
        params: Json | None = None,
        *,
        session: str | None = None,
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> Json:
        """Send a command and return its result.

        Raises
        ------
        RemoteError
            When the browser refuses it, does not answer within `timeout_s`, or has gone.
        """
        number = self._send(method, params, session)
        until_s = time.monotonic() + timeout_s
        while (message := self._receive(until_s)) is not None:
            if message.get("id") == number:
                return _result_of(message, method)
            self._keep(message)
        raise RemoteError(f"the browser did not answer {method} within {timeout_s:.0f} s")

    def order(self, method: str, params: Json | None = None, *, session: str | None = None) -> None:
        """Send a command whose result is of no interest; that it was refused is said by the next call."""
        self._unanswered.add(self._send(method, params, session))

    def event(self, *, until_s: float) -> Event | None:
        """Return the next event; None when there is none until `until_s` of the monotonic clock.

        Raises
        ------
        RemoteError
            When the browser has gone, or has refused an order.
        """
        while not self._events:
            message = self._receive(until_s)
            if message is None:
                return None
            self._keep(message)
        return self._events.popleft()

    def _send(self, method: str, params: Json | None, session: str | None) -> int:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = session
        try:
            self._connection.send(json.dumps(message))
        except ConnectionClosed:
            raise RemoteError(f"the browser has gone before {method}") from None
        return number

    def _receive(self, until_s: float) -> Json | None:
        try:
            text = self._connection.recv(timeout=max(0.0, until_s - time.monotonic()))
        except TimeoutError:
            return None
        except ConnectionClosed:
            raise RemoteError("the browser has gone") from None
        self._bytes_so_far += len(text)
        if self._bytes_so_far > _MOST_EVENT_BYTES:
            raise RemoteError(f"the browser told more than {_MOST_EVENT_BYTES} bytes")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RemoteError(f"the browser told what is no JSON: {error}") from None
        if not isinstance(message, dict) or (
            "id" not in message and not {"method", "params"} <= message.keys()
        ):
            raise RemoteError("the browser told what is neither an answer nor an event")
        return message

    def _keep(self, message: Json) -> None:
        number = message.get("id")
        if number is None:
            self._events_so_far += 1
            if self._events_so_far > MOST_EVENTS:
                raise RemoteError(f"the browser told of more than {MOST_EVENTS} events")
            self._events.append(
                Event(
                    method=message["method"],
                    params=message["params"],
                    session=message.get("sessionId"),
                    received_ns=time.monotonic_ns(),
                )
            )
        elif number in self._unanswered:
            self._unanswered.remove(number)
            _result_of(message, "an order")


@contextmanager
def connected(url: str, *, namespace: str) -> Iterator[Remote]:
    """Connect to a browser that listens.

    Parameters
    ----------
    url
        Of its WebSocket, such as `ws://127.0.0.1:9222/session`.
    namespace
        Name of the network namespace that it is in.

    Raises
    ------
    RemoteError
        When it does not take the connection.
    """
    address = urlsplit(url)
    assert address.hostname is not None and address.port is not None
    with ExitStack() as stack:
        try:
            with netns.inside(namespace):
                # A socket stays in the namespace in which it was made.
                link = socket.create_connection((address.hostname, address.port), timeout=ANSWER_TIMEOUT_S)
            connection = stack.enter_context(
                connect(
                    url,
                    sock=link,
                    proxy=None,
                    compression=None,
                    open_timeout=ANSWER_TIMEOUT_S,
                    ping_interval=None,
                    close_timeout=_CLOSE_TIMEOUT_S,
                    max_size=_LARGEST_MESSAGE_BYTES,
                    max_queue=_MOST_UNREAD,
                )
            )
        except (OSError, WebSocketException) as error:
            raise RemoteError(f"the browser's remote control at {url}: {error}") from None
        yield Remote(connection)


def _result_of(message: Json, method: str) -> Json:
    error = message.get("error")
    if error is not None:
        # CDP has an object here, BiDi a word with the message beside it.
        said = error["message"] if isinstance(error, Mapping) else f"{error}: {message.get('message', '')}"
        raise RemoteError(f"the browser refused {method}: {said}")
    result: Json = message.get("result", {})
    return result
