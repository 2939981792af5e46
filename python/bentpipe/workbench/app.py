"""The server's answers: files of the page, what can be chosen, comparisons as they go, a campaign, metrics.

Every request is a GET, and none has a body. No part of a request becomes a path: files of the page are in
memory under fixed names.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass

from tornado.iostream import StreamClosedError
from tornado.web import Application, RequestHandler

from bentpipe.engine.simulate import Simulator
from bentpipe.errors import AbilityError, InputError
from bentpipe.model.frozen import Frozen
from bentpipe.workbench import open_metrics
from bentpipe.workbench.choice import Choice
from bentpipe.workbench.comparison import Comparison
from bentpipe.workbench.guard import HEADERS, Guard, Refused
from bentpipe.workbench.messages import Event, Refusal
from bentpipe.workbench.offer import offer
from bentpipe.workbench.pool import Pool
from bentpipe.workbench.static_files import File, static_files
from bentpipe.workbench.watch import POLL_S, Watch

HEARTBEAT_S = 15.0
"""After which a stream without news says that it is alive; the page waits for four of them."""
LONGEST_TAB_NAME = 64


@dataclass(kw_only=True)
class Shared:
    """What the answers have in common; `comparisons` are those under way, by the tab that has asked."""

    guard: Guard
    pool: Pool
    engine: Simulator
    watch: Watch | None
    comparisons: dict[str, "asyncio.Task[None]"]


def application(*, guard: Guard, pool: Pool, watch: Watch | None) -> Application:
    """Return what answers requests."""
    shared = Shared(guard=guard, pool=pool, engine=Simulator(), watch=watch, comparisons={})
    data = {
        "/offer": _Offer,
        "/scenario.toml": _Scenario,
        "/comparison": _Comparison,
        "/campaign": _Campaign,
        "/metrics": _Metrics,
    }
    return Application(
        [
            *((path, _File, {"shared": shared, "file": file}) for path, file in static_files().items()),
            *((path, handler, {"shared": shared}) for path, handler in data.items()),
        ],
        default_handler_class=_Nothing,
        default_handler_args={"shared": shared},
        log_function=lambda _: None,
    )


class _Handler(RequestHandler):
    SUPPORTED_METHODS = ("GET",)

    def initialize(self, *, shared: Shared) -> None:
        self.shared = shared

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        guard = self.shared.guard
        refused = self._judged(guard)
        if refused is not None:
            self._refuse(refused.status, Refusal(key="", words=refused.words))

    def _judged(self, guard: Guard) -> Refused | None:
        return guard.data(self.request.headers)

    def write_error(self, status_code: int, **_: object) -> None:
        """Answer what Tornado itself refuses, such as another method, without a page of its own."""
        self._refuse(status_code, Refusal(key="", words=self._reason))

    def _refuse(self, status: int, refusal: Refusal) -> None:
        self.set_status(status)
        self._send(refusal)

    def _send(self, document: Frozen) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(document.model_dump_json())

    def _choice(self) -> Choice | None:
        """Return what the address says; None where that is no choice, and is refused."""
        try:
            return Choice.of_query(
                {key: self.get_query_arguments(key) for key in self.request.query_arguments if key != "tab"}
            )
        except InputError as error:
            self._refuse(400, _refusal(error))
            return None


class _File(_Handler):
    def initialize(self, *, shared: Shared, file: File) -> None:  # type: ignore[override]
        super().initialize(shared=shared)
        self._file = file

    def _judged(self, guard: Guard) -> Refused | None:
        return guard.page(self.request.headers)

    def get(self) -> None:
        self.set_header("Content-Type", self._file.kind)
        self.finish(self._file.content)


class _Nothing(_Handler):
    def get(self) -> None:
        self._refuse(404, Refusal(key="", words="there is nothing here"))


class _Offer(_Handler):
    async def get(self) -> None:
        has_campaign = self.shared.watch is not None
        self._send(await self.shared.pool.call(lambda: offer(watches=has_campaign)))


class _Scenario(_Handler):
    def get(self) -> None:
        choice = self._choice()
        if choice is not None:
            self.set_header("Content-Type", "application/toml; charset=utf-8")
            self.finish(choice.toml())


class _Metrics(_Handler):
    def get(self) -> None:
        watch = self.shared.watch
        self.set_header("Content-Type", open_metrics.CONTENT_TYPE)
        self.finish(open_metrics.text(self.shared.pool, watch.state if watch else None))


class _Stream(_Handler):
    """Answers with server-sent events (WHATWG HTML, section 9.2) until its reader goes away."""

    _task: "asyncio.Task[None] | None" = None

    def on_connection_close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _until_gone(self, events: AsyncGenerator[Event]) -> None:
        """Send events, and signs of life between them."""
        self.set_header("Content-Type", "text/event-stream")
        async with aclosing(_alive(events)) as living:
            async for event in living:
                self.write(": alive\n\n" if event is None else f"data: {event.model_dump_json()}\n\n")
                await self.flush()


class _Comparison(_Stream):
    async def get(self) -> None:
        choice = self._choice()
        if choice is None:
            return
        tab = self.get_query_argument("tab", "")[:LONGEST_TAB_NAME]
        comparisons = self.shared.comparisons
        older = comparisons.get(tab)
        self._task = comparisons[tab] = task = asyncio.create_task(self._compare(choice, older))
        try:
            await task
        except (asyncio.CancelledError, StreamClosedError):
            # A newer wish of the same tab, or nobody to read on.
            pass
        except InputError as error:
            self._refuse(400, _refusal(error))
        except AbilityError as error:
            self._refuse(503, Refusal(key="", words=str(error)))
        finally:
            if comparisons.get(tab) is task:
                del comparisons[tab]

    async def _compare(self, choice: Choice, older: "asyncio.Task[None] | None") -> None:
        if older is not None:
            older.cancel()
            # It gives its place and its threads free first.
            await asyncio.wait([older])
        with self.shared.pool.stream():
            comparison = Comparison(choice, engine=self.shared.engine)
            await self._until_gone(comparison.events(self.shared.pool))


class _Campaign(_Stream):
    async def get(self) -> None:
        watch = self.shared.watch
        if watch is None:
            self._refuse(404, Refusal(key="", words="no folder of results is watched"))
            return
        self._task = task = asyncio.create_task(self._until_gone(_states(watch)))
        with suppress(asyncio.CancelledError, StreamClosedError):
            await task


async def _states(watch: Watch) -> AsyncGenerator[Event]:
    """Yield what is found in the folder whenever it says something else than before."""
    told = None
    while True:
        state = watch.state
        if state != told:
            told = state
            yield state
        await asyncio.sleep(POLL_S)


async def _alive(events: AsyncGenerator[Event]) -> AsyncGenerator[Event | None]:
    """Yield events, and None whenever HEARTBEAT_S have passed without one."""
    async with aclosing(events):
        while True:
            following = asyncio.ensure_future(anext(events, None))
            try:
                while not (await asyncio.wait([following], timeout=HEARTBEAT_S))[0]:
                    yield None
            finally:
                # Who gives up this iteration gives up what it waits for; only then the events can be closed.
                if not following.done():
                    following.cancel()
                    await asyncio.wait([following])
            event = following.result()
            if event is None:
                return
            yield event


def _refusal(error: InputError) -> Refusal:
    return Refusal(key=error.field, words=f"expected {error.expected}, found {error.found}")
